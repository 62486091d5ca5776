"""The special functions, computed by SciPy. Importing this package imports SciPy."""

from . import (
    bessel,
    bessel_fixed,
    error,
    gamma,
    hypergeometric,
    incomplete,
    information,
    integrals,
    logistic,
    orthogonal,
    softmax,
    student,
)

__all__ = [
    "bessel",
    "bessel_fixed",
    "error",
    "gamma",
    "hypergeometric",
    "incomplete",
    "information",
    "integrals",
    "logistic",
    "orthogonal",
    "softmax",
    "student",
]
