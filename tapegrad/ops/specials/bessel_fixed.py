"""Bessel functions of fixed order: 0 and 1, the spherical ones, Airy's and Struve's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy

from ...backend import special as function_of
from ...core.op import Op
from ..arithmetic import square
from ..complex import abs
from ..define import Function, define, elementwise
from ..elementary import exp
from ..linear import cast
from ..rounding import sign
from ..samples import Sample, complex_normal, normal, one, positive, uniform
from ..selection import maximum, where
from .bessel import scaled_slope
from .define import NO_DEGREE, special, special_tuple, undifferentiable
from .gamma import rgamma

FAR = 40.0  # where `scaled_slope` takes its series

_both_sides = one(normal, uniform(-9, 9))
_right = one(positive, uniform(3, 12))
_far = one(positive, uniform(3, 12), uniform(60, 99))


def _bessel_ratio(xp: Any, x: Any, *, order: int, modified: bool) -> Any:
    x = xp.asarray(x)
    if order == 1:
        near, series = x == 0, 0.5
    else:
        near, quarter, series = xp.abs(x) < 1, x * x * (0.25 if modified else -0.25), 1.0
        for k in range(14, 0, -1):
            series = 1 + quarter * series / (k * (k + order))
        series = series / (2**order * math.factorial(order))
    y = xp.where(near, 1, x)
    if order == 1:
        far = function_of(xp, "i1" if modified else "j1")(y) / y
    else:
        far = function_of(xp, "iv" if modified else "jv")(order, y) / y**order
    return xp.where(near, series, far).astype(x.dtype, copy=False)[()]


def _ratio_samples(rng: Any) -> Iterator[Sample]:
    for order in (1, 2):
        for modified in (False, True):
            yield (2 * normal(rng, (5,)),), {"order": order, "modified": modified}


def _ratio_slope(x: Any, order: int, modified: bool) -> Any:
    slope = x * bessel_ratio(x, order=order + 1, modified=modified)
    return slope if modified else -slope


bessel_ratio: Function = define(
    Op(
        "bessel_ratio",
        forward=_bessel_ratio,
        vjp=(lambda g, _out, x, *, order, modified: g * _ratio_slope(x, order, modified),),
        jvp=lambda tangents, _out, x, *, order, modified: (
            tangents[0] * _ratio_slope(x, order, modified)
        ),
        batch=lambda function, _mapped, x, **params: function(x, **params),
        steep=True,
        samples=_ratio_samples,
        doc="`jv(order, x) / x**order` (or of `iv`, if `modified`), regular at 0.",
    )
)

j0: Function = special(
    "j0", lambda g, _out, x: -g * j1(x), samples=_both_sides, doc="`jv` of order 0."
)
j1: Function = special(
    "j1",
    lambda g, _out, x: g * (j0(x) - bessel_ratio(x, order=1, modified=False)),
    samples=_both_sides,
    doc="`jv` of order 1.",
)
y0: Function = special("y0", lambda g, _out, x: -g * y1(x), samples=_right, doc="`yv` of order 0.")
y1: Function = special(
    "y1",
    lambda g, out, x: g * where(x == 0, 1 / square(where(x == 0, x, 1)), y0(x) - out / x),
    samples=_right,
    doc="`yv` of order 1.",
)
i0: Function = special(
    "bessel_i0",
    lambda g, _out, x: g * i1(x),
    source="i0",
    samples=_both_sides,
    doc="`iv` of order 0.",
)
i1: Function = special(
    "bessel_i1",
    lambda g, _out, x: g * (i0(x) - bessel_ratio(x, order=1, modified=True)),
    source="i1",
    samples=_both_sides,
    doc="`iv` of order 1.",
)
k0: Function = special("k0", lambda g, _out, x: -g * k1(x), samples=_right, doc="`kv` of order 0.")
k1: Function = special(
    "k1", lambda g, out, x: -g * (k0(x) + out / x), samples=_right, doc="`kv` of order 1."
)


def _i1e_rule(g: Any, out: Any, x: Any) -> Any:
    near = where(abs(x) < FAR, x, 1)
    ratio = exp(-abs(near)) * bessel_ratio(near, order=1, modified=True)
    direct = i0e(x) - sign(x) * out - ratio
    return g * scaled_slope(1.0, x, out, direct, -1)


i0e: Function = special(
    "i0e",
    lambda g, out, x: g * scaled_slope(0.0, x, out, i1e(x) - sign(x) * out, -1),
    samples=one(normal, uniform(-9, 9), uniform(60, 99)),
    doc="`i0(x) * exp(-abs(x))`. Its derivative at the kink at 0 is 0.",
)
i1e: Function = special(
    "i1e",
    _i1e_rule,
    samples=one(normal, uniform(-9, 9), uniform(-99, -60)),
    doc="`i1(x) * exp(-abs(x))`.",
)
k0e: Function = special(
    "k0e",
    lambda g, out, x: g * scaled_slope(0.0, x, out, out - k1e(x), 1),
    samples=_far,
    doc="`k0(x) * exp(x)`.",
)
k1e: Function = special(
    "k1e",
    lambda g, out, x: g * scaled_slope(1.0, x, out, out - out / x - k0e(x), 1),
    samples=_far,
    doc="`k1(x) * exp(x)`.",
)

# Spherical


def _spherical(name: str, below: int, above: int, samples: Any, doc: str) -> Function:
    """A spherical Bessel function, whose derivative is a weighted mean of its neighbours."""

    def slope(n: Any, z: Any) -> Any:
        lower = function(maximum(n - 1, 0), z) * (n * below)
        return (lower + function(n + 1, z) * ((n + 1) * above)) / (2 * n + 1)

    def forward(xp: Any, n: Any, z: Any) -> Any:
        return cast(function_of(xp, name)(n, z), z.dtype)

    function: Any = elementwise(
        name,
        undifferentiable(name, "n", NO_DEGREE),
        lambda g, _out, n, z: g * slope(n, z),
        forward=forward,
        steep=True,
        samples=samples,
        doc=doc,
    )
    function.slope = slope
    return function


def _spherical_samples(rng: Any) -> Iterator[Sample]:
    yield (0, positive(rng, (4,))), {}
    yield (2, uniform(1, 9)(rng, ())), {}
    yield (numpy.array([[1], [3]]), uniform(1, 9)(rng, (2, 3))), {}


spherical_jn = _spherical(
    "spherical_jn", 1, -1, _spherical_samples, "The spherical Bessel function of the first kind."
)
spherical_yn = _spherical(
    "spherical_yn", 1, -1, _spherical_samples, "The spherical Bessel function of the second kind."
)
spherical_in = _spherical(
    "spherical_in", 1, 1, _spherical_samples, "The modified function of the first kind."
)
spherical_kn = _spherical(
    "spherical_kn", -1, -1, _spherical_samples, "The modified function of the second kind."
)


def _struve_term(v: Any, x: Any) -> Any:
    return (x * 0.5) ** v * rgamma(v + 1.5) * (1 / math.sqrt(math.pi))


def _struve(name: str, kind: int, doc: str) -> Function:
    def rule(g: Any, out: Any, v: Any, x: Any) -> Any:
        near = abs(x) < 1
        below = struve_function(v - 1, x)
        x0 = where(near, x, 1)
        by_neighbours = below + kind * struve_function(v + 1, x0) + _struve_term(v, x0)
        return g * where(near, 0.5 * by_neighbours, below - v * out / where(near, 1, x))

    struve_function: Function = special(
        name,
        undifferentiable(name, "v", NO_DEGREE),
        rule,
        samples=lambda rng: [((2, positive(rng, (4,))), {}), ((0.7, uniform(1, 9)(rng, ())), {})],
        doc=doc,
    )
    return struve_function


struve = _struve("struve", -1, "Struve's function H.")
modstruve = _struve("modstruve", 1, "The modified Struve function L.")

airy = special_tuple(
    "airy",
    4,
    lambda out, z: (out[1], z * out[0], out[3], z * out[2]),
    samples=one(normal, uniform(-9, 5), complex_normal),
    doc="The Airy functions Ai and Bi, each followed by its derivative.",
)
