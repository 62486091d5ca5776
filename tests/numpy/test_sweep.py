"""Never a silent zero, never a lost tape: all of NumPy's functions and methods, on tracked arrays.

Each is called in many simple ways. Wherever NumPy computes something of a call on plain arrays, the
call on tracked ones must give the same values and the gradient that differences give (zero where
the result does not move), or raise and say what to do.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.core.array import Array

from .program import parts

X = np.array([0.713, -1.371, 2.137, -0.417])
UNIT = np.array([0.331, -0.573, 0.817, -0.219])
M = np.array([[2.113, -0.317, 0.419], [0.531, 1.719, -0.231], [-0.617, 0.137, 1.319]])
Y = np.array([1.213, 0.617, -0.819, 1.931])
MASK = np.array([True, False, True, True])
ORDER = np.array([0, 2, 1, 3])


def stored(write: Callable[[Any], None], x: Any) -> Any:
    """A copy of `x` after a function that writes into it."""
    a = x * 1.0
    write(a)
    return a


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "x": lambda f, x: f(x),
    "x, y": lambda f, x: f(x, x * x + 1.0),
    "y, x": lambda f, x: f(Y[: len(x)].copy(), x),
    "x, 1": lambda f, x: f(x, 1),
    "x, 2": lambda f, x: f(x, 2),
    "1, x": lambda f, x: f(1, x),
    "x, 0, 1": lambda f, x: f(x, 0, 1),
    "x, -1., 1.": lambda f, x: f(x, -1.0, 1.0),
    "x, mask": lambda f, x: f(x, MASK.copy()),
    "mask, x": lambda f, x: f(MASK.copy(), x),
    "mask, x, y": lambda f, x: f(MASK.copy(), x, 2.0 * x),
    "x, order": lambda f, x: f(x, ORDER.copy()),
    "order, x": lambda f, x: f(ORDER.copy(), x),
    "[x, y]": lambda f, x: f([x, 2.1 * x]),
    "choices": lambda f, x: f(ORDER % 2, [x, 2.1 * x]),
    "cases": lambda f, x: f([x > 0, x <= 0], [x, x * x]),
    "pieces": lambda f, x: f(x, [x < 0, x >= 0], [lambda v: v * v, lambda v: v]),
    "slices": lambda f, x: f(lambda v: np.sum(v * v), 0, x),
    "over": lambda f, x: f(np.sum, x, [0]),
    "subscripts": lambda f, x: f("i,i->i", x, 2.1 * x),
    "s, knots, x": lambda f, x: f(0.5, np.sort(Y), x),
    "knots, x": lambda f, x: f(np.array([0.0, 1.0, 2.0, 3.0]), x, 1),
    "x, [.3, .6]": lambda f, x: f(x, [0.3, 0.6]),
    "x, shape": lambda f, x: f(x, (x.size, 1)),
    "column": lambda f, x: f(x[:, None]),
    "s": lambda f, x: f(x[0]),
    "s, s, 4": lambda f, x: f(x[0], x[2], 4),
    "*x": lambda f, x: f(*x),
    "into": lambda f, x: stored(lambda a: f(a, x * 2.0), x),
    "into places": lambda f, x: stored(lambda a: f(a, [0, 1], x[:2] * 2.0), x),
    "into a mask": lambda f, x: stored(lambda a: f(a, ~MASK, x[:2] * 2.0), x),
    "into an ndarray": lambda f, x: stored(lambda a: f(a, x), np.zeros(x.shape)),
}

LEFT_OUT = """
bmat frombuffer fromfile fromregex fromstring genfromtxt get_include info load loadtxt memmap
nditer nested_iters printoptions save savetxt savez savez_compressed set_printoptions setbufsize
seterr seterrcall show_config show_runtime test
"""
"""Files, settings, and `bmat`, which makes a `numpy.matrix` of an ndarray and None of all else."""

FUNCTIONS = [
    name
    for name in dir(np)
    if callable(getattr(np, name))
    and not isinstance(getattr(np, name), type)
    and not name.startswith("_")
    and name not in LEFT_OUT.split()
]

METHODS: dict[str, Callable[[Any], Any]] = {
    name: lambda x, *args, name=name: getattr(x, name)(*args)
    for name in dir(np.ndarray)
    if callable(getattr(np.ndarray, name))
    and not (name.startswith("__") and name[2] in "cdghilnrs")  # of Python itself, and in place
    and name
    not in [
        "tofile",
        "dump",
        "setflags",
        "setfield",
        "__array_wrap__",
        "__array_finalize__",
        "__array_prepare__",
    ]
}


def is_inexact(x: Any) -> bool:
    return isinstance(x, np.ndarray | np.generic | Array) and x.dtype.kind in "fc"


def total(results: list[Any]) -> Any:
    """A number that every element of the inexact results enters differently."""
    value = 0.0
    for k, r in enumerate(results):
        if is_inexact(r):
            weights = np.cos(np.arange(r.size) + k).reshape(r.shape)
            value = value + np.sum(np.real(r * weights)) + 0.3 * np.sum(np.imag(r * weights))
    return value


def differences(f: Callable[[Any], Any], x: Any) -> Any:
    slopes = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[i] += 1e-6
        below[i] -= 1e-6
        slopes[i] = (f(above) - f(below)) / 2e-6
    return slopes


def says_what_to_do(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, is about tracked arrays."""
    while error is not None:
        if any(word in str(error) for word in ("traced", "recorded", "tape")):
            return True
        error = error.__cause__ or error.__context__
    return False


