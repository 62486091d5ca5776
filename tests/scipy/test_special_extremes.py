"""First and second derivatives of special functions at tiny and huge arguments, and beside poles.

The table has, for a function and its arguments but one, values of that one with both derivatives.
They are those of mpmath, by differences in 150 digits and more. A derivative that overflows is inf,
one that underflows is 0.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.scipy.special as special

TABLE = json.loads(Path(__file__).with_name("special_extremes.json").read_text())
INF = np.inf
MAX = np.finfo(float).max


def function_of(name, arguments):
    place = arguments.index(None)
    function = getattr(special, name)
    return lambda x: function(*arguments[:place], x, *arguments[place + 1 :])


def title(case):
    return f"{case['function']}{tuple(case['arguments'])}"


@pytest.mark.parametrize("case", TABLE, ids=title)
def test_derivatives(case):
    function = function_of(case["function"], case["arguments"])
    for x, first, second in case["rows"]:
        slope = tg.grad(function)
        np.testing.assert_allclose(slope(x), first, rtol=1e-11, err_msg=str(x))
        np.testing.assert_allclose(tg.grad(slope)(x), second, rtol=1e-9, err_msg=str(x))


def test_the_table_is_whole():
    assert len(TABLE) == 85
    assert sum(len(case["rows"]) for case in TABLE) == 359


@pytest.mark.parametrize(
    ("name", "arguments", "x", "first", "second"),
    [
        ("logit", [None], 1e-300, 1e300, -INF),
        ("logit", [None], 0.0, INF, -INF),
        ("logit", [None], 1.0, INF, INF),
        ("pseudo_huber", [2.0, None], 1e8, 2.0, 8e-24),
        ("pseudo_huber", [2.0, None], 1e200, 2.0, 0.0),
        ("pseudo_huber", [2.0, None], -INF, -2.0, 0.0),
        ("pseudo_huber", [0.0, None], 0.0, 0.0, 0.0),
        ("exprel", [None], INF, INF, INF),
        ("exprel", [None], -INF, 0.0, 0.0),
        ("rgamma", [None], INF, 0.0, 0.0),
        ("digamma", [None], INF, 0.0, 0.0),
        ("gammaln", [None], INF, INF, 0.0),
        ("erf", [None], -INF, 0.0, 0.0),
        ("erfcx", [None], INF, 0.0, 0.0),
        ("dawsn", [None], -INF, 0.0, 0.0),
        ("ndtr", [None], INF, 0.0, 0.0),
        ("log_ndtr", [None], INF, 0.0, 0.0),
        ("ndtri", [None], 0.0, INF, -INF),
        ("ndtri", [None], 1.0, INF, INF),
        ("expit", [None], -INF, 0.0, 0.0),
        ("log_expit", [None], INF, 0.0, 0.0),
        ("entr", [None], -1.0, 0.0, 0.0),
        ("xlogy", [3.0, None], INF, 0.0, 0.0),
        ("powm1", [None, 0.5], 1e-300, 5e149, -INF),
        ("i1e", [None], 1e-30, 0.5, -1.0),
        ("i1e", [None], -0.0, 0.5, 0.0),
        ("j1", [None], 1e-300, 0.5, 0.0),
        ("poch", [None, 2.0], -5.0, -9.0, 2.0),
        ("poch", [None, 7.0], -5.0, -120.0, 308.0),
        ("zeta", [None], -1e-30, -np.log(2 * np.pi) / 2, -2.0063564559085848),
        ("zeta", [None], 1e300, 0.0, 0.0),
        ("zeta", [None, 2.0], 1e18, 0.0, 0.0),
        ("ellipkm1", [None], 1e-30, -5e29, 5e59),
        ("struve", [1.0, None], 1e8, 7.306391198e-05, 3.206029424e-05),
    ],
)
def test_limits(name, arguments, x, first, second):
    function = function_of(name, arguments)
    slope = tg.grad(function)
    np.testing.assert_allclose(slope(x), first, rtol=1e-8, atol=1e-300)
    np.testing.assert_allclose(tg.grad(slope)(x), second, rtol=1e-7, atol=1e-290)


@pytest.mark.parametrize("name", sorted({case["function"] for case in TABLE}))
def test_nan_stays_nan(name):
    (arguments, *_) = (case["arguments"] for case in TABLE if case["function"] == name)
    function = function_of(name, arguments)
    with np.errstate(all="ignore"):
        assert np.isnan(tg.grad(function)(np.nan))
