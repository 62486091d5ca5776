"""Derivatives where numbers overflow, vanish or meet infinity, each with its right value.

Values that other libraries' formulas miss (`x / (x**2 + y**2)` overflows long before its result
does) stand beside those in which all agree.
"""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.ops.complex import from_parts

INF = np.inf
TINY = 1e-310  # no longer normal

UNARY = [
    (tnp.sqrt, TINY, 0.5 / np.sqrt(TINY)),
    (tnp.cbrt, TINY, 1.5471962778709297e206),
    (tnp.log, 1e308, 1e-308),
    (tnp.log1p, 1e308, 1e-308),
    (tnp.log2, 1e308, 1e-308 / np.log(2.0)),
    (tnp.square, TINY, 2 * TINY),
    (tnp.cosh, TINY, TINY),
    (tnp.abs, -TINY, -1.0),
    (tnp.arccosh, 1e200, 1e-200),
    (tnp.arccosh, INF, 0.0),
    (tnp.arcsinh, -1e150, 1e-150),
    (tnp.arctan, 1e200, 0.0),
    (tnp.arctan, INF, 0.0),
    (tnp.tanh, 1e308, 0.0),
    (tnp.tanh, -INF, 0.0),
    (tnp.exp, -INF, 0.0),
    (tnp.exp, 1e308, INF),
    (tnp.expm1, -1e308, 0.0),
    (tnp.reciprocal, INF, 0.0),
    (tnp.sinc, 1e-200, -1e-200 * np.pi**2 / 3),
    (tnp.i0, 1e-200, 0.5e-200),
]


@pytest.mark.parametrize(("f", "x", "slope"), UNARY, ids=lambda v: getattr(v, "__name__", str(v)))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_of_one_number(f, x, slope):
    np.testing.assert_allclose(tg.grad(f)(x), slope, rtol=1e-13)
    np.testing.assert_allclose(tg.jvp(f, (x,), (1.0,))[1], slope, rtol=1e-13)


HALF = np.sqrt(0.5)

BINARY = [
    (tnp.hypot, 1e200, 1e200, HALF, HALF),
    (tnp.hypot, 1e-200, 0.0, 1.0, 0.0),
    (tnp.hypot, TINY, TINY, HALF, HALF),
    (tnp.hypot, 1e308, 1.0, 1.0, 1e-308),
    (tnp.arctan2, 1e200, 1e200, 0.5e-200, -0.5e-200),
    (tnp.arctan2, 0.0, 1e-200, 1e200, 0.0),
    (tnp.arctan2, 1e-200, 1e-200, 0.5e200, -0.5e200),
    (tnp.logaddexp, 1e308, 0.0, 1.0, 0.0),
    (tnp.logaddexp, INF, 0.0, 1.0, 0.0),
    (tnp.logaddexp, -INF, 0.0, 0.0, 1.0),
    (tnp.logaddexp2, INF, 0.0, 1.0, 0.0),
    (tnp.divide, 0.0, 1e-200, 1e200, 0.0),
    (tnp.divide, 1.0, 1e308, 1e-308, 0.0),
    (tnp.divide, 1.0, INF, 0.0, 0.0),
    (tnp.multiply, TINY, 1e200, 1e200, TINY),
    (tnp.power, 1e-200, 1.0, 1.0, 1e-200 * np.log(1e-200)),
    (tnp.power, 0.5, 1e308, 0.0, 0.0),
    (tnp.maximum, TINY, -TINY, 1.0, 0.0),
    (tnp.copysign, TINY, -0.0, -1.0, 0.0),
]


@pytest.mark.parametrize(("f", "x", "y", "by_x", "by_y"), BINARY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_of_two_numbers(f, x, y, by_x, by_y):
    np.testing.assert_allclose(tg.grad(f, (0, 1))(x, y), (by_x, by_y), rtol=1e-13)
    forward = [tg.jvp(f, (x, y), t)[1] for t in ((1.0, 0.0), (0.0, 1.0))]
    np.testing.assert_allclose(forward, (by_x, by_y), rtol=1e-13)


GUARDED = {
    "sqrt": lambda x: tnp.sqrt(x),
    "cbrt": lambda x: tnp.cbrt(tnp.maximum(x, 0.0)),
    "log": lambda x: tnp.log(x),
    "log1p": lambda x: tnp.log1p(-1.0 + tnp.maximum(x, 0.0)),
    "log2": lambda x: tnp.log2(x),
    "log10": lambda x: tnp.log10(x),
    "reciprocal": lambda x: 1.0 / tnp.maximum(x, 0.0),
    "power": lambda x: tnp.maximum(x, 0.0) ** -1.5,
    "power of x": lambda x: x**x,
    "arcsin": lambda x: tnp.arcsin(1.0 - x),
    "arccos": lambda x: tnp.arccos(1.0 - x),
    "arctanh": lambda x: tnp.arctanh(1.0 - x),
    "arccosh": lambda x: tnp.arccosh(1.0 + x),
    "hypot": lambda x: tnp.hypot(tnp.maximum(x, 0.0), tnp.maximum(x, 0.0)),
    "arctan2": lambda x: tnp.arctan2(tnp.maximum(x, 0.0), tnp.maximum(x, 0.0)),
    "norm": lambda x: tnp.sqrt(tnp.maximum(x, 0.0) ** 2 + 0.0),
    "overflow": lambda x: tnp.exp(tnp.where(x > 0, x, 1e9)),
    "quotient": lambda x: tnp.sin(x) / tnp.maximum(x, 0.0),
    "remainder": lambda x: tnp.remainder(1.0, tnp.maximum(x, 0.0)),
}


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_branch_not_taken_poisons_nothing(name):
    """In reverse, forward, both nested, many at a time: zero where the other branch was taken."""
    x = np.array([0.0, -1.0, 0.3])

    def f(x):
        return tnp.where(x > 0, GUARDED[name](x), 2.0)

    def total(x):
        return tnp.sum(f(x))

    ones = np.ones(3)
    alone = tg.grad(GUARDED[name])
    expected = [0.0, 0.0, alone(0.3)]
    second = [0.0, 0.0, tg.grad(alone)(0.3)]
    for first in (
        tg.grad(total)(x),
        tg.jvp(f, (x,), (ones,))[1],
        tg.vmap(tg.grad(f))(x),
        np.diag(tg.jacrev(f)(x)),
        np.diag(tg.jacfwd(f)(x)),
        tg.grad(tg.checkpoint(total))(x),
    ):
        np.testing.assert_allclose(first, expected, rtol=1e-12)
    for twice in (
        tg.grad(lambda x: tnp.sum(tg.grad(total)(x)))(x),
        tg.hvp(total, x, ones),
        np.diag(tg.hessian(total)(x)),
        tg.vmap(tg.grad(tg.grad(f)))(x),
        tg.grad(lambda x: tnp.sum(tg.jvp(f, (x,), (ones,))[1]))(x),
        tg.jvp(lambda x: tg.jvp(f, (x,), (ones,))[1], (x,), (ones,))[1],
    ):
        np.testing.assert_allclose(twice, second, rtol=1e-11)


def test_complex_numbers_of_their_parts():
    z = from_parts(np.float32(1.0), np.array([np.inf, -0.0], dtype="f"))
    assert z.dtype == np.complex64
    np.testing.assert_array_equal(z.real, 1.0)
    np.testing.assert_array_equal(z.imag, [np.inf, -0.0])
    assert from_parts(np.float64(1.0), np.float64(2.0)) == 1 + 2j
    tg.check_grads(lambda x, y: from_parts(x, y) ** 2, (np.ones((2, 1)), np.ones(3)))
