"""The ufuncs of distributions, composed of incomplete gamma and beta functions."""

from __future__ import annotations

from typing import Any

from ...numpy.dispatch import implements_ufunc
from ...ops.rounding import floor
from ...ops.specials.incomplete import (
    betainc,
    betaincc,
    betaincinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
)
from .ufuncs import ufunc_of

__all__ = [
    "bdtr",
    "bdtrc",
    "chdtr",
    "chdtrc",
    "chdtri",
    "fdtr",
    "fdtrc",
    "fdtri",
    "gdtr",
    "gdtrc",
    "gdtrix",
    "nbdtr",
    "nbdtrc",
    "pdtr",
    "pdtrc",
]


def _chdtr(v: Any, x: Any) -> Any:
    return gammainc(v * 0.5, x * 0.5)


def _chdtrc(v: Any, x: Any) -> Any:
    return gammaincc(v * 0.5, x * 0.5)


def _chdtri(v: Any, p: Any) -> Any:
    return 2 * gammainccinv(v * 0.5, p)


def _gdtr(a: Any, b: Any, x: Any) -> Any:
    return gammainc(b, a * x)


def _gdtrc(a: Any, b: Any, x: Any) -> Any:
    return gammaincc(b, a * x)


def _gdtrix(a: Any, b: Any, p: Any) -> Any:
    return gammaincinv(b, p) / a


def _pdtr(k: Any, m: Any) -> Any:
    return gammaincc(floor(k) + 1, m)


def _pdtrc(k: Any, m: Any) -> Any:
    return gammainc(floor(k) + 1, m)


def _bdtr(k: Any, n: Any, p: Any) -> Any:
    return betaincc(floor(k) + 1, n - floor(k), p)


def _bdtrc(k: Any, n: Any, p: Any) -> Any:
    return betainc(floor(k) + 1, n - floor(k), p)


def _nbdtr(k: Any, n: Any, p: Any) -> Any:
    return betainc(n, k + 1, p)


def _nbdtrc(k: Any, n: Any, p: Any) -> Any:
    return betaincc(n, k + 1, p)


def _fdtr(dfn: Any, dfd: Any, x: Any) -> Any:
    return betainc(dfn * 0.5, dfd * 0.5, dfn * x / (dfd + dfn * x))


def _fdtrc(dfn: Any, dfd: Any, x: Any) -> Any:
    return betainc(dfd * 0.5, dfn * 0.5, dfd / (dfd + dfn * x))


def _fdtri(dfn: Any, dfd: Any, p: Any) -> Any:
    y = betaincinv(dfn * 0.5, dfd * 0.5, p)
    return dfd * y / (dfn * (1 - y))


bdtr = implements_ufunc(ufunc_of("bdtr"), _bdtr)
bdtrc = implements_ufunc(ufunc_of("bdtrc"), _bdtrc)
chdtr = implements_ufunc(ufunc_of("chdtr"), _chdtr)
chdtrc = implements_ufunc(ufunc_of("chdtrc"), _chdtrc)
chdtri = implements_ufunc(ufunc_of("chdtri"), _chdtri)
fdtr = implements_ufunc(ufunc_of("fdtr"), _fdtr)
fdtrc = implements_ufunc(ufunc_of("fdtrc"), _fdtrc)
fdtri = implements_ufunc(ufunc_of("fdtri"), _fdtri)
gdtr = implements_ufunc(ufunc_of("gdtr"), _gdtr)
gdtrc = implements_ufunc(ufunc_of("gdtrc"), _gdtrc)
gdtrix = implements_ufunc(ufunc_of("gdtrix"), _gdtrix)
nbdtr = implements_ufunc(ufunc_of("nbdtr"), _nbdtr)
nbdtrc = implements_ufunc(ufunc_of("nbdtrc"), _nbdtrc)
pdtr = implements_ufunc(ufunc_of("pdtr"), _pdtr)
pdtrc = implements_ufunc(ufunc_of("pdtrc"), _pdtrc)
