"""A stand-in for CuPy on a machine without a GPU: its namespace and strictness, NumPy inside.

`standin.xp` has the functions that CuPy has, with CuPy's parameters (`cupy_names.txt`), and no
others. A `DeviceArray` refuses whatever would copy it to the host without being asked: a conversion
(`__array__`), a function or ufunc of NumPy, an ndarray beside it. It refuses more than CuPy, which
answers NumPy's functions by its own: here only the own namespace counts. `lenient()` lets them
through as CuPy does.

`counts` has what a program did: kernels launched (a view launches none), copies from and to the
host, and synchronisations, which reading a value on the host takes.
"""

from __future__ import annotations

import operator
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from time import perf_counter
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special

from tapegrad import backend
from tapegrad.torch.interop import Capsule, Writable

from . import kernels

counts: Counter[str] = Counter()
"""Since the last `counts.clear()`: launches, copies to the host ("downloads"), from it, waits."""

VIEWS = {
    "T", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "diagonal",
    "expand_dims", "flip", "imag", "mT", "matrix_transpose", "moveaxis", "permute_dims", "ravel",
    "real", "reshape", "rollaxis", "split", "squeeze", "swapaxes", "transpose", "view",
    "empty", "empty_like", "as_strided", "sliding_window_view", "result_type", "can_cast",
    "broadcast_shapes",
    "isdtype", "finfo", "iinfo", "shape", "ndim", "size", "iscomplexobj", "isrealobj",
}  # fmt: skip
"""What launches no kernel."""

WAITING = {
    "allclose", "argwhere", "array_equal", "bincount", "expm", "flatnonzero", "isscalar", "nonzero",
    "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values",
}  # fmt: skip
"""What waits for the device, since a shape depends on it, or Python reads the answer."""

MAKES = {"array", "asarray", "ascontiguousarray", "asanyarray", "asfortranarray"}
"""What takes ndarrays and lists, and copies them to the device."""

HOST = (numpy.ndarray,)


COMPARISONS = ("eq", "ge", "gt", "le", "lt", "ne")

UFUNCS = {
    "add": "add",
    "and": "bitwise_and",
    "floordiv": "floor_divide",
    "lshift": "left_shift",
    "mod": "remainder",
    "mul": "multiply",
    "or": "bitwise_or",
    "pow": "power",
    "rshift": "right_shift",
    "sub": "subtract",
    "truediv": "true_divide",
    "xor": "bitwise_xor",
}
"""NumPy's ufuncs by operators."""


class RefusedError(TypeError):
    """An array of the device met something that would take it to the host, or NumPy's array."""


ELEMENTWISE = {"astype", "clip", "where", *(f"__{name}__" for name in (*UFUNCS, *COMPARISONS))}
ELEMENTWISE |= {name for name in dir(numpy) if isinstance(getattr(numpy, name), numpy.ufunc)}
ELEMENTWISE |= {n for n in dir(scipy.special) if isinstance(getattr(scipy.special, n), numpy.ufunc)}
ELEMENTWISE |= {"and_", "or_"}
"""What `fuse` can put into one kernel."""


def unwrap(value: Any, anywhere: bool = False) -> Any:
    """Arguments with arrays of the host for those of the device; refuses those of the host.

    Kernels run on the current device, and take arrays that are there; views are made `anywhere`.
    """
    if isinstance(value, DeviceArray):
        if value.number != Device.current and not anywhere:
            raise ValueError(
                "Array device must be same as the current device: "
                f"array device = {value.number} while current = {Device.current}"
            )
        return value.inner
    if isinstance(value, HOST):
        raise RefusedError(
            f"Unsupported type {type(value)}: an DeviceArray beside arrays of the device"
        )
    if isinstance(value, tuple | list):
        return type(value)(unwrap(x, anywhere) for x in value)
    if isinstance(value, dict):
        return {key: unwrap(x, anywhere) for key, x in value.items()}
    return value


