"""The special functions, computed by SciPy. Importing this package imports SciPy."""

from . import (
    bessel,
    bessel_fixed,
    circular,
    elliptic,
    error,
    gamma,
    generalised,
    hypergeometric,
    incomplete,
    information,
    integrals,
    logistic,
    orthogonal,
    student,
)

__all__ = [
    "bessel",
    "bessel_fixed",
    "circular",
    "elliptic",
    "error",
    "gamma",
    "generalised",
    "hypergeometric",
    "incomplete",
    "information",
    "integrals",
    "logistic",
    "orthogonal",
    "student",
]
