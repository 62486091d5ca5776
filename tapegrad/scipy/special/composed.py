"""Functions of `scipy.special` that are written with others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
import scipy.special

from ...numpy.dispatch import implements_ufunc, np
from ...numpy.reading import known
from ...ops.selection import where
from ...ops.specials import bessel, error, integrals, orthogonal
from ..dispatch import Function, implements
from .ufuncs import ufunc_of

__all__ = ["agm", "diric", "h1vp", "h2vp", "ivp", "jvp", "kvp", "radian", "voigt_profile", "yvp"]


# Derivatives of Bessel functions


def _derivative(name: str, function: Function, sign: int, outer: int = 1) -> Function:
    """The derivative of order n of a Bessel function, by those of neighbouring orders."""

    def implementation(v: Any, z: Any, n: int = 1) -> Any:
        n = int(known(n, f"n of scipy.special.{name}"))
        if n < 0:
            raise ValueError(f"The order of a derivative must not be negative, but n is {n}.")
        terms = (
            function(v - n + 2 * i, z) * (sign**i * math.comb(n, i) * outer**n / 2**n)
            for i in range(n + 1)
        )
        return sum(terms)

    return implements(getattr(scipy.special, name))(implementation)


jvp = _derivative("jvp", bessel.jv, -1)
yvp = _derivative("yvp", bessel.yv, -1)
h1vp = _derivative("h1vp", bessel.hankel1, -1)
h2vp = _derivative("h2vp", bessel.hankel2, -1)
ivp = _derivative("ivp", bessel.iv, 1)
kvp = _derivative("kvp", bessel.kv, 1, outer=-1)


# Others


@implements(scipy.special.diric)
def diric(x: Any, n: Any) -> Any:
    """As SciPy's; smooth, as the polynomial in the cosine that it is."""
    n = numpy.asarray(known(n, "n of scipy.special.diric"))
    whole = (n > 0) & (n == numpy.floor(n))
    degree = numpy.where(whole, n, 1)
    out = orthogonal.eval_chebyu(degree.astype(int) - 1, np.cos(x / 2)) / degree
    return where(whole, out, math.nan)


def _radian(degrees: Any, minutes: Any, seconds: Any) -> Any:
    return (degrees + minutes / 60 + seconds / 3600) * (math.pi / 180)


def _agm(a: Any, b: Any) -> Any:
    """By the elliptic integral; of numbers of different signs not a number, of a zero zero."""
    total = a + b
    apart = 4 * a * b / (total * total)  # 1 less the parameter m
    positive = apart > 0
    mean = total * (math.pi / 4) / integrals.ellipkm1(where(positive, apart, 1))
    return where(positive, mean, where(a * b == 0, 0 * total, math.nan * total))


def _voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    """By the Faddeeva function; without a width `sigma`, Cauchy's density."""
    wide = sigma != 0
    width = where(wide, sigma, 1) * math.sqrt(2)
    voigt = np.real(error.wofz((x + 1j * gamma) / width)) / (width * math.sqrt(math.pi))
    return where(wide, voigt, gamma / (math.pi * (x * x + gamma * gamma)))


def _ufunc(name: str, operation: Callable[..., Any]) -> Function:
    return implements_ufunc(ufunc_of(name), operation)


agm = _ufunc("agm", _agm)
radian = _ufunc("radian", _radian)
voigt_profile = _ufunc("voigt_profile", _voigt)
