"""Options and states of optimisers as numbers, as recorded arrays, and as tensors."""

from __future__ import annotations

from typing import Any

import numpy

from ..backend import full, on_device, place_of, put
from ..core.array import Array
from ..torch.dtypes import float64, get_default_dtype
from ..torch.tensor import Tensor, core, replace, wrap, writable
from ..torch.tensor import copied as raw_copy

PLAIN = frozenset({float, int, bool, type(None), str})
"""Types of options that have no tensors in them."""


def plain(option: Any) -> Any:
    """An option with numbers in place of tensors."""
    if isinstance(option, Tensor):
        return option.raw.item()
    if isinstance(option, numpy.generic):
        return option.item()
    if type(option) is tuple:
        return tuple(map(plain, option))
    return option


def recorded(option: Any) -> Any:
    """An option with the core's arrays, without axes, in place of tensors."""
    if isinstance(option, Tensor):
        return core(option.reshape(()) if option.raw.ndim else option)
    if type(option) is tuple:
        return tuple(map(recorded, option))
    return option


def number(value: Any) -> Tensor:
    """A number of a state as a tensor; in single precision by default."""
    dtype = numpy.float64 if get_default_dtype() is float64 else numpy.float32
    return wrap(numpy.array(plain(value), dtype))


def filled(p: Tensor, shape: tuple[int, ...], fill: Any) -> Tensor:
    """An array of a state that begins with one number; complex with that as both parts."""
    if p.raw.dtype.kind == "c":
        fill = complex(fill, fill)
    if on_device(p.raw):
        return wrap(full(shape, fill, p.raw.dtype, place_of(p.raw)))
    if shape == p.raw.shape:
        return wrap(numpy.full_like(numpy.asarray(p.raw), fill))
    return wrap(numpy.full(shape, fill, p.raw.dtype))


def copied(x: Tensor) -> Array:
    """The core's array for the value that a tensor has now, whatever is written into it later."""
    result = core(x)
    result.raw = raw_copy(x.raw)
    return result


def follow(p: Tensor, arrays: dict[str, Tensor]) -> None:
    """Move the arrays of a parameter's state to where it is."""
    place = place_of(p.raw)
    for x in arrays.values():
        replace(x, put(writable(x), place))
