"""The functions of `scipy.special` that are no ufuncs."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy
import scipy.special
from numpy.lib.array_utils import normalize_axis_tuple

from ... import errors, ops
from ...backend import is_complex, is_inexact
from ...core.array import Array
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import known
from ...ops import softmax as softmaxes
from ...ops.linear import cast, stop_gradient
from ...ops.selection import where
from ...ops.specials import bessel_fixed, gamma, integrals, logistic, orthogonal
from ..dispatch import Function, implements

__all__ = [
    "comb",
    "factorial",
    "lambertw",
    "log_softmax",
    "logsumexp",
    "multigammaln",
    "perm",
    "polygamma",
    "sinc",
    "softmax",
    "softplus",
    "sph_harm_y",
    "spherical_in",
    "spherical_jn",
    "spherical_kn",
    "spherical_yn",
    "zeta",
]

Axis = int | tuple[int, ...] | None


def _floating(x: Any) -> Any:
    """`x` as an array of floating point."""
    x = operand(x)
    return x if is_inexact(x.dtype) else ops.linear.astype(x, to=numpy.dtype(float), source=x.dtype)


def _axes(axis: Axis, x: Any) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim)


@implements(scipy.special.logsumexp)
def logsumexp(
    a: Any, axis: Axis = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    a = _floating(a)
    axes = _axes(axis, a)
    if b is None and not return_sign and a.size and not is_complex(a.dtype):
        return ops.reduce.logsumexp(a, axis=axes, keepdims=bool(keepdims))
    b = a.dtype.type(1) if b is None else operand(b)
    used = where(b == 0, -math.inf, ops.complex.real(a))
    top = np.max(used, axis=axes, keepdims=True, initial=-math.inf)
    top = stop_gradient(where(ops.comparison.isfinite(top), top, 0))
    total = np.sum(
        where(b == 0, 0, b) * np.exp(where(b == 0, 0, a - top)), axis=axes, keepdims=True
    )
    zero = total == 0
    size = ops.complex.abs(total) if return_sign or not is_complex(total.dtype) else total
    out = where(zero, -math.inf, np.log(where(zero, 1, size))) + top
    sign = ops.complex.phase(total) if is_complex(total.dtype) else ops.rounding.sign(total)
    if not return_sign and not is_complex(total.dtype):
        out = where(total < 0, math.nan, out)
    if not keepdims:
        out, sign = np.squeeze(out, axis=axes), np.squeeze(sign, axis=axes)
    return (out, sign) if return_sign else out


@implements(scipy.special.softmax)
def softmax(x: Any, axis: Axis = None) -> Any:
    x = _floating(x)
    return softmaxes.softmax(x, axis=_axes(axis, x))


@implements(scipy.special.log_softmax)
def log_softmax(x: Any, axis: Axis = None) -> Any:
    x = _floating(x)
    return softmaxes.log_softmax(x, axis=_axes(axis, x))


@implements(scipy.special.softplus)
def softplus(x: Any, **kwargs: Any) -> Any:
    for argument in kwargs:
        raise errors.no_argument("softplus", f"{argument}=", "Apply it to the result.")
    return logistic.softplus(_floating(x))


@implements(scipy.special.sinc)
def sinc(x: Any) -> Any:
    return np.sinc(x)


@functools.wraps(scipy.special.polygamma)
def polygamma(n: Any, x: Any) -> Any:
    x = _floating(x)
    n = n if isinstance(n, int | Array) else numpy.asarray(n)[()]
    return gamma.polygamma(n, x)


@implements(scipy.special.zeta)
def zeta(x: Any, q: Any = None, out: Any = None) -> Any:
    if out is not None:
        raise errors.no_argument("zeta", "out=", "Assign the result instead.")
    return gamma.riemann_zeta(_floating(x)) if q is None else gamma.zeta(x, q)


@implements(scipy.special.multigammaln)
def multigammaln(a: Any, d: int) -> Any:
    a = _floating(a)
    d = int(known(d, "the dimension of multigammaln"))
    total = d * (d - 1) / 4 * math.log(math.pi)
    for j in range(d):
        total = total + gamma.gammaln(a - 0.5 * j)
    return total


def _not_exact(function: str, exact: Any) -> None:
    if exact:
        raise errors.no_argument(function, "exact=True", "Leave it out: these are integers.")


@implements(scipy.special.factorial)
def factorial(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    _not_exact("factorial", exact)
    n = _floating(n)
    if extend == "complex":
        return gamma.gamma(n + 1)
    return where(n < 0, 0, gamma.gamma(n + 1))


@implements(scipy.special.comb)
def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    _not_exact("comb", exact)
    total, k = _floating(N), _floating(k)
    if repetition:
        total = total + k - 1
    inside = (k <= total) & (total >= 0) & (k >= 0)
    return where(inside, gamma.binom(where(inside, total, 1), where(inside, k, 1)), 0)


@implements(scipy.special.perm)
def perm(N: Any, k: Any, exact: bool = False) -> Any:
    _not_exact("perm", exact)
    total, k = _floating(N), _floating(k)
    inside = (k <= total) & (total >= 0) & (k >= 0)
    return where(inside, gamma.poch(where(inside, total - k + 1, 1), where(inside, k, 1)), 0)


@implements(scipy.special.lambertw)
def lambertw(z: Any, k: Any = 0, tol: float = 1e-8) -> Any:
    z = _floating(z)
    if not is_complex(z.dtype):
        z = cast(z, numpy.result_type(z.dtype, numpy.complex64))
    return integrals.lambertw(z, k)


@implements(scipy.special.sph_harm_y)
def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: int = 0) -> Any:
    if diff_n:
        raise errors.no_argument("sph_harm_y", "diff_n=", "Differentiate the function instead.")
    return orthogonal.sph_harm_y(n, m, theta, phi)


def _spherical(function: Any) -> Function:
    def implementation(n: Any, z: Any, derivative: bool = False) -> Any:
        z = _floating(z)
        return function.slope(n, z) if derivative else function(n, z)

    return implementation


spherical_jn = implements(scipy.special.spherical_jn)(_spherical(bessel_fixed.spherical_jn))
spherical_yn = implements(scipy.special.spherical_yn)(_spherical(bessel_fixed.spherical_yn))
spherical_in = implements(scipy.special.spherical_in)(_spherical(bessel_fixed.spherical_in))
spherical_kn = implements(scipy.special.spherical_kn)(_spherical(bessel_fixed.spherical_kn))
