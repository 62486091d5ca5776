"""Ctrl-C at any place: what comes after is right, and nothing is left behind.

Python looks for signals as functions begin. So an interrupt is raised at the start of each function
of the library that a program calls, one after another.
"""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad import tree
from tapegrad.core.backward import backward
from tapegrad.core.leaf import requires_grad
from tapegrad.core.tape import local
from tapegrad.errors import EscapedValueError

PACKAGE = str(Path(tg.__file__).parent)
X = np.array([0.3, 0.7, 1.1])


def f(x):
    y = x * 0.0
    y[1] = x[0] * 2
    view = y[1:]
    view *= x[2]
    a = tnp.sin(x)
    a += y
    return tnp.sum(a * tnp.exp(x) / tnp.sqrt(x))


def imperative():
    w = requires_grad(X)
    backward(f(w))
    return w.grad.raw


PROGRAMS = {
    "grad": lambda: tg.grad(f)(X),
    "vjp": lambda: tg.vjp(f, X)[1](1.0),
    "jvp": lambda: tg.jvp(f, (X,), (X,)),
    "grad of grad": lambda: tg.grad(lambda x: tnp.sum(tg.grad(f)(x)))(X),
    "vmap of grad": lambda: tg.vmap(tg.grad(f))(np.stack([X, 2 * X])),
    "hessian": lambda: tg.hessian(f)(X),
    "checkpoint": lambda: tg.grad(tg.checkpoint(f))(X),
    "budget": lambda: tg.grad(tg.checkpoint(f, budget=600))(X),
    "imperative": imperative,
}


def interrupted(program, at):
    """Whether the program made so many calls that the one numbered `at` was interrupted."""
    calls = 0

    def look(frame, event, _):
        nonlocal calls
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            if code.co_flags & inspect.CO_GENERATOR:
                return  # it may be one that is collected, and nobody would see the interrupt
            calls += 1
            if calls == at:
                raise KeyboardInterrupt

    before = sys.gettrace()
    sys.settrace(look)
    try:
        with np.errstate():  # whose end, as that of each context in Python, may be interrupted too
            program()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("stride", [13, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interrupt_at_any_call(name, stride):
    program = PROGRAMS[name]
    expected = tree.leaves(program())
    at = 1
    while interrupted(program, at):
        assert local.tape is local.root
        for actual, right in zip(tree.leaves(program()), expected, strict=True):
            assert_array_equal(actual, right)
        assert not local.root.marks
        local.root.compact()  # of what an interrupted program recorded for a leaf
        assert not local.root
        assert local.root.budget > 0
        at += stride
    assert at > 50


def test_an_assignment_that_raises_changes_nothing():
    kept = []

    def escape(x):
        kept.append(x * 2)
        return x

    tg.vmap(escape)(X)

    def assigned(x):
        y = x * 1.0
        with pytest.raises(EscapedValueError):
            y[0] = kept[0]
        with pytest.raises(EscapedValueError):
            y[np.array([0, 2])] = kept[0]
        with pytest.raises(EscapedValueError):
            y[1:] *= kept[0]
        return tnp.sum(y * y)

    budget = local.root.budget
    assert_array_equal(tg.grad(assigned)(X), 2 * X)
    assert local.root.budget <= budget


def endless_gradient(x):
    return tg.grad(endless_gradient)(x) * x


def endless_lanes(x):
    return tg.vmap(lambda t: endless_lanes(t[None])[0] * t)(x)


def endless_replay(x):
    return tg.checkpoint(lambda t: endless_replay(t) * t)(x)


@pytest.mark.parametrize(
    "program",
    [
        lambda: endless_gradient(1.0),
        lambda: endless_lanes(X),
        lambda: endless_replay(X),
        lambda: tg.grad(endless_replay)(1.0),
        lambda: tg.vmap(tg.grad(endless_gradient))(X),
    ],
)
def test_recursion_without_end(program):
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(500)  # far from the end of the stack, wherever this runs
    try:
        with pytest.raises(RecursionError):
            program()
    finally:
        sys.setrecursionlimit(limit)
    assert local.tape is local.root
    assert tg.grad(lambda x: x**3)(2.0) == 12.0
    assert not local.root
    assert not local.root.marks
