"""Pseudo-inverses and least squares.

The derivatives are those among matrices of the same rank, as in JAX and PyTorch: where a change of
the matrix would change its rank, the functions jump and have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ..backend import namespace, on_device
from ..core.op import Op
from .contract import matmul, transpose
from .define import Function, define
from .eigen import real_part
from .lapack import on_host
from .linear import sum
from .matrices import adjoint, conjugate, rows, stacked_batch
from .samples import Sample, complex_normal, normal
from .svd import svd


def _pinv_rule(g: Any, out: Any, x: Any, *, rtol: float) -> Any:
    m, n = x.shape[-2:]
    turned, other = transpose(g), adjoint(out)
    total = -matmul(matmul(transpose(out), g), transpose(out))
    if m < n:
        right = matmul(matmul(turned, out), other)
        left = matmul(matmul(other, out), turned)
    else:
        right = matmul(turned, matmul(out, other))
        left = matmul(other, matmul(out, turned))
    right = right - matmul(x, matmul(out, right))
    left = left - matmul(matmul(left, out), x)
    return total + conjugate(left + right)


def _pinv_jvp(tangents: tuple[Any, ...], out: Any, x: Any, *, rtol: float) -> Any:
    (t,) = tangents
    other, turned = adjoint(out), adjoint(t)
    right = matmul(out, matmul(other, turned))
    left = matmul(matmul(turned, other), out)
    right = right - matmul(matmul(right, x), out)
    left = left - matmul(out, matmul(x, left))
    return left + right - matmul(matmul(out, t), out)


def _pinv_samples(rng: Any) -> Iterator[Sample]:
    for domain, shape in (
        (normal, (2, 2)),
        (normal, (2, 3, 2)),
        (normal, (2, 3)),
        (complex_normal, (3, 2)),
    ):
        yield (domain(rng, shape) + 2 * namespace().eye(*shape[-2:]),), {"rtol": 1e-15}


def _pinv_forward(xp: Any, x: Any, *, rtol: float) -> Any:
    name = "rcond" if on_device(x) else "rtol"  # as the standard has it, and the devices' library
    return xp.linalg.pinv(x, **{name: rtol})


pinv: Function = define(
    Op(
        "pinv",
        forward=_pinv_forward,
        vjp=(_pinv_rule,),
        jvp=_pinv_jvp,
        steep=True,
        batch=lambda function, _mapped, x, *, rtol: function(x, rtol=rtol),
        samples=_pinv_samples,
        doc="The pseudo-inverses of matrices: singular values up to `rtol` times the largest count "
        "as zero. The derivative is that among matrices of the same rank.",
    ),
    structural=True,
)


def _lstsq_forward(xp: Any, a: Any, b: Any, *, rtol: float) -> Any:
    if not on_device(a):
        return _lstsq_by_lapack(xp, a, b, rtol=rtol)
    values = xp.linalg.svd(a, compute_uv=False)
    rank = xp.sum(values > rtol * values[..., :1], axis=-1)
    return xp.linalg.pinv(a, rcond=rtol) @ b, rank.astype(numpy.intc), values


@on_host
def _lstsq_by_lapack(a: Any, b: Any, *, rtol: float) -> Any:
    stack, (m, n) = a.shape[:-2], a.shape[-2:]
    dtype = numpy.result_type(a, b)
    solution = numpy.empty((*stack, n, b.shape[-1]), dtype=dtype)
    rank = numpy.empty(stack, dtype=numpy.intc)
    values = numpy.empty((*stack, min(m, n)), dtype=numpy.finfo(dtype).dtype)
    for i in numpy.ndindex(stack):
        solution[i], _, rank[i], values[i] = numpy.linalg.lstsq(a[i], b[i], rcond=rtol)
    return solution, rank[()], values


def nearest(a: Any, p: Any, b: Any) -> Any:
    """The x with a @ x nearest to `b`, by the pseudo-inverse `p` of `a`, and improved once."""
    x = matmul(p, b)
    return x + matmul(p, b - matmul(a, x))


def missed(a: Any, p: Any, b: Any, x: Any) -> Any:
    """What a @ x misses of `b`, without what is in reach of `a`: that is nothing but rounding.

    It is multiplied by the pseudo-inverse `p` again, which would enlarge it.
    """
    left = b - matmul(a, x)
    return left - matmul(a, matmul(p, left))


def _lstsq_rule(
    g: Any, out: Any, a: Any, b: Any, *, wanted: tuple[bool, ...], rtol: float
) -> tuple[Any, Any]:
    g_x, _, g_values = g
    g_a = g_b = None
    if g_x is not None:
        x = out[0]
        p = pinv(a, rtol=rtol)
        turned, back = transpose(a), transpose(p)
        g_b = nearest(turned, back, g_x)
        if wanted[0]:
            left = conjugate(missed(a, p, b, x))
            change = matmul(p, conjugate(g_b))
            g_a = matmul(left, transpose(change)) - matmul(g_b, transpose(x))
            other = conjugate(missed(turned, back, g_x, g_b))
            g_a = g_a + matmul(conjugate(matmul(adjoint(p), x)), transpose(other))
    if g_values is not None and wanted[0]:
        u, _, vh = svd(a, full=False)
        share = matmul(conjugate(u) * rows(g_values), conjugate(vh))
        g_a = share if g_a is None else g_a + share
    return g_a, g_b


def _lstsq_jvp(tangents: tuple[Any, ...], out: Any, a: Any, b: Any, *, rtol: float) -> Any:
    change_a, change = tangents
    x, rank, values = out
    p = pinv(a, rtol=rtol)
    change_values = values * 0
    moved = None
    if change_a is not None:
        turned = adjoint(change_a)
        left = missed(a, p, b, x)
        part = matmul(change_a, x)
        change = -part if change is None else change - part
        moved = matmul(p, matmul(adjoint(p), matmul(turned, left)))
        other = matmul(turned, matmul(adjoint(p), x))
        moved = moved + other - matmul(p, matmul(a, other))
        u, _, vh = svd(a, full=False)
        along = conjugate(u) * matmul(change_a, adjoint(vh))
        change_values = real_part(sum(along, axis=(along.ndim - 2,), keepdims=False))
    solution = matmul(p, change)
    return solution if moved is None else solution + moved, rank * 0, change_values


def _lstsq_samples(rng: Any) -> Iterator[Sample]:
    for domain, a, b in (
        (normal, (3, 2), (3, 1)),
        (normal, (2, 3), (2, 2)),
        (normal, (2, 3, 2), (2, 3, 2)),
        (complex_normal, (3, 2), (3, 1)),
    ):
        yield (domain(rng, a) + 2 * namespace().eye(*a[-2:]), domain(rng, b)), {"rtol": 1e-15}


lstsq: Function = define(
    Op(
        "lstsq",
        forward=_lstsq_forward,
        vjp=_lstsq_rule,
        joint=True,
        jvp=_lstsq_jvp,
        steep=True,
        batch=stacked_batch,
        samples=_lstsq_samples,
        outputs=3,
        promote=True,
        doc="The shortest x of those with the smallest |a @ x - b|, the rank of `a`, and its "
        "singular values, of which those up to `rtol` times the largest count as zero. The "
        "derivative is that among matrices of the same rank.",
    )
)