def examine(function: Callable[..., Any], call: Callable[[Any, Any], Any], x: Any) -> str:
    """What became of a call: "plain" where NumPy refuses it too, "advice", or "right"."""

    def results(x: Any) -> list[Any]:
        return parts(call(function, x))

    try:
        expected = results(x.copy())
        slopes = differences(lambda x: total(results(x)), x)
    except Exception:  # whatever NumPy says to nonsense
        return "plain"
    if not any(map(is_inexact, expected)) or not np.all(np.abs(slopes) < JUMP):
        return "plain"
    seen: list[Any] = []

    def program(x: Any) -> Any:
        seen[:] = results(x)
        return total(seen) + 0.0 * np.sum(x)

    try:
        gradient = tg.grad(program)(x)
    except Exception as error:
        if says_what_to_do(error):
            return "advice"
        raise
    for actual, right in zip(seen, expected, strict=True):
        if is_inexact(right):
            assert (actual.dtype, actual.shape) == (right.dtype, right.shape)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-5)
    return "right"


JUMP = 1e5
"""A difference this large is one across a step, by which there is no slope."""

STRICTER = {
    "interp": {"mask, x, y", "*x"},  # knots that do not increase: NumPy's result is arbitrary
    "take": {"x, [.3, .6]", "cases"},  # numbers that are no integers as places
    "repeat": {"s, s, 4"},
    "tile": {"x, mask"},
    "put": {"x, -1., 1."},
    "ix_": set(CALLS),
    "lexsort": {"x"},  # keys of no axes
    "intersect1d": {"pieces"},
    "polydiv": {"x, order", "x, mask"},  # by a polynomial that begins with zero
    "polyfit": {"s, s, 4"},  # more coefficients than data
    "equal": {"slices"},  # functions as elements
    "not_equal": {"slices"},
    "conj": {"y, x", "mask, x", "order, x", "into an ndarray"},  # into a tracked array
    "conjugate": {"y, x", "mask, x", "order, x", "into an ndarray"},
    "__pow__": {"into places", "into a mask"},  # pow(x, y, z)
    "where": {"subscripts"},  # a string as a condition
    "piecewise": {"subscripts"},
    "logical_and": {"subscripts"},
    "logical_or": {"subscripts"},
    "logical_xor": {"subscripts"},
    "trapezoid": {"pieces"},
}
"""Calls that NumPy lets pass and that are refused here, without advice; all are mistakes."""


VECTORS = ("polyadd", "polysub")
"""Functions that take vectors only: NumPy makes something arbitrary of matrices."""


@pytest.fixture
def quiet():
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


def check(name: str, function: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    for case, call in CALLS.items():
        if case not in STRICTER.get(name, ()):
            for x in inputs:
                examine(function, call, x)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    check(name, getattr(np, name), (X, UNIT) if name in VECTORS else (X, UNIT, M))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    check(name, METHODS[name], (X, M))


@pytest.mark.usefixtures("quiet")
def test_the_sweep_sees_most_of_numpy():
    def is_right(name: str) -> bool:
        allowed = (call for case, call in CALLS.items() if case not in STRICTER.get(name, ()))
        return any(examine(getattr(np, name), call, X) == "right" for call in allowed)

    assert sum(map(is_right, FUNCTIONS)) > 200
