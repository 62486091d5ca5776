"""`normal_exponent`: values and derivatives of every order against what it is composed of."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.ops import lapack
from tapegrad.ops.gaussian import normal_exponent

N = 4
rng = np.random.default_rng(0)
factors = rng.normal(size=(3, N, N))
vectors = rng.normal(size=(3, N))


def matrix(b):
    return b @ tnp.swapaxes(b, -1, -2) + tnp.eye(N)


def value(d, b):
    return normal_exponent(d, matrix(b))


def composed(d, b):
    a = matrix(b)
    square = tnp.sum(d * tnp.linalg.solve(a, d.T).T, axis=-1)
    return -0.5 * (square + tnp.linalg.slogdet(a)[1])


@pytest.mark.parametrize("d", [vectors[0], vectors])
def test_value_and_derivatives(d):
    b = factors[0]
    np.testing.assert_allclose(value(d, b), composed(d, b), rtol=1e-14)
    tg.check_grads(value, (d, b))
    np.testing.assert_allclose(
        tg.hessian(lambda b: tnp.sum(value(d, b)))(b),
        tg.hessian(lambda b: tnp.sum(composed(d, b)))(b),
        rtol=1e-10,
        atol=1e-12,
    )


def test_gradient_is_symmetric():
    g = tg.grad(normal_exponent, 1)(vectors[0], matrix(factors[0]))
    np.testing.assert_array_equal(g, g.T)
    solved = np.linalg.solve(matrix(factors[0]), vectors[0])
    inverse = np.linalg.inv(matrix(factors[0]))
    np.testing.assert_allclose(g, 0.5 * (np.outer(solved, solved) - inverse), rtol=1e-12)


@pytest.mark.parametrize("n", [lapack.BLOCK, 2 * lapack.BLOCK + 3])
def test_gradient_of_a_large_matrix(n):
    d, b = rng.normal(size=(2, n)), rng.normal(size=(n, n))
    a = b @ b.T / n + np.eye(n)
    weights = np.array([2.0, -0.5])
    g_d, g_a = tg.grad(lambda d, a: tnp.sum(weights * normal_exponent(d, a)), (0, 1))(d, a)
    solved = np.linalg.solve(a, d.T)
    np.testing.assert_allclose(g_d, -weights[:, None] * solved.T, rtol=1e-10, atol=1e-13)
    expected = 0.5 * ((solved * weights) @ solved.T - 1.5 * np.linalg.inv(a))
    np.testing.assert_allclose(g_a, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("axes", [(0, 0), (None, 0), (0, None)])
def test_vmap(axes):
    args = [x if axis == 0 else x[0] for x, axis in zip((vectors, factors), axes, strict=True)]
    rows = [
        [x[i] if axis == 0 else x for x, axis in zip(args, axes, strict=True)] for i in range(3)
    ]
    np.testing.assert_allclose(tg.vmap(value, axes)(*args), [value(*row) for row in rows])
    pulled = tg.vmap(tg.grad(value, (0, 1)), axes)(*args)
    for k in range(2):
        expected = [tg.grad(value, (0, 1))(*row)[k] for row in rows]
        np.testing.assert_allclose(pulled[k], expected, rtol=1e-12, atol=1e-14)


def test_a_stack_of_matrices_has_a_stack_of_vectors_for_each():
    stacked = normal_exponent(np.stack([vectors] * 3), matrix(factors))
    np.testing.assert_allclose(stacked, [value(vectors, b) for b in factors], rtol=1e-14)


def test_single_precision_stays():
    d, a = vectors.astype(np.float32), matrix(factors[0]).astype(np.float32)
    assert normal_exponent(d, a).dtype == np.float32
    pulled = tg.grad(lambda d, a: tnp.sum(normal_exponent(d, a)), (0, 1))(d, a)
    assert [g.dtype for g in pulled] == [np.float32, np.float32]


def test_a_matrix_that_is_not_positive_raises():
    for function in (normal_exponent, tg.grad(normal_exponent)):
        with pytest.raises(np.linalg.LinAlgError, match="Matrix is not positive definite"):
            function(vectors[0], -np.eye(N))
