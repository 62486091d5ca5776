"""Orthogonal polynomials and spherical harmonics, differentiated in their argument.

The derivative of a polynomial of degree n is one of degree n - 1 of another family, so nothing is
singular at the ends of the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from ...backend import special as function_of
from ..complex import real
from ..define import Function, elementwise
from ..elementary import exp, sqrt
from ..samples import Sample, normal, unit
from ..selection import keep, maximum, where
from .define import NO_DEGREE, special, undifferentiable

Turn = Callable[[Any], tuple[Any, Any]]


def _as_it_is(n: Any) -> tuple[Any, Any]:
    return 1, n


def _about_a_half(n: Any) -> tuple[Any, Any]:
    """Legendre's polynomial of degree -n - 1 is that of degree n."""
    return 1, maximum(n, -n - 1)


def _about_one(n: Any) -> tuple[Any, Any]:
    """The second Chebyshev polynomial of degree -n - 2 is minus that of degree n; of -1, zero."""
    return where(n < -1, -1, 1), where(n == -1, 0, where(n < -1, -n - 2, n))


def _family(
    name: str,
    parameters: str,
    slope: Callable[..., Any],
    domain: Any,
    whole: bool = False,
    turn: Turn = _as_it_is,
) -> Function:
    """`eval_<name>(n, *parameters, x)`; `slope(m, n, *parameters, x)` is its derivative.

    It is given m = n - 1, but 0 at n = 0, where its value does not count. `whole` says that n must
    be an integer; `turn` gives for a degree below zero a sign and the degree that it stands for.
    """
    full = f"eval_{name}"
    rules: list[Any] = [undifferentiable(full, p, NO_DEGREE) for p in ("n", *parameters)]
    if whole:
        rules[0] = None

    def degree_0(g: Any, n: Any, *rest: Any) -> Any:
        sign, n = turn(n)
        return keep(g * (sign * slope(where(n == 0, 0, n - 1), n, *rest)), n != 0)

    last: Any = {
        0: lambda g, _out, n, x: degree_0(g, n, x),
        1: lambda g, _out, n, a, x: degree_0(g, n, a, x),
        2: lambda g, _out, n, a, b, x: degree_0(g, n, a, b, x),
    }[len(parameters)]

    def samples(rng: Any) -> Iterator[Sample]:
        fixed = (3, 2)[: len(parameters)]
        for n, shape in ((0, (3,)), (1, ()), (4, (2, 3)), (numpy.array([[1], [5]]), (3,))):
            yield (n, *fixed, domain(rng, shape)), {}

    title = name.replace("_", " ")
    return special(full, *rules, last, samples=samples, doc=f"The polynomial {title} of degree n.")


eval_gegenbauer: Function = _family(
    "gegenbauer", "a", lambda m, _n, a, x: 2 * a * eval_gegenbauer(m, a + 1, x), unit
)
eval_legendre = _family(
    "legendre", "", lambda m, _n, x: eval_gegenbauer(m, 1.5, x), unit, turn=_about_a_half
)
eval_sh_legendre = _family(
    "sh_legendre",
    "",
    lambda m, _n, x: 2 * eval_gegenbauer(m, 1.5, 2 * x - 1),
    unit,
    turn=_about_a_half,
)
eval_chebyu = _family(
    "chebyu", "", lambda m, _n, x: 2 * eval_gegenbauer(m, 2.0, x), unit, turn=_about_one
)
eval_chebyt = _family("chebyt", "", lambda m, n, x: n * eval_chebyu(m, x), unit)
eval_chebys = _family(
    "chebys", "", lambda m, _n, x: eval_gegenbauer(m, 2.0, x * 0.5), unit, turn=_about_one
)
eval_chebyc = _family("chebyc", "", lambda m, n, x: n * eval_chebys(m, x), unit)
eval_sh_chebyu = _family(
    "sh_chebyu",
    "",
    lambda m, _n, x: 4 * eval_gegenbauer(m, 2.0, 2 * x - 1),
    unit,
    turn=_about_one,
)
eval_sh_chebyt = _family("sh_chebyt", "", lambda m, n, x: 2 * n * eval_sh_chebyu(m, x), unit)
eval_jacobi: Function = _family(
    "jacobi",
    "ab",
    lambda m, n, a, b, x: 0.5 * (n + a + b + 1) * eval_jacobi(m, a + 1, b + 1, x),
    unit,
)
eval_sh_jacobi: Function = _family(
    "sh_jacobi", "pq", lambda m, n, p, q, x: n * eval_sh_jacobi(m, p + 2, q + 1, x), unit
)
eval_genlaguerre: Function = _family(
    "genlaguerre", "a", lambda m, _n, a, x: -eval_genlaguerre(m, a + 1, x), normal
)
eval_laguerre = _family("laguerre", "", lambda m, _n, x: -eval_genlaguerre(m, 1.0, x), normal)
eval_hermite: Function = _family(
    "hermite", "", lambda m, n, x: 2 * n * eval_hermite(m, x), normal, whole=True
)
eval_hermitenorm: Function = _family(
    "hermitenorm", "", lambda m, n, x: n * eval_hermitenorm(m, x), normal, whole=True
)


def _turn(phi: Any) -> Any:
    return exp(1j * phi)


def _by_theta(g: Any, _out: Any, n: Any, m: Any, theta: Any, phi: Any) -> Any:
    theta, phi = real(theta), real(phi)
    turn = _turn(phi)
    above = sqrt((n - m) * (n + m + 1.0)) * sph_harm_y(n, m + 1, theta, phi) / turn
    below = sqrt((n + m) * (n - m + 1.0)) * sph_harm_y(n, m - 1, theta, phi) * turn
    return g * (0.5 * (above - below))


def _harmonic(xp: Any, n: Any, m: Any, theta: Any, phi: Any) -> Any:
    return function_of(xp, "sph_harm_y")(n, m, xp.real(theta), xp.real(phi))


def _harmonic_samples(rng: Any) -> Iterator[Sample]:
    for n, m in ((0, 0), (2, 1), (3, -2), (2, 2)):
        yield (n, m, unit(rng, (3,)) + 1.5, normal(rng, (3,))), {}
    yield (numpy.array([[1], [2]]), 1, unit(rng, (3,)) + 1.5, normal(rng, ())), {}


sph_harm_y: Function = elementwise(
    "sph_harm_y",
    None,
    None,
    _by_theta,
    lambda g, out, _n, m, _theta, _phi: g * (1j * m * out),
    forward=_harmonic,
    samples=_harmonic_samples,
    doc="The spherical harmonic of degree `n` and order `m`, at polar angle theta and azimuth phi.",
)
