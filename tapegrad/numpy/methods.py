"""ndarray's methods and properties on recorded arrays, mostly by this namespace's functions.

Conversions to Python's and NumPy's types follow `reading`: what could lose a derivative without a
word raises.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from .. import errors
from ..backend import is_complex, is_inexact, on_device
from ..core.array import Array, check_alive
from ..core.op import table
from ..ops.complex import from_parts
from .dispatch import functions, np, ufuncs
from .errors import no_number
from .kernels import override_kernel
from .operands import operand
from .reading import converted, is_mapped, read
from .ufuncs import write

__all__: list[str] = []

SAME = (
    "all",
    "any",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "choose",
    "cumprod",
    "cumsum",
    "diagonal",
    "dot",
    "max",
    "mean",
    "min",
    "nonzero",
    "prod",
    "put",
    "ravel",
    "repeat",
    "round",
    "searchsorted",
    "squeeze",
    "std",
    "sum",
    "swapaxes",
    "take",
    "trace",
    "var",
)
"""Methods with the arguments of the function of the same name."""


def reshape(self: Array, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    if not shape:
        raise TypeError("reshape() takes exactly 1 argument (0 given)")
    if len(shape) == 1:
        (shape,) = shape
    return functions[np.reshape](self, shape, order=order, copy=copy)


def transpose(self: Array, *axes: Any) -> Any:
    if len(axes) == 1 and not isinstance(axes[0], int):
        (axes,) = axes
    return functions[np.transpose](self, axes or None)


def flatten(self: Array, order: str = "C") -> Any:
    return np.copy(np.ravel(self, order=order))


def astype(
    self: Array,
    dtype: Any,
    order: str = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Any:
    dtype = np.dtype(dtype)
    if not np.can_cast(self.dtype, dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {self.dtype!r} to {dtype!r} according to the rule "
            f"{casting!r}"
        )
    if self.dtype == dtype:
        return np.copy(self) if copy else self
    return table["astype"].function(self, to=dtype, source=self.dtype)


def copy(self: Array, order: str = "C") -> Any:
    return np.copy(self)


def conjugate(self: Array, *out: Any) -> Any:
    return np.conjugate(self, *out) if out else ufuncs[np.conjugate](self)


def clip(self: Array, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    return functions[np.clip](self, min, max, out, **kwargs)


def compress(self: Array, condition: Any, axis: Any = None, out: Any = None) -> Any:
    return functions[np.compress](condition, self, axis, out)


def sort(self: Array, axis: int = -1, kind: Any = None, order: Any = None, **kwargs: Any) -> None:
    """Sort in place."""
    write(self, functions[np.sort](self, axis, kind, order, **kwargs))


def partition(
    self: Array, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None
) -> None:
    """Partition in place."""
    write(self, functions[np.partition](self, kth, axis, kind, order))


def fill(self: Array, value: Any) -> None:
    """Set all elements to a scalar, in place."""
    write(self, value)


def item(self: Array, *args: Any) -> Any:
    """One element as a Python number. It is detached: no derivative goes through it."""
    return read(self, "item()").item(*args)


def tolist(self: Array) -> Any:
    """The elements as Python numbers. They are detached: no derivative goes through them."""
    return read(self, "tolist()").tolist()


def on_data(name: str) -> Callable[..., Any]:
    """A method that hands the elements out as they are."""

    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        return getattr(np.asarray(converted(self, f"x.{name}()")), name)(*args, **kwargs)

    return method


def missing(name: str, instead: str) -> Callable[..., Any]:
    """A method of ndarray that recorded arrays cannot have."""

    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        raise errors.no_ndarray_method(name, instead)

    return method


def view(self: Array, dtype: Any = None, type: Any = None) -> Any:
    if (dtype is None or dtype == self.dtype) and type is None:
        return functions[np.reshape](self, self.shape)
    raise errors.no_view(dtype if type is None else type)


def byteswap(self: Array, inplace: bool = False) -> Any:
    raise errors.no_view("its bytes in the other order")


def to_device(self: Array, device: Any, /, *, stream: Any = None) -> Any:
    """The array on a device; of the CPU there is one."""
    np.asarray(self.raw).to_device(device, stream=stream)  # raises NumPy's error for others
    return self


def array(self: Array, dtype: Any = None, copy: bool | None = None) -> Any:
    """`Array.__array__`: only where no derivative is lost."""
    what = "numpy.asarray(x), or a function of another library,"
    whole = dtype is not None and not is_inexact(np.dtype(dtype))  # then there is no derivative
    data = read(self, what) if whole else converted(self, what)
    return np.array(data, dtype=dtype, copy=copy)


def dlpack(
    self: Array,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: Any = None,
    copy: bool | None = None,
) -> Any:
    data = converted(self, "x.__dlpack__()")
    data = data if on_device(data) else np.asarray(data)
    return data.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def dlpack_device(self: Array) -> Any:
    return (self.raw if on_device(self.raw) else np.asarray(self.raw)).__dlpack_device__()


def to_bool(self: Array) -> bool:
    return bool(read(self, "bool(x), as in `if x` and `while x`,"))


def to_float(self: Array) -> float:
    return float(converted(self, "float(x)", no_number))


def to_complex(self: Array) -> complex:
    return complex(converted(self, "complex(x)", no_number))


def to_int(self: Array) -> int:
    return int(converted(self, "int(x)", no_number))


def to_index(self: Array) -> int:
    return operator.index(read(self, "using x as an index of a Python sequence"))


def rounded(self: Array, digits: int | None = None) -> Any:
    """`round(x)` of a number: an integer; with `digits`, the number rounded."""
    if self.shape:
        raise TypeError(f"type {type(self).__name__} doesn't define __round__ method")
    if digits is None:  # a step function: no derivative is lost
        return round(read(self, "round(x)"))
    return functions[np.round](self, digits)


def contains(self: Array, value: Any) -> bool:
    return bool(np.any(self == value))


def text(self: Array) -> str:
    """What `str(x)` and `print(x)` show: the values, where they are known."""
    return representation(self) if is_hidden(self) else str(self.raw)


def formatted(self: Array, spec: str) -> str:
    return format(read(self, "formatting x"), spec) if spec else text(self)


def representation(self: Array) -> str:
    """The values, where they are known, and whether a tape tracks them."""
    if is_hidden(self):
        purpose = getattr(self.tape, "purpose", "of a transform that has ended")
        return f"{type(self).__name__}({errors.describe(self)}, {purpose})"
    name = type(self).__name__
    values = np.array2string(np.asarray(self.raw), prefix=f"{name}(", separator=", ")
    dtype = "" if self.dtype.name in ("float64", "int64", "bool", "complex128") else self.dtype.name
    parts = (values, dtype, "tracked" if self.slot else "")
    return f"{name}({', '.join(filter(None, parts))})"


def is_hidden(x: Array) -> bool:
    """Whether the data of `x` says nothing: it is one lane's, or of a transform that has ended."""
    try:
        check_alive(x)
    except errors.EscapedValueError:
        return True
    return is_mapped(x)


