"""`r_` and `c_`: NumPy's results on recorded arrays, and their derivatives."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

x = np.array([1.0, 2.0])
matrix = np.arange(6.0).reshape(3, 2)

CASES = [
    lambda x: tnp.r_[x, 1, x],
    lambda x: tnp.r_[x[0], 3.0, 0:5, x],
    lambda x: tnp.r_[[x[0], 2.0], x, -1:1:6j],
    lambda x: tnp.r_["0,2", x, x],
    lambda x: tnp.r_["0,2,0", x, x],
    lambda x: tnp.r_["1,3,1", x, x],
    lambda x: tnp.r_["-1,3,0", x, x],
    lambda x: tnp.r_["0,2", matrix, x],
    lambda x: tnp.c_[x, x],
    lambda x: tnp.c_[x, [3, 4]],
    lambda x: tnp.c_[matrix, tnp.r_[x, x[0]]],
]


@pytest.mark.parametrize("function", CASES)
def test_joins_as_numpy_does(function):
    joined, expected = tg.vjp(function, x)[0], function(x)
    assert joined.dtype == expected.dtype
    np.testing.assert_array_equal(joined, expected, strict=True)
    tg.check_grads(function, (x,))


def test_a_python_number_does_not_widen():
    single = x.astype(np.float32)
    assert tg.vjp(lambda x: tnp.r_[x, 1.0], single)[0].dtype == np.float32
    assert tg.grad(lambda x: tnp.c_[x, x].sum())(single).dtype == np.float32


def test_matrices_are_refused():
    with pytest.raises(ValueError, match="'r' gives a matrix"):
        tg.grad(lambda x: tnp.r_["r", x].sum())(x)


def test_conversion_to_integers_loses_no_derivative():
    assert tg.grad(lambda x: np.int64(x) * x)(2.5) == 2.0
    assert tg.grad(lambda x: np.asarray(x, dtype=int).sum() * x[0])(x).tolist() == [3.0, 0.0]
    with pytest.raises(TypeError, match="take a traced value off the tape"):
        tg.grad(lambda x: np.float64(x) * x)(2.5)
