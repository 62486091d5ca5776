"""Views of parts: along an axis, on a diagonal, through a window."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Any

from . import errors
from .calls import attach
from .conversion import contiguous, is_contiguous
from .reductions import wrapped
from .subscript import get_basic
from .tensor import Tensor, TracedTensor, writable
from .views import view

__all__ = [
    "as_strided",
    "chunk",
    "diagonal",
    "dsplit",
    "hsplit",
    "narrow",
    "select",
    "split",
    "split_with_sizes",
    "tensor_split",
    "unbind",
    "unsafe_chunk",
    "unsafe_split",
    "vsplit",
]

EVERYTHING = slice(None)


def along(n: int, at: int, key: Any) -> tuple[Any, ...]:
    """The key that applies `key` to one axis."""
    return (*(EVERYTHING,) * at, key)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` elements of an axis from `start` on."""
    n = input.raw.ndim
    if not n:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    at = wrapped(dim, n)
    size = input.raw.shape[at]
    begin = operator.index(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= begin <= size:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-size}, {size}], "
            f"but got {begin})"
        )
    begin = begin + size if begin < 0 else begin
    if begin + length > size:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({size}).")
    return get_basic(input, along(n, at, slice(begin, begin + length)))


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One element of an axis; the axis goes."""
    n = input.raw.ndim
    if not n:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    at = wrapped(dim, n)
    size = input.raw.shape[at]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.raw.shape)} "
            f"at dimension {at}"
        )
    return get_basic(input, along(n, at, operator.index(index)))


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The elements of an axis, each without it."""
    n = input.raw.ndim
    if not n:
        raise RuntimeError("Dimension specified as 0 but tensor has no dimensions")
    at = wrapped(dim, n)
    parts = tuple(get_basic(input, along(n, at, i)) for i in range(input.raw.shape[at]))
    return together(parts, "Unbind")


def together(views: tuple[Tensor, ...], name: str) -> tuple[Tensor, ...]:
    """Views that one function gave: of a value that is differentiated, none may be changed."""
    if views and views[0].slot:
        for i, x in enumerate(views):
            x.origin = i, name
    return views


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of a size along an axis (the last may be smaller), or of given sizes."""
    if not isinstance(split_size_or_sections, int):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    return together(unsafe_split(tensor, split_size_or_sections, dim), "Split")


def unsafe_split(tensor: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """As `split`; the parts may be changed in place."""
    if not isinstance(split_size, int):
        return lengths_of(tensor, split_size, dim)
    n = tensor.raw.ndim
    at = wrapped(dim, n)
    size = tensor.raw.shape[at] if n else 1
    step = split_size
    if step < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={step}")
    if step == 0:
        if size:
            raise RuntimeError(
                f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}"
            )
        return (narrow(tensor, at, 0, 0),)
    starts = range(0, max(size, 1), step)
    return tuple(narrow(tensor, at, i, min(step, size - i)) for i in starts)


def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of given sizes along an axis."""
    return together(lengths_of(input, split_sizes, dim), "SplitWithSizes")


def lengths_of(input: Tensor, split_sizes: Any, dim: int) -> tuple[Tensor, ...]:
    """Parts of given sizes along an axis, as views of their own."""
    at = wrapped(dim, input.raw.ndim)
    size = input.raw.shape[at]
    lengths = list(map(operator.index, split_sizes))
    if sum(lengths) != size:
        raise errors.split_sizes(lengths, size, at)
    parts = []
    start = 0
    for length in lengths:
        parts.append(narrow(input, at, start, length))
        start += length
    return tuple(parts)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most so many parts of one size along an axis; the last may be smaller."""
    return together(unsafe_chunk(input, chunks, dim), "Split")


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """As `chunk`; the parts may be changed in place."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not input.raw.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    at = wrapped(dim, input.raw.ndim)
    size = input.raw.shape[at]
    step = -(-size // chunks)
    if step == 0:
        return lengths_of(input, [0] * chunks, at)
    return unsafe_split(input, step, at)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts along an axis: so many of about one size, or cut at given places."""
    n = input.raw.ndim
    if not n:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    at = wrapped(dim, n)
    size = input.raw.shape[at]
    where = indices_or_sections
    if isinstance(where, Tensor):
        where = where.tolist()
    if isinstance(where, int):
        if where <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {where}")
        small, more = divmod(size, where)
        lengths = [small + 1] * more + [small] * (where - more)
        return lengths_of(input, lengths, at)
    cuts = [0, *map(operator.index, where), size]
    parts = []
    for start, stop in pairwise(cuts):
        parts.append(get_basic(input, along(n, at, slice(start, stop))))
    return tuple(parts)


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """`tensor_split` along the columns."""
    check_split("hsplit", input, indices_or_sections, 1, 0 if input.raw.ndim == 1 else 1)
    return tensor_split(input, indices_or_sections, 0 if input.raw.ndim == 1 else 1)


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """`tensor_split` along the rows."""
    check_split("vsplit", input, indices_or_sections, 2, 0)
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """`tensor_split` along the third axis."""
    check_split("dsplit", input, indices_or_sections, 3, 2)
    return tensor_split(input, indices_or_sections, 2)


def check_split(name: str, x: Tensor, where: Any, least: int, at: int) -> None:
    """Raise if a tensor has too few axes, or cannot be cut into parts of one size."""
    if x.raw.ndim < least:
        raise errors.too_few_axes(name, least, x.raw.ndim)
    if isinstance(where, int) and (where <= 0 or x.raw.shape[at] % where):
        raise errors.uneven_split(name, where, at, x.raw.shape[at])


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two axes, as the last axis."""
    n = input.raw.ndim
    a, b = wrapped(dim1, n), wrapped(dim2, n)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rest = [i for i in range(n) if i not in (a, b)]
    last = view(input, "permute_dims", axes=(*rest, a, b))
    return view(last, "diagonal", offset=offset)


def address(x: Tensor) -> int:
    """Where the first element is in memory."""
    place: int = writable(x).__array_interface__["data"][0]
    return place


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A window on the memory: `size` elements at `stride` elements from one another.

    As in PyTorch, the memory is that of the tensor that `input` is a view of, and it is counted
    from its start; by default, from the start of `input`.
    """
    base, offset = input, storage_offset or 0
    if not isinstance(input, TracedTensor):
        while (link := getattr(base, "base", None)) is not None:
            base = link[0]
        if storage_offset is None and base is not input:
            offset = (address(input) - address(base)) // input.raw.itemsize
    if not is_contiguous(base):
        base = contiguous(base)
    params = {"size": tuple(size), "stride": tuple(stride), "offset": offset}
    return view(base, "window", **params)


def unfold_windows(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All slices of a size along an axis, as a new last axis; they overlap if the step is small."""
    n = self.raw.ndim
    at = wrapped(dimension, n)
    length = self.raw.shape[at] if n else 1
    if size > length:
        raise errors.unfold_too_large(length, size)
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not n:
        return view(self, "window", size=(size,), stride=(1,), offset=0)
    return view(self, "slices", axis=at, size=size, step=step)


def split_self(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """`split`, with the name that the method has for its argument."""
    return split(self, split_size, dim)


attach(" ".join(__all__), globals())
for _name, _method in (("split", split_self), ("unfold", unfold_windows)):
    setattr(Tensor, _name, _method)
