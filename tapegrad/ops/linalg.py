"""Linear algebra on stacks of matrices: inverses, linear systems, determinants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import is_complex, namespace
from ..core.op import Op
from ..core.record import raw
from .complex import imag
from .contract import matmul, transpose
from .define import Function, define
from .linear import reshape, sum
from .matrices import as_matrix, matrix_trace, square_samples, stacked_batch, systems_batch
from .samples import Sample, complex_normal, normal

# Inverses and linear systems


def _inv_rule(g: Any, out: Any, _x: Any) -> Any:
    turned = transpose(out)
    return -matmul(matmul(turned, g), turned)


def _inv_jvp(tangents: tuple[Any, ...], out: Any, _x: Any) -> Any:
    return -matmul(matmul(out, tangents[0]), out)


inv = define(
    Op(
        "inv",
        forward=lambda xp, x: xp.linalg.inv(x),
        vjp=(_inv_rule,),
        jvp=_inv_jvp,
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=square_samples,
        promote=True,
        doc="The inverses of matrices.",
    )
)


def _solve_rule(g: Any, out: Any, a: Any, _b: Any, *, wanted: tuple[bool, ...]) -> tuple[Any, Any]:
    g_b = solve(transpose(a), g)
    return -matmul(g_b, transpose(out)) if wanted[0] else None, g_b


def _solve_jvp(tangents: tuple[Any, ...], out: Any, a: Any, _b: Any) -> Any:
    change_a, change = tangents
    if change_a is not None:
        moved = matmul(change_a, out)
        change = -moved if change is None else change - moved
    return solve(a, change)


def _solve_samples(rng: Any) -> Iterator[Sample]:
    for domain, a, b in (
        (normal, (3, 3), (3, 1)),
        (normal, (2, 2), (2, 3)),
        (complex_normal, (2, 2), (2, 2)),
        (normal, (2, 2, 2), (2, 2, 3)),
    ):
        yield (domain(rng, a) + 3 * namespace().eye(a[-1]), domain(rng, b)), {}


solve = define(
    Op(
        "solve",
        forward=lambda xp, a, b: xp.linalg.solve(a, b),
        vjp=_solve_rule,
        joint=True,
        jvp=_solve_jvp,
        steep=True,
        batch=systems_batch,
        samples=_solve_samples,
        promote=True,
        doc="The solutions x of a @ x = b, for stacks of equal shape of matrices `a` and `b`.",
    )
)


# Determinants


def _det_rule(g: Any, _out: Any, x: Any) -> Any:
    return as_matrix(g) * cofactor(x)


def _det_jvp(tangents: tuple[Any, ...], _out: Any, x: Any) -> Any:
    return sum(cofactor(x) * tangents[0], axis=(x.ndim - 2, x.ndim - 1), keepdims=False)


det = define(
    Op(
        "det",
        forward=lambda xp, x: xp.linalg.det(x),
        vjp=(_det_rule,),
        jvp=_det_jvp,
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=square_samples,
        promote=True,
        doc="The determinants of matrices. Their first and second derivatives are right for "
        "singular matrices too; the third needs a regular matrix, and else raises LinAlgError.",
    )
)


def rotations(xp: Any, x: Any) -> tuple[Any, Any, Any, Any]:
    """Matrices as sign * (u * s @ v) with unitary u, v: the complex conjugates of u and v, s, sign.

    The sign is the product of their determinants.
    """
    u, s, v = xp.linalg.svd(x)
    return xp.conj(u), s, xp.conj(v), xp.linalg.det(u) * xp.linalg.det(v)


def products_but_one(xp: Any, s: Any) -> Any:
    """Along the last axis, the product of all elements but each."""
    n = s.shape[-1]
    before = after = xp.ones(s.shape[:-1], dtype=s.dtype)
    products = [before] * n
    for i in range(n - 1):
        before = before * s[..., i]
        products[i + 1] = before
    for i in range(n - 1, 0, -1):
        after = after * s[..., i]
        products[i - 1] = products[i - 1] * after
    return xp.stack(products, axis=-1) if n else s


def products_but_two(xp: Any, s: Any) -> Any:
    """Along the last axis, the products of all but two different elements; 0 on the diagonal."""
    n = s.shape[-1]
    result = xp.zeros((*s.shape, n), dtype=s.dtype)
    for i in range(n):
        rest = xp.concat([s[..., :i], s[..., i + 1 :]], axis=-1)
        row = products_but_one(xp, rest)
        result[..., i, :i] = row[..., :i]
        result[..., i, i + 1 :] = row[..., i:]
    return result


def _cofactor_forward(xp: Any, x: Any) -> Any:
    d = xp.linalg.det(x)
    if xp.all(d != 0):
        return d[..., None, None] * xp.matrix_transpose(xp.linalg.inv(x))
    u, s, v, sign = rotations(xp, x)
    return sign[..., None, None] * ((u * products_but_one(xp, s)[..., None, :]) @ v)


cofactor: Function = define(
    Op(
        "cofactor",
        forward=_cofactor_forward,
        vjp=(lambda g, _out, x: cofactor_change(x, g),),
        jvp=lambda tangents, _out, x: cofactor_change(x, tangents[0]),
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=square_samples,
        promote=True,
        doc="The matrices of cofactors: the derivative of the determinant, singular or not.",
    )
)


def _cofactor_change_forward(xp: Any, x: Any, t: Any) -> Any:
    # in the singular vectors' frame x is diagonal, and the second derivative of the determinant of
    # a diagonal matrix pairs the elements (i, i) with (j, j) and (i, j) with -(j, i)
    u, s, v, sign = rotations(xp, x)
    turned = xp.matrix_transpose(u) @ t @ xp.matrix_transpose(v)
    others = products_but_two(xp, s)
    change = -others * xp.matrix_transpose(turned)
    diagonal = xp.linalg.diagonal(turned)
    change = change + (others @ diagonal[..., None]) * xp.eye(s.shape[-1], dtype=s.dtype)
    return sign[..., None, None] * (u @ change @ v)


def third_derivative(x: Any, t: Any, g: Any) -> Any:
    """The derivative along `g` of `cofactor_change(x, t)`, symmetric in `t` and `g`."""
    inverse = inv(x)
    p, q = matmul(inverse, t), matmul(inverse, g)
    trace_p, trace_q = matrix_trace(p), matrix_trace(q)
    pq = matmul(p, q)
    eye = namespace(raw(x)).eye(x.shape[-1], dtype=x.dtype)
    mixed = (trace_p * trace_q - matrix_trace(pq)) * eye + transpose(
        pq + matmul(q, p) - trace_p * q - trace_q * p
    )
    return as_matrix(det(x)) * matmul(transpose(inverse), mixed)


def _cofactor_change_jvp(tangents: tuple[Any, ...], _out: Any, x: Any, t: Any) -> Any:
    change_x, change_t = tangents
    total = None if change_t is None else cofactor_change(x, change_t)
    if change_x is not None:
        third = third_derivative(x, t, change_x)
        total = third if total is None else total + third
    return total


cofactor_change: Function = define(
    Op(
        "cofactor_change",
        forward=_cofactor_change_forward,
        vjp=(
            lambda g, _out, x, t: third_derivative(x, t, g),
            lambda g, _out, x, _t: cofactor_change(x, g),
        ),
        jvp=_cofactor_change_jvp,
        steep=True,
        batch=stacked_batch,
        samples=lambda rng: (
            ((x, (complex_normal if is_complex(x.dtype) else normal)(rng, x.shape)), params)
            for (x,), params in square_samples(rng)
        ),
        promote=True,
        doc="The derivative along `t` of the matrices of cofactors of `x`.",
    )
)


def _slogdet_rule(g: Any, out: Any, x: Any) -> Any:
    sign, size = g
    factor = size
    if sign is not None and is_complex(x.dtype):
        turn = imag(sign * out[0]) * 1j  # a Python complex on the left would give one back
        factor = turn if size is None else size + turn
    if factor is None:  # the sign of a real determinant does not change
        return x * 0
    return as_matrix(factor) * transpose(inv(x))


def _slogdet_jvp(tangents: tuple[Any, ...], out: Any, x: Any) -> Any:
    change = solve(x, tangents[0])
    relative = reshape(matrix_trace(change), to=x.shape[:-2])
    if not is_complex(x.dtype):
        return relative * 0, relative
    turn = imag(relative)
    return out[0] * turn * 1j, imag(relative * 1j)


slogdet = define(
    Op(
        "slogdet",
        forward=lambda xp, x: tuple(xp.linalg.slogdet(x)),
        vjp=(_slogdet_rule,),
        jvp=_slogdet_jvp,
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=square_samples,
        outputs=2,
        doc="The signs of determinants, and the logarithms of their absolute values.",
    )
)
