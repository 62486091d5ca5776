"""Choosing among tensors and limiting them: `where`, `clamp`, masks."""

from __future__ import annotations

from math import inf
from typing import Any

import ml_dtypes
import numpy

from ..backend import namespace, on_device
from ..core.array import Array
from ..core.op import table
from ..numpy.reading import known
from ..ops.index import ARRAY
from ..ops.linear import broadcast_to, reshape
from . import errors
from .calls import attach, cast, on_arrays, promoted
from .creation import number_in
from .dtypes import of_numpy
from .inplace import store
from .refusals import lacking, refuse
from .tensor import Tensor, wrap

__all__ = [
    "argwhere",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "heaviside",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "nan_to_num",
    "nonzero",
    "nonzero_static",
    "where",
]


def where(
    condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | None = None
) -> Any:
    """`input` where the condition is true, `other` elsewhere; alone, as `nonzero` of tuples."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    return choose(condition, input, other, out=out)


@on_arrays
def choose(condition: Any, x: Any, y: Any) -> Any:
    """The choice between two."""
    mask = condition
    if mask.dtype != bool:
        if mask.dtype != numpy.uint8:
            raise errors.not_condition(of_numpy(mask.dtype))
        mask = mask != 0
    x, y = promoted(x, y)
    return table["where"].function(mask, x, y)


@on_arrays
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """The elements, not less than `min` and not more than `max`; the gradient passes at both."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounds = [b for b in (min, max) if b is not None]
    if input.dtype.char in "fd" and all(type(b) in (int, float) and b == b for b in bounds):
        low = -inf if min is None else min
        return table["clip"].function(input, low, inf if max is None else max)
    if len(bounds) == 2:
        lacking("NotImplementedError: clamp is not supported for complex types", "complex", input)
    lacking("minimum_cpu" if min is None else "maximum_cpu", "complex", input)
    values = promoted(input, *bounds)
    x, rest = values[0], values[1:]
    if len(bounds) == 2:
        lacking("clamp_cpu", "bool", x)
    shape = numpy.broadcast_shapes(*(getattr(v, "shape", ()) for v in values))
    x = broadcast_to(x, to=shape) if x.shape != shape else x
    low = rest.pop(0) if min is not None else None
    high = rest.pop(0) if max is not None else None
    return limited(x, low, high)


def limited(x: Any, low: Any, high: Any) -> Any:
    """`x` between bounds, with the gradient of `x` at ties."""
    choose_ = table["where"].function
    less = table["less"].function
    if low is not None:
        x = choose_(or_undefined(less(x, low), low), low, x)
    if high is not None:
        x = choose_(or_undefined(less(high, x), high), high, x)
    return x


def or_undefined(there: Any, bound: Any) -> Any:
    """Where something holds, or a bound is NaN."""
    if not isinstance(bound, Array):
        return there if bound == bound else there | True
    if bound.dtype.kind not in "fV":
        return there
    return there | table["isnan"].function(bound)


clip = clamp


def clamp_min(input: Any, min: Any, *, out: Tensor | None = None) -> Tensor:
    """The elements, not less than `min`."""
    return clamp(input, min, None, out=out)


def clamp_max(input: Any, max: Any, *, out: Tensor | None = None) -> Tensor:
    """The elements, not more than `max`."""
    return clamp(input, None, max, out=out)


@on_arrays
def heaviside(input: Any, values: Any) -> Any:
    """0 for negative elements, 1 for positive ones, `values` at 0."""
    if input.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return cast(table["heaviside"].function(input, values), input.dtype)


@on_arrays
def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """`value` where the mask is true, the elements of `input` elsewhere."""
    if mask.dtype != bool:
        raise errors.not_mask("masked_fill_", of_numpy(mask.dtype))
    if isinstance(value, Array) and value.ndim:
        raise errors.value_with_axes(value.ndim)
    if isinstance(value, Array):
        d, own = of_numpy(value.dtype), of_numpy(input.dtype)
        if d.category > own.category and own.category:
            raise errors.cannot_store(d, own)
    value = cast(number_in(value, input.dtype), input.dtype)
    shape = numpy.broadcast_shapes(input.shape, mask.shape)
    x = broadcast_to(input, to=shape) if input.shape != shape else input
    return table["where"].function(mask, value, x)