def wrap(value: Any) -> Any:
    """Results on the device."""
    if isinstance(value, numpy.ndarray | numpy.generic):
        return DeviceArray(numpy.asarray(value))
    if isinstance(value, tuple | list):
        return (
            type(value)(map(wrap, value))
            if type(value) in (tuple, list)
            else tuple(map(wrap, value))
        )
    return value


def launch(name: str) -> None:
    """Count what a call does."""
    if name in WAITING:
        counts["waits"] += 1
    if state["fusing"] and name not in ELEMENTWISE:
        raise TypeError(f"{name} cannot be fused")
    if name not in VIEWS:
        counts["launches"] += 1


def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A call without NumPy's warnings, of which a device has none."""
    with numpy.errstate(all="ignore"):
        return function(*args, **kwargs)


def binary(name: str) -> Callable[..., Any]:
    """A method of an operator."""
    compute = getattr(operator, name.strip("_") if name.strip("_") not in ("and", "or") else name)

    def method(self: DeviceArray, other: Any) -> Any:
        if not isinstance(other, DeviceArray | numpy.generic | int | float | complex):
            if isinstance(other, HOST) or name.strip("_") in COMPARISONS:
                raise RefusedError(f"Unsupported type {type(other)}")
            if getattr(other, "__array_ufunc__", None) is None:
                return NotImplemented
            return getattr(numpy, UFUNCS[name.strip("_")])(self, other)  # as CuPy 14 does
        launch(name)
        return wrap(quietly(compute, unwrap(self), unwrap(other)))

    def reflected(self: DeviceArray, other: Any) -> Any:
        if isinstance(other, HOST):
            raise RefusedError(f"Unsupported type {type(other)}")
        if not isinstance(other, numpy.generic | int | float | complex):
            return NotImplemented
        launch(name)
        return wrap(quietly(compute, other, unwrap(self)))

    def in_place(self: DeviceArray, other: Any) -> Any:
        launch(name)
        result = quietly(compute, unwrap(self), unwrap(other))
        if not numpy.can_cast(result.dtype, self.dtype, "same_kind"):
            raise TypeError(f"cannot cast {result.dtype} to {self.dtype}")
        self.inner[...] = result
        return self

    return method, reflected, in_place


