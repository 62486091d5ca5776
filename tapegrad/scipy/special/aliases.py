"""Special functions by the names that `torch.special` and `jax.scipy.special` have for them.

A polynomial there takes its argument first and its degree last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...numpy.dispatch import np
from . import functions, ufuncs

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_jn",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "spherical_bessel_j0",
]

bessel_j0 = ufuncs.j0
bessel_j1 = ufuncs.j1
bessel_y0 = ufuncs.y0
bessel_y1 = ufuncs.y1
modified_bessel_i0 = ufuncs.i0
modified_bessel_i1 = ufuncs.i1
modified_bessel_k0 = ufuncs.k0
modified_bessel_k1 = ufuncs.k1
scaled_modified_bessel_k0 = ufuncs.k0e
scaled_modified_bessel_k1 = ufuncs.k1e


def airy_ai(x: Any) -> Any:
    """The Airy function Ai.

    >>> round(float(airy_ai(0.0)), 6)
    0.355028
    """
    return ufuncs.airy(x)[0]


def spherical_bessel_j0(x: Any) -> Any:
    """`sin(x) / x`, 1 at 0."""
    return functions.spherical_jn(0, x)


def bessel_jn(z: Any, *, v: int, n_iter: int = 50) -> Any:
    """The Bessel functions of the first kind of orders 0 to `v`, along a new first axis.

    `n_iter` is not needed here.
    """
    return np.stack([ufuncs.jv(n, z) for n in range(v + 1)])


def _polynomial(evaluate: Callable[..., Any], title: str) -> Callable[..., Any]:
    def function(x: Any, n: Any) -> Any:
        return evaluate(n, x)

    function.__doc__ = f"The {title} polynomial of degree `n` at `x`."
    return function


def _third_kind(n: Any, x: Any) -> Any:
    return ufuncs.eval_chebyu(n, x) - ufuncs.eval_chebyu(n - 1, x)


def _fourth_kind(n: Any, x: Any) -> Any:
    return ufuncs.eval_chebyu(n, x) + ufuncs.eval_chebyu(n - 1, x)


chebyshev_polynomial_t = _polynomial(ufuncs.eval_chebyt, "first Chebyshev")
chebyshev_polynomial_u = _polynomial(ufuncs.eval_chebyu, "second Chebyshev")
chebyshev_polynomial_v = _polynomial(_third_kind, "third Chebyshev")
chebyshev_polynomial_w = _polynomial(_fourth_kind, "fourth Chebyshev")
shifted_chebyshev_polynomial_t = _polynomial(ufuncs.eval_sh_chebyt, "first shifted Chebyshev")
shifted_chebyshev_polynomial_u = _polynomial(ufuncs.eval_sh_chebyu, "second shifted Chebyshev")
shifted_chebyshev_polynomial_v = _polynomial(
    lambda n, x: _third_kind(n, 2 * x - 1), "third shifted Chebyshev"
)
shifted_chebyshev_polynomial_w = _polynomial(
    lambda n, x: _fourth_kind(n, 2 * x - 1), "fourth shifted Chebyshev"
)
hermite_polynomial_h = _polynomial(ufuncs.eval_hermite, "Hermite (physicists')")
hermite_polynomial_he = _polynomial(ufuncs.eval_hermitenorm, "Hermite (probabilists')")
laguerre_polynomial_l = _polynomial(ufuncs.eval_laguerre, "Laguerre")
legendre_polynomial_p = _polynomial(ufuncs.eval_legendre, "Legendre")
