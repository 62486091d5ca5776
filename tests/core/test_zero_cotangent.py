"""A zero cotangent stays zero through a singular derivative; a NaN stays NaN."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward, gradients
from tapegrad.core.leaf import requires_grad

# Each has a branch that is singular at 0 and -1 and is not taken there; the right answers at
# 0, -1 and 2 are written down: the value's first and second derivative.
LOG2 = np.log(2.0)
BRANCHES = {
    "sqrt": (lambda x: tnp.where(x > 0, tnp.sqrt(x), 0.0), 0.5 / np.sqrt(2), -0.25 / 2**1.5),
    "log": (lambda x: tnp.where(x > 0, tnp.log(x), 0.0), 0.5, -0.25),
    "x log x": (lambda x: tnp.where(x > 0, x * tnp.log(x), 0.0), LOG2 + 1, 0.5),
    "reciprocal": (lambda x: tnp.where(x > 0, 1 / x, 0.0), -0.25, 0.25),
    "quotient": (lambda x: tnp.where(x > 0, x / x, 0.0), 0.0, 0.0),
    "power": (lambda x: tnp.where(x > 0, x**0.5, 0.0), 0.5 / np.sqrt(2), -0.25 / 2**1.5),
    "power of itself": (
        lambda x: tnp.where(x > 0, x**x, 0.0),
        4 * (LOG2 + 1),
        4 * (LOG2 + 1) ** 2 + 2,
    ),
    "product with infinity": (
        lambda x: tnp.where(x > 0, tnp.exp(1 / x) * x, 0.0),
        np.exp(0.5) * 0.5,
        np.exp(0.5) / 8,
    ),
    "arcsin": (
        lambda x: tnp.where(x > 0, tnp.arcsin(x / 4 - 1.0), 0.0),
        0.25 / np.sqrt(0.75),
        None,
    ),
    "log1p": (lambda x: tnp.where(x > -1, tnp.log1p(x), 0.0), 1 / 3, -1 / 9),
    "nested": (
        lambda x: tnp.where(x > 0, tnp.sqrt(tnp.log(x) + 1), 0.0),
        0.25 / np.sqrt(LOG2 + 1),
        None,
    ),
    "multiplied by a mask": (lambda x: tnp.sqrt(tnp.abs(x)) * (x > 0), None, None),
}
AT = np.array([0.0, -1.0, 2.0])


@pytest.fixture(autouse=True)
def _without_warnings():
    with np.errstate(all="ignore"):
        yield


def slopes(name):
    """The expected derivatives at the three points."""
    function, first, second = BRANCHES[name]
    if name == "log1p":
        return function, np.array([1.0, 0.0, first]), np.array([-1.0, 0.0, second])
    first = None if first is None else np.array([0.0, 0.0, first])
    second = None if second is None else np.array([0.0, 0.0, second])
    return function, first, second


@pytest.mark.parametrize("name", [n for n in BRANCHES if BRANCHES[n][1] is not None])
def test_first_derivatives(name):
    f, expected, _ = slopes(name)

    def total(x):
        return tnp.sum(f(x))

    np.testing.assert_allclose(tg.grad(total)(AT), expected, rtol=1e-12)
    np.testing.assert_allclose(tg.jvp(f, (AT,), (np.ones(3),))[1], expected, rtol=1e-12)
    np.testing.assert_allclose(tg.linearize(f, AT)[1](np.ones(3)), expected, rtol=1e-12)
    np.testing.assert_allclose(tg.vmap(tg.grad(f))(AT), expected, rtol=1e-12)
    np.testing.assert_allclose([tg.grad(f)(x) for x in AT], expected, rtol=1e-12)
    np.testing.assert_allclose(
        tg.vmap(lambda x: tg.jvp(f, (x,), (1.0,))[1])(AT), expected, rtol=1e-12
    )
    w = requires_grad(AT)
    backward(total(w), retain_graph=True)
    np.testing.assert_allclose(w.grad.data, expected, rtol=1e-12)
    w.grad = None
    backward(total(w), create_graph=True)
    np.testing.assert_allclose(w.grad.data, expected, rtol=1e-12)


@pytest.mark.parametrize("name", [n for n in BRANCHES if BRANCHES[n][2] is not None])
def test_second_derivatives(name):
    f, _, expected = slopes(name)
    ones = np.ones(3)

    def total(x):
        return tnp.sum(f(x))

    over = {
        "grad(grad)": tg.vmap(tg.grad(tg.grad(f)))(AT),
        "grad(grad) one by one": [tg.grad(tg.grad(f))(x) for x in AT],
        "jvp(grad)": tg.jvp(tg.grad(total), (AT,), (ones,))[1],
        "jvp(jvp)": tg.jvp(lambda x: tg.jvp(f, (x,), (ones,))[1], (AT,), (ones,))[1],
        "grad(jvp)": tg.grad(lambda x: tnp.sum(tg.jvp(f, (x,), (ones,))[1]))(AT),
        "grad(vmap(grad))": tg.grad(lambda x: tnp.sum(tg.vmap(tg.grad(f))(x)))(AT),
        "vmap(jvp(grad))": tg.vmap(lambda x: tg.jvp(tg.grad(f), (x,), (1.0,))[1])(AT),
    }
    w = requires_grad(AT)
    (g,) = gradients(total(w), [w], create_graph=True)
    over["gradients of gradients"] = gradients(tnp.sum(g), [w])[0].data
    for how, result in over.items():
        np.testing.assert_allclose(result, expected, rtol=1e-10, err_msg=how)


def test_a_mask_that_multiplies():
    f, _, _ = BRANCHES["multiplied by a mask"]
    expected = [0.0, 0.0, 0.5 / np.sqrt(2)]
    np.testing.assert_allclose(tg.grad(lambda x: tnp.sum(f(x)))(AT), expected)


def test_norm_at_zero():
    def norm(x):
        return tnp.sqrt(tnp.sum(x * x))

    zero = np.zeros(3)
    np.testing.assert_array_equal(tg.grad(lambda x: norm(x) ** 2)(zero), zero)
    assert tg.jvp(lambda x: norm(x) ** 2, (zero,), (np.ones(3),)) == (0.0, 0.0)
    np.testing.assert_array_equal(
        tg.jvp(tg.grad(lambda x: tnp.where(tnp.sum(x) > 1, norm(x), 0.0)), (zero,), (np.ones(3),))[
            1
        ],
        zero,
    )


def test_a_nan_stays_nan():
    def f(x):
        return tnp.sum(x * tnp.log(x))

    assert np.isnan(tg.grad(f)(np.array([-1.0, 1.0]))).tolist() == [True, False]
    _, pullback = tg.vjp(lambda x: tnp.sqrt(x), AT)
    (g,) = pullback(np.array([np.nan, 1.0, 1.0]))
    assert np.isnan(g).tolist() == [True, True, False]
    (g,) = pullback(np.array([0.0, 0.0, np.nan]))
    np.testing.assert_array_equal(g, [0.0, 0.0, np.nan])
    _, t = tg.jvp(tnp.exp, (AT,), (np.array([0.0, np.nan, 1.0]),))
    assert np.isnan(t).tolist() == [False, True, False]
    w = requires_grad(np.array([1.0, np.nan]))
    backward(tnp.sum(w * w))
    assert np.isnan(w.grad.data).tolist() == [False, True]


def test_an_infinite_derivative_stays_infinite():
    assert tg.grad(tnp.sqrt)(0.0) == np.inf
    assert tg.grad(lambda x: 1 / x)(0.0) == -np.inf
    assert tg.jvp(tnp.sqrt, (0.0,), (1.0,))[1] == np.inf


def test_contractions_are_left_alone():
    """Only elementwise rules are guarded: a matrix of infinities is the user's own."""
    a = np.array([[np.inf, 1.0], [1.0, 1.0]])
    _, pullback = tg.vjp(lambda x: tnp.matmul(a, x), np.ones(2))
    assert np.isnan(pullback(np.array([0.0, 1.0]))[0][0])


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_dtypes(dtype):
    x = np.array([0.0, 4.0], dtype)

    def f(x):
        return tnp.sum(tnp.real(tnp.where(tnp.abs(x) > 0, tnp.log(x) * x, 0.0)))

    g = tg.grad(f)(x)
    assert g.dtype == dtype
    np.testing.assert_allclose(g, [0.0, np.log(4.0) + 1], rtol=1e-6)


def root(x):
    return tnp.where(x > 0, tnp.sqrt(x), 0.0)


SILENT = {
    "grad": lambda x: tg.grad(lambda x: tnp.sum(root(x)))(x),
    "grad of a number": lambda x: tg.grad(root)(x[0]),
    "second order": lambda x: tg.grad(tg.grad(root))(x[0]),
    "vjp": lambda x: tg.vjp(root, x)[1](x),
    "jvp": lambda x: tg.jvp(root, (x,), (x,)),
    "jacobian": lambda x: tg.jacobian(root)(x),
    "hessian": lambda x: tg.hessian(lambda x: tnp.sum(root(x)))(x),
    "vmap": lambda x: tg.vmap(tg.grad(root))(x),
    "checkpoint": lambda x: tg.elementwise_grad(tg.checkpoint(root))(x),
    "backward": lambda x: backward(tnp.sum(root(requires_grad(x)))),
}


@pytest.mark.parametrize("name", SILENT)
def test_rules_do_not_warn_of_branches_that_were_not_taken(name):
    with np.errstate(all="warn"):  # warnings are errors here
        SILENT[name](np.array([0.0, 1.0]))
