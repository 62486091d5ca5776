"""NumPy, CuPy and devices: the only file that names the array libraries."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from contextvars import ContextVar, copy_context
from functools import cache, lru_cache, partial
from importlib import import_module
from numbers import Real
from types import FunctionType
from typing import Any

import numpy
from numpy import generic, ndarray

from . import errors

# Freed at once and never touched, this tells glibc how large blocks are that come and go. Otherwise
# it hands each one of more than 128 kB (or than the largest that was freed so far) back to the
# system, and new pages cost more time than most of what one does with them. It keeps up to 64 MB
# from now on, unless MALLOC_TRIM_THRESHOLD_ or mallopt() say else.
numpy.empty((1 << 25) - (1 << 13), numpy.uint8)

plain: set[type] = {float, int, bool, complex, ndarray}
"""Types that operations take as raw operands: Python numbers, ndarrays and NumPy's scalars."""

scalars: set[type] = {
    t for t in vars(numpy).values() if isinstance(t, type) and issubclass(t, generic)
}
"""NumPy's types of scalars."""

plain.update(scalars)

python_numbers = (float, int, bool, complex)


devices: dict[str, str] = {"cupy": "cupyx.scipy"}
"""Libraries of arrays on devices, by the module of their class: what has SciPy's functions."""


def library(kind: type) -> str | None:
    """The library of arrays on devices that a class of arrays is of, None for all others."""
    name = kind.__module__.partition(".")[0]
    return name if name in devices else None


def on_device(x: Any) -> bool:
    """Whether raw data are on a device, where reading a value of theirs means to wait for it."""
    return type(x) not in plain and library(type(x)) is not None


Place = tuple[str, int]
"""Where data are: a library of `devices` and the number of its device, or `HOST`."""

HOST: Place = "host", 0


def place_of(x: Any) -> Place:
    """Where raw data are."""
    return (namespace(x).__name__, int(x.device.id)) if on_device(x) else HOST


def put(x: Any, place: Place) -> Any:
    """Raw data in a place: themselves if they are there, else a copy."""
    if place == place_of(x):
        return x
    name, number = place
    if place == HOST:
        return x.get()[()]
    xp = import_module(name)
    with xp.cuda.Device(number):
        return xp.asarray(x)


def full(shape: tuple[int, ...], value: Any, dtype: Any, place: Place) -> Any:
    """New raw data with one value everywhere, in a place."""
    name, number = place
    if place == HOST:
        return numpy.full(shape, value, dtype)
    xp = import_module(name)
    with xp.cuda.Device(number):
        return xp.full(shape, value, dtype)


def namespace(*arrays: Any) -> Any:
    """The array namespace of raw arrays: NumPy for ndarrays and numbers, else the array's own."""
    for array in arrays:
        if type(array) in plain:
            continue
        name = library(type(array))
        if name is not None:
            return sys.modules[name]
        find = getattr(array, "__array_namespace__", None)
        if find is not None:
            return find()
    return numpy


@cache
def gpu() -> tuple[Any, str]:
    """CuPy, if a device runs a kernel of its, and else None with the reason in a line."""
    try:
        cupy = import_module("cupy")
    except ImportError:
        return None, "CuPy is not installed (it comes with the extras cuda12 and cuda13)"
    except Exception as error:  # a broken driver shows in many ways
        return None, f"CuPy does not load: {first_line(error)}"
    try:
        answer = int((cupy.arange(3) + 1).sum())
    except Exception as error:
        return None, f"no device runs a kernel: {first_line(error)}"
    return (cupy, "") if answer == 6 else (None, f"a device gave {answer} where 6 was due")


OF_CUDA = 2
"""DLPack's number for GPUs that speak CUDA."""


def from_dlpack(x: Any, **options: Any) -> Any:
    """An array on the memory of another library's, where that is: NumPy's, or CuPy's on a GPU."""
    if x.__dlpack_device__()[0] != OF_CUDA:
        return numpy.from_dlpack(x, **options)
    cupy, reason = gpu()
    if cupy is None:
        raise errors.memory_on_gpu(reason)
    return cupy.from_dlpack(x, **options)


def first_line(error: Exception) -> str:
    """The beginning of an error's text."""
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def function(xp: Any, name: str) -> Any:
    """The function of a namespace of a name."""
    found = getattr(xp, name, None)
    if found is None:
        raise errors.not_on_device(f"numpy.{name}", xp.__name__)
    return found


def numpy_function(name: str) -> Any:
    """NumPy's function of a name, which answers for CuPy arrays too where it is a ufunc."""
    return getattr(numpy, name, None)


def scipy_module(xp: Any, name: str) -> Any:
    """A module of SciPy, or what a device's library has in its place."""
    library_name = devices.get(xp.__name__, "scipy")
    try:
        return import_module(f"{library_name}.{name}")
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] == "scipy":
            raise errors.no_scipy(f"What scipy.{name} computes here") from error
        raise


def special(xp: Any, name: str) -> Any:
    """The special function of a name: SciPy's for NumPy, that of the same name on a device."""
    here = xp is numpy or xp.__name__ in devices
    found = getattr(scipy_module(xp, "special"), name, None) if here else None
    if found is None:
        raise errors.not_on_device(f"scipy.special.{name}", xp.__name__)
    return found


def diagonal(xp: Any, x: Any) -> Any:
    """The main diagonals of matrices."""
    if xp.__name__ in devices:
        return xp.diagonal(x, 0, -2, -1)
    return xp.linalg.diagonal(x)


def surely(mask: Any) -> bool:
    """Whether all of a raw mask is true; False on a device, since to look would be to wait."""
    return not on_device(mask) and bool(namespace(mask).all(mask))


