"""Reductions of recorded arrays are NumPy's, with derivatives that are exact at edge values."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from .agreement import agree, gradient, second

X = np.array([[0.7, -1.3, 2.1, -0.4], [1.2, 0.6, -0.8, 1.9], [-2.2, 0.3, 1.1, 0.5]])
CUBE = np.random.default_rng(0).standard_normal((2, 3, 4))
Z = X[:2] + 1j * X[1:]
MASK = np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]])
NAN, INF = np.nan, np.inf

AXES = [None, 0, -1, (0, 1), (1,), ()]


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "max", "min"])
@pytest.mark.parametrize("axis", AXES, ids=repr)
def test_axes(name, axis):
    f = getattr(np, name)
    agree(lambda x: f(x, axis=axis), X)
    agree(lambda x: f(x, axis=axis, keepdims=True), X)


@pytest.mark.parametrize("name", ["std", "var"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (1,)], ids=repr)
def test_axes_of_spreads(name, axis):
    f = getattr(np, name)
    agree(lambda x: f(x, axis=axis), CUBE)
    agree(lambda x: f(x, axis=axis, keepdims=True, ddof=1), CUBE)
    agree(lambda x: f(x, axis=axis, correction=0.5), CUBE)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var"])
def test_complex(name):
    f = getattr(np, name)
    agree(lambda z: f(z), Z)
    agree(lambda z: f(z, axis=0), Z)


def test_variance_of_complex_numbers_has_the_gradient_of_jax():
    z = np.array([1 + 2j, -1j, 3.0])
    expected = 2 * np.conj(z - z.mean()) / 3
    np.testing.assert_allclose(gradient(np.var, z), expected)


@pytest.mark.parametrize("name", ["sum", "mean", "std", "var"])
def test_where(name):
    f = getattr(np, name)
    agree(lambda x: f(x, where=MASK), X)
    agree(lambda x: f(x, axis=1, where=MASK, keepdims=True), X)
    agree(lambda x: f(x, axis=0, where=MASK[:, :1]), X)


def test_where_and_initial():
    agree(lambda x: np.sum(x, axis=1, initial=2.0, where=MASK), X)
    agree(lambda x: np.prod(x, axis=1, initial=2.0, where=MASK), X)
    agree(lambda x: np.max(x, axis=1, initial=0.1, where=MASK), X)
    agree(lambda x: np.min(x, axis=1, initial=0.1, where=MASK), X)
    with pytest.raises(ValueError, match="one has to specify 'initial'"):
        gradient(lambda x: np.max(x, where=MASK), X)
    with pytest.raises(ValueError, match="does not broadcast to the array's shape"):
        gradient(lambda x: np.sum(x, where=np.ones((2, 3, 4), bool)), X)


def test_given_mean():
    agree(lambda x: np.var(x, axis=1, mean=np.mean(x, axis=1, keepdims=True)), X)
    agree(lambda x, m: np.std(x, mean=m), X, np.array([[0.3]]))
    agree(lambda z: np.var(z, axis=1, mean=np.mean(z, axis=1, keepdims=True)), Z)


def test_spread_arguments_that_exclude_each_other():
    with pytest.raises(ValueError, match="ddof and correction"):
        gradient(lambda x: np.var(x, ddof=1, correction=1), X)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var"])
def test_dtype(name):
    f = getattr(np, name)
    x = X.astype(np.float32)
    for dtype in (None, np.float64):
        value, pull = tg.vjp(lambda x, dtype=dtype: f(x, axis=0, dtype=dtype), x)
        assert value.dtype == (dtype or np.float32)
        np.testing.assert_allclose(value, f(x, axis=0, dtype=dtype), rtol=1e-5)
        assert pull(np.ones_like(value))[0].dtype == np.float32


def test_the_mean_in_half_precision_sums_in_single():
    x = np.full(1000, 300.0, np.float16)
    value, g = tg.value_and_grad(np.mean)(x)
    assert value == 300
    assert value.dtype == g.dtype == np.float16


def untracked(f, *arrays):
    """The result of a call on recorded arrays, as plain data."""
    seen = []
    tg.grad(
        lambda x: seen.append(f(*(tnp.asarray(a) + (x * 0).astype(a.dtype) for a in arrays))) or x
    )(1.0)
    return seen[0].data


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "max", "std", "all", "any", "argmax"])
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, bool])
def test_integers_and_booleans(name, dtype):
    x = np.array([[3, 0, 1], [2, 2, 5]]).astype(dtype)
    f = getattr(np, name)
    for axis in (None, 1):
        value, expected = untracked(lambda x, axis=axis: f(x, axis=axis), x), f(x, axis=axis)
        assert value.dtype == expected.dtype
        np.testing.assert_array_equal(value, expected)


def test_ties_share_equally():
    x = np.array([2.0, 3.0, 3.0, 1.0, 3.0])
    np.testing.assert_allclose(gradient(np.max, x), [0, 1 / 3, 1 / 3, 0, 1 / 3])
    np.testing.assert_allclose(gradient(np.min, -x), [0, 1 / 3, 1 / 3, 0, 1 / 3])
    tangent = tg.jvp(np.max, (x,), (np.array([9.0, 3.0, 0.0, 9.0, 0.0]),))[1]
    assert tangent == 1.0
    np.testing.assert_array_equal(second(lambda x: np.max(x) ** 2, x, x)[:1], [0.0])


def test_a_nan_maximum_gives_its_cotangent_to_the_nans():
    x = np.array([1.0, NAN, 3.0, NAN])
    np.testing.assert_array_equal(gradient(np.max, x), [0, 0.5, 0, 0.5])


def test_infinite_elements():
    x = np.array([1.0, INF, -INF])
    np.testing.assert_array_equal(gradient(np.max, x), [0, 1, 0])
    np.testing.assert_array_equal(gradient(np.min, x), [0, 0, 1])


def test_product_without_zeros_divides_and_with_zeros_does_not():
    np.testing.assert_allclose(gradient(np.prod, np.array([2.0, 3.0, 4.0])), [12, 8, 6])
    np.testing.assert_array_equal(gradient(np.prod, np.array([2.0, 0.0, 4.0])), [0, 8, 0])
    np.testing.assert_array_equal(gradient(np.prod, np.array([0.0, 0.0, 4.0])), [0, 0, 0])
    np.testing.assert_array_equal(gradient(np.prod, np.array([INF, 2.0])), [2, INF])
    np.testing.assert_array_equal(gradient(np.prod, np.array([5.0])), [1])


def test_product_with_zeros_to_second_order():
    x = np.array([0.0, 2.0, 0.0, 3.0])
    hessian = np.zeros((4, 4))
    hessian[0, 2] = hessian[2, 0] = 6.0  # the product of the other two
    for i, e in enumerate(np.eye(4)):
        np.testing.assert_array_equal(second(np.prod, x, e), hessian[i])
    y = np.array([2.0, 0.0, 3.0])
    expected = np.array([[0, 3, 0], [3, 0, 2], [0, 2, 0]])
    rows = [tg.grad(lambda y, i=i: tg.grad(np.prod)(y)[i])(y) for i in range(3)]
    np.testing.assert_array_equal(rows, expected)
    lanes = tg.vmap(tg.grad(np.prod))(np.stack([y, x[:3]]))
    np.testing.assert_array_equal(lanes, [[0, 6, 0], [0, 0, 0]])


def test_product_over_several_axes_with_zeros():
    x = X.copy()
    x[1, 2] = 0.0
    agree(lambda x: np.prod(x, axis=(1, 0)), x)
    cube = CUBE.copy()
    cube[0, 1, 2] = cube[1, 0, 2] = 0.0
    agree(lambda x: np.prod(x, axis=(0, 1)), cube)
    agree(lambda x: np.prod(x, axis=(0, 2), keepdims=True), cube)


def test_spread_of_constant_data_has_gradient_zero():
    x = np.full(4, 2.5)
    np.testing.assert_array_equal(gradient(np.std, x), np.zeros(4))
    np.testing.assert_array_equal(gradient(np.var, x), np.zeros(4))
    np.testing.assert_array_equal(gradient(lambda x: np.std(x, where=[1, 1, 0, 1]), x), np.zeros(4))
    assert tg.jvp(np.std, (x,), (np.arange(4.0),))[1] == 0
    assert np.isfinite(second(np.std, x, np.arange(4.0))).all()
    rows = np.stack([x, np.arange(4.0)])
    assert np.isfinite(gradient(lambda x: np.std(x, axis=1), rows)).all()


def test_no_degrees_of_freedom():
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"), np.errstate(all="ignore"):
        result = gradient(lambda x: np.var(x, ddof=1), np.array([1.0]))
    assert np.isnan(result).all()


def test_empty_arrays():
    empty = np.zeros((0, 3))
    assert gradient(np.sum, empty).shape == (0, 3)
    assert gradient(np.prod, empty).shape == (0, 3)
    value, pull = tg.vjp(lambda x: np.prod(x, axis=0), empty)
    np.testing.assert_array_equal(value, np.ones(3))
    assert pull(np.ones(3))[0].shape == (0, 3)
    np.testing.assert_array_equal(tg.vjp(lambda x: np.sum(x, axis=0), empty)[0], np.zeros(3))
    for f in (np.max, np.min):
        with pytest.raises(ValueError, match="zero-size array to reduction operation"):
            gradient(f, empty)
        value, pull = tg.vjp(lambda x, f=f: f(x, axis=0, initial=7.0), empty)
        np.testing.assert_array_equal(value, np.full(3, 7.0))
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"), np.errstate(all="ignore"):
        assert gradient(np.mean, empty).shape == (0, 3)


def test_scalars():
    for f in (np.sum, np.prod, np.mean, np.max, np.min):
        assert tg.grad(f)(3.0) == 1
        assert tg.grad(lambda x, f=f: f(x, axis=-1))(3.0) == 1
        assert tg.grad(lambda x, f=f: f(x, axis=()))(3.0) == 1
    assert tg.grad(np.std)(3.0) == 0
    assert tg.grad(np.ptp)(3.0) == 0


@pytest.mark.parametrize("axis", [2, -3, (0, 5)])
def test_axes_out_of_bounds(axis):
    for f in (np.sum, np.mean, np.var, np.max, np.prod, np.all):
        with pytest.raises(np.exceptions.AxisError, match="out of bounds for array of dimension 2"):
            gradient(lambda x, f=f: f(x, axis=axis), X)
    with pytest.raises(ValueError, match="repeated axis"):
        gradient(lambda x: np.sum(x, axis=(0, 0)), X)


def test_out():
    def f(x):
        target = tnp.zeros(4)
        result = np.sum(x, axis=0, out=target)
        assert result is target
        return target * target

    np.testing.assert_allclose(gradient(f, X), np.broadcast_to(2 * X.sum(axis=0), X.shape))
    with pytest.raises(TypeError, match="was to write a traced value into a plain ndarray"):
        gradient(lambda x: np.mean(x, axis=0, out=np.zeros(4)), X)


def test_positions_truth_and_counts_in_vmap():
    x = np.round(CUBE)
    for f in (np.argmax, np.argmin):
        for axis, keepdims in ((None, False), (0, False), (1, True), (None, True)):
            call = partial(f, axis=axis, keepdims=keepdims)
            np.testing.assert_array_equal(tg.vmap(call)(x), [call(y) for y in x])
    for f in (np.all, np.any, np.count_nonzero):
        for axis in (None, 0, (0, 1)):
            call = partial(f, axis=axis)
            np.testing.assert_array_equal(tg.vmap(call)(x), [call(y) for y in x])
    masked = tg.vmap(lambda x: np.any(x, axis=1, where=x > 0))(x)
    np.testing.assert_array_equal(masked, [np.any(y, axis=1, where=y > 0) for y in x])


def test_ptp():
    agree(lambda x: np.ptp(x, axis=1), X)
    agree(lambda x: np.ptp(x, axis=(0, 1), keepdims=True), X)


def test_average():
    w = np.array([0.3, 1.2, 0.5, 0.9])
    agree(lambda x: np.average(x, axis=0), X)
    agree(lambda x, w: np.average(x, axis=1, weights=w), X, w)
    agree(lambda x, w: np.average(x, weights=w, returned=True), X, X * X)
    agree(lambda x, w: np.average(x, axis=-1, weights=w, returned=True, keepdims=True), X, w)
    agree(lambda x, w: np.average(x, axis=(2, 0), weights=w), CUBE, np.abs(CUBE[:, 0].T))
    agree(lambda w: np.average(np.arange(4), weights=w), w)
    with pytest.raises(ZeroDivisionError, match="Weights sum to zero"):
        gradient(lambda w: np.average(X, axis=0, weights=w), np.zeros(3))
    with pytest.raises(TypeError, match="Axis must be specified"):
        gradient(lambda w: np.average(X, weights=w), w)
    with pytest.raises(ValueError, match="Shape of weights must be consistent"):
        gradient(lambda w: np.average(X, axis=0, weights=w), w)


HOLES = X.copy()
HOLES[0, 1] = HOLES[2, 3] = HOLES[2, 0] = NAN


@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin"]
)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_nan_is_left_out(name, axis):
    f = getattr(np, name)
    value, pull = tg.vjp(lambda x: f(x, axis=axis), HOLES)
    np.testing.assert_allclose(value, f(HOLES, axis=axis), rtol=1e-14)
    (g,) = pull(np.ones_like(value))
    assert (g[np.isnan(HOLES)] == 0).all()
    h = 1e-6
    rng = np.random.default_rng(0)
    t = rng.standard_normal(X.shape)
    difference = (f(HOLES + h * t, axis=axis) - f(HOLES - h * t, axis=axis)) / (2 * h)
    np.testing.assert_allclose(np.sum(g * t), np.sum(difference), rtol=1e-6)
    np.testing.assert_allclose(
        tg.jvp(lambda x: f(x, axis=axis), (HOLES,), (t,))[1], difference, rtol=1e-6
    )
    assert np.isfinite(second(lambda x: f(x, axis=axis), HOLES, t)).all()
    lanes = tg.vmap(tg.grad(lambda x: np.sum(f(x, axis=axis))))(np.stack([HOLES, X]))
    np.testing.assert_allclose(lanes, [g, gradient(lambda x: f(x, axis=axis), X)], atol=1e-15)


@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin"]
)
def test_nan_functions_without_nan(name):
    f = getattr(np, name)
    agree(lambda x: f(x, axis=1), X)
    agree(lambda x: f(x, axis=(0, 1), keepdims=True), X)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nanmean", "Mean of empty slice"),
        ("nanvar", "Degrees of freedom <= 0"),
        ("nanstd", "Degrees of freedom <= 0"),
        ("nanmax", "All-NaN"),
        ("nanmedian", "All-NaN"),
    ],
)
def test_slices_of_nan_alone(name, message):
    f = getattr(np, name)
    x = np.array([[NAN, NAN], [1.0, 3.0]])
    with pytest.warns(RuntimeWarning, match=message):
        value, pull = tg.vjp(lambda x: f(x, axis=1), x)
    assert np.isnan(value[0])
    assert not np.isnan(value[1])
    (g,) = pull(np.ones(2))
    np.testing.assert_array_equal(g[0], [0, 0])
    assert np.isfinite(g).all()


def test_positions_that_leave_nan_out():
    def f(x):
        assert np.nanargmax(x) == 2
        assert np.nanargmin(x, axis=1).shape == (3,)
        return x

    gradient(f, HOLES)
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        gradient(lambda x: x[np.nanargmax(x)], np.array([NAN]))


def test_reduce_of_ufuncs():
    agree(lambda x: np.add.reduce(x, axis=1), X)
    agree(lambda x: np.multiply.reduce(x, axis=(0, 1)), X)
    agree(lambda x: np.maximum.reduce(x), X)
    agree(lambda x: np.logaddexp.reduce(x, axis=1), X)