class Flat:
    """`x.flat`: the elements in C order, to iterate over, read and assign."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __len__(self) -> int:
        return self.array.size

    def __iter__(self) -> Iterator[Any]:
        return iter(np.ravel(self.array))

    def __getitem__(self, index: Any) -> Any:
        return np.ravel(self.array)[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        elements = np.copy(np.ravel(self.array))
        elements[index] = value
        write(self.array, np.reshape(elements, self.array.shape))

    def copy(self) -> Any:
        return flatten(self.array)


def set_real(self: Array, value: Any) -> None:
    write(self, from_parts(operand(value), np.imag(self)) if is_complex(self.dtype) else value)


def set_imag(self: Array, value: Any) -> None:
    if not is_complex(self.dtype):
        raise TypeError("array does not have imaginary part to set")
    write(self, from_parts(np.real(self), operand(value)))


def set_flat(self: Array, value: Any) -> None:
    Flat(self)[:] = value


def array_namespace(self: Array, *, api_version: str | None = None) -> Any:
    """The namespace of the Python array API standard that works on this array."""
    from tapegrad import numpy as namespace

    if api_version is not None and api_version > namespace.__array_api_version__:
        raise ValueError(
            f"tapegrad.numpy implements the array API standard {namespace.__array_api_version__}, "
            f"not {api_version!r}."
        )
    return namespace


MISSING = {
    "resize": "Use tapegrad.numpy.resize(x, shape), which copies.",
    "setflags": "Whether a recorded array can be written does not change.",
    "getfield": "Convert the values with x.astype(dtype).",
    "setfield": "Convert the values with x.astype(dtype).",
}


def attach() -> None:
    """Give `Array` its methods; when all functions of this namespace are in the tables."""
    methods: dict[str, Any] = {name: functions[getattr(numpy, name)] for name in SAME}
    methods.update((name, on_data(name)) for name in ("tobytes", "tofile", "dump", "dumps"))
    methods.update((name, missing(name, instead)) for name, instead in MISSING.items())
    methods |= {
        "T": property(functions[np.transpose]),
        "__array__": array,
        "__array_namespace__": array_namespace,
        "__bool__": to_bool,
        "__complex__": to_complex,
        "__contains__": contains,
        "__cupy_override_elementwise_kernel__": override_kernel,
        "__dlpack__": dlpack,
        "__dlpack_device__": dlpack_device,
        "__float__": to_float,
        "__format__": formatted,
        "__index__": to_index,
        "__int__": to_int,
        "__repr__": representation,
        "__round__": rounded,
        "__str__": text,
        "astype": astype,
        "byteswap": byteswap,
        "clip": clip,
        "compress": compress,
        "conj": conjugate,
        "conjugate": conjugate,
        "copy": copy,
        "data": property(lambda self: self.raw),
        "device": property(lambda self: np.asarray(self.raw).device),
        "fill": fill,
        "flags": property(lambda self: np.asarray(self.raw).flags),
        "flat": property(Flat, set_flat),
        "flatten": flatten,
        "imag": property(functions[np.imag], set_imag),
        "item": item,
        "mT": property(functions[np.matrix_transpose]),
        "partition": partition,
        "real": property(functions[np.real], set_real),
        "reshape": reshape,
        "sort": sort,
        "strides": property(lambda self: np.asarray(self.raw).strides),
        "to_device": to_device,
        "tolist": tolist,
        "transpose": transpose,
        "view": view,
    }
    for name, method in methods.items():
        setattr(Array, name, method)