class DeviceArray:
    """An array on the device."""

    __slots__ = ("__weakref__", "base", "inner", "number")
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, inner: numpy.ndarray, base: Any = None) -> None:
        assert type(inner) is numpy.ndarray
        self.inner = inner
        self.base = base
        self.number = Device.current if base is None else base.number

    shape = property(lambda self: self.inner.shape)
    dtype = property(lambda self: self.inner.dtype)
    ndim = property(lambda self: self.inner.ndim)
    size = property(lambda self: self.inner.size)
    nbytes = property(lambda self: self.inner.nbytes)
    itemsize = property(lambda self: self.inner.itemsize)
    strides = property(lambda self: self.inner.strides)
    flags = property(lambda self: self.inner.flags)
    device = property(lambda self: Device(self.number))
    data = property(lambda self: Memory(self.inner.ctypes.data))

    def part(self, inner: Any) -> DeviceArray:
        """A view."""
        inner = numpy.asarray(inner)
        if 0 not in inner.strides and not inner.flags.writeable:  # as NumPy's diagonals are
            inner = numpy.asarray(Writable(inner))
        shares = inner.base is not None and numpy.may_share_memory(inner, self.inner)
        result = DeviceArray(
            inner, (self.base if self.base is not None else self) if shares else None
        )
        result.number = self.number
        return result

    # what would go to the host

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise RefusedError("Implicit conversion to a NumPy array is not allowed.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        known = DeviceArray | numpy.ndarray | numpy.generic | int | float | complex
        if not all(isinstance(x, known) for x in inputs):
            return NotImplemented
        scalar = any(isinstance(x, numpy.generic) for x in inputs)  # an operator of a scalar's
        if not (state["lenient"] or (scalar and method == "__call__")):
            raise RefusedError(f"numpy.{ufunc.__name__} of arrays of the device")
        own = getattr(xp, ufunc.__name__, None) or getattr(xp.scipy.special, ufunc.__name__, None)
        if own is None or any(isinstance(x, HOST) for x in inputs):
            return NotImplemented
        return (own if method == "__call__" else getattr(own, method))(*inputs, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not state["lenient"]:
            raise RefusedError(f"numpy.{function.__name__} of arrays of the device")
        own: Any = xp
        for part in f"{function.__module__}.{function.__name__}".split(".")[1:]:
            own = getattr(own, part, None)
        if own is None or any(t is not DeviceArray for t in types):
            return NotImplemented
        return own(*args, **kwargs)

    # what waits for the device, asked for

    def get(self) -> Any:
        """A copy on the host."""
        counts["downloads"] += 1
        counts["waits"] += 1
        return self.inner.copy()

    def item(self, *args: Any) -> Any:
        counts["waits"] += 1
        return self.inner.item(*args)

    def tolist(self) -> Any:
        counts["waits"] += 1
        return self.inner.tolist()

    def __bool__(self) -> bool:
        counts["waits"] += 1
        return bool(self.inner)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: bool | None = None,
    ) -> Any:
        capsule = self.inner.__dlpack__(max_version=max_version)
        Capsule(capsule).device()[:] = self.__dlpack_device__()
        return capsule

    def __dlpack_device__(self) -> Any:
        return backend.OF_CUDA, self.device.id

    # the rest

    def __len__(self) -> int:
        return len(self.inner)

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"standin{self.inner!r}"

    def __getitem__(self, key: Any) -> DeviceArray:
        key = index(key)
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, numpy.ndarray) for k in parts):
            launch("getitem")
            if any(isinstance(k, numpy.ndarray) and k.dtype == bool for k in parts):
                counts["waits"] += 1
            return self.part(self.inner[key])
        whole = parts if Ellipsis in parts else (*parts, Ellipsis)  # a view without axes, too
        return self.part(self.inner[whole])

    def __setitem__(self, key: Any, value: Any) -> None:
        launch("setitem")
        unwrap(self)[index(key)] = unwrap(value)

    def __reduce__(self) -> Any:
        return DeviceArray, (self.get(),)

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> DeviceArray:
        return self.copy()

    def copy(self, order: str = "C") -> DeviceArray:
        launch("copy")
        return DeviceArray(self.inner.copy(order))  # on the current device

    def astype(self, dtype: Any, order: str = "K", *, copy: bool = True) -> DeviceArray:
        if not copy and self.dtype == dtype:
            return self
        launch("astype")
        return DeviceArray(quietly(unwrap(self).astype, dtype, order=order))

    def set(self, values: Any) -> None:
        """Copy from the host."""
        counts["uploads"] += 1
        self.inner[...] = values

    def __matmul__(self, other: Any) -> Any:
        return (
            xp.matmul(self, other) if isinstance(other, DeviceArray) else numpy.matmul(self, other)
        )

    def __rmatmul__(self, other: Any) -> Any:
        return xp.matmul(other, self)

    def __neg__(self) -> DeviceArray:
        return xp.negative(self)

    def __pos__(self) -> DeviceArray:
        return xp.positive(self)

    def __abs__(self) -> DeviceArray:
        return xp.absolute(self)

    def __invert__(self) -> DeviceArray:
        return xp.invert(self)

    def reshape(self, *shape: Any, order: str = "C") -> DeviceArray:
        return self.part(self.inner.reshape(*shape, order=order))

    def transpose(self, *axes: Any) -> DeviceArray:
        return self.part(self.inner.transpose(*axes))

    def swapaxes(self, first: int, second: int) -> DeviceArray:
        return self.part(self.inner.swapaxes(first, second))


def index(key: Any) -> Any:
    """A key with arrays of the host for those of the device."""
    if isinstance(key, tuple):
        return tuple(map(index, key))
    if isinstance(key, list):
        raise RefusedError("a list as an index is copied to the device")
    return unwrap(key)


