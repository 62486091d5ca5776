"""What functions do with their arguments before the core sees them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...torch import Tensor
from ...torch.tensor import wrap


def tensor(x: Any) -> Any:
    """A tensor of what is one, or an array (of NumPy's, or the core's); None as it is."""
    return x if x is None or isinstance(x, Tensor) else wrap(x)


def quickly(short: Callable[..., Any]) -> Callable[..., Any]:
    """A function for which `short` is tried first. It gives None if there is more to it."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def face(*args: Any, **kwargs: Any) -> Any:
            result = short(*args, **kwargs)
            return function(*args, **kwargs) if result is None else result

        return face

    return decorate
