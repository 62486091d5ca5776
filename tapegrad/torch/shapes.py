"""Views in another shape: `view`, `permute`, `expand`, `squeeze` and their kin."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

from numpy import ndarray

from ..core.array import Array, Traced
from ..core.op import table
from . import errors
from .calls import attach
from .conversion import clone, contiguous
from .dtypes import as_numpy
from .reductions import wrapped
from .subscript import get_basic
from .tensor import Tensor, wrap, writable
from .views import view

__all__ = [
    "adjoint",
    "broadcast_to",
    "detach",
    "expand_copy",
    "flatten",
    "imag",
    "matrix_transpose",
    "moveaxis",
    "movedim",
    "permute",
    "ravel",
    "real",
    "reshape",
    "squeeze",
    "swapaxes",
    "swapdims",
    "t",
    "transpose",
    "unflatten",
    "unsqueeze",
]


def sizes(args: Any) -> tuple[int, ...]:
    """Sizes given one by one or as a sequence."""
    if len(args) == 1 and isinstance(args[0], Sequence | Array) and not isinstance(args[0], str):
        args = tuple(args[0]) if isinstance(args[0], Sequence) else (args[0],)
    return tuple(map(operator.index, args))


def inferred(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A shape with the length that -1 stands for."""
    unknown = shape.count(-1)
    if unknown > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(n < -1 for n in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}")
    if unknown:
        rest = prod(n for n in shape if n != -1)
        if rest == 0 and size == 0:
            raise errors.ambiguous_size(shape)
        if rest == 0 or size % rest:
            raise errors.invalid_shape(shape, size)
        return tuple(size // rest if n == -1 else n for n in shape)
    if prod(shape) != size:
        raise errors.invalid_shape(shape, size)
    return shape


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The elements in another shape: a view where that is possible, else a copy."""
    to = inferred(sizes(shape), input.raw.size)
    return view(input, "reshape", to=to)


def view_method(self: Tensor, *shape: Any, dtype: Any = None) -> Tensor:
    """The elements in another shape, as a view; or their bits as another dtype."""
    if dtype is not None or (len(shape) == 1 and not isinstance(shape[0], Sequence | int | Array)):
        return as_dtype(self, shape[0] if dtype is None else dtype)
    to = inferred(sizes(shape), self.raw.size)
    result = view(self, "reshape", to=to)
    if not hasattr(result, "base") and result.raw.size and not isinstance(self, Traced):
        raise errors.not_viewable()
    return result


def as_dtype(x: Tensor, dtype: Any) -> Tensor:
    """The bits of the elements as elements of another dtype."""
    to = as_numpy(dtype)
    if to == x.raw.dtype:
        return view(x, "reshape", to=x.raw.shape)
    return wrap(writable(x).view(to))


def permute(input: Tensor, *dims: Any) -> Tensor:
    """The axes in another order."""
    order = sizes(dims)
    n = input.raw.ndim
    if len(order) != n:
        raise errors.wrong_permutation(n, len(order))
    axes = tuple(wrapped(d, n) for d in order)
    if len(set(axes)) != n:
        raise RuntimeError("permute(dims): duplicate dims are not allowed.")
    return view(input, "permute_dims", axes=axes)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes exchanged."""
    n = input.raw.ndim
    a, b = wrapped(dim0, n), wrapped(dim1, n)
    axes = list(range(n))
    if n:
        axes[a], axes[b] = axes[b], axes[a]
    return view(input, "permute_dims", axes=tuple(axes))


swapaxes = swapdims = transpose


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector as it is."""
    if input.raw.ndim > 2:
        raise errors.not_a_matrix("t", input.raw.ndim)
    return view(input, "permute_dims", axes=tuple(reversed(range(input.raw.ndim))))


def matrix_transpose(input: Tensor) -> Tensor:
    """The last two axes exchanged."""
    if input.raw.ndim < 2:
        raise errors.not_matrices("mT", input.raw.ndim)
    return transpose(input, -2, -1)


def adjoint(input: Tensor) -> Tensor:
    """The conjugate of the transposed matrices."""
    return conjugate(matrix_transpose(input))


def conjugate(x: Tensor) -> Tensor:
    """The complex conjugate of complex tensors; real ones as they are."""
    return wrap(table["conj"].function(x)) if x.raw.dtype.kind == "c" else x


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Axes at other places; the rest keep their order."""
    n = input.raw.ndim
    start = [source] if isinstance(source, int) else list(source)
    end = [destination] if isinstance(destination, int) else list(destination)
    if len(start) != len(end):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({start} dims) should contain "
            f"the same number of dims as destination ({end} dims)"
        )
    a = [wrapped(d, n) for d in start]
    b = [wrapped(d, n) for d in end]
    if len(set(a)) != len(a) or len(set(b)) != len(b):
        raise RuntimeError(f"movedim: repeated dim in `source` ({start}) or `destination` ({end})")
    rest = iter([i for i in range(n) if i not in a])
    places = dict(zip(b, a, strict=True))
    axes = tuple(places[i] if i in places else next(rest) for i in range(n))
    return view(input, "permute_dims", axes=axes)


