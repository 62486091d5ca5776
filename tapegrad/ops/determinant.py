"""Determinants of stacks of matrices, with derivatives that are right for singular ones too."""

from __future__ import annotations

from typing import Any

from ..backend import diagonal, is_complex, namespace
from ..core.op import Op
from ..core.record import raw
from . import lapack
from .complex import imag
from .contract import matmul, transpose
from .define import Function, define
from .linalg import factors, inv, inverse, solution
from .linear import reshape, sum
from .matrices import as_matrix, matrix_trace, square_samples, stacked_batch
from .samples import complex_normal, normal

# The determinant


def _det_forward(xp: Any, x: Any, *given: Any) -> Any:
    if not given:
        return xp.linalg.det(x)
    sign, size = lapack.slogdet_factored(*given)
    return sign * xp.exp(size)


def _det_rule(g: Any, _out: Any, x: Any, *given: Any, wanted: tuple[bool, ...]) -> tuple[Any, ...]:
    return as_matrix(g) * cofactors(x, *given), *(None for _ in given)


def _det_jvp(tangents: tuple[Any, ...], _out: Any, x: Any, *given: Any) -> Any:
    changes = cofactors(x, *given) * tangents[0]
    return sum(changes, axis=(x.ndim - 2, x.ndim - 1), keepdims=False)


determinant: Function = define(
    Op(
        "det",
        forward=_det_forward,
        vjp=_det_rule,
        joint=True,
        jvp=_det_jvp,
        steep=True,
        batch=stacked_batch,
        samples=square_samples,
        doc="The determinants of matrices, by their factors if these are given.",
    )
)


def det(x: Any) -> Any:
    """The determinants of matrices.

    The first and second derivatives are right for singular matrices too; the third needs a regular
    matrix, and else raises LinAlgError.
    """
    return determinant(x, *factors(x))


# Its derivatives


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


def _cofactor_forward(xp: Any, x: Any, *given: Any) -> Any:
    d = _det_forward(xp, x, *given)
    if xp.all(d != 0):
        inverses = lapack.inverse_factored(*given) if given else xp.linalg.inv(x)
        return d[..., None, None] * xp.matrix_transpose(inverses)
    u, s, v, sign = rotations(xp, x)
    return sign[..., None, None] * ((u * products_but_one(xp, s)[..., None, :]) @ v)


def _cofactor_rule(
    g: Any, _out: Any, x: Any, *_given: Any, wanted: tuple[bool, ...]
) -> tuple[Any, ...]:
    return cofactor_change(x, g), *(None for _ in _given)


cofactors: Function = define(
    Op(
        "cofactor",
        forward=_cofactor_forward,
        vjp=_cofactor_rule,
        joint=True,
        jvp=lambda tangents, _out, x, *_given: cofactor_change(x, tangents[0]),
        steep=True,
        batch=stacked_batch,
        samples=square_samples,
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
    along = diagonal(xp, turned)
    change = change + (others @ along[..., None]) * xp.eye(s.shape[-1], dtype=s.dtype)
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
        doc="The derivative along `t` of the matrices of cofactors of `x`.",
    )
)


# Its logarithm


def _slogdet_forward(xp: Any, x: Any, *given: Any) -> Any:
    return lapack.slogdet_factored(*given) if given else tuple(xp.linalg.slogdet(x))


def _slogdet_rule(
    g: Any, out: Any, x: Any, *given: Any, wanted: tuple[bool, ...]
) -> tuple[Any, ...]:
    sign, size = g
    factor = size
    if sign is not None and is_complex(x.dtype):
        turn = imag(sign * out[0]) * 1j  # a Python complex on the left would give one back
        factor = turn if size is None else size + turn
    if factor is None:  # the sign of a real determinant does not change
        return x * 0, *(None for _ in given)
    return as_matrix(factor) * transpose(inverse(x, *given)), *(None for _ in given)


def _slogdet_jvp(tangents: tuple[Any, ...], out: Any, x: Any, *given: Any) -> Any:
    change = solution(x, tangents[0], *given, transposed=False)
    relative = reshape(matrix_trace(change), to=x.shape[:-2])
    if not is_complex(x.dtype):
        return relative * 0, relative
    turn = imag(relative)
    return out[0] * turn * 1j, imag(relative * 1j)


signed_logarithm: Function = define(
    Op(
        "slogdet",
        forward=_slogdet_forward,
        vjp=_slogdet_rule,
        joint=True,
        jvp=_slogdet_jvp,
        steep=True,
        batch=stacked_batch,
        samples=square_samples,
        outputs=2,
        doc="The signs of determinants, and the logarithms of their absolute values, by the "
        "factors of the matrices if these are given.",
    )
)


def slogdet(x: Any) -> tuple[Any, Any]:
    """The signs of determinants, and the logarithms of their absolute values."""
    return signed_logarithm(x, *factors(x))
