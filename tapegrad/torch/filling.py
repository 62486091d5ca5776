"""New tensors of given numbers: zeros, ones, ranges, and likenesses of others."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy

from ..backend import HOST, place_of, put
from ..backend import full as full_in
from ..core.op import table
from ..ops.linear import broadcast_to
from . import errors
from .calls import on_arrays, promoted, raw_of, silent
from .creation import finished, number_in, numbers
from .device import Devices, moved, place_for
from .dtypes import as_numpy, common, defaults, float64, int64, of_numpy
from .refusals import refuse
from .shapes import sizes
from .tensor import Tensor, constant

__all__ = [
    "arange",
    "complex",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eye",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "polar",
    "range",
    "scalar_tensor",
    "strided",
    "tril_indices",
    "triu_indices",
    "zeros",
    "zeros_like",
]


class layout:
    """How a tensor's elements are stored."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


strided = layout("strided")


def made(
    raw: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
    memory_format: Any = None,
    generator: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """New raw data as a tensor, with the options that all functions that make one have."""
    if dtype is not None:
        raw = raw.astype(as_numpy(dtype), copy=False)
    if out is not None:
        out.raw = put(raw.astype(out.raw.dtype, copy=False), place_of(out.raw))
        return out
    return finished(moved(raw, device), requires_grad)


def even(shape: tuple[int, ...], value: Any, d: Any, options: dict[str, Any]) -> Tensor:
    """A tensor of one number, made where it is to be."""
    where = Devices.default if options.get("device") is None else options["device"]
    place = HOST if where is None else place_for(where)
    return made(full_in(shape, value, d, place), **options)


def real(d: Any) -> Any:
    """NumPy's dtype for a given one, or for the default."""
    return defaults.real.dtype if d is None else as_numpy(d)


def filled(size: Any, value: Any, options: dict[str, Any]) -> Tensor:
    """A tensor of a shape with one number everywhere."""
    if "size" in options:
        size = (options.pop("size"),)
    shape = sizes(size)
    if any(n < 0 for n in shape):
        raise errors.negative_size(shape)
    return even(shape, value, real(options.get("dtype")), options)


def are_lengths(size: tuple[Any, ...]) -> bool:
    """Whether sizes are given as plain numbers."""
    return {*map(type, size)} == {int} and min(size) >= 0


def zeros(*size: Any, **options: Any) -> Tensor:
    """A tensor of zeros."""
    if not options and are_lengths(size) and Devices.default is None:
        return constant(numpy.zeros(size, defaults.real.dtype))
    return filled(size, 0, options)


def ones(*size: Any, **options: Any) -> Tensor:
    """A tensor of ones."""
    if not options and are_lengths(size) and Devices.default is None:
        raw = numpy.empty(size, defaults.real.dtype)
        raw.fill(1)
        return constant(raw)
    return filled(size, 1, options)


def empty(*size: Any, **options: Any) -> Tensor:
    """A tensor whose elements are not set."""
    if "size" in options:
        size = (options.pop("size"),)
    return made(numpy.empty(sizes(size), real(options.get("dtype"))), **options)


@silent
def full(size: Any, fill_value: Any, **options: Any) -> Tensor:
    """A tensor of one number."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    d = options.get("dtype")
    if d is None:
        found = common(value)
        assert found is not None
        options["dtype"] = found
    to = as_numpy(options["dtype"])
    return even(sizes((size,)), number_in(value, to), to, options)


def alike(x: Tensor, options: dict[str, Any]) -> None:
    """Set the dtype and the device among options to those of a tensor, where none is given."""
    if options.get("dtype") is None:
        options["dtype"] = x.dtype
    if Devices.used and options.get("device") is None:
        options["device"] = x.device


def like(function: Callable[..., Tensor], size: Any, x: Tensor, options: dict[str, Any]) -> Tensor:
    """What a function makes, in the dtype and on the device of another tensor if none is given."""
    alike(x, options)
    return function(size, **options)


def zeros_like(input: Tensor, **options: Any) -> Tensor:
    """Zeros in the shape and dtype of another tensor."""
    if not (options or Devices.used):
        return constant(numpy.zeros(input.raw.shape, input.raw.dtype))
    return like(zeros, input.raw.shape, input, options)


def ones_like(input: Tensor, **options: Any) -> Tensor:
    """Ones in the shape and dtype of another tensor."""
    if not (options or Devices.used):
        raw = numpy.empty(input.raw.shape, input.raw.dtype)
        raw.fill(1)
        return constant(raw)
    return like(ones, input.raw.shape, input, options)


def empty_like(input: Tensor, **options: Any) -> Tensor:
    """A tensor of the shape and dtype of another whose elements are not set."""
    return like(empty, input.raw.shape, input, options)


def full_like(input: Tensor, fill_value: Any, **options: Any) -> Tensor:
    """One number everywhere, in the shape and dtype of another tensor."""
    alike(input, options)
    return full(input.raw.shape, fill_value, **options)


def empty_strided(size: Any, stride: Any, **options: Any) -> Tensor:
    """A tensor with given steps between its elements, which are not set."""
    d = real(options.get("dtype"))
    length = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    flat = numpy.empty(max(length, 0) if math.prod(size) else 0, d)
    steps = tuple(s * d.itemsize for s in stride)
    return made(numpy.lib.stride_tricks.as_strided(flat, tuple(size), steps), **options)


def empty_permuted(size: Any, physical_layout: Any, **options: Any) -> Tensor:
    """A tensor whose axes lie in memory in a given order, its elements not set."""
    order = tuple(physical_layout)
    raw = numpy.empty(tuple(size[a] for a in order), real(options.get("dtype")))
    return made(raw.transpose(tuple(order.index(a) for a in builtins.range(len(order)))), **options)


def number(x: Any) -> Any:
    """A number, or the only element of a tensor."""
    return x.item() if isinstance(x, Tensor) else x


def arange(start: Any, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """The numbers from `start` on in steps of `step`, less than `end`: integers if these are."""
    if end is None:
        start, end = 0, start
    a, b, s = number(start), number(end), number(step)
    if s == 0:
        raise RuntimeError("step must be nonzero")
    if (b - a) * s < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    d = options.pop("dtype", None)
    if d is None:
        whole = all(isinstance(v, int) for v in (a, b, s))
        d = int64 if whole else defaults.real
    if as_numpy(d).kind in "iu":
        a, b, s = int(a), int(b), int(s)
    count = max(0, math.ceil((b - a) / s))
    wide = numpy.int64 if as_numpy(d).kind in "iu" else numpy.float64
    return made((a + s * numpy.arange(count, dtype=wide)).astype(as_numpy(d)), **options)


def range(start: Any, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """As `arange`, with the end included."""
    if end is None:
        start, end = 0, start
    count = math.floor((end - start) / step) + 1
    return made(start + step * numpy.arange(count), **{"dtype": defaults.real, **options})


def linspace(start: Any, end: Any, steps: int, **options: Any) -> Tensor:
    """So many numbers at equal distances, the ends included."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    a, b = (numpy.asarray(put(raw_of(x), HOST)) for x in (start, end))
    d = options.get("dtype")
    if d is None:
        kinds = [numpy.asarray(x).dtype.kind for x in (a, b)]
        options["dtype"] = defaults.complex if "c" in kinds else defaults.real
    to = as_numpy(options["dtype"])
    if to.kind in "iu":
        a, b = a.astype(to).astype(float), b.astype(to).astype(float)
    if to.kind in "iu" and steps > 1:
        half = numpy.arange(steps)
        step = (b - a) / max(steps - 1, 1)
        raw = numpy.where(half < steps // 2, a + step * half, b - step * (steps - 1 - half))
        return made(numpy.trunc(raw).astype(to), **options)
    return made(numpy.linspace(a, b, steps, dtype=numpy.result_type(to, numpy.float64)), **options)


def logspace(start: Any, end: Any, steps: int, base: float = 10.0, **options: Any) -> Tensor:
    """Powers of `base` with exponents at equal distances."""
    d = options.pop("dtype", None)
    start, end = (put(raw_of(x), HOST) for x in (start, end))
    kinds = [numpy.asarray(x).dtype.kind for x in (start, end)]
    if d is None:
        d = defaults.complex if "c" in kinds else defaults.real
    if as_numpy(d).kind in "iu":
        start, end = (numpy.asarray(raw_of(x)).astype(as_numpy(d)) for x in (start, end))
        exponents = linspace(start, end, steps, dtype=float64)
    else:
        exponents = linspace(start, end, steps, dtype=d)
    wide = numpy.asarray(exponents.raw, numpy.result_type(exponents.raw.dtype, numpy.float64))
    return made(numpy.power(base, wide).astype(as_numpy(d)), **options)


def eye(n: int, m: int | None = None, **options: Any) -> Tensor:
    """The identity matrix, or a matrix with ones on its diagonal."""
    return made(numpy.eye(n, m, dtype=real(options.get("dtype"))), **options)


def scalar_tensor(s: Any, **options: Any) -> Tensor:
    """A number as a tensor without axes."""
    options.setdefault(
        "dtype", defaults.complex if isinstance(s, builtins.complex) else defaults.real
    )
    return made(numbers(s, options["dtype"]), **options)


def triangle(rows: int, columns: int, offset: int, upper: bool, options: dict[str, Any]) -> Tensor:
    """The indices of a triangle of a matrix, in two rows."""
    whole = numpy.ones((rows, columns))
    found = (numpy.triu if upper else numpy.tril)(whole, offset).nonzero()
    options.setdefault("dtype", int64)
    return made(numpy.stack(found), **options)


def tril_indices(row: int, col: int, offset: int = 0, **options: Any) -> Tensor:
    """The indices of the lower triangle of a matrix."""
    return triangle(row, col, offset, False, options)


def triu_indices(row: int, col: int, offset: int = 0, **options: Any) -> Tensor:
    """The indices of the upper triangle of a matrix."""
    return triangle(row, col, offset, True, options)


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Vectors spread over the grid that they span; `indexing` is `"ij"` or `"xy"`."""
    vectors = (
        list(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else [*tensors]
    )
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing not in ("ij", "xy"):
        raise errors.bad_indexing(indexing)
    lengths = [v.raw.size for v in vectors]
    swap = indexing == "xy" and len(vectors) > 1
    order = [1, 0, *builtins.range(2, len(vectors))] if swap else [*builtins.range(len(vectors))]
    shape = tuple(lengths[i] for i in order)
    grids = []
    for i, v in enumerate(vectors):
        at = order.index(i)
        own = tuple(lengths[i] if a == at else 1 for a in builtins.range(len(vectors)))
        grids.append(v.reshape(own).expand(shape))
    return tuple(grids)


@on_arrays
def complex(real: Any, imag: Any) -> Any:
    """Complex numbers of real and imaginary parts."""
    if real.dtype != imag.dtype:
        raise errors.complex_of_two(of_numpy(real.dtype), of_numpy(imag.dtype))
    of_numpy(real.dtype).to_complex()
    shape = numpy.broadcast_shapes(real.shape, imag.shape)
    return table["from_parts"].function(broadcast_to(real, to=shape), broadcast_to(imag, to=shape))


@on_arrays
def polar(abs: Any, angle: Any) -> Any:
    """Complex numbers of absolute values and angles."""
    if abs.dtype != angle.dtype:
        raise errors.complex_of_two(of_numpy(abs.dtype), of_numpy(angle.dtype))
    size, turn = promoted(abs, angle)
    cos, sin = (table[name].function(turn) for name in ("cos", "sin"))
    return table["from_parts"].function(size * cos, size * sin)


def new(function: Callable[..., Tensor]) -> Any:
    """The method that makes a tensor in the dtype of another."""

    def method(self: Tensor, *args: Any, **options: Any) -> Tensor:
        alike(self, options)
        return function(*args, **options)

    return method


def new_tensor(self: Tensor, data: Any, **options: Any) -> Tensor:
    """`torch.tensor` with the dtype of this tensor by default."""
    alike(self, options)
    return made(numbers(data, options["dtype"]), **options)


METHODS: dict[str, Any] = {
    "new_empty": new(empty),
    "new_empty_strided": new(empty_strided),
    "new_full": new(full),
    "new_ones": new(ones),
    "new_tensor": new_tensor,
    "new_zeros": new(zeros),
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)

refuse(
    globals(),
    "Expected both inputs to be Half, Float or Double tensors but got {kind} and {kind}",
    "bool integer bfloat16 complex",
    "complex polar",
)
refuse(globals(), "polar_cpu", "float16", "polar")
