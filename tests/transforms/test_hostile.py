"""What was found by trying to break the transforms, with the right values."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward
from tapegrad.core.leaf import requires_grad
from tapegrad.core.tape import shared

X = np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def _no_leaves_before_or_after(monkeypatch):
    monkeypatch.setattr(shared, "imperative", False)


# Arguments


def test_argnums_of_any_integer_type():
    def f(x, y):
        return x * x * y

    assert tg.grad(f, np.int64(1))(2.0, 3.0) == 4.0
    assert tg.grad(f, True)(2.0, 3.0) == 4.0
    assert tg.jacobian(f, np.int32(-2))(2.0, 3.0) == 12.0
    assert tg.hessian(f, np.int8(0))(2.0, 3.0) == 6.0
    assert tg.elementwise_grad(f, np.uint8(1))(2.0, 3.0) == 4.0
    assert tg.grad(f, np.array([0, 1]))(2.0, 3.0) == (12.0, 4.0)


@pytest.mark.parametrize("argnums", [(0, 0), (0, -2), (1, 0, 1)])
def test_an_argument_named_twice(argnums):
    """Each would be a leaf of its own, and the function sees one of them: half a derivative."""
    for transform in (tg.grad, tg.value_and_grad, tg.jacobian, tg.hessian, tg.elementwise_grad):
        with pytest.raises(ValueError, match=r"names an argument twice\. Name it once"):
            transform(lambda x, y: x * y, argnums)(2.0, 3.0)


def test_a_complex_derivative_of_something_real():
    match = r"must be float64, .* but is complex128: its imaginary part would be lost"
    with pytest.raises(TypeError, match=match):
        tg.vjp(lambda x: x, X)[1](1j * X)
    with pytest.raises(TypeError, match=match):
        tg.jvp(lambda x: x, (X,), (1j * X,))
    with pytest.raises(TypeError, match=match):
        tg.linearize(lambda x: x, X)[1](1j * X)
    with pytest.raises(TypeError, match=match):
        tg.hvp(lambda x: tnp.sum(x * x), X, 1j * X)
    w = requires_grad(X)
    with pytest.raises(TypeError, match=match):
        backward(w * w, 1j * X)
    assert_array_equal(tg.vjp(lambda z: z * z, 1j * X)[1](X)[0], 2j * X * X)


def test_results_that_are_no_numbers():
    for transform in (tg.jacobian, tg.jacrev, tg.jacfwd, lambda f: lambda x: tg.vjp(f, x), tg.vmap):
        with pytest.raises(TypeError, match="a result of the function must be an array or"):
            transform(lambda x: {"a": x, "b": "text"})(X)
    assert tg.vmap(lambda x: (x, "text"), out_axes=(0, None))(X)[1] == "text"


def test_structures_that_differ_by_nothing_but_none():
    with pytest.raises(TypeError, match=r"Expected one array, but got PyTreeSpec\(None\)"):
        tg.hvp(lambda x: tnp.sum(x * x), X, None)


# Lanes


@pytest.mark.parametrize(
    "op",
    [
        lambda x, v: x + v,
        lambda x, v: v + x,
        lambda x, v: tnp.where(x > v, x + v, v + x),
        lambda x, v: tnp.maximum(x, v) + tnp.minimum(v, x),
    ],
)
@pytest.mark.parametrize("wrap", [tg.checkpoint, lambda f: lambda x: tg.record(f)(x)[0]])
def test_a_program_closes_over_a_lane_of_another_shape(wrap, op):
    """As many lanes as elements: broadcasting must not take the one axis for the other."""
    v = np.array([10.0, 20.0, 30.0])
    table = v[:, None] + X
    f = tg.vmap(lambda v: wrap(lambda x: op(x, v))(X))
    assert_array_equal(f(v), table)
    assert_array_equal(tg.grad(lambda v: tnp.sum(f(v) * table))(v), table.sum(1))
    g = tg.vmap(tg.jacobian(lambda v: wrap(lambda x: op(x, v) * v)(X)))
    assert_array_equal(g(v), X + 2 * v[:, None])
    u = np.array([1.0, 2.0, 4.0])
    h = tg.vmap(lambda v: tg.vmap(lambda u: wrap(lambda x: op(x, v) * u)(X))(u))
    assert_array_equal(h(v), table[:, None] * u[:, None])


# What is no ndarray of numbers

OBJECTS = np.array([1.0, 2.0, 3.0], dtype=object)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * OBJECTS,
        lambda x: OBJECTS * x,
        lambda x: x.astype(object),
        lambda x: x.astype(str),
        lambda x: tnp.where(x > 1, x, OBJECTS),
        lambda x: tnp.concatenate([x, OBJECTS]),
        lambda x: x * np.timedelta64(1, "s"),
    ],
)
def test_a_derivative_is_not_lost_through_objects(f):
    for transform, x in ((tg.grad, X), (lambda f: tg.vmap(tg.grad(f)), np.stack([X, X]))):
        with pytest.raises(TypeError, match="a derivative would be lost"):
            transform(lambda x: tnp.sum(f(x).astype(float)))(x)


def test_fractions_are_numbers():
    assert tg.grad(lambda x: x * Fraction(1, 2))(2.0) == 0.5
    assert tg.grad(lambda x: Fraction(1, 2) / x)(2.0) == -0.125


@pytest.mark.parametrize("other", [np.ma.array(X, mask=[0, 1, 0]), X.view(np.matrix)])
def test_arrays_with_an_arithmetic_of_their_own(other):
    """`*` of matrices is another product, and a mask is not differentiated: never silently."""
    match = r"has an arithmetic of its own.*numpy\.asarray\(x\).*filled"
    for call in (
        lambda: tg.grad(lambda x: tnp.sum(x * other))(X),
        lambda: tg.grad(lambda x: tnp.sum(x))(other),
        lambda: tg.jacobian(lambda x: x * 2)(other),
        lambda: requires_grad(X) * other,
    ):
        with pytest.raises(TypeError, match=match):
            call()
