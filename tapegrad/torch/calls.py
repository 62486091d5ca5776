"""Between tensors and the core: what a function of this face does with arguments and results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy
from numpy import generic, ndarray

from ..backend import HOST, Place, on_device, place_of, put, restore, silence
from ..core.array import Array, Traced
from ..core.op import table
from ..core.versions import owner_of
from . import errors
from .casting import casting
from .device import Devices
from .dtypes import common, defaults
from .inplace import in_place, store
from .refusals import Refused, check
from .tensor import Tensor, core, device_of, replace, wrap

NUMBERS = (bool, int, float, complex)


def as_core(x: Any) -> Any:
    """An argument as the core takes it: a tensor, or those in a list, as the core's arrays."""
    if isinstance(x, Tensor):
        return core(x)
    if isinstance(x, list | tuple) and any(isinstance(y, Tensor | list | tuple) for y in x):
        return [as_core(y) for y in x]
    return x


def as_tensors(x: Any) -> Any:
    """A result, or those in a tuple or list, as tensors."""
    if isinstance(x, Array | ndarray | generic):
        return x if isinstance(x, Tensor) else wrap(x)
    if isinstance(x, tuple):
        values = map(as_tensors, x)
        return type(x)(*values) if hasattr(x, "_fields") else tuple(values)
    if isinstance(x, list):
        return [as_tensors(y) for y in x]
    return wrap(x) if on_device(x) else x


def meet(operands: list[Any]) -> Place:
    """The place of core arrays, in lists too; raises if they are on several devices.

    Those of the host without axes become numbers, which may be beside arrays of a device.
    """
    arrays: list[Array] = []
    for x in operands:
        arrays += [y for y in x if isinstance(y, Array)] if type(x) is list else ()
        arrays += (x,) if isinstance(x, Array) else ()
    places = {place_of(x.raw) for x in arrays}
    if len(places) < 2:
        return places.pop() if places else HOST
    first = None
    for x in arrays:
        if not (x.raw.shape or on_device(x.raw)):
            x.raw = x.raw[()]
        elif first is None:
            first = x
        elif place_of(x.raw) != place_of(first.raw):
            raise errors.several_devices(*(place_name(y.raw) for y in (first, x)))
    return HOST if first is None else place_of(first.raw)


def place_name(raw: Any) -> str:
    """A device as PyTorch's errors name it."""
    return str(device_of(raw))


