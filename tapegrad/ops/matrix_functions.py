"""Functions of matrices: the exponential, the logarithm, roots; and Sylvester's equation.

The derivative of a function of a matrix `a` along `e` is the upper right block of the function of
`[[a, e], [0, a]]`. So the rules are written with the functions themselves, to any order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from ..backend import is_complex, namespace, on_device, scipy_module
from ..core.op import Op
from ..core.record import raw
from .contract import matmul, transpose
from .define import Function, define
from .index import getitem
from .join import concat
from .lapack import on_host
from .linalg import solve
from .matrices import adjoint, stacked_batch
from .samples import Sample, complex_normal, normal


def blocks(a: Any, e: Any, d: Any) -> Any:
    """The matrices [[a, e], [0, d]]."""
    last = a.ndim - 1
    zeros = namespace(raw(a)).zeros(a.shape, dtype=a.dtype)
    return concat(concat(a, e, axis=last), concat(zeros, d, axis=last), axis=last - 1)


def corner(x: Any) -> Any:
    """The upper right block of matrices of 2 by 2 blocks."""
    n = x.shape[-1] // 2
    return getitem(x, key=(Ellipsis, slice(None, n), slice(n, None)))


def one_by_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """The forward for stacks of matrices of a function of SciPy of single ones."""

    def compute(*inputs: Any, **params: Any) -> Any:
        dtype = numpy.result_type(*inputs)
        stack = inputs[0].shape[:-2]
        shape = inputs[-1].shape
        if 0 in shape:
            return numpy.empty(shape, dtype=dtype)
        if not stack:
            return fitting(function(*inputs, **params), dtype)
        results = [function(*(x[i] for x in inputs), **params) for i in numpy.ndindex(stack)]
        return fitting(numpy.stack(results).reshape(shape), dtype)

    return on_host(compute)


def fitting(result: Any, dtype: Any) -> Any:
    """A result of SciPy in the precision of its inputs."""
    if is_complex(result.dtype) and not is_complex(dtype):
        dtype = numpy.result_type(dtype, numpy.complex64)
    return result.astype(dtype, copy=False)


# Sylvester's equation


def _solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    from scipy.linalg import solve_sylvester

    return solve_sylvester(a, b, q)


def _sylvester_rule(
    g: Any, out: Any, a: Any, b: Any, _q: Any, *, wanted: tuple[bool, ...]
) -> tuple[Any, Any, Any]:
    g_q = sylvester(transpose(a), transpose(b), g)
    turned = transpose(out)
    return (
        -matmul(g_q, turned) if wanted[0] else None,
        -matmul(turned, g_q) if wanted[1] else None,
        g_q,
    )


def _sylvester_jvp(tangents: tuple[Any, ...], out: Any, a: Any, b: Any, _q: Any) -> Any:
    change_a, change_b, change = tangents
    if change_a is not None:
        moved = matmul(change_a, out)
        change = -moved if change is None else change - moved
    if change_b is not None:
        moved = matmul(out, change_b)
        change = -moved if change is None else change - moved
    return sylvester(a, b, change)


def _sylvester_samples(rng: Any) -> Iterator[Sample]:
    eye = namespace().eye
    for domain, stack, m, n in (
        (normal, (), 3, 2),
        (normal, (2,), 2, 2),
        (complex_normal, (), 2, 1),
    ):
        a = domain(rng, (*stack, m, m)) + 4 * eye(m)
        yield (a, domain(rng, (*stack, n, n)) + 4 * eye(n), domain(rng, (*stack, m, n))), {}


sylvester: Function = define(
    Op(
        "sylvester",
        forward=one_by_one(_solve_sylvester),
        vjp=_sylvester_rule,
        joint=True,
        jvp=_sylvester_jvp,
        steep=True,
        batch=stacked_batch,
        samples=_sylvester_samples,
        promote=True,
        doc="The solutions x of a @ x + x @ b = q.",
    )
)


def stein(a: Any, q: Any) -> Any:
    """The solutions x of a @ x @ a^H - x + q = 0, by a bilinear transformation."""
    eye = namespace(raw(a)).eye(a.shape[-1], dtype=a.dtype)
    turned = adjoint(a)
    moved = transpose(turned + eye)
    b = transpose(solve(moved, transpose(turned - eye)))
    c = transpose(solve(moved, transpose(solve(a + eye, q) * 2)))
    return sylvester(adjoint(b), b, -c)


# The exponential


def _expm(xp: Any, x: Any) -> Any:
    if not on_device(x):
        return _expm_on_host(xp, x)
    if not x.size:
        return x
    expm = scipy_module(xp, "linalg").expm  # of one matrix at a time
    return xp.reshape(xp.stack([expm(a) for a in xp.reshape(x, (-1, *x.shape[-2:]))]), x.shape)


@on_host
def _expm_on_host(x: Any) -> Any:
    from scipy.linalg import expm

    return fitting(expm(x), x.dtype)


def _expm_frechet(a: Any, e: Any) -> Any:
    from scipy.linalg import expm_frechet

    return expm_frechet(a, e, compute_expm=False)


_expm_frechet_on_host = one_by_one(_expm_frechet)


def _expm_frechet_forward(xp: Any, a: Any, e: Any) -> Any:
    return corner(expm(blocks(a, e, a))) if on_device(a) else _expm_frechet_on_host(xp, a, e)


def near_one(rng: Any) -> Iterator[Sample]:
    """Matrices whose eigenvalues have positive real parts."""
    for domain, shape in ((normal, (1, 1)), (normal, (2, 2, 2)), (complex_normal, (3, 3))):
        x = domain(rng, shape)
        size = namespace().linalg.norm(x, axis=(-2, -1), keepdims=True)
        yield (1.2 * namespace().eye(shape[-1]) + x / (1.5 * size),), {}


expm: Function = define(
    Op(
        "expm",
        forward=_expm,
        vjp=(lambda g, _out, x: expm_frechet(transpose(x), g),),
        jvp=lambda tangents, _out, x: expm_frechet(x, tangents[0]),
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=near_one,
        promote=True,
        doc="The exponentials of matrices.",
    )
)


def _second(a: Any, e: Any, f: Any) -> Any:
    """The second derivative of the exponential along `e` and `f`."""
    zeros = namespace(raw(f)).zeros(f.shape, dtype=f.dtype)
    return corner(expm_frechet(blocks(a, e, a), blocks(f, zeros, f)))


def _frechet_jvp(tangents: tuple[Any, ...], _out: Any, a: Any, e: Any) -> Any:
    change_a, change_e = tangents
    total = None if change_e is None else expm_frechet(a, change_e)
    if change_a is not None:
        second = _second(a, e, change_a)
        total = second if total is None else total + second
    return total


expm_frechet: Function = define(
    Op(
        "expm_frechet",
        forward=_expm_frechet_forward,
        vjp=(
            lambda g, _out, a, e: _second(transpose(a), transpose(e), g),
            lambda g, _out, a, _e: expm_frechet(transpose(a), g),
        ),
        jvp=_frechet_jvp,
        steep=True,
        batch=stacked_batch,
        samples=lambda rng: (((x, 2 - x), params) for (x,), params in near_one(rng)),
        promote=True,
        doc="The derivative of the exponential of `a` along `e`.",
    )
)


# Roots, powers, the logarithm


def _sqrtm(x: Any) -> Any:
    from scipy.linalg import sqrtm

    return sqrtm(x)


sqrtm: Function = define(
    Op(
        "sqrtm",
        forward=one_by_one(_sqrtm),
        vjp=(lambda g, out, _x: sylvester(transpose(out), transpose(out), g),),
        jvp=lambda tangents, out, _x: sylvester(out, out, tangents[0]),
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=near_one,
        promote=True,
        doc="The principal square roots of matrices. The derivative needs them to be regular.",
    )
)


def matrix_function(name: str, function: Callable[..., Any], doc: str, **params: Any) -> Function:
    """The operation of a function of single matrices whose derivative is that of its blocks."""

    def derivative(x: Any, t: Any, **given: Any) -> Any:
        return corner(op.function(blocks(x, t, x), **given))

    op = Op(
        name,
        forward=one_by_one(function),
        vjp=(lambda g, _out, x, **given: derivative(transpose(x), g, **given),),
        jvp=lambda tangents, _out, x, **given: derivative(x, tangents[0], **given),
        steep=True,
        batch=lambda function, _mapped, x, **given: function(x, **given),
        samples=lambda rng: ((inputs, params) for inputs, _ in near_one(rng)),
        promote=True,
        doc=doc,
    )
    return define(op)


def _logm(x: Any) -> Any:
    from scipy.linalg import logm

    with warnings.catch_warnings():
        # of the blocks of a derivative SciPy says so at errors of 1e-13 already
        warnings.filterwarnings("ignore", "logm result may be inaccurate")
        return logm(x.astype(numpy.result_type(x, numpy.float64)))  # it is for double precision


def _power(x: Any, *, exponent: float) -> Any:
    from scipy.linalg import fractional_matrix_power

    return fractional_matrix_power(x, exponent)


logm = matrix_function("logm", _logm, "The principal logarithms of matrices.")
matrix_power = matrix_function(
    "matrix_power", _power, "Matrices to the power of a fraction.", exponent=0.7
)


# The sign


def _signm(x: Any) -> Any:
    from scipy.linalg import signm

    return signm(x)


def _sign_rule(g: Any, out: Any, x: Any) -> Any:
    turned, root = transpose(out), transpose(matmul(x, out))
    y = sylvester(root, root, g)
    return y - matmul(matmul(turned, y), turned)


def _sign_jvp(tangents: tuple[Any, ...], out: Any, x: Any) -> Any:
    (t,) = tangents
    root = matmul(x, out)  # of the square of x
    return sylvester(root, root, t - matmul(matmul(out, t), out))


def _sign_samples(rng: Any) -> Iterator[Sample]:
    for (x,), params in near_one(rng):
        signs = 1 - 2 * (namespace().arange(x.shape[-1]) % 2)
        yield (x * signs,), params


signm: Function = define(
    Op(
        "signm",
        forward=one_by_one(_signm),
        vjp=(_sign_rule,),
        jvp=_sign_jvp,
        steep=True,
        batch=lambda function, _mapped, x: function(x),
        samples=_sign_samples,
        promote=True,
        doc="The signs of matrices: of each eigenvalue, that of its real part.",
    )
)