for each in (
    "add", "and_", "eq", "floordiv", "ge", "gt", "le", "lshift", "lt", "mod", "mul", "ne", "or_",
    "pow", "rshift", "sub", "truediv", "xor",
):  # fmt: skip
    plain_name = each.strip("_")
    compute, reflected, in_place = binary(each if each.endswith("_") else f"__{each}__")
    setattr(DeviceArray, f"__{plain_name}__", compute)
    if each not in COMPARISONS:
        setattr(DeviceArray, f"__r{plain_name}__", reflected)
        setattr(DeviceArray, f"__i{plain_name}__", in_place)


def method_of(name: str) -> Callable[..., Any]:
    """A method that is NumPy's."""

    def method(self: DeviceArray, *args: Any, **kwargs: Any) -> Any:
        launch(name)
        views = name in VIEWS
        result = quietly(getattr(unwrap(self, views), name), *unwrap(args), **unwrap(kwargs))
        return self.part(result) if views else wrap(result)

    return method


def function_of(name: str, inner: Callable[..., Any], parameters: list[str]) -> Callable[..., Any]:
    """A function of the namespace: NumPy's, with the parameters of CuPy's."""
    short = name.rpartition(".")[2]
    known = {p.partition("=")[0].lstrip("*") for p in parameters}
    open_ended = not parameters or any(p.startswith("**") for p in parameters)

    @wraps(inner)
    def function(*args: Any, **kwargs: Any) -> Any:
        if not open_ended and not kwargs.keys() <= known:
            extra = ", ".join(kwargs.keys() - known)
            raise TypeError(f"{name}() got an unexpected keyword argument '{extra}'")
        if short in MAKES and args and not isinstance(args[0], DeviceArray):
            counts["uploads"] += 1
            return DeviceArray(numpy.array(inner(*args, **kwargs)))  # memory of its own
        dtype = kwargs.get("dtype")
        if short == "asarray" and not kwargs.get("copy") and dtype in (None, args[0].dtype):
            return args[0] if args[0].number == Device.current else args[0].copy()
        launch(short)
        if short in ("sort", "argsort"):
            kwargs["kind"] = "stable"  # all that CuPy has
        views = short in VIEWS
        result = quietly(inner, *unwrap(args, views), **unwrap(kwargs, views))
        if views and args and isinstance(args[0], DeviceArray):
            if isinstance(result, numpy.ndarray):
                return args[0].part(result)
            if isinstance(result, tuple | list):
                return [args[0].part(x) for x in result]
        out = kwargs.get("out")
        return out if isinstance(out, DeviceArray) else wrap(result)

    return function


