"""Orthogonal polynomials: the argument first, then the degree, which is cut to an integer."""

from __future__ import annotations

from typing import Any

import numpy

from ...ops.linear import stop_gradient
from ...ops.selection import where
from ..calls import NUMBERS, cast, on_arrays, promoted
from ..refusals import refuse
from .define import DOUBLE, Function, scipy_function

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]

WHOLE = numpy.dtype(numpy.int64)


def polynomial(name: str, title: str) -> Function:
    """`torch.special.<name>(input, n, *, out=None)`: 0 for negative degrees."""

    @on_arrays
    def function(input: Any, n: Any) -> Any:
        x, degree = promoted(input, n, to_float=True)
        to = x.dtype if type(x) not in NUMBERS else degree.dtype
        degree = cast(stop_gradient(degree), WHOLE)
        inside = degree >= 0
        value = scipy_function(name)(cast(x, DOUBLE), where(inside, degree, 0))
        return cast(where(inside, value, 0.0), to)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {title} polynomials of degree `n`; 0 for negative degrees."
    return function


chebyshev_polynomial_t = polynomial("chebyshev_polynomial_t", "first Chebyshev")
chebyshev_polynomial_u = polynomial("chebyshev_polynomial_u", "second Chebyshev")
chebyshev_polynomial_v = polynomial("chebyshev_polynomial_v", "third Chebyshev")
chebyshev_polynomial_w = polynomial("chebyshev_polynomial_w", "fourth Chebyshev")
hermite_polynomial_h = polynomial("hermite_polynomial_h", "physicists' Hermite")
hermite_polynomial_he = polynomial("hermite_polynomial_he", "probabilists' Hermite")
laguerre_polynomial_l = polynomial("laguerre_polynomial_l", "Laguerre")
legendre_polynomial_p = polynomial("legendre_polynomial_p", "Legendre")
shifted_chebyshev_polynomial_t = polynomial(
    "shifted_chebyshev_polynomial_t", "first shifted Chebyshev"
)
shifted_chebyshev_polynomial_u = polynomial(
    "shifted_chebyshev_polynomial_u", "second shifted Chebyshev"
)
shifted_chebyshev_polynomial_v = polynomial(
    "shifted_chebyshev_polynomial_v", "third shifted Chebyshev"
)
shifted_chebyshev_polynomial_w = polynomial(
    "shifted_chebyshev_polynomial_w", "fourth shifted Chebyshev"
)

refuse(
    globals(),
    "{name}_cpu",
    "half complex",
    "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v "
    "chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he "
    "laguerre_polynomial_l legendre_polynomial_p shifted_chebyshev_polynomial_t "
    "shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
    "shifted_chebyshev_polynomial_w",
)
