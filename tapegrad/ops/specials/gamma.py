"""The gamma function and what is made of it: digamma, zeta, beta, binomial coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy

from ...backend import is_complex
from ...backend import special as function_of
from ..arithmetic import reciprocal, square
from ..comparison import isinf
from ..complex import real
from ..define import Function, elementwise
from ..elementary import cos, exp, expm1, log, log1p, sin
from ..linear import cast
from ..rounding import rint
from ..samples import Sample, normal, one, positive, two, uniform
from ..selection import where
from .define import anywhere, double, precise, special, undifferentiable
from .logistic import polynomial


def bernoulli_numbers(count: int) -> list[Fraction]:
    """The Bernoulli numbers B(2), B(4), ... as fractions."""
    numbers = [Fraction(1)]
    for m in range(1, 2 * count + 1):
        numbers.append(
            -sum((math.comb(m + 1, k) * numbers[k] for k in range(m)), Fraction()) / (m + 1)
        )
    return numbers[2::2]


BERNOULLI = bernoulli_numbers(10)
LARGE = 10  # where the asymptotic series of digamma and gammaln have become accurate


def _complex_positive(rng: Any, shape: tuple[int, ...]) -> Any:
    return positive(rng, shape) + 1j * normal(rng, shape)


def _between_poles(rng: Any, shape: tuple[int, ...]) -> Any:
    return -rng.integers(1, 4, shape or 1).reshape(shape)[()] + uniform(0.2, 0.8)(rng, shape)


_gamma_samples = one(positive, _between_poles, _complex_positive)

gamma = special(
    "gamma",
    lambda g, out, x: g * (out * digamma(x)),
    samples=_gamma_samples,
    doc="The gamma function.",
)
gammaln = special(
    "gammaln",
    lambda g, _out, x: g * digamma(x),
    samples=one(positive, _between_poles),
    doc="The logarithm of the absolute value of the gamma function.",
)
loggamma = special(
    "loggamma",
    lambda g, _out, x: g * digamma(x),
    samples=one(positive, _complex_positive),
    doc="The principal branch of the logarithm of the gamma function.",
)
gammasgn = special(
    "gammasgn", samples=one(positive, _between_poles), doc="The sign of the gamma function."
)


def _rgamma_slope(out: Any, x: Any) -> Any:
    left = real(x) < 0.5
    y = where(left, x, 0)  # by reflection: regular at the poles of digamma
    reflected = gamma(1 - y) * (
        cos(math.pi * y) - sin(math.pi * y) * (1 / math.pi) * digamma(1 - y)
    )
    return where(left, reflected, -out * digamma(where(left | isinf(x), 1, x)))


rgamma: Function = special(
    "rgamma",
    lambda g, out, x: g * _rgamma_slope(out, x),
    samples=one(positive, normal, _complex_positive),
    doc="The reciprocal of the gamma function, 0 at its poles.",
)


def _polygamma(xp: Any, n: Any, x: Any) -> Any:
    out = function_of(xp, "polygamma")(n, x)
    dtype = getattr(x, "dtype", None)
    narrow = dtype is not None and dtype.kind == "f" and dtype.itemsize < 8
    out = out.astype("f") if narrow else out
    return out if out.ndim else out[()]


def _polygamma_samples(rng: Any) -> Iterator[Sample]:
    for n in (0, 1, 2):
        yield (n, positive(rng, (4,))), {}
    yield (1, positive(rng, ())), {}
    yield (numpy.array([[0], [3]]), positive(rng, (2, 3))), {}
    yield (1, _between_poles(rng, (3,))), {}


polygamma: Function = elementwise(
    "polygamma",
    undifferentiable("polygamma", "n", "it is defined for whole orders only"),
    lambda g, _out, n, x: g * polygamma(n + 1, x),
    forward=_polygamma,
    steep=True,
    samples=_polygamma_samples,
    doc="The derivative of order `n` of `digamma`. In single precision if `x` is.",
)


def _digamma_rule(g: Any, _out: Any, x: Any) -> Any:
    if is_complex(x.dtype):
        return g * trigamma(x)
    return g * polygamma(1, x)


digamma: Function = special(
    "digamma", _digamma_rule, samples=_gamma_samples, doc="The derivative of `loggamma`."
)


def trigamma(x: Any) -> Any:
    """The derivative of `digamma` for complex `x`, by reflection, recurrence and expansion."""
    left = real(x) < 0.5
    y = where(left, 1 - x, x)
    total = 0
    for k in range(LARGE + 4):
        total = total + reciprocal(square(y + k))
    y = y + (LARGE + 4)
    u = reciprocal(square(y))
    series = polynomial([float(b) for b in BERNOULLI], u) * u / y + u * 0.5 + reciprocal(y)
    total = total + series
    sine = sin(math.pi * where(left, x, 0.5))
    return where(left, math.pi**2 / square(sine) - total, total)


LOG_MINUS_DIGAMMA = [float(b / (2 * k)) for k, b in enumerate(BERNOULLI, 1)]
STIRLING = [float(b / (2 * k * (2 * k - 1))) for k, b in enumerate(BERNOULLI, 1)]


def log_minus_digamma(a: Any) -> Any:
    """``log(a) - digamma(a)`` for positive `a`, accurate where it is small."""
    large = a > LARGE
    far = where(large, a, LARGE)
    u = reciprocal(square(far))
    near = where(large, 1, a)
    series = 0.5 / far + u * polynomial(LOG_MINUS_DIGAMMA, u)
    return where(large, series, log(near) - digamma(near))


def stirling(a: Any) -> Any:
    """What Stirling's formula for ``gammaln(a)`` leaves, for large `a`."""
    return polynomial(STIRLING, reciprocal(square(a))) / a


