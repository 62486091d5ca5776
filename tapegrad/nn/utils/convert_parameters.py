"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...torch.joining import cat
from ...torch.tensor import Tensor
from ..errors import type_name

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """The elements of all parameters, one after the other; recorded."""
    return cat([param.reshape(-1) for param in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Make the parameters views of the parts of a vector: the inverse of `parameters_to_vector`."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type_name(vec)}")
    whole: Any = vec
    start = 0
    for param in parameters:
        stop = start + param.numel()
        param.data = whole[start:stop].view_as(param).data
        start = stop
