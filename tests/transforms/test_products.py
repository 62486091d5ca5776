"""`hvp`, `vhp`, `hessian_diag`, `ggnvp` and `elementwise_grad`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp

X = np.array([0.3, -0.2, 1.1, 0.7])
V = np.array([1.0, 2.0, -0.5, 0.25])


def f(x):
    return tnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


H = np.array(tg.hessian(f)(X))


@pytest.mark.parametrize("product", [tg.hvp, tg.vhp])
def test_products_are_the_hessian_times_a_vector(product):
    assert_allclose(product(f, X, V), H @ V, rtol=1e-12)
    (alone,) = product(f, (X,), (V,))
    assert_allclose(alone, H @ V, rtol=1e-12)


@pytest.mark.parametrize("product", [tg.hvp, tg.vhp])
def test_products_of_trees_and_several_arguments(product):
    def g(p, y):
        return p["a"] ** 2 * p["b"] * y

    result = product(g, ({"a": 2.0, "b": 3.0}, 5.0), ({"a": 1.0, "b": 10.0}, 100.0))
    assert result == ({"a": 30.0 + 200.0 + 1200.0, "b": 20.0 + 400.0}, 12.0 + 40.0)


@pytest.mark.parametrize("product", [tg.hvp, tg.vhp])
def test_products_inside_other_transforms(product):
    lanes = tg.vmap(lambda v: product(f, X, v))(np.eye(4))
    assert_allclose(lanes, H, rtol=1e-12)
    # the gradient of v H v is the third derivative along v twice
    gradient = tg.grad(lambda x: tnp.sum(product(f, x, V) * V))(X)
    expected = np.einsum("ijk,j,k->i", tg.jacobian(tg.hessian(f))(X), V, V)
    assert_allclose(gradient, expected, rtol=1e-10)


@pytest.mark.parametrize("product", [tg.hvp, tg.vhp])
def test_shapes_are_checked(product):
    name = product.__name__
    with pytest.raises(ValueError, match=f"{name}: .* must have shape"):
        product(f, X, V[:2])
    with pytest.raises(TypeError, match=f"{name}: .* must be a tuple with one entry an argument"):
        product(f, (X,), V)
    with pytest.raises(TypeError, match="needs a function with a scalar result"):
        product(tnp.sin, X, V)


def test_the_gauss_newton_product_speaks_for_itself():
    with pytest.raises(TypeError, match="ggnvp needs a function with a scalar result"):
        tg.ggnvp(tnp.sin, tnp.sin, X, V)
    with pytest.raises(ValueError, match=r"ggnvp: .* must have shape"):
        tg.ggnvp(tnp.sin, tnp.sum, X, V[:2])


@pytest.mark.parametrize("chunk_size", [None, 1, 3, 9])
def test_diagonal(chunk_size):
    assert_allclose(tg.hessian_diag(f, X, chunk_size=chunk_size), np.diag(H), rtol=1e-12)
    p = {"a": X[:2], "b": [X[2:].reshape(2, 1)]}
    result = tg.hessian_diag(
        lambda p: f(tnp.concatenate([p["a"], p["b"][0].ravel()])), p, chunk_size=chunk_size
    )
    assert_allclose(result["a"], np.diag(H)[:2], rtol=1e-12)
    assert_allclose(result["b"][0], np.diag(H)[2:].reshape(2, 1), rtol=1e-12)
    with pytest.raises(ValueError, match="hessian_diag: chunk_size must be at least 1, not 0"):
        tg.hessian_diag(f, X, chunk_size=0)


def test_diagonal_of_scalars_constants_and_inside_transforms():
    assert tg.hessian_diag(lambda x: x**3, 2.0) == 12.0
    assert tg.hessian_diag(lambda x, y: x**3 * y, (2.0, 5.0)) == (60.0, 0.0)
    assert_allclose(tg.hessian_diag(lambda x: x.sum(), X), np.zeros(4))
    assert tg.hessian_diag(lambda x: x.sum(), np.zeros(0)).shape == (0,)
    third = tg.grad(lambda x: tnp.sum(tg.hessian_diag(lambda x: (x**3).sum(), x)))(X)
    assert_allclose(third, np.full(4, 6.0))
    assert tg.hessian_diag(lambda x: (x**3).sum(), X.astype(np.float32)).dtype == np.float32


def test_gauss_newton():
    a = np.arange(12.0).reshape(3, 4) / 10

    def model(x):
        return tnp.tanh(a @ x)

    def loss(y):
        return tnp.sum(y**4)

    jacobian = tg.jacobian(model)(X)
    expected = jacobian.T @ np.diag(12 * np.tanh(a @ X) ** 2) @ jacobian @ V
    assert_allclose(tg.ggnvp(model, loss, X, V), expected, rtol=1e-12)
    (alone,) = tg.ggnvp(model, loss, (X,), (V,))
    assert_allclose(alone, expected, rtol=1e-12)


def test_gauss_newton_of_a_linear_model_is_the_hessian():
    a = np.arange(12.0).reshape(3, 4) / 10
    expected = tg.hvp(lambda x: tnp.sum(tnp.exp(a @ x)), X, V)
    assert_allclose(tg.ggnvp(lambda x: a @ x, lambda y: tnp.sum(tnp.exp(y)), X, V), expected)


def test_elementwise_grad():
    assert_allclose(tg.elementwise_grad(tnp.tanh)(X), 1 - np.tanh(X) ** 2)
    second = tg.elementwise_grad(tg.elementwise_grad(tnp.tanh))(X)
    assert_allclose(second, -2 * np.tanh(X) * (1 - np.tanh(X) ** 2))
    assert_allclose(tg.elementwise_grad(lambda x, y: x * y * y, 1)(X, V), 2 * X * V)
    assert_allclose(tg.elementwise_grad(lambda x, k: x**k, (0,))(X, k=2)[0], 2 * X)
    assert tg.elementwise_grad(tnp.sin)(np.ones((2, 0))).shape == (2, 0)
    z = np.array([1 + 2j])
    assert_allclose(tg.elementwise_grad(lambda z: z**3)(z), 3 * z**2)