def digamma_difference(a: Any, b: Any) -> Any:
    """``digamma(a + b) - digamma(a)``, accurate for positive arguments of any sizes."""
    direct = (a <= 0) | (a + b <= 0)
    x = where(direct, 1, a)
    y = where(direct, 1, b)
    total = 0
    for k in range(LARGE):
        total = total + y / ((x + k) * (x + y + k))
    x = x + LARGE
    ratio = log1p(y / x)
    u = reciprocal(square(x))
    tail = 0
    for k in range(len(LOG_MINUS_DIGAMMA) - 1, -1, -1):
        tail = (tail - LOG_MINUS_DIGAMMA[k] * expm1(-2 * (k + 1) * ratio)) * u
    total = total + ratio + 0.5 * y / (x * (x + y)) + tail
    return where(direct, digamma(where(direct, a + b, 1)) - digamma(where(direct, a, 1)), total)


_pairs = two((positive, positive))

betaln = special(
    "betaln",
    precise(lambda a, b: -digamma_difference(a, b)),
    precise(lambda a, b: -digamma_difference(b, a)),
    samples=_pairs,
    doc="The logarithm of the absolute value of `beta`.",
)
beta = special(
    "beta",
    lambda g, out, a, b: g * (out * -digamma_difference(a, b)),
    lambda g, out, a, b: g * (out * -digamma_difference(b, a)),
    samples=_pairs,
    doc="The beta function `gamma(a) * gamma(b) / gamma(a + b)`.",
)
binom = special(
    "binom",
    lambda g, out, n, k: g * (out * digamma_difference(n - k + 1, k)),
    lambda g, out, n, k: g * (out * digamma_difference(k + 1, n - 2 * k)),
    samples=two((uniform(4, 9), positive)),
    doc="The binomial coefficient, for real numbers.",
)


def _is_pole(x: Any) -> Any:
    """Whether the gamma function has a pole at `x`."""
    return (x <= 0) & (x == rint(x))


def _poch_slope(out: Any, z: Any, m: Any) -> Any:
    """The derivative of `poch` in `z`, also where the gamma function of `z` has a pole."""
    above = z + m
    pole, pole_above = _is_pole(z), _is_pole(above)
    usual = out * digamma_difference(where(pole, 1, z), m)
    if not anywhere(pole):
        return usual
    y, end = where(pole, z, 0), where(pole_above, 1, above)
    single = gamma(end) * (_rgamma_slope(rgamma(y), y) + digamma(end) * rgamma(y))
    double = out * (digamma(1 - where(pole_above, above, 0)) - digamma(1 - y))
    return where(pole, where(pole_above, double, single), usual)


poch: Function = special(
    "poch",
    lambda g, out, z, m: g * _poch_slope(out, z, m),
    lambda g, out, z, m: g * (out * digamma(z + m)),
    samples=_pairs,
    doc="`gamma(z + m) / gamma(z)`.",
)

TERMS = 12
FAR = 300


def _zeta_by_s(s: Any, q: Any) -> Any:
    """The derivative of the Hurwitz zeta function in its order, after Euler and Maclaurin.

    Accurate to about 1e-14 of the largest term, for `s` above -10.
    """
    head = 0
    for k in range(TERMS):
        size = q + k
        head = head - log(size) * size**-s
    far = s > FAR  # the rest is below anything
    s = where(far, 2, s)
    x = q + TERMS
    size, power = log(x), x**-s
    rest = s - 1
    total = -power * x * (size / rest + 1 / square(rest)) - 0.5 * size * power
    rising, slope = s, 1  # s (s + 1) ... and its derivative
    power = power / x
    for k, b in enumerate(BERNOULLI, 1):
        factor = float(b / math.factorial(2 * k))
        total = total + factor * power * (slope - size * rising)
        for j in (2 * k - 1, 2 * k):
            slope = slope * (s + j) + rising
            rising = rising * (s + j)
        power = power / square(x)
    return where(far, head, head + total)


zeta: Function = elementwise(
    "zeta",
    precise(_zeta_by_s),
    lambda g, _out, s, q: g * (-s * zeta(s + 1, q)),
    forward=lambda xp, s, q: function_of(xp, "zeta")(s, q),
    steep=True,
    samples=two((uniform(1.5, 4), positive)),
    doc="The Hurwitz zeta function, the sum of `(q + k)**-s` over k from 0.",
)


def _riemann_slope(s: Any) -> Any:
    """The derivative of the Riemann zeta function, below -1 by its functional equation."""
    left = s < -1
    right = where(left, 1 - s, s)
    slope = _zeta_by_s(right, 1.0)
    t = where(left, s, -2.0)
    sine, cosine = sin(t * (math.pi / 2)), cos(t * (math.pi / 2))
    rest = 1 - t
    value, size = riemann_zeta(rest), exp(t * math.log(2 * math.pi) + gammaln(rest))
    inner = value * (sine * (math.log(2 * math.pi) - digamma(rest)) + cosine * (math.pi / 2))
    reflected = size / math.pi * (inner - sine * slope)
    return where(left, reflected, slope)


def _riemann_rule(g: Any, _out: Any, s: Any) -> Any:
    return cast(double(g) * _riemann_slope(double(s)), g.dtype)


riemann_zeta: Function = elementwise(
    "riemann_zeta",
    _riemann_rule,
    forward=lambda xp, s: function_of(xp, "zeta")(s),
    steep=True,
    samples=one(uniform(1.5, 6), uniform(-4, 0.5)),
    doc="The Riemann zeta function.",
)
