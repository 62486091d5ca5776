"""Convolution of sequences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import namespace
from ..core.op import Op
from ..core.record import raw
from .contract import matmul, transpose
from .define import define
from .index import ARRAY, getitem
from .join import concat
from .linear import reshape
from .samples import Sample, complex_normal, normal


def flip(x: Any) -> Any:
    """`x` with its last axis reversed."""
    return getitem(x, key=(Ellipsis, slice(None, None, -1)))


def _full_rule_x(g: Any, _out: Any, _x: Any, y: Any) -> Any:
    return convolve_valid(g, flip(y))


def _full_rule_y(g: Any, _out: Any, x: Any, _y: Any) -> Any:
    return convolve_valid(g, flip(x))


def _valid_rule_x(g: Any, _out: Any, _x: Any, y: Any) -> Any:
    return convolve_full(g, flip(y))


def _valid_rule_y(g: Any, _out: Any, x: Any, _y: Any) -> Any:
    return flip(convolve_valid(x, flip(g)))


def windows(x: Any, width: int) -> Any:
    """All runs of `width` neighbours along the last axis, as the last of two axes."""
    xp = namespace(raw(x))
    count = x.shape[-1] - width + 1
    places = xp.reshape(xp.arange(count), (count, 1)) + xp.arange(width)
    return getitem(x, places, key=(Ellipsis, ARRAY))


def _full_batch(_function: Any, mapped: tuple[bool, ...], x: Any, y: Any) -> Any:
    if x.shape[-1] < y.shape[-1]:
        x, y, mapped = y, x, mapped[::-1]
    xp = namespace(raw(x))
    edge = xp.zeros((*x.shape[:-1], y.shape[-1] - 1), dtype=x.dtype)
    return _valid_batch(_function, mapped, concat(edge, x, edge, axis=x.ndim - 1), y)


def _valid_batch(_function: Any, mapped: tuple[bool, ...], x: Any, y: Any) -> Any:
    runs = windows(x, y.shape[-1])
    y = flip(y)
    if mapped == (True, True):
        product = matmul(runs, reshape(y, to=(*y.shape, 1)))
        return reshape(product, to=product.shape[:2])
    return matmul(runs, y) if mapped[0] else matmul(y, transpose(runs))


def _samples(*shapes: tuple[int, int]) -> Any:
    def draw(rng: Any) -> Iterator[Sample]:
        for n, m in shapes:
            yield (normal(rng, (n,)), normal(rng, (m,))), {}
        n, m = shapes[0]
        yield (complex_normal(rng, (n,)), normal(rng, (m,))), {}

    return draw


convolve_full = define(
    Op(
        "convolve_full",
        forward=lambda xp, x, y: xp.convolve(x, y, "full"),
        vjp=(_full_rule_x, _full_rule_y),
        jvp="multilinear",
        batch=_full_batch,
        samples=_samples((4, 3), (2, 4), (3, 1), (3, 3)),
        promote=True,
        doc="The coefficients of the product of two polynomials.",
    )
)

convolve_valid = define(
    Op(
        "convolve_valid",
        forward=lambda xp, x, y: xp.convolve(x, y, "valid"),
        vjp=(_valid_rule_x, _valid_rule_y),
        jvp="multilinear",
        batch=_valid_batch,
        samples=_samples((5, 3), (4, 1), (3, 3)),
        promote=True,
        doc="`convolve_full` where `y`, the shorter or equal one, lies inside of `x`.",
    )
)
