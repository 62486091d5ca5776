"""Bessel functions of any order: cylindrical and modified, plain and scaled, and Hankel's.

Derivatives in the order are central differences in double precision (see `define.difference`),
with a relative error of about 1e-11. They need a positive argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from ... import errors
from ...backend import is_complex
from ..arithmetic import square
from ..complex import abs
from ..define import Function
from ..elementary import log
from ..linear import cast
from ..rounding import sign
from ..samples import Sample, complex_normal, uniform
from ..selection import maximum, where
from .define import difference, double, special, undifferentiable


def _scale(v: Any, x: Any) -> Any:
    """About how far the order may change until a Bessel function changes by a factor e."""
    size = maximum(abs(x), 1e-300)
    return 1 / (2 + abs(log(size / (2 * (abs(v) + 1)))))


def _by_order(function: Callable[..., Any]) -> Any:
    """The rule of the order."""

    def rule(g: Any, _out: Any, v: Any, x: Any) -> Any:
        order, y = double(v), double(x)
        slope = difference(lambda u: function(u, y), order, _scale(order, y))
        return cast(double(g) * slope, g.dtype)

    return rule


def _orders(domain: Any, *more: Any) -> Any:
    """Samples of orders, whole and real, and numbers of domains."""

    def samples(rng: Any) -> Iterator[Sample]:
        for choice in (domain, *more):
            yield (2, choice(rng, (4,))), {}
            yield (1.3, choice(rng, (3,))), {}
            yield (uniform(0.2, 4)(rng, (2, 1)), choice(rng, (3,))), {}

    return samples


def _whole_orders(domain: Any) -> Any:
    def samples(rng: Any) -> Iterator[Sample]:
        yield (2, domain(rng, ())), {}
        yield (numpy.array([[0], [3]]), domain(rng, (2, 3))), {}

    return samples


def _halves(function: Callable[..., Any], signs: int, v: Any, x: Any) -> Any:
    """Half the sum (or difference) of the functions of the neighbouring orders."""
    above = function(v + 1, x)
    return 0.5 * (function(v - 1, x) + (above if signs > 0 else -above))


_right = uniform(0.3, 9)

jv: Function = special(
    "jv",
    _by_order(lambda v, x: jv(v, x)),
    lambda g, _out, v, x: g * _halves(jv, -1, v, x),
    samples=_orders(_right),
    doc="The Bessel function of the first kind.",
)
yv: Function = special(
    "yv",
    _by_order(lambda v, x: yv(v, x)),
    lambda g, _out, v, x: g * _halves(yv, -1, v, x),
    samples=_orders(_right),
    doc="The Bessel function of the second kind.",
)
iv: Function = special(
    "iv",
    _by_order(lambda v, x: iv(v, x)),
    lambda g, _out, v, x: g * _halves(iv, 1, v, x),
    samples=_orders(_right),
    doc="The modified Bessel function of the first kind.",
)
kv: Function = special(
    "kv",
    _by_order(lambda v, x: kv(v, x)),
    lambda g, _out, v, x: -g * _halves(kv, 1, v, x),
    samples=_orders(_right),
    doc="The modified Bessel function of the second kind.",
)
yn: Function = special(
    "yn",
    undifferentiable("yn", "n", "it is defined for whole orders only; use yv"),
    lambda g, _out, n, x: g * _halves(yv, -1, n, x),
    samples=_whole_orders(_right),
    doc="`yv` of whole order.",
)
kn: Function = special(
    "kn",
    undifferentiable("kn", "n", "it is defined for whole orders only; use kv"),
    lambda g, _out, n, x: -g * _halves(kv, 1, n, x),
    samples=_whole_orders(_right),
    doc="`kv` of whole order.",
)

TERMS = 14


def scaled_slope(v: Any, x: Any, out: Any, direct: Any, kind: int) -> Any:
    """The derivative of a scaled modified function: `direct`, or where that cancels, a series.

    Hankel's asymptotic series is good for large positive `x`. `kind` is -1 for I and 1 for K.
    """
    far = abs(x) > 30 + 2 * square(v)
    y = where(far, abs(x), 60)
    mu = 4 * square(where(far, v, 0))
    total, slope = 1.0, 0.0  # sums over k of a(k) and of k a(k), after Horner
    for k in range(TERMS, 0, -1):
        factor = kind * (mu - (2 * k - 1) ** 2) / (8 * k * y)
        slope = factor * (slope + total)
        total = 1 + factor * total
    if kind > 0:
        pole = x == 0  # where `direct` is a difference of infinities
        direct = where(pole, -1 / square(where(pole, x, 1)), direct)
    series = -sign(x) * where(far, out, 0) * (0.5 + slope / total) / y
    return where(far, series, direct)


def _check_real(name: str, x: Any) -> None:
    if is_complex(x.dtype):
        raise errors.no_parameter_derivative(
            f"scipy.special.{name}", "z", "its scale is not a holomorphic function of complex z"
        )


def _ive_rule(g: Any, out: Any, v: Any, x: Any) -> Any:
    _check_real("ive", x)
    return g * scaled_slope(v, x, out, _halves(ive, 1, v, x) - sign(x) * out, -1)


def _kve_rule(g: Any, out: Any, v: Any, x: Any) -> Any:
    direct = out - _halves(kve, 1, v, x)
    return g * (direct if is_complex(x.dtype) else scaled_slope(v, x, out, direct, 1))


def _jve_rule(g: Any, _out: Any, v: Any, x: Any) -> Any:
    _check_real("jve", x)
    return g * _halves(jve, -1, v, x)


def _yve_rule(g: Any, _out: Any, v: Any, x: Any) -> Any:
    _check_real("yve", x)
    return g * _halves(yve, -1, v, x)


_near_and_far = _orders(_right, uniform(90, 200))

ive: Function = special(
    "ive",
    _by_order(lambda v, x: ive(v, x)),
    _ive_rule,
    samples=_near_and_far,
    doc="`iv(v, x) * exp(-abs(x))`.",
)
kve: Function = special(
    "kve",
    _by_order(lambda v, x: kve(v, x)),
    _kve_rule,
    samples=_near_and_far,
    doc="`kv(v, x) * exp(x)`.",
)
jve: Function = special(
    "jve",
    _by_order(lambda v, x: jve(v, x)),
    _jve_rule,
    samples=_orders(_right),
    doc="`jv` of real numbers (of complex ones, `jv(v, z) * exp(-abs(imag(z)))`).",
)
yve: Function = special(
    "yve",
    _by_order(lambda v, x: yve(v, x)),
    _yve_rule,
    samples=_orders(_right),
    doc="`yv` of real numbers (of complex ones, `yv(v, z) * exp(-abs(imag(z)))`).",
)


def _hankel(name: str, turn: complex) -> Function:
    """Hankel's function, plain or scaled by ``exp(turn * z)``; differentiated in the argument."""

    def rule(g: Any, out: Any, v: Any, z: Any) -> Any:
        slope = _halves(function, -1, v, z)
        return g * (slope + turn * out if turn else slope)

    function = special(
        name,
        undifferentiable(name, "v", "it is complex; take jv and yv apart"),
        rule,
        samples=lambda rng: [((1.3, complex_normal(rng, (4,)) + 3), {})],
        doc="Hankel's function." if not turn else "Hankel's function without its oscillation.",
    )
    return function


hankel1 = _hankel("hankel1", 0)
hankel2 = _hankel("hankel2", 0)
hankel1e = _hankel("hankel1e", -1j)
hankel2e = _hankel("hankel2e", 1j)
