"""Triangles of matrices, and systems of triangular matrices."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy

from ..backend import has_nan, is_complex, namespace
from ..core.op import Op
from . import lapack
from .contract import matmul, transpose
from .define import Function, define
from .matrices import adjoint, systems_batch
from .samples import Sample, complex_normal, normal

# Triangles


def _triangle_forward(xp: Any, x: Any, *, lower: bool, diagonal: float) -> Any:
    if xp is numpy and x.shape[-1] * x.shape[-2] <= SMALL:
        out = x * _mask(x.shape[-2], x.shape[-1], lower, diagonal, x.real.dtype.char)
        if not has_nan(out):  # no infinity was dropped
            return out
    part = xp.tril if lower else xp.triu
    if diagonal == 1:
        return part(x)
    strict = part(x, k=-1 if lower else 1)
    return strict if diagonal == 0 else (part(x) + strict) / 2


SMALL = 1 << 16
"""Matrices up to this size are multiplied by a mask that is kept: a third of the time."""


@functools.lru_cache(maxsize=8)
def _mask(m: int, n: int, lower: bool, diagonal: float, char: str) -> Any:
    mask = numpy.tri(m, n, k=-1) if lower else numpy.tri(n, m, k=-1).T
    numpy.fill_diagonal(mask, diagonal)
    return mask.astype(char, order="C")


def _triangle_samples(rng: Any) -> Iterator[Sample]:
    for shape, lower, diagonal in (
        ((3, 3), True, 0.5),
        ((2, 3), False, 0.0),
        ((2, 3, 2), True, 1.0),
        ((2, 2), False, 0.5),
    ):
        yield (normal(rng, shape),), {"lower": lower, "diagonal": diagonal}
    yield (complex_normal(rng, (2, 2)),), {"lower": True, "diagonal": 0.0}


triangle: Function = define(
    Op(
        "triangle",
        forward=_triangle_forward,
        vjp=(lambda g, _out, _x, *, lower, diagonal: triangle(g, lower=lower, diagonal=diagonal),),
        jvp="linear",
        batch=lambda function, _mapped, x, **params: function(x, **params),
        samples=_triangle_samples,
        doc="The lower or upper triangle, with 0, 0.5 or 1 times the diagonal, zeros elsewhere.",
    ),
    structural=True,
)


def _mirrored_forward(xp: Any, x: Any, *, lower: bool, conjugates: bool) -> Any:
    one = _triangle_forward(xp, x, lower=lower, diagonal=0.5)
    other = xp.matrix_transpose(one)
    return one + (xp.conj(other) if conjugates and is_complex(x.dtype) else other)


def _mirrored_rule(g: Any, _out: Any, _x: Any, *, lower: bool, conjugates: bool) -> Any:
    return (g + (adjoint(g) if conjugates else transpose(g))) / 2


mirrored: Function = define(
    Op(
        "mirrored",
        forward=_mirrored_forward,
        vjp=(_mirrored_rule,),
        jvp=lambda tangents, _out, _x, *, lower, conjugates: _mirrored_rule(
            tangents[0], None, None, lower=lower, conjugates=conjugates
        ),
        batch=lambda function, _mapped, x, **params: function(x, **params),
        samples=lambda rng: (
            ((normal(rng, (2, 1, 1)),), {"lower": True, "conjugates": True}),
            ((complex_normal(rng, (1, 1)),), {"lower": False, "conjugates": True}),
            ((complex_normal(rng, (1, 1)),), {"lower": False, "conjugates": False}),
        ),
        doc="The Hermitian or symmetric matrix that one triangle stands for. Its derivative is for "
        "changes that keep it so: the gradient is Hermitian, whichever triangle is read.",
    ),
    structural=True,
)


# Systems


def _solve_rule(
    g: Any,
    out: Any,
    a: Any,
    _b: Any,
    *,
    wanted: tuple[bool, ...],
    lower: bool,
    transposed: bool,
    unit: bool,
) -> tuple[Any, Any]:
    g_b = solve_triangular(a, g, lower=lower, transposed=not transposed, unit=unit)
    if not wanted[0]:
        return None, g_b
    left, right = (-out, g_b) if transposed else (-g_b, out)
    outer = matmul(left, transpose(right))
    return triangle(outer, lower=lower, diagonal=0.0 if unit else 1.0), g_b


def _solve_jvp(
    tangents: tuple[Any, ...],
    out: Any,
    a: Any,
    _b: Any,
    *,
    lower: bool,
    transposed: bool,
    unit: bool,
) -> Any:
    change_a, change = tangents
    if change_a is not None:
        part = triangle(change_a, lower=lower, diagonal=0.0 if unit else 1.0)
        moved = matmul(transpose(part) if transposed else part, out)
        change = -moved if change is None else change - moved
    return solve_triangular(a, change, lower=lower, transposed=transposed, unit=unit)


def _solve_samples(rng: Any) -> Iterator[Sample]:
    for domain, a, b, lower, transposed, unit in (
        (normal, (3, 3), (3, 1), True, False, False),
        (normal, (2, 2), (2, 3), False, True, False),
        (normal, (2, 2, 2), (2, 2, 2), True, True, True),
        (complex_normal, (2, 2), (2, 2), False, False, True),
    ):
        x = domain(rng, a) + 3 * namespace().eye(a[-1])
        yield (x, domain(rng, b)), {"lower": lower, "transposed": transposed, "unit": unit}


solve_triangular: Function = define(
    Op(
        "solve_triangular",
        forward=lapack.solve_triangular,
        vjp=_solve_rule,
        joint=True,
        jvp=_solve_jvp,
        steep=True,
        batch=systems_batch,
        samples=_solve_samples,
        promote=True,
        doc="The solutions x of a @ x = b (or a^T @ x = b) for triangular matrices `a`, of which "
        "only the one triangle is read, and has a derivative.",
    )
)


def solve_from_right(b: Any, a: Any, *, lower: bool, transposed: bool = False) -> Any:
    """The solutions x of x @ a = b (or x @ a^T = b) for triangular `a`."""
    turned = solve_triangular(a, transpose(b), lower=lower, transposed=not transposed, unit=False)
    return transpose(turned)
