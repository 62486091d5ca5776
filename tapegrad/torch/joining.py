"""Tensors joined, repeated, padded and turned round."""

from __future__ import annotations

from typing import Any

import numpy

from ..backend import HOST, put, zeros
from ..core.array import Array
from ..core.fast import general_function
from ..core.op import table
from ..ops import join, linear
from ..ops.index import ARRAY
from ..ops.transfer import beside
from . import errors
from .calls import attach, cast, on_arrays, quickly, raw_of
from .dtypes import common
from .reductions import wrapped
from .shapes import reshape, sizes
from .tensor import Tensor, wrap

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "cat",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "flip",
    "fliplr",
    "flipud",
    "hstack",
    "repeat_interleave",
    "roll",
    "rot90",
    "row_stack",
    "stack",
    "tile",
    "vstack",
]


def in_common(arrays: Any) -> list[Any]:
    """Arrays in the dtype that they combine to."""
    d = common(*(x.raw if isinstance(x, Array) else x for x in arrays))
    return [] if d is None else [cast(x, d.dtype) for x in arrays]


def are_alike(tensors: Any) -> bool:
    """Whether these are tensors of one floating-point dtype, with axes."""
    if type(tensors) not in (list, tuple) or not tensors:
        return False
    first = tensors[0]
    for x in tensors:
        if type(x) is not Tensor or x.raw.dtype is not first.raw.dtype:
            return False
    return first.raw.dtype.char in "fd"


def cat_alike(tensors: Any, dim: Any = 0, **options: Any) -> Any:
    """`cat` of tensors of one number of axes, without vectors, which may be empty."""
    if options or type(dim) is not int or not are_alike(tensors):
        return None
    shape = tensors[0].raw.shape
    n = len(shape)
    if n < 2 or not -n <= dim < n:
        return None
    axis = dim % n
    rest = shape[:axis], shape[axis + 1 :]
    for x in tensors:
        own = x.raw.shape
        if len(own) != n or (own[:axis], own[axis + 1 :]) != rest:
            return None
    return dressed(fast_concat(*tensors, axis=axis))


def stack_alike(tensors: Any, dim: Any = 0, **options: Any) -> Any:
    """`stack` of tensors of one shape and dtype."""
    if options or type(dim) is not int or not are_alike(tensors):
        return None
    shape = tensors[0].raw.shape
    n = len(shape) + 1
    if not -n <= dim < n:
        return None
    for x in tensors:
        if x.raw.shape != shape:
            return None
    return dressed(fast_stack(*tensors, axis=dim % n))


fast_concat = general_function(table["concat"], Tensor)
fast_stack = general_function(table["stack"], Tensor)


def dressed(x: Any) -> Tensor:
    """What a fast function gave, which may be the core's."""
    return x if type(x) is Tensor else wrap(x)


@quickly(cat_alike)
@on_arrays
def cat(tensors: Any, dim: int = 0) -> Any:
    """Tensors one after the other along an axis. Empty vectors are left out."""
    arrays = in_common(tensors)
    if not arrays:
        raise RuntimeError("torch.cat(): expected a non-empty list of Tensors")
    chosen = [x for x in arrays if x.shape != (0,)] or arrays[:1]
    n = chosen[0].ndim
    if any(x.ndim == 0 for x in arrays):
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    axis = wrapped(dim, n)
    for i, x in enumerate(chosen):
        if x.ndim != n:
            raise errors.cat_axes(n, x.ndim)
        for a in range(n):
            if a != axis and x.shape[a] != chosen[0].shape[a]:
                raise errors.cat_sizes(axis, chosen[0].shape[a], x.shape[a], i)
    return join.concat(*chosen, axis=axis)


concat = concatenate = cat


