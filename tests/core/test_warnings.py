"""Walks do not warn of what happens at singular points; functions warn as NumPy does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward
from tapegrad.core.leaf import requires_grad
from tapegrad.core.tape import local
from tests.ops import check
from tests.ops.test_strict import pull, recorded


def branch(x):
    """Without a warning of its own; the derivative of the square root is infinite at 0."""
    return tnp.where(x > 0, tnp.sqrt(tnp.maximum(x, 0.0)) / 2.0, 0.0)


AT = np.array([0.0, -1.0, 4.0])
SLOPES = [0.0, 0.0, 0.125]


def total(x):
    return tnp.sum(branch(x))


@pytest.mark.parametrize(
    "run",
    [
        lambda: tg.grad(total)(AT),
        lambda: tg.value_and_grad(total)(AT)[1],
        lambda: tg.vjp(total, AT)[1](1.0)[0],
        lambda: tg.jvp(branch, (AT,), (np.ones(3),))[1],
        lambda: tg.linearize(branch, AT)[1](np.ones(3)),
        lambda: np.diag(tg.jacrev(branch)(AT)),
        lambda: np.diag(tg.jacfwd(branch)(AT)),
        lambda: tg.vmap(tg.grad(branch))(AT),
        lambda: tg.vmap(lambda x: tg.jvp(branch, (x,), (1.0,))[1])(AT),
        lambda: tg.vmap(tg.vmap(tg.grad(branch)))(AT[None])[0],
        lambda: tg.vmap(tg.grad(branch), chunk_size=2)(AT),
        lambda: tg.grad(lambda x: tg.jvp(total, (x,), (x,))[1])(np.array([1.0])) and SLOPES,
        lambda: tg.grad(tg.checkpoint(total))(AT),
        lambda: tg.elementwise_grad(branch)(AT),
        lambda: [float(tg.grad(branch)(x)) for x in AT],
    ],
)
def test_no_walk_warns(run):
    np.testing.assert_array_equal(run(), SLOPES)


def test_no_second_order_walk_warns():
    expected = [0.0, 0.0, -1 / 64]
    np.testing.assert_array_equal(np.diag(tg.hessian(total)(AT)), expected)
    np.testing.assert_array_equal(tg.vmap(tg.grad(tg.grad(branch)))(AT), expected)
    np.testing.assert_array_equal(tg.hvp(total, AT, np.ones(3)), expected)
    np.testing.assert_array_equal(tg.grad(lambda x: tnp.sum(tg.grad(total)(x)))(AT), expected)


@pytest.mark.parametrize("create_graph", [False, True])
def test_no_backward_warns(create_graph):
    w = requires_grad(AT)
    backward(total(w), create_graph=create_graph)
    np.testing.assert_array_equal(w.grad.data, SLOPES)


def test_the_function_warns_as_numpy_does():
    for f in (tg.grad(tnp.log), tg.checkpoint(tnp.log), lambda x: tg.vmap(tnp.log)(np.array([x]))):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            f(np.float64(0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(all="ignore"):
            assert tg.grad(tnp.log)(0.0) == np.inf


def test_settings_are_as_before():
    with np.errstate(all="raise"):
        before = np.geterr()
        tg.grad(total)(AT)
        assert np.geterr() == before
        with pytest.raises(FloatingPointError):
            tg.grad(tnp.log)(0.0)
        assert np.geterr() == before


def test_plain_programs_are_not_looked_after():
    """Warnings are turned off only where a rule may warn, as long as its entry is there."""
    seen = []

    def look(f):
        def looking(x):
            out = f(x)
            seen.append(local.root.steep)
            return out

        return looking

    tg.grad(look(lambda x: x * x + 2.0 * x))(1.0)
    tg.grad(look(tnp.log))(1.0)
    tg.grad(look(lambda x: x * x))(1.0)
    with pytest.raises(ZeroDivisionError):
        tg.grad(look(lambda x: tnp.log(x) + 1 / 0))(1.0)
    tg.grad(look(lambda x: x * x))(1.0)
    assert seen == [False, True, False, False]


EDGES = (0.0, 1.0, -1.0, 1e3, 1e-160)


def edge_cases():
    """For every operation, its samples with all elements of floating point at an edge."""
    for name, op, inputs, params in check.cases():
        if op.vjp is not None and not op.steep:
            yield pytest.param(op, inputs, params, id=name)


def filled(x, edge):
    if not check.inexact(x):
        return x
    return np.full(x.shape, edge, x.dtype)[()]


def check_steep(op, inputs, params):
    """That the rules of an operation that is not marked as steep do not warn."""
    for edge in EDGES:
        at_edge = tuple(filled(x, edge) for x in inputs)
        if not check.active(op, at_edge):
            continue
        try:
            with np.errstate(all="ignore"):
                entry = recorded(op, at_edge, params)
            out = entry[-1]
            for g in (0.0, 1.0):
                seeds = tuple(filled(o, g) for o in out) if op.outputs else filled(out, g)
                with np.errstate(divide="raise", over="raise", invalid="raise"):
                    pull(entry, seeds, lambda value: value)
        except (np.linalg.LinAlgError, RuntimeError):
            continue  # of a singular matrix, dense or sparse


@pytest.mark.filterwarnings("ignore")  # SciPy's own, of singular matrices
@pytest.mark.parametrize(("op", "inputs", "params"), list(edge_cases()))
def test_an_operation_whose_rules_may_warn_is_steep(op, inputs, params):
    check_steep(op, inputs, params)