moveaxis = movedim


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without axes of length 1: all of them, or those of `dim`."""
    shape = input.raw.shape
    n = len(shape)
    if dim is None:
        gone = {i for i in range(n) if shape[i] == 1}
    else:
        dims = (dim,) if isinstance(dim, int) else tuple(dim)
        gone = {wrapped(d, n) for d in dims}
        gone = {i for i in gone if i < n and shape[i] == 1}
    return view(input, "reshape", to=tuple(s for i, s in enumerate(shape) if i not in gone))


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With an axis of length 1 before the axis `dim`."""
    n = input.raw.ndim
    at = wrapped(dim, n + 1)
    return view(input, "reshape", to=(*input.raw.shape[:at], 1, *input.raw.shape[at:]))


def expand(self: Tensor, *shape: Any, implicit: bool = False) -> Tensor:
    """Axes of length 1 repeated without a copy; -1 keeps a length."""
    to = sizes(shape)
    own = self.raw.shape
    extra = len(to) - len(own)
    if extra < 0:
        raise errors.expand_to_fewer(own, to)
    full = []
    for i, n in enumerate(to):
        m = own[i - extra] if i >= extra else None
        if n == -1:
            if m is None:
                raise errors.expand_leading(to)
            n = m
        elif m not in (None, 1, n):
            raise errors.expand_mismatch(n, m, i, to, own)
        full.append(n)
    result = view(self, "broadcast_to", to=tuple(full))
    if isinstance(result.raw, ndarray) and writable(self).flags.writeable:
        result.raw.flags.writeable = True  # NumPy's is not; what overlaps is checked at a write
    return result


def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """As `expand`."""
    return expand(input, size)


def expand_copy(input: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    """As `expand`, with a copy of the elements."""
    return clone(expand(input, size))


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Neighbouring axes as one; the tensor itself if there is nothing to do."""
    shape = input.raw.shape
    n = len(shape)
    a, b = wrapped(start_dim, n), wrapped(end_dim, n)
    if not n:
        return view(input, "reshape", to=(1,))
    if a > b:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if a == b:
        return input
    return view(input, "reshape", to=(*shape[:a], prod(shape[a : b + 1]), *shape[b + 1 :]))


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """One axis as several."""
    shape = input.raw.shape
    at = wrapped(dim, len(shape))
    parts = inferred(tuple(sizes), shape[at])
    return view(input, "reshape", to=(*shape[:at], *parts, *shape[at + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All axes as one; a copy if the tensor is not contiguous."""
    return reshape(contiguous(input), -1)


def real(input: Tensor) -> Tensor:
    """The real parts; of a real tensor, itself."""
    return part(input, 0) if input.raw.dtype.kind == "c" else input


def imag(input: Tensor) -> Tensor:
    """The imaginary parts of a complex tensor."""
    if input.raw.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return part(input, 1)


def part(x: Tensor, which: int) -> Tensor:
    """The real or the imaginary parts of complex numbers, as a view."""
    return get_basic(view(x, "as_pairs"), (Ellipsis, which))


def set_real(self: Tensor, value: Any) -> None:
    real(self).copy_(value)


def set_imag(self: Tensor, value: Any) -> None:
    imag(self).copy_(value)


def base_of(self: Tensor) -> Tensor | None:
    """The tensor that this one is a view of, in the end; None if it is no view."""
    base: Any = self
    while (link := getattr(base, "base", None)) is not None:
        base = link[0]
    return None if base is self else base


def detach(input: Tensor) -> Tensor:
    """The same memory as a constant."""
    return input.detach()


def reversed_axes(self: Tensor) -> Tensor:
    """All axes in the opposite order."""
    return view(self, "permute_dims", axes=tuple(reversed(range(self.raw.ndim))))


def adjoint_of_matrix(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix; of a number, the number."""
    if self.raw.ndim not in (0, 2):
        raise errors.not_a_matrix("H", self.raw.ndim)
    return conjugate(reversed_axes(self))


def like(function: Any) -> Any:
    """The method that takes a shape from another tensor."""
    return lambda self, other: function(self, other.raw.shape)


attach(
    "adjoint broadcast_to expand flatten moveaxis movedim permute ravel reshape squeeze swapaxes "
    "swapdims t transpose unflatten unsqueeze",
    globals(),
)
METHODS: dict[str, Any] = {
    "_base": property(base_of),
    "_is_view": lambda self: base_of(self) is not None,
    "H": property(adjoint_of_matrix),
    "T": property(reversed_axes),
    "expand_as": like(expand),
    "imag": property(imag, set_imag),
    "mH": property(adjoint),
    "mT": property(matrix_transpose),
    "real": property(real, set_real),
    "reshape_as": like(reshape),
    "view": view_method,
    "view_as": like(view_method),
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