add_reduce: Any = numpy.add.reduce
"""NumPy's sum, without the Python around it."""


def zeros(shape: tuple[int, ...], like: Any) -> Any:
    """Zeros of the dtype of `like`, where it is."""
    if type(like) in plain:
        return numpy.zeros(shape, like.dtype)
    return namespace(like).zeros(shape, dtype=like.dtype)


SMALL = 1 << 10
"""Up to so many elements an array costs little."""


def broadcast_view(x: Any, to: tuple[int, ...]) -> Any:
    """`x` repeated up to the shape `to`, in a fraction of the time of NumPy's function.

    The result must not be written to: its elements may share memory.
    """
    if isinstance(x, generic):
        size = 1
        for n in to:
            size *= n
        if size > SMALL:
            return ndarray(to, x.dtype, x, 0, (0,) * len(to))
        filled = ndarray(to, x.dtype)  # computing with it is faster than with a repeated element
        filled.fill(x)
        return filled
    array = numpy.asarray(x)
    strides = strides_of_view(array.shape, array.strides, to)
    if strides is None or not array.flags.c_contiguous:
        return numpy.broadcast_to(array, to)
    return ndarray(to, array.dtype, array, 0, strides)


@lru_cache(maxsize=1024)
def strides_of_view(
    shape: tuple[int, ...], strides: tuple[int, ...], to: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The strides that repeat an array up to the shape `to`; None where it does not fit."""
    extra = len(to) - len(shape)
    if extra < 0 or any(n not in (m, 1) for n, m in zip(shape, to[extra:], strict=True)):
        return None  # NumPy raises, and says why
    kept = (s if n == m else 0 for n, m, s in zip(shape, to[extra:], strides, strict=True))
    return (*(0,) * extra, *kept)


def _error_handling() -> tuple[ContextVar[Any], Any]:
    before = copy_context()
    with numpy.errstate(all="ignore"):
        inside = copy_context()
    (variable,) = [v for v in inside if v not in before or inside[v] is not before[v]]
    return variable, inside[variable]


_handling, _ignored = _error_handling()

silence = partial(_handling.set, _ignored)
"""Switches NumPy's warnings of infinite and undefined results off, as `numpy.errstate` does, in a
fifth of the time; what it gives is to be handed to `restore`."""

restore = _handling.reset


NAMELESS = None
"""The name of a module in which nothing is warned of: to Python it is one that is being shut down.

It costs nothing, where `silence` and `restore` take as long as half an addition.
"""


def nameless(function: Callable[..., Any]) -> Any:
    """A function that itself calls NumPy, as one of whose calls no warning is heard."""
    own = {**function.__globals__, "__name__": NAMELESS}
    copy = FunctionType(
        function.__code__, own, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__doc__ = function.__doc__
    copy.__module__ = function.__module__
    return copy


class Quiet:
    """A context without NumPy's warnings of infinite and undefined results."""

    __slots__ = ("token",)

    def __enter__(self) -> None:
        self.token = silence()

    def __exit__(self, *_: object) -> None:
        restore(self.token)


def quiet(steep: bool = True) -> Any:
    """A context without NumPy's warnings of infinite and undefined results, if `steep`.

    For derivative rules: they run at singular points of branches that were not taken, too.
    """
    return Quiet() if steep else NORMAL


NORMAL = nullcontext()


def is_raw(value: Any) -> bool:
    """Whether `value` is a number or an array of a library, as opposed to a list or an `Array`."""
    return (
        type(value) in plain
        or isinstance(value, ndarray | generic)
        or library(type(value)) is not None
        or hasattr(value, "__array_namespace__")
    )


def as_raw(value: Any) -> Any:
    """`value` as a raw array: lists become ndarrays, arrays stay where they are.

    Python numbers stay as they are too, so that they do not decide a result's dtype. Classes of
    arrays with an arithmetic of their own raise.
    """
    if type(value) in plain:
        return value
    if isinstance(value, ndarray):
        if isinstance(value, numpy.matrix | numpy.ma.MaskedArray):
            raise errors.other_arithmetic(type(value))
        return value
    if is_raw(value):
        return value
    return float(value) if isinstance(value, Real) else numpy.asarray(value)


def as_data(value: Any) -> Any:
    """`value` as what an `Array` holds: as `as_raw`, with Python numbers as NumPy scalars."""
    if type(value) in python_numbers:
        return numpy.asarray(value)[()]
    return as_raw(value)


def is_inexact(dtype: Any) -> bool:
    """Whether a dtype is real or complex floating point (those of `ml_dtypes` among them)."""
    kind = getattr(dtype, "kind", None)
    if kind is None:  # a dtype of a strict namespace, which has a name only
        return "float" in str(dtype) or "complex" in str(dtype)
    return kind in "fc" or (kind == "V" and "float" in dtype.name)


def is_complex(dtype: Any) -> bool:
    """Whether a dtype is complex."""
    kind = getattr(dtype, "kind", None)
    if kind is None:  # a dtype of a strict namespace, which has a name only
        return "complex" in str(dtype)
    return kind == "c"


def has_nan(array: Any) -> bool:
    """Whether a raw array of floating point has a NaN anywhere."""
    if type(array) is ndarray:
        if array.dtype.char in "dfDF":  # one pass: no square or sum but a NaN's gives NaN
            if array.size > SMALL and 0 in array.strides:  # a sum's cotangent, say, is repeated
                array = array[tuple([slice(None) if stride else 0 for stride in array.strides])]
            total = array.dot(array) if array.ndim == 1 else numpy.vdot(array, array)
            return bool(total != total)
    elif isinstance(array, generic):
        return bool(array != array)
    xp = namespace(array)
    return is_inexact(array.dtype) and bool(xp.any(xp.isnan(array)))
