"""What the rules of linear algebra are written with: adjoints, stacks, batch rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..backend import is_complex, namespace
from ..core.record import raw
from .complex import conj
from .contract import transpose
from .define import size_of
from .index import getitem
from .linear import broadcast_to, permute_dims, reshape, sum
from .samples import Sample, complex_normal, normal


def square_samples(rng: Any) -> Iterator[Sample]:
    """Matrices far from singular: real, complex, stacked."""
    for domain, shape in (
        (normal, (1, 1)),
        (normal, (3, 3)),
        (complex_normal, (2, 2)),
        (normal, (2, 2, 2)),
    ):
        yield (domain(rng, shape) + 3 * namespace().eye(shape[-1]),), {}


def as_matrix(x: Any) -> Any:
    """Numbers as matrices of one element, to multiply matrices by."""
    return reshape(x, to=(*x.shape, 1, 1))


def matrix_trace(x: Any) -> Any:
    """The traces of matrices, as matrices of one element."""
    eye = namespace(raw(x)).eye(x.shape[-1], dtype=x.dtype)
    return sum(x * eye, axis=(x.ndim - 2, x.ndim - 1), keepdims=True)


def conjugate(x: Any) -> Any:
    """The complex conjugate; `x` itself where it is real."""
    return conj(x) if is_complex(x.dtype) else x


def hermitian(x: Any) -> Any:
    """The Hermitian part."""
    return (x + adjoint(x)) / 2


def adjoint(x: Any) -> Any:
    """The conjugate transpose."""
    return conjugate(transpose(x))


def rows(x: Any) -> Any:
    """Vectors as matrices of one row."""
    return reshape(x, to=(*x.shape[:-1], 1, x.shape[-1]))


def columns(x: Any) -> Any:
    """Vectors as matrices of one column."""
    return reshape(x, to=(*x.shape, 1))


def split_columns(x: Any, k: int) -> tuple[Any, Any]:
    """The first `k` columns and the others."""
    return (
        getitem(x, key=(Ellipsis, slice(None, k))),
        getitem(x, key=(Ellipsis, slice(k, None))),
    )


def split_rows(x: Any, k: int) -> tuple[Any, Any]:
    """The first `k` rows and the others."""
    return (
        getitem(x, key=(Ellipsis, slice(None, k), slice(None))),
        getitem(x, key=(Ellipsis, slice(k, None), slice(None))),
    )


def stacked_batch(function: Any, mapped: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
    """The batch rule of an operation on stacks of equal shape: repeats what is not mapped."""
    if False not in mapped:
        return function(*inputs, **params)
    lanes = inputs[mapped.index(True)].shape[0]
    same = (
        x if has else broadcast_to(x, to=(lanes, *x.shape))
        for x, has in zip(inputs, mapped, strict=True)
    )
    return function(*same, **params)


def systems_batch(function: Any, mapped: tuple[bool, ...], a: Any, b: Any, **params: Any) -> Any:
    """The batch rule of an operation that solves linear systems."""
    if mapped == (False, True) and a.ndim == 2:
        return shared_solve(a, b, partial(function, **params))
    return stacked_batch(function, mapped, a, b, **params)


def shared_solve(a: Any, b: Any, solve: Callable[..., Any]) -> Any:
    """The solutions of one matrix for stacks of right hand sides: all as columns of one system."""
    n = b.ndim
    sides = permute_dims(b, axes=(n - 2, *range(n - 2), n - 1))
    flat = reshape(sides, to=(b.shape[-2], size_of(b.shape[:-2]) * b.shape[-1]))
    solved = reshape(solve(a, flat), to=sides.shape)
    return permute_dims(solved, axes=(*range(1, n - 1), 0, n - 1))
