"""Which tape: functions that close over values of outer transforms, in every mix and order."""

import itertools

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.leaf import requires_grad
from tapegrad.core.tape import local


def by_grad(f):
    return tg.grad(f)


def by_jvp(f):
    return lambda x: tg.jvp(f, (x,), (1.0,))[1]


def by_vjp(f):
    return lambda x: tg.vjp(f, x)[1](np.float64(1.0))[0]


def by_linearize(f):
    return lambda x: tg.linearize(f, x)[1](1.0)


def by_vmap(f):
    """The derivative inside, with a lane axis around it."""
    return lambda x: tnp.sum(tg.vmap(lambda lane: tg.grad(f)(lane))(x + np.zeros(2))) / 2


def by_vmap_outside(f):
    """A lane axis inside, with the derivative around it."""
    return tg.grad(lambda x: tnp.sum(tg.vmap(f)(x + np.zeros(3))) / 3)


DERIVATIVES = {
    "grad": by_grad,
    "jvp": by_jvp,
    "vjp": by_vjp,
    "linearize": by_linearize,
    "vmap(grad)": by_vmap,
    "grad(vmap)": by_vmap_outside,
    "checkpoint": lambda f: tg.grad(tg.checkpoint(f)),
}


# d/dx d/dy d/dz of x y^2 z^3 exp(xz) at one point, with products taken in both orders
def product(x, y, z, swapped):
    if swapped:
        return tnp.exp(z * x) * (z**3 * (y * y * x))
    return x * (y * y) * z**3 * tnp.exp(x * z)


AT = (0.7, 1.3, 0.5)


def expected():
    x, y, z = AT
    # d/dy: 2 x y z^3 e^(xz);  d/dz of that: 2 x y e^(xz) (3 z^2 + x z^3);  d/dx of that:
    inner = 3 * z**2 + x * z**3
    return 2 * y * np.exp(x * z) * (inner + x * z * inner + x * z**3)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    "mix", list(itertools.product(DERIVATIVES, repeat=3)), ids=lambda mix: "-".join(mix)
)
def test_three_levels_close_over_one_another(mix, swapped):
    outer, middle, inner = (DERIVATIVES[name] for name in mix)

    def of_x(x):
        def of_z(z):
            def of_y(y):
                return product(x, y, z, swapped)

            return inner(of_y)(AT[1])

        return middle(of_z)(AT[2])

    np.testing.assert_allclose(outer(of_x)(AT[0]), expected(), rtol=1e-12)
    assert len(local.root) == 0


BINARY = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: a**b,
    "maximum": tnp.maximum,
}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("mix", list(itertools.product(DERIVATIVES, repeat=2)), ids="-".join)
def test_two_levels_in_both_operand_orders(mix, name, swapped):
    function = BINARY[name]
    outer, inner = (DERIVATIVES[n] for n in mix)
    x, y, h = 1.2, 1.7, 1e-4

    def f(a, b):
        return function(b, a) if swapped else function(a, b)

    mixed = outer(lambda a: inner(lambda b: f(a, b))(y))(x)
    difference = (f(x + h, y + h) - f(x + h, y - h) - f(x - h, y + h) + f(x - h, y - h)) / (
        4 * h * h
    )
    np.testing.assert_allclose(mixed, difference, atol=1e-6)


@pytest.mark.parametrize("inner", DERIVATIVES)
@pytest.mark.parametrize("outer", DERIVATIVES)
def test_perturbations_are_not_confused(outer, inner):
    """d/dx (x * d/dy (x + y)) is 1, not 2."""
    value = DERIVATIVES[outer](lambda x: x * DERIVATIVES[inner](lambda y: x + y)(1.0))(1.0)
    assert value == 1.0


@pytest.mark.parametrize("inner", DERIVATIVES)
@pytest.mark.parametrize("outer", DERIVATIVES)
def test_an_inner_function_that_ignores_its_argument(outer, inner):
    value = DERIVATIVES[outer](lambda x: x * x + DERIVATIVES[inner](lambda _y: x * 3.0)(1.0))(2.0)
    assert value == 4.0


def test_derivatives_of_every_order():
    f = tnp.sin
    for order in range(1, 7):
        f = tg.grad(f)
        np.testing.assert_allclose(f(0.3), np.sin(0.3 + order * np.pi / 2), rtol=1e-12)
    assert len(local.root) == 0


def test_alternating_modes_of_every_order():
    f = tnp.exp
    for order in range(6):
        f = by_grad(f) if order % 2 else by_jvp(f)
    np.testing.assert_allclose(f(0.3), np.exp(0.3), rtol=1e-12)


def test_lanes_in_lanes_close_over_both():
    a, b, c = np.arange(1.0, 3.0), np.arange(1.0, 4.0), np.arange(1.0, 5.0)
    table = tg.vmap(lambda x: tg.vmap(lambda y: tg.vmap(lambda z: x - y / z)(c))(b))(a)
    expected = a[:, None, None] - b[:, None] / c
    np.testing.assert_array_equal(table, expected)


def test_a_captured_array_keeps_its_tape_through_lanes():
    """What a vmapped function closes over stays tracked, never becomes bare data."""
    x = np.array([1.0, 2.0])

    def f(w):
        return tnp.sum(tg.vmap(lambda row: w * row + row * w)(x))

    assert tg.grad(f)(5.0) == 6.0
    w = requires_grad(5.0)
    out = tg.vmap(lambda row: w * row)(x)
    assert out.slot > 0


def test_a_pullback_is_called_inside_other_transforms():
    _, pullback = tg.vjp(lambda x: tnp.sin(x) * x, 0.4)
    slope = np.cos(0.4) * 0.4 + np.sin(0.4)
    np.testing.assert_allclose(tg.grad(lambda g: pullback(g)[0] * g)(3.0), 6.0 * slope)
    np.testing.assert_allclose(
        tg.vmap(lambda g: pullback(g)[0])(np.arange(3.0)), np.arange(3.0) * slope
    )


def test_a_pullback_of_an_inner_function_is_differentiated():
    """d/dx of (pullback of y -> x y^2 at 3)(1) = d/dx 6x."""

    def f(x):
        _, pullback = tg.vjp(lambda y: x * y * y, 3.0)
        return pullback(np.float64(1.0))[0]

    assert tg.grad(f)(2.0) == 6.0
    assert by_jvp(f)(2.0) == 6.0
    np.testing.assert_array_equal(tg.vmap(f)(np.array([1.0, 2.0])), [6.0, 12.0])


@pytest.mark.parametrize("make", [by_vjp, by_linearize])
def test_later_changes_of_the_callers_array_do_not_reach_a_recording(make):
    x = np.array([1.0, 2.0])
    walk = {
        by_vjp: lambda: tg.vjp(lambda x: x * x, x)[1],
        by_linearize: lambda: tg.linearize(lambda x: x * x, x)[1],
    }[make]()
    x[:] = 100.0
    (result,) = walk(np.ones(2)) if make is by_vjp else (walk(np.ones(2)),)
    np.testing.assert_array_equal(result, [2.0, 4.0])
    tree = {"a": np.array([3.0])}
    _, pullback = tg.vjp(lambda p: p["a"] ** 2, tree)
    tree["a"][:] = 0.0
    np.testing.assert_array_equal(pullback(np.ones(1))[0]["a"], [6.0])
