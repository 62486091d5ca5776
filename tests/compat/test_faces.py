"""Where the NumPy and SciPy faces are autograd's and not ours: `eigh`, `where`, `convolve`, ..."""

import numpy as onp
import pytest
import scipy.integrate
import scipy.signal

import tapegrad.compat.autograd as ag
import tapegrad.compat.autograd.numpy as np
from tapegrad.compat.autograd.numpy.numpy_vjps import unbroadcast, unbroadcast_f
from tapegrad.compat.autograd.scipy.integrate import odeint
from tapegrad.compat.autograd.scipy.signal import convolve
from tapegrad.compat.autograd.test_util import check_grads, combo_check

normal = onp.random.default_rng(0).normal


def test_names_are_attributes():
    # looked up in every iteration of a user's loop: not found by __getattr__
    assert {"sin", "array", "pi", "float64", "linalg", "newaxis", "inf"} <= vars(np).keys()
    assert np.__version__ == onp.__version__


def test_where_of_python_values():
    assert type(np.where(True, 1, 2)) is int
    assert np.where(False, [1, 2], [3.0, 4.0]) == [3.0, 4.0]
    assert np.where(condition=[True, False], x=onp.ones(2), y=onp.zeros(2)).tolist() == [1.0, 0.0]
    assert np.where([True, False])[0].tolist() == [0]
    check_grads(lambda x: np.where(x > 0, x**2, 0.0))(normal(size=3))


def test_make_diagonal():
    rows = normal(size=(2, 3))
    matrices = np.make_diagonal(rows, axis1=-1, axis2=-2)
    onp.testing.assert_array_equal(matrices[1], onp.diag(rows[1]))
    check_grads(lambda x: np.make_diagonal(x, axis1=-1, axis2=-2))(rows)
    with pytest.raises(ValueError, match="make_diagonal only supports"):
        np.make_diagonal(rows)


@pytest.mark.parametrize("triangle", ["L", "U"])
@pytest.mark.parametrize("complex_part", [0.0, 1j])
def test_gradient_of_eigh_is_in_the_triangle_it_reads(triangle, complex_part):
    x = normal(size=(4, 4)) + complex_part * normal(size=(4, 4))

    def values(x):
        return np.linalg.eigh(x, triangle)[0]

    def projector(x):
        vector = np.linalg.eigh(x, triangle)[1][:, 0]
        return np.abs(np.outer(vector, np.conj(vector)))

    gradient = ag.grad(lambda x: np.sum(values(x) ** 3))(x)
    unread = onp.triu(gradient, 1) if triangle == "L" else onp.tril(gradient, -1)
    assert not unread.any()
    check_grads(values)(x)
    check_grads(projector)(x)


def test_unbroadcast():
    assert unbroadcast(onp.ones((4, 2, 3)), onp.ones((2, 1))).tolist() == [[12.0], [12.0]]
    assert unbroadcast(onp.ones((2, 3)), 1.0) == 6.0
    assert unbroadcast(onp.ones(2) * 1j, onp.ones(2)).tolist() == [0.0, 0.0]
    assert unbroadcast_f(onp.ones(1), lambda g: g * onp.ones(5))(2.0).tolist() == [10.0]


# Convolution


@pytest.mark.parametrize("mode", ["full", "valid", "same"])
@pytest.mark.parametrize("sizes", [((6,), (3,)), ((3,), (6,)), ((4, 6), (2, 3)), ((4, 5), (3, 1))])
def test_convolution_along_all_axes(mode, sizes):
    a, b = (normal(size=size) for size in sizes)
    onp.testing.assert_allclose(
        convolve(a, b, mode=mode), scipy.signal.convolve(a, b, mode), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("mode", ["full", "valid", "same"])
def test_convolution_of_some_axes_and_sums_over_others(mode):
    images, filters = normal(size=(2, 3, 5, 4)), normal(size=(3, 4, 2, 3))
    out = convolve(images, filters, ([2, 3], [2, 3]), ([1], [0]), mode)
    expected = onp.array(
        [
            [
                sum(scipy.signal.convolve(images[i, k], filters[k, j], mode) for k in range(3))
                for j in range(4)
            ]
            for i in range(2)
        ]
    )
    onp.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-13)
    swapped = convolve(filters, images, ([2, 3], [2, 3]), ([0], [1]), mode)
    if mode != "same":
        onp.testing.assert_allclose(swapped.swapaxes(0, 1), expected, rtol=1e-12, atol=1e-13)


