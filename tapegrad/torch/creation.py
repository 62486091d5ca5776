"""Making tensors of Python's numbers, of arrays, and of nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy import generic, ndarray

from ..backend import HOST, on_device, put
from ..core.array import Array
from ..core.leaf import make_leaf
from . import errors
from .calls import silent
from .device import Devices, moved
from .dtypes import NUMBERS, as_numpy, defaults, dtype, of_numpy
from .size import Size
from .tensor import Tensor, constructors, new, replace, wrap

__all__ = ["as_tensor", "asarray", "from_numpy", "tensor"]


def finished(raw: Any, requires_grad: bool) -> Tensor:
    """New data as a tensor."""
    result = wrap(raw)
    if requires_grad:
        if raw.dtype.kind not in "fcV":
            raise errors.made_integer_requires_grad()
        make_leaf(result)
    return result


@silent
def numbers(data: Any, d: Any) -> ndarray:
    """Nested lists of numbers, arrays and tensors as a new array of a dtype, or of the default."""
    if isinstance(data, Array):
        raw = numpy.array(put(data.raw, HOST))
    elif isinstance(data, ndarray | generic):
        raw = numpy.array(data)
        of_numpy(raw.dtype)
    else:
        try:
            raw = numpy.array(unwrapped(data))
        except ValueError:
            raise errors.ragged(data) from None
        if raw.dtype.kind in "US":
            raise errors.text_in_tensor(data)
        if raw.dtype == object:
            raise errors.not_numbers(data)
        if d is None and not has_arrays(data):
            if raw.dtype.kind == "f" or raw.size == 0:
                raw = raw.astype(defaults.real.dtype)
            elif raw.dtype.kind == "c":
                raw = raw.astype(defaults.complex.dtype)
    if d is None:
        return raw
    to = as_numpy(d)
    if raw.dtype.kind == "i" and to.kind in "iu" and to.itemsize < 8 and not has_arrays(data):
        check_range(raw, to)
    return raw.astype(to, copy=False)


def number_in(value: Any, to: Any) -> Any:
    """A Python number as a tensor of NumPy's dtype `to` stores it; anything else as it is.

    Fractions are cut off, negative integers wrap round where there is no sign, and what is out of
    range raises.
    """
    if type(value) not in NUMBERS or to.kind not in "iuf":
        return value
    name = of_numpy(to).name
    if type(value) is complex:
        if value.imag:
            raise errors.overflow(value, name)
        value = value.real
    if to.kind == "f":
        return value
    limits = numpy.iinfo(to)
    least = -limits.max if type(value) is int and not limits.min else limits.min
    if not least <= value <= limits.max:
        raise errors.overflow(value, name)
    return numpy.asarray(int(value)).astype(to)[()]


def check_range(raw: Any, to: Any) -> None:
    """Raise if integers of Python's are out of the range of a dtype."""
    if raw.size:
        for value in (raw.min(), raw.max()):
            number_in(int(value), to)


def unwrapped(data: Any) -> Any:
    """Nested lists with raw data in place of tensors."""
    if isinstance(data, list | tuple):
        return [unwrapped(x) for x in data]
    return put(data.raw, HOST) if isinstance(data, Array) else data


def has_arrays(data: Any) -> bool:
    """Whether nested lists hold arrays, which have a dtype of their own."""
    if isinstance(data, list | tuple):
        return any(has_arrays(x) for x in data)
    return isinstance(data, Array | ndarray | generic)


def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested lists, an array or a tensor.

    Python's floats become the default dtype, integers `int64`; arrays keep their dtype.

    >>> tensor([1.0, 2.0]).dtype
    torch.float32
    """
    if device is None and isinstance(data, Tensor):
        device = data.device
    return finished(moved(numbers(data, dtype), device), requires_grad)


def from_numpy(array: ndarray) -> Tensor:
    """A tensor that shares the memory of an array: what is written to one shows in the other."""
    if not isinstance(array, ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    of_numpy(array.dtype)
    return wrap(array)


def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor, without a copy where it is an array or a tensor of the dtype."""
    if on_device(data):
        Devices.used = True
        data = wrap(data)
    if isinstance(data, Tensor):
        return data if dtype is device is None else data.to(device=device, dtype=dtype)
    if isinstance(data, Array):
        return wrap(data)
    if isinstance(data, ndarray):
        of_numpy(data.dtype)
        raw = data if dtype is None else data.astype(as_numpy(dtype), copy=False)
        return wrap(moved(raw, device))
    return wrap(moved(numbers(data, dtype), device))


asarray = as_tensor


def construct(cls: type[Tensor], *args: Any, device: Any = None) -> Tensor:
    """`torch.Tensor(...)`: sizes give an uninitialised tensor, a list one with its numbers."""
    if len(args) == 1 and isinstance(args[0], Tensor):
        result = args[0]
        raw: Any = result.raw
    elif (
        len(args) == 1 and isinstance(args[0], Sequence | ndarray) and not isinstance(args[0], Size)
    ):
        raw = numbers(args[0], defaults.real)
    else:
        sizes = args[0] if len(args) == 1 and isinstance(args[0], Size) else args
        raw = numpy.empty(tuple(sizes) if args else (0,), defaults.real.dtype)
    made: Tensor = new(cls)
    replace(made, moved(raw, device))
    made.slot = 0
    made.tape = None
    return made


constructors["Tensor"] = construct