class Ufunc:
    """A ufunc, with the methods that CuPy's have."""

    def __init__(self, inner: numpy.ufunc) -> None:
        self.inner = inner
        self.__name__ = inner.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        launch(self.__name__)
        result = quietly(self.inner, *unwrap(args), **unwrap(kwargs))
        out = kwargs.get("out")
        return out if isinstance(out, DeviceArray) else wrap(result)

    def method(self, name: str, *args: Any, **kwargs: Any) -> Any:
        launch(self.__name__)
        return wrap(quietly(getattr(self.inner, name), *unwrap(args), **unwrap(kwargs)))

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        return self.folded("reduce", *args, **kwargs)

    def accumulate(self, *args: Any, **kwargs: Any) -> Any:
        return self.folded("accumulate", *args, **kwargs)

    def folded(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if self.__name__ not in ("add", "multiply"):  # all that CuPy has
            raise NotImplementedError(f"`cupy_{self.__name__}.{name}` is not supported yet")
        return self.method(name, *args, **kwargs)

    def outer(self, *args: Any, **kwargs: Any) -> Any:
        return self.method("outer", *args, **kwargs)

    def at(self, a: DeviceArray, key: Any, *values: Any) -> None:
        if a.dtype.name not in SCATTERED:
            raise TypeError(f"{self.__name__}.at only supports {', '.join(SCATTERED)}")
        launch(self.__name__)
        self.inner.at(a.inner, index(key), *unwrap(values))


SCATTERED = ("int32", "int64", "float16", "float32", "float64", "uint32", "uint64")
"""The types that the device adds to in place, at repeated indices too."""


class Generator:
    """Random numbers on the device."""

    def __init__(self, seed: Any = None) -> None:
        self.inner = numpy.random.default_rng(seed)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in offered["cupy.random.Generator"]:
            raise AttributeError(f"cupy.random.Generator has no {name!r}")

        def method(*args: Any, **kwargs: Any) -> Any:
            launch(name)
            return wrap(getattr(self.inner, name)(*unwrap(args), **unwrap(kwargs)))

        return method


offered: dict[str, dict[str, list[str]]] = defaultdict(dict)
"""What CuPy has, by module: names, and their parameters where these are known."""

for line in Path(__file__).with_name("cupy_names.txt").read_text().splitlines():
    full, *given = line.split(" ")
    module, _, member = full.rpartition(".")
    offered[module][member] = given

for member in ("T", "mT", "real", "imag"):
    setattr(
        DeviceArray,
        member,
        property(lambda self, name=member: self.part(getattr(self.inner, name))),
    )

for member in offered["cupy.ndarray"]:
    if not hasattr(DeviceArray, member) and hasattr(numpy.ndarray, member):
        setattr(DeviceArray, member, method_of(member))

state = {"lenient": False, "fusing": False}


@contextmanager
def lenient() -> Iterator[None]:
    """Let NumPy's functions run on arrays of the device, as CuPy does."""
    state["lenient"] = True
    try:
        yield
    finally:
        state["lenient"] = False


def fuse(kernel_name: str) -> Callable[..., Any]:
    """CuPy's `fuse`: a chain of elementwise functions is one kernel."""
    assert kernel_name.isidentifier()

    def decorate(chain: Callable[..., Any]) -> Callable[..., Any]:
        def kernel(*args: Any) -> Any:
            for x in args:
                assert isinstance(x, DeviceArray | numpy.generic | int | float | complex), type(x)
            before = Counter(counts)
            outer, state["fusing"] = state["fusing"], True
            try:
                result = chain(*args)
            finally:
                state["fusing"] = outer
            assert counts["waits"] == before["waits"]
            counts["launches"] = before["launches"] + 1
            return result

        return kernel

    return decorate


class RawKernel:
    """A kernel that is given as CUDA's C++. As in CuPy, it takes addresses and sees no strides."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name

    def __call__(self, grid: tuple[int, ...], block: tuple[int, ...], args: Any) -> None:
        counts["launches"] += 1
        assert len(grid) == len(block) == 1
        unwrap(args)
        given = [x.data.ptr if isinstance(x, DeviceArray) else x for x in args]
        kernels.launched(self.text, self.name, *grid, *block, given)


class Memory:
    """Where an array is."""

    def __init__(self, ptr: int) -> None:
        self.ptr = ptr


def module_of(name: str, source: ModuleType, names: dict[str, list[str]]) -> Any:
    """A module of the stand-in, with what `source` has of some names."""
    made = ModuleType(name)
    for member, given in names.items():
        inner = getattr(source, member, None)
        if isinstance(inner, numpy.ufunc):
            setattr(made, member, Ufunc(inner))
        elif isinstance(inner, type) or not callable(inner):
            if inner is not None or member == "newaxis":
                setattr(made, member, inner)
        else:
            setattr(made, member, function_of(f"{name}.{member}", inner, given))
    sys.modules[name] = made
    return made


xp: Any = module_of("standin", numpy, offered["cupy"])
"""The namespace."""


class Device:
    """One of two devices; `with` makes it the current one."""

    current = 0

    def __init__(self, number: int | None = None) -> None:
        self.id = Device.current if number is None else number

    def __enter__(self) -> Device:
        self.before, Device.current = Device.current, self.id
        return self

    def __exit__(self, *_: Any) -> None:
        Device.current = self.before

    def synchronize(self) -> None:
        counts["waits"] += 1

    def use(self) -> None:
        Device.current = self.id


class Stream:
    """A queue; work is done when it is asked for."""

    def __init__(self, non_blocking: bool = False, priority: int = 0) -> None:
        self.ptr = id(self)
        self.done = True

    def __enter__(self) -> Stream:
        self.before, queues.current = queues.current, self
        return self

    def __exit__(self, *_: Any) -> None:
        queues.current = self.before


class Event:
    """A mark in a queue, with the time."""

    def __init__(
        self, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ) -> None:
        self.time = 0.0

    def record(self, stream: Any = None) -> None:
        self.time = perf_counter()

    def synchronize(self) -> None:
        counts["waits"] += 1


class Pool:
    """A pool that holds nothing of its own."""

    def used_bytes(self) -> int:
        return 1

    def total_bytes(self) -> int:
        return 1

    def free_all_blocks(self) -> None:
        return


queues = SimpleNamespace(current=Stream())

xp.cuda = ModuleType("standin.cuda")
xp.cuda.Device = Device
xp.cuda.Stream = Stream
xp.cuda.Event = Event
xp.cuda.get_current_stream = lambda number=None: queues.current
xp.cuda.get_elapsed_time = lambda start, end: 1000 * (end.time - start.time)
xp.cuda.runtime = ModuleType("standin.cuda.runtime")
xp.cuda.runtime.getDeviceCount = lambda: 2
xp.cuda.runtime.getDeviceProperties = lambda number: {"name": b"Stand-in"}
xp.cuda.runtime.memGetInfo = lambda: (1 << 20, 1 << 30)
xp.get_default_memory_pool = Pool
xp.asnumpy = lambda x: x.get()
xp.ndarray = DeviceArray
xp.ufunc = Ufunc
xp.lib = ModuleType("standin.lib")
xp.lib.stride_tricks = module_of(
    "standin.lib.stride_tricks",
    numpy.lib.stride_tricks,
    {"as_strided": [], "sliding_window_view": []},
)
xp.fuse = fuse
xp.RawKernel = RawKernel
xp.linalg = module_of("standin.linalg", numpy.linalg, offered["cupy.linalg"])
xp.fft = module_of("standin.fft", numpy.fft, offered["cupy.fft"])
xp.random = module_of("standin.random", numpy.random, offered["cupy.random"])
xp.random.default_rng = Generator
xp.random.Generator = Generator
xp.scipy = module_of("standin.scipy", scipy, {})
for package in (scipy.fft, scipy.linalg, scipy.ndimage, scipy.signal, scipy.special):
    short = package.__name__.rpartition(".")[2]
    made = module_of(f"standin.scipy.{short}", package, offered[f"cupyx.scipy.{short}"])
    setattr(xp.scipy, short, made)

DeviceArray.__module__ = "standin"
backend.devices["standin"] = "standin.scipy"


class OnHost:
    """What the stand-in's arrays share, with the device that their memory truly is on."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __dlpack__(self, *, dl_device: Any = None, **kwargs: Any) -> Any:
        capsule = self.x.__dlpack__(**kwargs)
        Capsule(capsule).device()[:] = self.__dlpack_device__()
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def from_dlpack(x: Any, *, device: Any = None, copy: bool | None = None) -> DeviceArray:
    """As CuPy's: the memory itself, which has to be on a device."""
    assert x.__dlpack_device__()[0] == backend.OF_CUDA
    return DeviceArray(numpy.asarray(Writable(numpy.from_dlpack(OnHost(x)))))


xp.from_dlpack = from_dlpack


def to_device(value: Any) -> Any:
    """A tree of lists, tuples and dicts with its arrays and NumPy scalars on the device."""
    if isinstance(value, numpy.ndarray | numpy.generic):
        return xp.asarray(numpy.asarray(value))
    if isinstance(value, tuple | list):
        return type(value)(map(to_device, value))
    if isinstance(value, dict):
        return {key: to_device(x) for key, x in value.items()}
    return value


def to_host(value: Any) -> Any:
    """The same with ndarrays, of which nothing may be on the host before."""
    if isinstance(value, DeviceArray):
        return value.inner
    if isinstance(value, tuple | list):
        return type(value)(map(to_host, value))
    if isinstance(value, dict):
        return {key: to_host(x) for key, x in value.items()}
    assert not isinstance(value, numpy.ndarray | numpy.generic), f"on the host: {value!r}"
    return value