def test_convolution_has_derivatives():
    combo_check(convolve, [0, 1])(
        [normal(size=(4, 3))],
        [normal(size=(3, 2))],
        axes=[([0], [0]), ([1], [0]), ([1, 0], [1, 0])],
        mode=["full", "valid", "same"],
    )


def test_convolution_without_axes_is_a_product():
    a, b = normal(size=(3, 5)), normal(size=(3, 4))
    onp.testing.assert_allclose(convolve(a, b, ([], []), ([0], [0])), a.T @ b)


def test_wrong_convolutions_raise():
    a, b = onp.ones((3, 2)), onp.ones((2, 3))
    with pytest.raises(ValueError, match="Mode other undefined"):
        convolve(a, b, mode="other")
    with pytest.raises(ValueError, match="One array must be larger"):
        convolve(a, b, mode="valid")
    with pytest.raises(ValueError, match="the summed axes differ in size"):
        convolve(a, b, ([1], [1]), ([0], [0]))


# Differential equations


def decay(y, t, rate, shift):
    return -rate * y + shift * np.sin(t)


TIMES = onp.linspace(0.1, 0.7, 5)
START = onp.array([1.0, -0.5])


def decayed(y0, t, rate, shift):
    """The solution in closed form."""

    def driven(t):
        return shift * (rate * np.sin(t) - np.cos(t)) / (1 + rate**2)

    apart = np.expand_dims(t - t[0], 1)
    return (y0 - driven(t[0])) * np.exp(-rate * apart) + driven(np.expand_dims(t, 1))


def test_solution_and_its_derivatives():
    params = (onp.array([0.5, 2.0]), 0.3)
    out = odeint(decay, START, TIMES, params)
    onp.testing.assert_array_equal(out, scipy.integrate.odeint(decay, START, TIMES, params))

    def solved(y0, t, rate, shift):
        return odeint(decay, y0, t, (rate, shift), rtol=1e-11, atol=1e-11)

    at = (START, TIMES, *params)
    weights = onp.cos(onp.arange(10.0)).reshape(5, 2)

    def gradient(f, i):
        return ag.grad(lambda *args: np.sum(weights * f(*args)), i)

    def of_gradient(f, i):
        return ag.grad(lambda *args: np.sum(gradient(f, 2)(*args) ** 2), i)

    onp.testing.assert_allclose(solved(*at), decayed(*at), rtol=1e-9)
    for i in range(4):
        for derivative, tolerance in ((gradient, 1e-9), (of_gradient, 1e-8)):
            ours, exact = (derivative(f, i)(*at) for f in (solved, decayed))
            onp.testing.assert_allclose(ours, exact, rtol=tolerance, atol=tolerance)

    def last(rate):
        return odeint(lambda y, t, rate: -rate * y, START, TIMES, (rate,), rtol=1e-10)[-1, 0]

    rate, span = 0.8, TIMES[-1] - TIMES[0]
    assert ag.grad(last)(rate) == pytest.approx(-span * onp.exp(-span * rate), rel=1e-6)
    assert ag.grad(ag.grad(last))(rate) == pytest.approx(span**2 * onp.exp(-span * rate), rel=1e-5)


def test_constants_made_inside_and_changed_later():
    def f(x):
        eye = np.eye(2)
        ones = np.ones(2)
        left, right = x[0] * eye, ones * x[1]
        eye[0, 0] = 5.0
        ones[1] = 7.0
        return np.sum(left * eye) + np.sum(x * ones * right)

    x = onp.array([2.0, 3.0])
    assert f(x) == pytest.approx(2 * 5 + 2 + 2 * 3 + 3 * 7 * 3)
    onp.testing.assert_allclose(ag.grad(f)(x), [6.0 + 3.0, 2.0 + 42.0])
    check_grads(f)(x)
