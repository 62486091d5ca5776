"""Linear systems and inverses of stacks of matrices, by LU factors that are computed once.

The factors of a matrix are constants beside it: an operation reads its result off them, and its
derivative is that in the matrix itself. So they serve the sweep and every further order too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

import numpy

from ..backend import is_inexact, namespace
from ..core.array import Array, Traced
from ..core.op import Op
from ..core.record import raw
from ..core.versions import version_of
from . import lapack
from .contract import matmul, transpose
from .define import Function, define
from .factorise import lu
from .linear import cast, stop_gradient
from .matrices import shared_solve, square_samples, stacked_batch
from .samples import Sample, complex_normal, normal


def factors(a: Any) -> tuple[Any, ...]:
    """LU factors and pivots of matrices; nothing where systems are solved faster without."""
    data = raw(a)
    if not lapack.has_factors(data):
        return ()
    if isinstance(a, Traced):
        return lu(stop_gradient(a))[:2]
    if not is_computed(a):
        return lapack.factor(data)
    version = version_of(data)
    kept, *references = latest[0]
    matrix, *found = (reference() for reference in references)
    if matrix is data and kept == version and all(x is not None for x in found):
        return tuple(found)
    computed = lapack.factor(data)
    latest[0] = version, *map(ref, (data, *computed))
    return computed


def is_computed(a: Any) -> bool:
    """Whether an operation made these matrices: then nobody else writes to them."""
    return (
        isinstance(a, Array)
        and a.tape is not None
        and a.raw.base is None
        and a.tape.find(a.slot) is not None
    )


latest: list[tuple[Any, ...]] = [(0, *(lambda: None,) * 3)]
"""Of the computed matrices factored last, their version, and weak references to them and to their
factors: so the same matrices in a system and in a determinant are factored once, as long as a tape
keeps the factors (and with them the matrices, which are copied before they are assigned to)."""


# Inverses


def _inv_forward(xp: Any, a: Any, *given: Any) -> Any:
    return lapack.inverse_factored(*given) if given else xp.linalg.inv(a)


def _inv_rule(g: Any, out: Any, _a: Any, *_given: Any, wanted: tuple[bool, ...]) -> tuple[Any, ...]:
    turned = transpose(out)
    return -matmul(matmul(turned, g), turned), *(None for _ in _given)


def _inv_jvp(tangents: tuple[Any, ...], out: Any, _a: Any, *_given: Any) -> Any:
    return -matmul(matmul(out, tangents[0]), out)


inverse: Function = define(
    Op(
        "inv",
        forward=_inv_forward,
        vjp=_inv_rule,
        joint=True,
        jvp=_inv_jvp,
        steep=True,
        batch=stacked_batch,
        samples=square_samples,
        doc="The inverses of matrices, by their factors if these are given.",
    )
)


def inv(a: Any) -> Any:
    """The inverses of matrices."""
    return inverse(a, *factors(a))


# Systems


def _solve_forward(xp: Any, a: Any, b: Any, *given: Any, transposed: bool) -> Any:
    if given:
        packed, pivots = given
        return lapack.solve_factored(packed, pivots, b, transposed)
    return xp.linalg.solve(xp.matrix_transpose(a) if transposed else a, b)


def _solve_rule(
    g: Any,
    out: Any,
    a: Any,
    _b: Any,
    *given: Any,
    wanted: tuple[bool, ...],
    transposed: bool,
) -> tuple[Any, ...]:
    g_a = None
    g_b = solution(a, g, *given, transposed=not transposed)
    if wanted[0]:
        left, right = (out, g_b) if transposed else (g_b, out)
        g_a = matmul(-left, transpose(right))
    return g_a, g_b, *(None for _ in given)


def _solve_jvp(
    tangents: tuple[Any, ...], out: Any, a: Any, _b: Any, *given: Any, transposed: bool
) -> Any:
    change_a, change = tangents[:2]
    if change_a is not None:
        moved = matmul(transpose(change_a) if transposed else change_a, out)
        change = -moved if change is None else change - moved
    return solution(a, change, *given, transposed=transposed)


def _solve_batch(
    function: Function, mapped: tuple[bool, ...], a: Any, b: Any, *given: Any, transposed: bool
) -> Any:
    if mapped[:2] == (False, True) and a.ndim == 2:
        return shared_solve(a, b, lambda a, b: function(a, b, *given, transposed=transposed))
    return stacked_batch(function, mapped, a, b, *given, transposed=transposed)


def _solve_samples(rng: Any) -> Iterator[Sample]:
    for domain, a, b, transposed in (
        (normal, (3, 3), (3, 1), False),
        (normal, (2, 2), (2, 3), True),
        (complex_normal, (2, 2), (2, 2), True),
        (normal, (2, 2, 2), (2, 2, 3), False),
    ):
        inputs = domain(rng, a) + 3 * namespace().eye(a[-1]), domain(rng, b)
        yield inputs, {"transposed": transposed}


solution: Function = define(
    Op(
        "solve",
        forward=_solve_forward,
        vjp=_solve_rule,
        joint=True,
        jvp=_solve_jvp,
        steep=True,
        batch=_solve_batch,
        samples=_solve_samples,
        doc="The solutions x of a @ x = b (or a^T @ x = b), for stacks of equal shape of matrices "
        "`a` and `b`, by the factors of `a` if these are given.",
    )
)


def solve(a: Any, b: Any, transposed: bool = False) -> Any:
    """The solutions x of a @ x = b (or a^T @ x = b), for stacks of equal shape of matrices."""
    if a.dtype != b.dtype:
        dtype = numpy.result_type(a.dtype, b.dtype)
        a, b = (x if x.dtype == dtype or not is_inexact(dtype) else cast(x, dtype) for x in (a, b))
    return solution(a, b, *factors(a), transposed=transposed)
