"""Odd calls of NumPy that give something, and must give the same here: no axes, no elements,
infinite elements, precisions that are asked for."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg

from .agreement import OLDER

SCALAR = np.float64(-1.3)

WITHOUT_AXES = {
    "take": lambda x: np.take(x, [0, -1, 0], axis=0),
    "compress": lambda x: np.compress([True], x, axis=-1),
    "repeat": lambda x: np.repeat(x, 2, axis=0),
    "repeat counts": lambda x: np.repeat(x, [3], axis=-1),
    "squeeze": lambda x: np.squeeze(x, axis=0),
}


@pytest.mark.parametrize("f", WITHOUT_AXES.values(), ids=WITHOUT_AXES)
def test_a_number_is_selected_from_as_a_vector_of_one_element(f):
    expected = f(SCALAR)
    out, pull = tg.vjp(f, SCALAR)
    np.testing.assert_array_equal(out, expected)
    assert out.shape == expected.shape
    assert pull(np.ones(out.shape)[()])[0] == out.size


@pytest.mark.parametrize("f", [lambda x: np.take(x, 0, axis=1), lambda x: np.squeeze(x, 1)])
def test_but_it_has_no_second_axis(f):
    with pytest.raises(np.exceptions.AxisError, match="axis 1 is out of bounds"):
        tg.vjp(f, SCALAR)


WITHOUT_ELEMENTS = {
    "partition": (lambda x: np.partition(x, 0), (3, 0)),
    "partition places": (lambda x: np.partition(x, (0, 1), axis=0), (0, 3)),
    "nanquantile": (lambda x: np.nanquantile(x, [0.2, 0.9], axis=0), (3, 0)),
    "nanquantile over nothing": (lambda x: np.nanquantile(x, 0.5, axis=0), (0, 4)),
    "matrix_rank": (lambda x: np.linalg.matrix_rank(x) * np.sum(x), (0, 4)),
}
if OLDER:  # NumPy itself raises
    del WITHOUT_ELEMENTS["matrix_rank"]


@pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning")
@pytest.mark.parametrize(("f", "shape"), WITHOUT_ELEMENTS.values(), ids=WITHOUT_ELEMENTS)
def test_of_no_elements_there_is_what_numpy_gives(f, shape):
    expected = f(np.zeros(shape))
    out, pull = tg.vjp(f, np.zeros(shape))
    np.testing.assert_array_equal(out, expected)
    assert out.shape == expected.shape
    assert pull(np.ones(out.shape)[()])[0].shape == shape


@pytest.mark.parametrize("q", [0, 1, [0, 1]])
@pytest.mark.parametrize("f", [np.quantile, np.nanquantile])
def test_a_whole_quantile_may_be_infinite(f, q):
    x = np.array([1.0, np.inf, -2.0])
    out, pull = tg.vjp(lambda x: f(x, q), x)
    np.testing.assert_array_equal(out, np.array([-2.0, np.inf])[q])  # NaN before NumPy 2.4
    expected = {"0": [0, 0, 1], "1": [0, 1, 0], "[0, 1]": [0, 1, 1]}[str(q)]
    np.testing.assert_array_equal(pull(np.ones(out.shape)[()])[0], expected)


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
@pytest.mark.parametrize("hole", [np.inf, np.nan])
def test_odd_reflection_spreads_no_hole_further_than_numpys(hole, mode):
    x = np.array([1.0, 4.0, hole, 9.0, -2.0])
    for width in (2, (0, 3), 4):

        def pad(x, width=width):
            return np.pad(x, width, mode, reflect_type="odd")

        out, pull = tg.vjp(pad, x)
        np.testing.assert_array_equal(out, pad(x))
        finite = np.isfinite(out)
        slope = pull(finite.astype(float))[0]
        other = np.where(np.isfinite(x), x, 0.0)
        steps = [np.sum((pad(other + e) - pad(other - e))[finite]) / 2 for e in np.eye(5)]
        np.testing.assert_allclose(slope, steps)


def test_a_reduction_of_one_element_starts_from_the_identity():
    assert tg.value_and_grad(np.hypot.reduce)(np.array([-2.0])) == (2.0, [-1.0])


@pytest.mark.parametrize("f", [np.std, np.var])
@pytest.mark.parametrize("dtype", [complex, np.complex64])
def test_a_complex_spread_of_real_numbers(f, dtype):
    x = np.array([[0.5, 2.0, 1.0], [3.0, -1.0, 0.25]])
    for options in ({}, {"axis": 0, "keepdims": True}, {"axis": 1, "where": x > 0}):
        expected = f(x, dtype=dtype, **options)
        out, pull = tg.vjp(lambda x, o=options: f(x, dtype=dtype, **o), x)
        np.testing.assert_allclose(out, expected, rtol=1e-6)
        assert out.dtype == expected.dtype
        assert pull(np.ones_like(out))[0].dtype == float
