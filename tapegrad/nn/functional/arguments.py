"""Arguments that may be of another face: ndarrays and the core's arrays are taken as tensors."""

from __future__ import annotations

from typing import Any

from ...torch import Tensor
from ...torch.tensor import wrap


def tensor(x: Any) -> Any:
    """A tensor of what is one, or an array; None as it is."""
    return x if x is None or isinstance(x, Tensor) else wrap(x)