def silent(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function without NumPy's warnings of infinite and undefined results.

    PyTorch has none, so that no operation on tensors is to give one.
    """

    @functools.wraps(function)
    def unheard(*args: Any, **kwargs: Any) -> Any:
        token = silence()
        try:
            return function(*args, **kwargs)
        finally:
            restore(token)

    return unheard


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors, from one of the core's arrays.

    The result has an argument `out`, a tensor (or a tuple of them) that takes the result. It never
    shares memory with an argument, whatever NumPy makes of it: views are made by `views.view`.
    NumPy's warnings of infinite and undefined results are not heard. Dtypes that are refused (see
    `refusals`) raise.
    """
    refused: Refused = {}

    @functools.wraps(function)
    def face(*args: Any, **kwargs: Any) -> Any:
        if casting.policy is not None:
            result = casting.policy(face, args, kwargs)
            if result is not NotImplemented:
                return result
        out = kwargs.pop("out", None)
        arrays = [as_core(x) for x in args]
        named = {name: as_core(x) for name, x in kwargs.items()} if kwargs else kwargs
        place = meet([*arrays, *named.values()]) if Devices.used else HOST
        if refused:
            check(refused, [*arrays, *named.values()] if named else arrays)
        token = silence()
        try:
            result = function(*arrays, **named)
        except AttributeError:
            check_tensors(function, args, kwargs)
            raise
        except TypeError as error:
            if Devices.used and any(text in str(error) for text in REFUSALS):
                raise errors.not_on_gpu(function.__name__) from error
            raise
        finally:
            restore(token)
        if type(result) is Array:
            keep_apart(result, arrays)
            result = wrap(result)
        else:
            result = as_tensors(result)
            for x in result if isinstance(result, tuple | list) else (result,):
                if isinstance(x, Tensor):
                    keep_apart(x, arrays)
        if place is not HOST:
            settle(result, place)
        return result if out is None else store(out, result, function.__name__)

    vars(face)["refused"] = refused
    return face


def quickly(short: Callable[..., Any]) -> Callable[..., Any]:
    """A function for which `short` is tried first, outside of autocast.

    It gives None where there is more to it.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def face(*args: Any, **kwargs: Any) -> Any:
            result = short(*args, **kwargs) if casting.policy is None else None
            return function(*args, **kwargs) if result is None else result

        return face

    return decorate


def settle(result: Any, place: Place) -> None:
    """Put constants among results, such as indices, where the arguments are."""
    for x in result if isinstance(result, tuple | list) else (result,):
        if isinstance(x, Tensor) and not x.slot:
            replace(x, put(x.raw, place))


REFUSALS = ("Implicit conversion to a NumPy array", "Unsupported type <class 'numpy.ndarray'>")
"""What CuPy says where a function would take its arrays to the host, or NumPy's are beside them."""


def keep_apart(result: Array, arguments: list[Any]) -> None:
    """Give a result memory of its own if it has that of an argument."""
    raw = result.raw
    if type(raw) is not ndarray:
        if Devices.used and on_device(raw):
            others = [x.raw for x in arguments if isinstance(x, Array) and on_device(x.raw)]
            if any(owner_of(x) is owner_of(raw) for x in others):
                result.raw = raw.copy()
        return
    owner = raw if raw.base is None else owner_of(raw)
    for x in arguments:
        if isinstance(x, Array) and type(x.raw) is ndarray and owner_of(x.raw) is owner:
            result.raw = raw.copy()
            return


def check_tensors(function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Raise PyTorch's error if an argument that has to be a tensor is none."""
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    for place, (name, x) in enumerate(given.items(), 1):
        if not isinstance(x, Array | ndarray | generic) and name in TENSORS:
            raise errors.not_tensor(function.__name__, name, x, place)


TENSORS = frozenset(
    {"batch1", "batch2", "boundaries", "condition", "index", "input", "mask", "mat", "mat1", "mat2"}
    | {"other", "sorted_sequence", "source", "src", "tensor", "tensor1", "tensor2", "values"}
    | {"test_elements", "vec", "vec1", "vec2", "weight", "x", "y"}
)
"""Names of arguments that are tensors wherever something reads them as arrays."""


def operand(x: Any) -> Any:
    """An operand of arithmetic: the core's array, raw data, or a Python number.

    NotImplemented for anything else.
    """
    if isinstance(x, Tensor):
        return core(x)
    if type(x) in NUMBERS or isinstance(x, Array | ndarray):
        return x
    if isinstance(x, generic):
        return x.item()
    return NotImplemented


def raw_of(x: Any) -> Any:
    """The values of an operand as constants: raw data, or the number.

    Of a traced array, which stands for other values than its data, an array without derivative.
    """
    if isinstance(x, Traced):
        return table["stop_gradient"].function(x)
    return x.raw if isinstance(x, Array) else x


def cast(x: Any, to: Any) -> Any:
    """An operand in a dtype of NumPy's; what this takes is recorded."""
    if type(x) in NUMBERS:
        return numpy.asarray(x).astype(to)[()]
    source = raw_of(x).dtype
    if source == to:
        return x
    if to.itemsize >= source.itemsize and to.kind not in "iu":
        return table["astype"].function(x, to=to, source=source)
    token = silence()
    try:
        return table["astype"].function(x, to=to, source=source)
    finally:
        restore(token)


def promoted(*operands: Any, to_float: bool = False) -> list[Any]:
    """Operands in the dtype that they combine to; if `to_float`, integers as the default float."""
    d = common(*map(raw_of, operands))
    assert d is not None
    if to_float and d.category < 2:
        d = defaults.real
    return [cast(x, d.dtype) for x in operands]


HALVES = {numpy.dtype(numpy.float16), numpy.dtype(ml_dtypes.bfloat16)}
SINGLE = numpy.dtype(numpy.float32)


def in_single(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays that computes in single precision where they are of half precision.

    Only the result is rounded, as by PyTorch: else a sum of 257 ones would be 256 in bfloat16.
    """

    @functools.wraps(function)
    def single(*args: Any, **kwargs: Any) -> Any:
        halves = [x.dtype for x in (*args, *kwargs.values()) if is_half(x)]
        return (
            computed_in_single(function, halves[0], args, kwargs)
            if halves
            else function(*args, **kwargs)
        )

    return single


def in_wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `in_single`, for a function that promotes its arguments: wider ones decide."""

    @functools.wraps(function)
    def wide(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        if not any(map(is_half, given)):
            return function(*args, **kwargs)
        d = common(*(raw_of(x) for x in given if isinstance(x, Array | ndarray | generic)))
        assert d is not None
        if d.dtype not in HALVES:
            return function(*args, **kwargs)
        return computed_in_single(function, d.dtype, args, kwargs)

    return wide


def computed_in_single(
    function: Callable[..., Any], to: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A function's result for arguments in single precision, rounded to a half one.

    What is asked for in a dtype is in that.
    """
    wide = [cast(x, SINGLE) if is_half(x) else x for x in args]
    named = {name: cast(x, SINGLE) if is_half(x) else x for name, x in kwargs.items()}
    result = function(*wide, **named)
    return result if kwargs.get("dtype") is not None else rounded(result, to)


def is_half(x: Any) -> bool:
    """Whether an operand is an array of half precision."""
    return isinstance(x, Array | ndarray | generic) and x.dtype in HALVES


def rounded(result: Any, to: Any) -> Any:
    """A result of single precision, or those in a tuple, in a half precision."""
    if isinstance(result, tuple):
        values = [rounded(x, to) for x in result]
        return type(result)(*values) if hasattr(result, "_fields") else tuple(values)
    return cast(result, to) if raw_of(result).dtype == SINGLE else result


def attach(names: str, functions: dict[str, Any], in_place_names: str = "") -> None:
    """Make functions methods of tensors, and give some of them an in-place method beside it.

    Both are given as names, separated by blanks.
    """
    for name in names.split():
        setattr(Tensor, name, functions[name])
    for name in in_place_names.split():
        setattr(Tensor, f"{name}_", in_place(functions[name], f"{name}_"))
