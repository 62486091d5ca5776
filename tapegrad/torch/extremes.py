"""Extremes of tensors, and where they are."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ..core.array import Array
from ..core.op import table
from ..ops import linear
from ..ops.sort import take_along
from . import errors, return_types
from .arithmetic import maximum, minimum
from .calls import attach, cast, on_arrays
from .dtypes import as_numpy, of_numpy
from .reductions import Dims, axes_of, wrapped
from .refusals import refuse
from .tensor import Tensor

__all__ = [
    "amax",
    "amin",
    "aminmax",
    "argmax",
    "argmin",
    "max",
    "min",
]


def not_empty(x: Array, dim: Dims, name: str) -> tuple[int, ...]:
    """The axes of a reduction by order, which has no value for no elements."""
    check_order(name, x)
    axis = axes_of(x, dim)
    if builtins.any(x.shape[a] == 0 for a in axis):
        raise errors.empty_reduction(name, dim)
    return axis


def check_order(name: str, x: Array) -> None:
    """Raise if the elements of an array have no order."""
    if x.dtype.kind == "c":
        raise errors.no_order(name, of_numpy(x.dtype))


def extreme(name: str, doc: str) -> Callable[..., Any]:
    """`amax` or `amin`."""
    op = table[name.removeprefix("a")]

    @on_arrays
    def function(input: Array, dim: Dims = (), keepdim: bool = False) -> Any:
        return op.function(input, axis=not_empty(input, dim, name), keepdims=keepdim)

    function.__name__ = name
    function.__doc__ = doc
    return function


amax = extreme("amax", "The largest elements along axes; ties share the gradient.")
amin = extreme("amin", "The smallest elements along axes; ties share the gradient.")


@on_arrays
def aminmax(input: Array, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest and the largest elements."""
    axis = not_empty(input, dim, "aminmax")
    return return_types.aminmax(
        table["min"].function(input, axis=axis, keepdims=keepdim),
        table["max"].function(input, axis=axis, keepdims=keepdim),
    )


def place(x: Array, name: str, dim: int | None, keepdim: bool) -> Array:
    """`argmax` or `argmin`: the first place of an extreme."""
    check_order(name, x)
    if dim is None:
        if not x.size:
            raise errors.empty_reduction(name, None)
        flat = linear.reshape(x, to=(x.size,))
        found = table[name].function(flat, axis=0, keepdims=False)
        return linear.reshape(found, to=(1,) * x.ndim) if keepdim else found
    axis = not_empty(x, dim, name)
    if not x.ndim:
        return cast(x != x, as_numpy(int))
    return table[name].function(x, axis=axis[0], keepdims=keepdim)


@on_arrays
def argmax(input: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    """Where the largest element is, of all or along an axis."""
    return place(input, "argmax", dim, keepdim)


@on_arrays
def argmin(input: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    """Where the smallest element is, of all or along an axis."""
    return place(input, "argmin", dim, keepdim)


def extreme_of(name: str, binary: Callable[..., Any]) -> Callable[..., Any]:
    """`max` or `min`: of all elements, along an axis with the places, or of two tensors."""
    kind = getattr(return_types, name)

    @on_arrays
    def along(input: Array, dim: int, keepdim: bool) -> Any:
        if not input.ndim:
            wrapped(dim, 0)
            return kind(input, cast(input != input, as_numpy(int)))
        (axis,) = not_empty(input, dim, name)
        places = table[f"arg{name}"].function(input, axis=axis, keepdims=True)
        values = take_along(input, places, axis=axis, once=True)
        if not keepdim:
            to = (*input.shape[:axis], *input.shape[axis + 1 :])
            values, places = linear.reshape(values, to=to), linear.reshape(places, to=to)
        return kind(values, places)

    @on_arrays
    def whole(input: Array) -> Any:
        axis = not_empty(input, None, name)
        return table[name].function(input, axis=axis, keepdims=False)

    whole.__name__ = name
    refuse({name: along}, "{name}(): does not support complex input", "complex", name)

    def function(
        input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None, out: Any = None
    ) -> Any:
        if isinstance(dim, Tensor):
            other = dim
        if other is not None:
            return binary(input, other, out=out)
        if dim is None:
            return whole(input) if out is None else whole(input, out=out)
        return along(input, dim, keepdim) if out is None else along(input, dim, keepdim, out=out)

    function.__name__ = name
    return function


max = extreme_of("max", maximum)
min = extreme_of("min", minimum)


attach("amax amin aminmax argmax argmin max min", globals())

refuse(globals(), "argmax(): does not support bool input", "bool", "argmax")
refuse(globals(), "argmin(): does not support bool input", "bool", "argmin")
refuse(globals(), "argmax(): does not support complex input", "complex", "argmax")
refuse(globals(), "argmin(): does not support complex input", "complex", "argmin")
refuse(globals(), "aminmax not implemented for {kind}", "complex", "aminmax")
