"""The error function and its kin, the normal distribution, and the Fresnel integrals."""

from __future__ import annotations

import math
from typing import Any

from ..arithmetic import reciprocal, square
from ..comparison import logical_and
from ..complex import abs, imag, real
from ..define import Function
from ..elementary import cos, exp, sin
from ..samples import complex_normal, normal, one, two, uniform, unit
from ..selection import where
from .define import special, special_tuple
from .logistic import polynomial

SQRT_PI = math.sqrt(math.pi)
SQRT_2 = math.sqrt(2)
SQRT_2_PI = math.sqrt(2 * math.pi)

FAR = 10.0
TAIL = [float(math.prod(range(1, 2 * k, 2))) for k in range(1, 14)]  # 1, 3, 15, 105, ...


def _tail(x: Any, sign: int, far: Any) -> Any:
    """The asymptotic series of ``1 - 2 x dawsn(x)`` (`sign` 1, negated) and of such differences.

    It is the sum over k > 0 of ``(2 k - 1)!! (sign / (2 x**2))**k``, where `far` is true.
    """
    u = reciprocal(2 * square(where(far, x, FAR)))
    coefficients = [c * sign**k for k, c in enumerate(TAIL, 1)]
    return u * polynomial(coefficients, u)


def _erfcx_slope(out: Any, x: Any) -> Any:
    far = real(x) > FAR
    near = 2 * x * where(far, 0, out) - 2 / SQRT_PI
    return where(far, 2 / SQRT_PI * _tail(x, -1, far), near)


def _dawsn_slope(out: Any, x: Any) -> Any:
    far = abs(real(x)) > FAR
    return where(far, -_tail(x, 1, far), 1 - 2 * x * where(far, 0, out))


def _wofz_slope(out: Any, z: Any) -> Any:
    far = logical_and(abs(z) > FAR, imag(z) >= 0)
    near = -2 * z * where(far, 0, out) + 2j / SQRT_PI
    return where(far, -2j / SQRT_PI * _tail(z, 1, far), near)


_any = one(normal, complex_normal)

erf = special(
    "erf",
    lambda g, _out, x: g * (2 / SQRT_PI * exp(-square(x))),
    kernel=True,
    samples=_any,
    doc="The error function.",
)
erfc = special(
    "erfc",
    lambda g, _out, x: g * (-2 / SQRT_PI * exp(-square(x))),
    kernel=True,
    samples=_any,
    doc="`1 - erf(x)`.",
)
erfi = special(
    "erfi",
    lambda g, _out, x: g * (2 / SQRT_PI * exp(square(x))),
    samples=_any,
    doc="`-i erf(i x)`.",
)
erfcx = special(
    "erfcx",
    lambda g, out, x: g * _erfcx_slope(out, x),
    samples=one(normal, uniform(8, 40)),
    doc="`exp(x**2) * erfc(x)`.",
)
dawsn = special(
    "dawsn",
    lambda g, out, x: g * _dawsn_slope(out, x),
    samples=one(normal, uniform(8, 40), uniform(-40, -8)),
    doc="Dawson's integral, `sqrt(pi) / 2 * exp(-x**2) * erfi(x)`.",
)
wofz = special(
    "wofz",
    lambda g, out, z: g * _wofz_slope(out, z),
    samples=one(complex_normal, lambda rng, shape: 20 + complex_normal(rng, shape)),
    doc="The Faddeeva function `exp(-z**2) * erfc(-i z)`.",
)
erfinv: Function = special(
    "erfinv",
    lambda g, _out, y: g * (SQRT_PI / 2 * exp(square(erfinv(y)))),
    samples=one(unit),
    doc="The inverse of `erf`.",
)
erfcinv: Function = special(
    "erfcinv",
    lambda g, _out, y: g * (-SQRT_PI / 2 * exp(square(erfcinv(y)))),
    samples=one(uniform(0.1, 1.9)),
    doc="The inverse of `erfc`.",
)


def normal_density(x: Any) -> Any:
    """The density of the normal distribution."""
    return exp(square(x) * -0.5) * (1 / SQRT_2_PI)


def hazard(x: Any) -> Any:
    """The derivative of ``log_ndtr(x)``: the normal density over its integral up to `x`."""
    left = x < 0
    tail = (2 / SQRT_2_PI) / erfcx(where(left, x, 0) * (-1 / SQRT_2))
    body = where(left, 0, x)
    return where(left, tail, normal_density(body) / ndtr(body))


ndtr = special(
    "ndtr",
    lambda g, _out, x: g * normal_density(x),
    samples=one(normal, uniform(-8, 8)),
    doc="The distribution function of the normal distribution.",
)
log_ndtr = special(
    "log_ndtr",
    lambda g, _out, x: g * hazard(x),
    samples=one(normal, uniform(-60, 6)),
    doc="The logarithm of `ndtr`.",
)
ndtri = special(
    "ndtri",
    lambda g, out, _p: g * (SQRT_2_PI * exp(square(out) * 0.5)),
    samples=one(uniform(0.05, 0.95)),
    doc="The inverse of `ndtr`.",
)
ndtri_exp = special(
    "ndtri_exp",
    lambda g, out, _y: g / hazard(out),
    samples=one(uniform(-3, -0.1), uniform(-90, -9)),
    doc="The inverse of `log_ndtr`.",
)


def _owens_t_by_a(h: Any, size: Any) -> Any:
    return exp(-0.5 * square(h) * size) / (size * (2 * math.pi))


owens_t = special(
    "owens_t",
    lambda g, _out, h, a: g * (-0.5 * normal_density(h) * erf(a * h * (1 / SQRT_2))),
    lambda g, _out, h, a: g * _owens_t_by_a(h, 1 + square(a)),
    samples=two((normal, normal)),
    doc="Owen's T function.",
)
fresnel = special_tuple(
    "fresnel",
    2,
    lambda _out, z: (sin(square(z) * (math.pi / 2)), cos(square(z) * (math.pi / 2))),
    samples=_any,
    doc="The Fresnel integrals S and C.",
)
