"""Calls made to break things: each keeps the right value of a fault that was found and mended."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Array, untracked
from tapegrad.ops.complex import from_parts

from .program import check

X = np.array([0.7, -1.3, 2.1])
M = np.array([[0.3, -1.2, 0.8], [1.9, 0.4, -0.6]])
MASK = np.array([[True, False, True], [False, False, True]])


def data(x):
    """A result as NumPy would give it."""
    if isinstance(x, tuple | list):
        return type(x)(map(data, x))
    return x.data if isinstance(x, Array) else x


def same(actual, expected):
    """Equal in value, dtype and shape."""
    actual = data(actual)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(actual, expected)


# ----- lists with recorded numbers in them, in every position


LISTS = {
    "sum": lambda np, a, b: np.sum([a, 2.0, b]),
    "mean by axis": lambda np, a, b: np.mean([[a, b], [b, 1.0]], axis=0),
    "max": lambda np, a, b: np.max([a, b, 1.0]),
    "median": lambda np, a, b: np.median([a, b, 0.1]),
    "cumsum": lambda np, a, b: np.cumsum([a, b]),
    "keyword": lambda np, a, b: np.sum(a=[a, b]),
    "weights": lambda np, a, b: np.average([1.0, 4.0], weights=[a * a, b * b]),
    "initial": lambda np, a, b: np.sum(np.ones(3), initial=a),
    "extreme initial": lambda np, a, b: np.max(np.zeros((2, 2)), axis=0, initial=a * a),
    "ufunc": lambda np, a, b: np.sin([a, b]),
    "second of two": lambda np, a, b: np.add(np.ones(2), [a, b]),
    "both": lambda np, a, b: np.multiply([a, b], [b, 3.0]),
    "where": lambda np, a, b: np.where([True, False], [a, a], [b, b]),
    "clip": lambda np, a, b: np.clip([a, b], -0.1, [a, 9.0]),
    "real": lambda np, a, b: np.real([a, b]),
    "angle": lambda np, a, b: np.angle([a, 1j * b]),
    "nan_to_num": lambda np, a, b: np.nan_to_num(np.array([np.nan, 1.0]), nan=a),
    "dot": lambda np, a, b: np.dot(np.ones((2, 2)), [a, b]),
    "outer": lambda np, a, b: np.outer([1.0, 2.0], [a, b]),
    "cross": lambda np, a, b: np.cross([a, b, 1.0], [1.0, 2.0, 3.0]),
    "convolve": lambda np, a, b: np.convolve([1.0, 2.0], [a, b]),
    "einsum": lambda np, a, b: np.einsum("i,i", [a, b], [1.0, 2.0]),
    "polyval": lambda np, a, b: np.polyval([a, b, 1.0], 2.0),
    "interp": lambda np, a, b: np.interp(2.5, [1.0, 2.0, 3.0], [3.0, a, b]),
    "interp ends": lambda np, a, b: np.interp([0.0, 9.0], [1.0, 2.0], [3.0, 4.0], a, b),
    "norm": lambda np, a, b: np.linalg.norm([a, b]),
    "solve": lambda np, a, b: np.linalg.solve([[2.0, a], [0.0, 1.0]], [b, 1.0]),
    "det": lambda np, a, b: np.linalg.det([[a, 2.0], [b, 1.0]]),
    "reshape": lambda np, a, b: np.reshape([a, b], (2, 1)),
    "transpose": lambda np, a, b: np.transpose([[a, b]]),
    "squeeze": lambda np, a, b: np.squeeze([[a], [b]]),
    "broadcast": lambda np, a, b: np.broadcast_to([a, b], (2, 2)),
    "atleast_2d": lambda np, a, b: np.atleast_2d([a, b]),
    "stack of lists": lambda np, a, b: np.concatenate([[a, b], [1.0]]),
    "tile": lambda np, a, b: np.tile([a, b], 2),
    "repeat": lambda np, a, b: np.repeat([a, b], 2),
    "pad": lambda np, a, b: np.pad(np.ones(2), 1, constant_values=((a, b),)),
    "insert": lambda np, a, b: np.insert(np.ones(3), [0, 2], [a, b]),
    "diag": lambda np, a, b: np.diag([a, b]),
    "triu": lambda np, a, b: np.triu([[a, b], [b, a]]),
    "vander": lambda np, a, b: np.vander([a, b], 3),
    "take": lambda np, a, b: np.take([a, b], [1, 1]),
    "sort": lambda np, a, b: np.sort([a, b]),
    "select": lambda np, a, b: np.select([[True, False]], [[a, a]], b),
    "linspace": lambda np, a, b: np.linspace([a, 0.0], [1.0, b], 3),
    "gradient": lambda np, a, b: np.gradient([a, b, 1.0]),
    "trapezoid": lambda np, a, b: np.trapezoid([a, b], dx=0.5),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_recorded_numbers(name):
    call = LISTS[name]
    expected = np.asarray(call(np, 0.4, -1.3))
    a, b = np.float64(0.4), np.float64(-1.3)
    tg.check_grads(lambda a, b: call(tnp, a, b), (a, b), order=2)
    out = tg.vjp(lambda a, b: call(tnp, a, b), a, b)[0]
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    assert (out.dtype, out.shape) == (expected.dtype, expected.shape)


def test_plain_numpy_cannot_see_into_lists_and_says_so():
    with pytest.raises(TypeError, match="would take a traced value off the tape"):
        tg.grad(lambda x: np.sum([x, x]))(1.0)


def test_lists_in_ufuncs_with_a_place_for_the_result():
    out = untracked(np.zeros(2))
    np.abs([-1.0, 2.0], out=out)
    same(out, np.array([1.0, 2.0]))
    np.sign(-3, out)
    same(out, np.array([-1.0, -1.0]))


# ----- arguments of reductions


@pytest.mark.parametrize("reduce", [np.sum, np.prod, np.mean, np.nansum, np.any, np.std])
def test_recorded_mask_of_a_plain_array(reduce):
    same(reduce(M, axis=1, where=untracked(MASK)), reduce(M, axis=1, where=MASK))


def test_recorded_mask_of_an_extreme_needs_a_start():
    same(
        np.max(M, axis=0, where=untracked(MASK), initial=-1.0),
        np.max(M, axis=0, where=MASK, initial=-1.0),
    )
    with pytest.raises(ValueError, match="does not have an identity"):
        np.max(M, where=untracked(MASK))


@pytest.mark.parametrize("reduce", [np.sum, np.prod, np.max, np.min])
def test_the_start_has_the_dtype_of_the_reduction(reduce):
    x = np.array([3, 1, 2])
    same(reduce(untracked(x), initial=2.5), reduce(x, initial=2.5))
    same(reduce(untracked(x[:0]), initial=2.5), reduce(x[:0], initial=2.5))


# ----- dtypes and shapes at odd arguments


ODD = {
    "weak ends": lambda x: np.linspace(x.astype("f"), 1, 3),
    "geomspace": lambda x: np.geomspace(np.abs(x.astype("f")), 2, 3),
    "weak choice": lambda x: np.select([x > 0], [x.astype("f")], 1),
    "sort_complex": lambda x: np.sort_complex(x.astype("f")),
    "sort_complex of int8": lambda x: np.sort_complex(x.astype("i1")),
    "argsort of a number": lambda x: np.argsort(x[0]),
    "intersection": lambda x: np.intersect1d(x.astype(int), np.array([0.0, 1.5])),
    "bincount of booleans": lambda x: np.bincount(np.array([True, False, True]), x),
    "polyval of booleans": lambda x: np.polyval(np.array([True, False, True]), x),
    "several rolls": lambda x: np.roll(x, [1.7, 1.7]),
    "many coordinates": lambda x: np.trapezoid(x, np.arange(6.0).reshape(2, 3) ** 2),
    "fabs of -0": lambda x: np.fabs(-0.0 * x),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_arguments(name):
    same(ODD[name](untracked(X)), ODD[name](X))
    same(tg.vjp(ODD[name], X)[0], ODD[name](X))


def test_reshape_to_no_shape():
    with pytest.raises(TypeError, match="exactly 1 argument"):
        untracked(np.ones((1, 1))).reshape()


def test_several_results_have_one_shape():
    x = np.array([0.5, 3.0])
    first, second = untracked(np.zeros(2)), np.zeros(2)
    for actual, expected in zip(np.frexp(3.0, first), np.frexp(3.0, second), strict=True):
        same(actual, expected)
    for actual, expected in zip(np.modf(untracked(x), first), np.modf(x, second), strict=True):
        same(actual, expected)


def test_the_order_of_a_norm_is_known():
    same(np.linalg.norm(untracked(X), untracked(np.float64(3.0))), np.linalg.norm(X, 3.0))
    with pytest.raises(TypeError, match="the order of a norm would take a traced value"):
        tg.grad(lambda p: tnp.linalg.norm(X, p))(3.0)


def test_round():
    def f(x):
        assert round(x[0]) == 1
        assert type(round(x[0])) is int
        return round(x[1], 1)

    value, gradient = tg.value_and_grad(f)(X)
    assert value == -1.3
    np.testing.assert_array_equal(gradient, 0.0)
    with pytest.raises(TypeError, match="__round__"):
        round(untracked(X))
    with pytest.raises(tg.errors.ConcretizationError, match=r"round\(x\) of a value that differs"):
        tg.vmap(round)(X)


# ----- complex numbers by their parts


def test_infinite_parts_stay_apart():
    z = np.array([complex(np.nan, 1), complex(1, np.inf), complex(-0.0, 0)])
    same(np.nan_to_num(untracked(z), posinf=np.inf), np.nan_to_num(z, posinf=np.inf))
    assert np.signbit(np.nan_to_num(untracked(z)).data[2].real)
    w = untracked(z.copy())
    w.real = 3.0
    z.real = 3.0
    same(w, z)
    w.imag = np.inf
    z.imag = np.inf
    same(w, z)


def test_writing_parts_is_differentiated():
    def f(x):
        z = x * (1 + 2j)
        z.real = x * x
        z.imag[1:] = 3.0 * x[1:]
        return np.sum(np.real(z) + 5.0 * np.imag(z))

    np.testing.assert_allclose(tg.grad(f)(X), 2 * X + [10.0, 15.0, 15.0])
    same(from_parts(X.astype("f"), np.zeros(1, "f")), X.astype("F"))


# ----- views


def test_views_of_no_axes():
    def f(x):
        a = x * 1.0
        v = a[..., 1]
        w = a[1:2].reshape(())
        v += 3.0  # an array in NumPy, although it has no axes: it changes `a`
        r = w * 2.0
        a[1] = a[0]
        v[...] = v * 2.0
        s = a[2:].squeeze()
        s *= x[0]
        return a, v, w, r, s

    check(f, X)


def test_a_view_of_no_axes_of_an_untracked_array():
    a = untracked(np.zeros(3))
    v = a[..., 0]
    a[1:] = 2.0
    a[0] = 5.0
    assert v == 5.0
    v -= 1.0
    same(a, np.array([4.0, 2.0, 2.0]))


def test_ravel_copies_what_is_not_contiguous():
    def f(x):
        a = x * 1.0
        flat = a[::2].ravel()  # a copy, though `reshape` would give a view
        view = a[::2].reshape(-1)
        flat[0] = 5.0
        view[1] = 7.0
        return a, flat, view

    check(f, X)


def test_rebinding_keeps_the_order_in_memory():
    def f(x):
        a = x * 1.0
        np.add(np.asfortranarray(np.ones(x.shape)), np.sin(x.T).T, out=a)
        a.ravel()[0] = 9.0  # `a` is in C order still, so this is a view
        return a

    check(f, M)


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("x", [M, np.asfortranarray(M), M[:, ::-1], M.T], ids=["C", "F", "R", "T"])
def test_orders_of_elements(x, order):
    def f(x):
        shaped = x if order == "K" else np.reshape(x, (3, 2), order=order)
        return np.ravel(x, order), x.flatten(order), shaped

    for actual, expected in zip(tg.vjp(f, x)[0], f(x), strict=True):
        same(actual, expected)


def test_recorded_results_are_the_callers_own():
    x = X.copy()
    out, tape = tg.record(lambda x: x[:])(x)
    out[...] = 0.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(tape.entries[0].outputs[0].data, X)


def test_constants_that_change_after_their_use():
    def f(x, ones):
        c = ones(3)
        y = x * c
        c[0] = 5.0
        return np.sum(y)

    np.testing.assert_array_equal(tg.grad(lambda x: f(x, tnp.ones))(X), [1.0, 1.0, 1.0])
    # the documented limit: a plain ndarray cannot say that it changed
    np.testing.assert_array_equal(tg.grad(lambda x: f(x, np.ones))(X), [5.0, 1.0, 1.0])


def test_arrays_of_no_axes_are_numbers():
    def f(x):
        a = tnp.zeros(())
        b = a
        a += x[0]
        return a + 0.0 * b, b

    value, b = tg.vjp(f, X)[0]
    assert (value, b) == (X[0], 0.0)
