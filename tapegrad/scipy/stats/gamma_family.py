"""The gamma distribution and its kin: chi-squared, beta, Student's t."""

from __future__ import annotations

import math
from typing import Any

from ...ops.comparison import isinf
from ...ops.elementary import exp, log, log1p
from ...ops.selection import where
from ...ops.specials.define import anywhere
from ...ops.specials.densities import log_student_density
from ...ops.specials.error import ndtr, ndtri
from ...ops.specials.gamma import betaln, gammaln
from ...ops.specials.incomplete import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    log_betainc,
    log_gammainc,
)
from ...ops.specials.information import xlog1py, xlogy
from ...ops.specials.student import stdtr, stdtrit
from .base import INFINITY
from .continuous import Continuous, Record
from .normal import norm

POSITIVE = (0.0, INFINITY)
TINY = 1e-290

gamma = Continuous(
    "gamma",
    Record(
        log_density=lambda z, a: xlogy(a - 1, z) - z - gammaln(a),
        below=lambda z, a: gammainc(a, z),
        above=lambda z, a: gammaincc(a, z),
        log_below=lambda z, a: log_gammainc(a, z),
        log_above=lambda z, a: log_gammainc(a, z, upper=True),
        quantile=lambda q, a: gammaincinv(a, q),
        upper_quantile=lambda q, a: gammainccinv(a, q),
    ),
    shapes="a",
    support=POSITIVE,
    allowed=lambda a: a > 0,
)


def _chi2_log_density(z: Any, df: Any) -> Any:
    half = df * 0.5
    return xlogy(half - 1, z) - z * 0.5 - gammaln(half) - math.log(2) * half


chi2 = Continuous(
    "chi2",
    Record(
        log_density=_chi2_log_density,
        below=lambda z, df: gammainc(df * 0.5, z * 0.5),
        above=lambda z, df: gammaincc(df * 0.5, z * 0.5),
        log_below=lambda z, df: log_gammainc(df * 0.5, z * 0.5),
        log_above=lambda z, df: log_gammainc(df * 0.5, z * 0.5, upper=True),
        quantile=lambda q, df: 2 * gammaincinv(df * 0.5, q),
        upper_quantile=lambda q, df: 2 * gammainccinv(df * 0.5, q),
    ),
    shapes="df",
    support=POSITIVE,
    allowed=lambda df: df > 0,
)

beta = Continuous(
    "beta",
    Record(
        log_density=lambda z, a, b: xlog1py(b - 1, -z) + xlogy(a - 1, z) - betaln(a, b),
        below=lambda z, a, b: betainc(a, b, z),
        above=lambda z, a, b: betaincc(a, b, z),
        log_below=lambda z, a, b: log_betainc(a, b, z),
        log_above=lambda z, a, b: log_betainc(a, b, z, upper=True),
        quantile=lambda q, a, b: betaincinv(a, b, q),
        upper_quantile=lambda q, a, b: betainccinv(a, b, q),
    ),
    shapes="a b",
    support=(0.0, 1.0),
    allowed=lambda a, b: (a > 0) & (b > 0),
)


def _or_normal(student: Any, normal: Any) -> Any:
    """Student's function, and where there are infinitely many degrees of freedom the normal one."""

    def function(z: Any, df: Any) -> Any:
        endless = isinf(df)
        if not anywhere(endless):
            return student(df, z)
        return where(endless, normal(z), student(where(endless, 1, df), z))

    return function


def _student_log_below(df: Any, z: Any) -> Any:
    right = z > 0
    near = log1p(-where(right, stdtr(df, where(right, -z, -1)), 0))
    left = where(right, -1, z)
    value = stdtr(df, left)
    deep = value < TINY
    out = log(where(deep, 1, value))
    if anywhere(deep):
        size = where(deep, -left, 1e3)
        ratio = df / size / size
        tail = log_betainc(df * 0.5, 0.5 + 0 * df, ratio / (1 + ratio))
        power = 0.5 * df * (log(df) - 2 * log(size)) - log(df * 0.5) - betaln(df * 0.5, 0.5)
        out = where(deep, where(ratio < 1e-17, power, tail) - math.log(2), out)
    return where(right, near, out)


def _student_quantile(df: Any, q: Any) -> Any:
    """The quantile; far out, where SciPy's overflows, by the power law of the tail."""
    log_z = (log(q) + log(df) + betaln(df * 0.5, 0.5)) * (2 / df)  # of z = df / (df + t**2)
    deep = log_z < -40
    near = stdtrit(df, where(deep, 0.25, q))
    return where(deep, -exp(0.5 * (log(df) - where(deep, log_z, 0))), near)


t = Continuous(
    "t",
    Record(
        log_density=_or_normal(log_student_density, norm.record.log_density),
        below=_or_normal(stdtr, ndtr),
        above=_or_normal(lambda df, z: stdtr(df, -z), norm.record.above),
        log_below=_or_normal(_student_log_below, norm.record.log_below),
        log_above=_or_normal(lambda df, z: _student_log_below(df, -z), norm.record.log_above),
        quantile=_or_normal(_student_quantile, ndtri),
        upper_quantile=_or_normal(
            lambda df, q: -_student_quantile(df, q), norm.record.upper_quantile
        ),
    ),
    shapes="df",
    allowed=lambda df: df > 0,
)