@quickly(stack_alike)
@on_arrays
def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors of one shape along a new axis."""
    arrays = in_common(tensors)
    if not arrays:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, x in enumerate(arrays):
        if x.shape != arrays[0].shape:
            raise errors.stack_sizes(arrays[0].shape, x.shape, i)
    return join.stack(*arrays, axis=wrapped(dim, arrays[0].ndim + 1))


def atleast(least: int, x: Tensor) -> Tensor:
    """A tensor with at least so many axes, as NumPy places them."""
    shape = x.raw.shape
    if len(shape) >= least:
        return x
    if least == 3:
        to = {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}[len(shape)]
    else:
        to = (1,) * (least - len(shape)) + shape
    return reshape(x, to)


def each(least: int, tensors: Any) -> Any:
    """`atleast` for one tensor, or for several."""
    if len(tensors) == 1:
        only = tensors[0]
        if isinstance(only, Tensor):
            return atleast(least, only)
        tensors = only
    return tuple(atleast(least, x) for x in tensors)


def atleast_1d(*tensors: Any) -> Any:
    """Tensors with at least one axis."""
    return each(1, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Tensors with at least two axes."""
    return each(2, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """Tensors with at least three axes."""
    return each(3, tensors)


def hstack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along the second axis, vectors along the first."""
    parts = [atleast(1, x) for x in tensors]
    if not parts:
        raise RuntimeError("hstack expects a non-empty TensorList")
    return cat(parts, 0 if parts[0].raw.ndim == 1 else 1, out=out)


def vstack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Tensors below one another."""
    return cat([atleast(2, x) for x in tensors], 0, out=out)


row_stack = vstack


def dstack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Tensors along the third axis."""
    return cat([atleast(3, x) for x in tensors], 2, out=out)


def column_stack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Vectors as columns beside one another, and matrices."""
    parts = [reshape(x, (x.raw.size, 1)) if x.raw.ndim <= 1 else x for x in tensors]
    return hstack(parts, out=out)


def block_diag(*tensors: Any) -> Tensor:
    """Matrices along the diagonal of one, with zeros elsewhere."""
    return blocks(list(tensors))


@on_arrays
def blocks(tensors: Any) -> Any:
    """`block_diag` of a list."""
    arrays = in_common(tensors)
    matrices = []
    for x in arrays:
        if x.ndim > 2:
            raise errors.not_blocks(x.ndim)
        matrices.append(linear.reshape(x, to=(1,) * (2 - x.ndim) + tuple(x.shape)))
    width = sum(m.shape[1] for m in matrices)
    rows = []
    start = 0
    for m in matrices:
        n, k = m.shape
        before = zeros((n, start), raw_of(m))
        after = zeros((n, width - start - k), raw_of(m))
        rows.append(join.concat(before, m, after, axis=1))
        start += k
    return join.concat(*rows, axis=0)


@on_arrays
def flip(input: Array, dims: Any, *more: int) -> Any:
    """The elements in the opposite order along the axes `dims`, a sequence or one by one."""
    given = dims if isinstance(dims, tuple | list) else (dims, *more)
    axes = [wrapped(d, input.ndim) for d in given]
    if len(set(axes)) < len(axes):
        raise RuntimeError("dim appears multiple times in the list of dims")
    if not input.ndim:
        return table["identity"].function(input)
    turn = slice(None, None, -1)
    key = tuple(turn if a in axes else slice(None) for a in range(input.ndim))
    out = table["getitem"].function(input, key=key)
    return table["identity"].function(out)


def fliplr(input: Tensor) -> Tensor:
    """The columns in the opposite order."""
    if input.raw.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """The rows in the opposite order."""
    if input.raw.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


@on_arrays
def roll(input: Array, shifts: Any, dims: Any = None) -> Any:
    """The elements moved on along axes, round the end; without axes, of the flat tensor."""
    steps = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None or (isinstance(dims, tuple | list) and not dims):
        if len(steps) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:0")
        flat = linear.reshape(input, to=(input.size,))
        rolled = table["roll"].function(flat, shift=steps, axis=(0,))
        return linear.reshape(rolled, to=input.shape)
    axes = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(axes) != len(steps):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(axes)}"
        )
    at = tuple(wrapped(d, input.ndim) for d in axes)
    return table["roll"].function(input, shift=steps, axis=at)


def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """The plane of two axes turned by `k` right angles, from the first towards the second."""
    n = input.raw.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if n < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {n}")
    a, b = (wrapped(d, n) for d in dims)
    if a == b:
        raise RuntimeError(f"expected rotation dims to be different, but got {dims}")
    turns = k % 4
    if turns == 0:
        return input.clone()
    if turns == 2:
        return flip(input, (a, b))
    if turns == 1:
        return flip(input, (b,)).transpose(a, b).clone()
    return flip(input.transpose(a, b), (b,))


def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """The tensor repeated along each axis; further numbers add leading axes."""
    times = sizes(repeats)
    if len(times) < self.raw.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    return repeated(self, times)


@on_arrays
def repeated(x: Array, times: Any) -> Any:
    """The copies of a tensor along each axis."""
    own = (1,) * (len(times) - x.ndim) + tuple(x.shape)
    parts = linear.reshape(x, to=tuple(n for pair in own for n in (1, pair)))
    wide = tuple(n for pair in zip(times, own, strict=True) for n in pair)
    spread = linear.broadcast_to(parts, to=wide)
    return linear.reshape(spread, to=tuple(t * n for t, n in zip(times, own, strict=True)))


def tile(input: Tensor, *dims: Any) -> Tensor:
    """As `repeat`; missing numbers are 1."""
    times = sizes(dims)
    return repeat(input, *((1,) * (input.raw.ndim - len(times)) + times))


def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element repeated, along an axis or of the flat tensor.

    With one argument, a tensor of counts, the index i as often as its count says.
    """
    if repeats is None:
        counts = numpy.asarray(input.raw)
        return wrap(numpy.repeat(numpy.arange(len(counts)), counts))
    if dim is None:
        input = reshape(input, -1)
        dim = 0
    axis = wrapped(dim, input.raw.ndim)
    n = input.raw.shape[axis] if input.raw.ndim else 1
    if not input.raw.ndim:
        input = reshape(input, 1)
    given = put(repeats.raw, HOST) if isinstance(repeats, Array) else repeats
    counts = numpy.asarray(given)
    if counts.size not in (1, n):
        raise RuntimeError("repeats must have the same size as input along dim")
    places = numpy.repeat(numpy.arange(n), numpy.broadcast_to(counts.reshape(-1), (n,)))
    return taken(input, places, axis)


@on_arrays
def taken(x: Array, places: Any, axis: int) -> Any:
    """The elements at some places of an axis."""
    key = (*(slice(None),) * axis, ARRAY)
    return table["getitem"].function(x, beside(places, x), key=key)


attach("flip fliplr flipud repeat repeat_interleave roll rot90 tile", globals())