def places(mask: Any, what: str) -> tuple[Any, ...]:
    """The indices of the elements that are not zero."""
    found = known(mask, what)
    values = found if on_device(found) else numpy.asarray(found)
    return tuple(values.reshape(values.shape or (1,)).nonzero())


@on_arrays
def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask is true, as a vector."""
    if mask.dtype != bool:
        raise errors.not_selecting_mask()
    shape = numpy.broadcast_shapes(input.shape, mask.shape) or (1,)
    x = broadcast_to(input, to=shape)
    chosen = places(broadcast_to(mask, to=shape), "masked_select")
    return table["getitem"].function(x, *chosen, key=(ARRAY,) * len(chosen))


@on_arrays
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """`input` with the elements of `source`, in their order, where the mask is true."""
    if mask.dtype != bool:
        raise errors.not_mask("masked_scatter_", of_numpy(mask.dtype))
    if input.dtype != source.dtype:
        raise errors.different_dtypes(of_numpy(input.dtype), of_numpy(source.dtype))
    shape = numpy.broadcast_shapes(input.shape, mask.shape)
    whole = shape or (1,)
    x = reshape(broadcast_to(input, to=shape), to=whole)
    chosen = places(broadcast_to(mask, to=whole), "masked_scatter")
    n = len(chosen[0])
    if source.size < n:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes and source to have at "
            f"least {n} elements, but it has {source.size}"
        )
    flat = reshape(source, to=(source.size,))
    values = table["getitem"].function(flat, key=(slice(0, n),))
    filled = table["setitem"].function(x, values, *chosen, key=(ARRAY,) * len(chosen))
    return reshape(filled, to=shape)


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: as rows of a matrix, or a tuple of vectors."""
    found = known(input, "nonzero")
    values = found if on_device(found) else numpy.asarray(found)
    if as_tuple:
        return tuple(map(wrap, values.reshape(values.shape or (1,)).nonzero()))
    return wrap(namespace(values).argwhere(values))


def nonzero_static(
    input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None
) -> Tensor:
    """The first `size` rows of `nonzero`, filled up with `fill_value` where there are fewer."""
    if size < 0:
        raise errors.negative_rows()
    found = nonzero(input).raw[:size]
    rows = numpy.full((size, found.shape[1]), fill_value, numpy.int64)
    rows[: len(found)] = found
    return wrap(rows) if out is None else store(out, wrap(rows), "nonzero_static")


def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, as rows of a matrix."""
    return nonzero(input)


@on_arrays
def nan_to_num(
    input: Any, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """Finite numbers in place of NaN and the infinities: 0, and the dtype's largest."""
    if input.dtype.kind not in "fcV":
        return table["identity"].function(input)
    if input.dtype.kind == "c":
        parts = [table[p].function(input) for p in ("real", "imag")]
        return table["from_parts"].function(*(finite(p, nan, posinf, neginf) for p in parts))
    return finite(input, nan, posinf, neginf)


def finite(x: Any, nan: Any, high: Any, low: Any) -> Any:
    """A real array without NaN and infinities."""
    limits = ml_dtypes.finfo(x.dtype)
    put = table["where"].function
    x = put(table["isnan"].function(x), x.dtype.type(nan or 0.0), x)
    top = x.dtype.type(limits.max if high is None else high)
    bottom = x.dtype.type(limits.min if low is None else low)
    x = put(table["isposinf"].function(x), top, x)
    return put(table["isneginf"].function(x), bottom, x)


def where_method(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """The elements where the condition is true, `other` elsewhere."""
    return choose(condition, self, other)


attach(
    "argwhere clamp clamp_max clamp_min clip heaviside masked_fill masked_scatter masked_select "
    "nan_to_num nonzero nonzero_static",
    globals(),
    "clamp clamp_max clamp_min clip heaviside masked_fill masked_scatter nan_to_num",
)
for _name, _method in (("where", where_method),):
    setattr(Tensor, _name, _method)

refuse(globals(), "heaviside is not yet implemented for complex tensors.", "complex", "heaviside")
