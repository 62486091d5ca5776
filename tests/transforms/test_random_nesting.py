"""Random programs that nest transforms to any depth, compared with dual numbers."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward, gradients
from tapegrad.core.leaf import requires_grad
from tapegrad.core.tape import local, shared

from . import duals
from .programs import Library, Textbook, program

SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True, scope="module")
def _no_leaves_after():
    before = shared.imperative
    yield
    shared.imperative = before


def close(actual, expected):
    actual = getattr(actual, "data", actual) if not isinstance(actual, np.ndarray) else actual
    expected = duals.data(expected)
    if np.isfinite(expected).all():
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        assert_allclose(actual, expected, rtol=1e-7, atol=1e-7 * scale)


def drawn(seed, **kwargs):
    draw = Random(seed)
    f = program(draw, depth=5, budget=12, **kwargs)
    return f(Library), f(Textbook), np.array([draw.uniform(-1, 1) for _ in range(3)])


@given(SEEDS)
@settings(max_examples=60)
def test_derivatives(seed):
    f, truth, x = drawn(seed)
    close(f(x), truth(x))
    gradient = duals.jacobian(truth)
    for d in (tg.grad, tg.jacrev, tg.jacfwd):
        close(d(f)(x), gradient(x))
    close(tg.jvp(f, (x,), (x,))[1], duals.jvp(truth, (x,), (x,))[1])
    close(tg.hessian(f)(x), duals.jacobian(gradient)(x))
    assert len(local.root) == 0
    assert not local.root.marks


@given(SEEDS)
@settings(max_examples=40)
def test_lanes(seed):
    f, truth, x = drawn(seed)
    xs = np.stack([x, x / 2, -x])
    close(tg.vmap(f)(xs), duals.vmap(truth)(xs))
    close(tg.vmap(tg.grad(f))(xs), duals.vmap(duals.jacobian(truth))(xs))
    close(tg.grad(lambda xs: tnp.sum(tg.vmap(f)(xs)))(xs), duals.vmap(duals.jacobian(truth))(xs))


@given(SEEDS)
@settings(max_examples=40)
def test_reverse_rules_alone(seed):
    f, truth, x = drawn(seed, pulled=True)
    close(tg.grad(f)(x), duals.jacobian(truth)(x))
    close(tg.hessian(f)(x), duals.jacobian(duals.jacobian(truth))(x))


@given(SEEDS)
@settings(max_examples=40)
def test_imperative_gradients(seed):
    f, truth, x = drawn(seed)
    w = requires_grad(x)
    gradient = duals.jacobian(truth)
    loss = f(w)
    if getattr(loss, "slot", 0):
        backward(loss, retain_graph=True)
        close(np.zeros(3) if w.grad is None else w.grad, gradient(x))
        (g,) = gradients(loss, [w], create_graph=True)
        if g is not None and g.slot:
            rows = [gradients(g[i], [w], retain_graph=True)[0] for i in range(3)]
            rows = [np.zeros(3) if row is None else row.data for row in rows]
            close(np.stack(rows), duals.jacobian(gradient)(x))
    else:
        close(np.zeros(3), gradient(x))
    local.root.clear()
