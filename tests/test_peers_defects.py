"""What other libraries were seen to get wrong, each with the right value.

Found by running PyTorch, JAX, autograd, MyGrad, MLX, Chainer, tinygrad and Riemann side by side.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

both = pytest.mark.parametrize("xp", [np, tnp], ids=["numpy", "tapegrad.numpy"])


def gradient(f, x):
    return tg.grad(lambda x: np.sum(f(x)))(np.asarray(x, dtype=float))


def close(actual, expected, rtol=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=1e-12)


@both
def test_det_of_a_singular_matrix_has_its_adjugate(xp):
    close(gradient(xp.linalg.det, [[1, 2], [2, 4]]), [[4, -2], [-2, 1]])


@both
def test_ldexp_with_negative_integer_exponents(xp):
    close(gradient(lambda x: xp.ldexp(x, np.array([-2, 3])), [1, 1]), [0.25, 8])


@both
def test_vander_goes_backwards(xp):
    close(gradient(xp.vander, [1, 2, 3]), [3, 5, 7])  # the derivative of x**2 + x + 1


@both
def test_sets_of_values_are_differentiated(xp):
    x = [3.0, 1.0, 3.0]
    close(gradient(lambda x: xp.unique(x) ** 2, x), [6, 2, 0])  # of equal elements, the first
    close(gradient(lambda x: xp.unique_values(x) ** 2, x), [6, 2, 0])
    close(gradient(lambda x: xp.union1d(x, np.array([1.0, 5.0])) ** 2, x), [6, 2, 0])


def test_full_gives_every_element_its_own_gradient():
    weights = np.arange(6.0).reshape(2, 3)
    close(gradient(lambda v: tnp.full((2, 3), v) * weights, [7, 8, 9]), [3, 5, 7])
    close(gradient(lambda v: tnp.full_like(weights, v) * weights, [7, 8, 9]), [3, 5, 7])


def test_nested_gradients_in_eight_threads():
    def third(x):
        return tg.grad(tg.grad(tg.grad(lambda y: np.sin(y) * y)))(x)

    points = np.linspace(-1.0, 1.0, 240)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(third, points))
    close(results, -3 * np.sin(points) - points * np.cos(points))


@both
def test_smooth_functions_at_zeros(xp):
    close(gradient(xp.prod, [2, 0, 3]), [0, 6, 0])
    close(gradient(xp.cumprod, [2, 0, 3]), [1, 8, 0])
    close(gradient(xp.sinc, [0]), [0])


@both
def test_equal_singular_values(xp):
    close(gradient(lambda x: xp.linalg.svd(x, compute_uv=False), np.eye(3)), np.eye(3))
    close(gradient(lambda x: xp.linalg.norm(x, "nuc"), 2 * np.eye(2)), np.eye(2))


@both
def test_linspace_and_the_remainder(xp):
    close(gradient(lambda x: xp.linspace(x[0], x[1], 5), [0, 1]), [2.5, 2.5])
    close(gradient(lambda x: xp.divmod(x, 2.0)[1], [3.5]), [1])
    close(gradient(lambda y: xp.divmod(7.5, y)[1], [2]), [-3])


@both
def test_pad_by_reflection_adds_up(xp):
    close(gradient(lambda x: xp.pad(x, (2, 1), mode="reflect"), [1, 2, 3]), [1, 3, 2])


@both
def test_tied_maxima_share(xp):
    close(gradient(xp.max, [3, 1, 3]), [0.5, 0, 0.5])


@pytest.mark.parametrize("shape", [(3, 3), (4, 2)])
def test_qr_of_square_and_tall_matrices(shape):
    x = np.random.default_rng(0).standard_normal(shape)
    tg.check_grads(lambda x: tnp.linalg.qr(x), (x,), order=2)


def test_second_derivative_of_eigenvalues():
    x = np.array([[2.0, 0.3, 0.1], [0.2, -1.0, 0.4], [0.5, 0.1, 0.7]])
    tg.check_grads(lambda x: tnp.real(tnp.linalg.eigvals(x)), (x,), order=2)


def test_a_change_in_place_after_use():
    def f(x):
        y = x * 1.0
        z = y * y
        y *= 4.0
        return np.sum(z)

    close(tg.grad(f)(np.array([1.0, 2.0, 3.0])), [2, 4, 6])


def test_plain_numpy_keeps_the_tape():
    close(gradient(np.sin, [0.5]), np.cos([0.5]))
    close(gradient(lambda x: np.dot(np.eye(2), x), [1, 2]), [1, 1])  # a constant first


@pytest.mark.parametrize("transform", [tg.grad, tg.jacfwd, tg.jacrev], ids=lambda t: t.__name__)
def test_the_branch_not_taken(transform):
    def f(x):
        return tnp.where(x >= 0, x, tnp.sqrt(-x))

    with np.errstate(invalid="ignore"):
        assert transform(f)(1.0) == 1.0
        assert transform(f)(-4.0) == -0.25
        assert transform(transform(f))(1.0) == 0.0


def test_vmap_of_moveaxis_and_column_stack():
    x = np.arange(24.0).reshape(2, 3, 4)
    close(tg.vmap(lambda x: np.moveaxis(x, 0, -1))(x), np.moveaxis(x, 1, -1))
    close(
        tg.vmap(lambda x: np.column_stack([x, x]))(x),
        np.stack([np.column_stack([r, r]) for r in x]),
    )


def test_vmap_of_masks():
    x = np.array([[1.0, -2.0], [-3.0, 4.0]])

    def clipped(x):
        y = x * 2.0
        y[y < 0] = 0.0
        return y

    close(tg.vmap(clipped)(x), [[2, 0], [0, 8]])
    close(tg.vmap(tg.grad(lambda x: np.sum(clipped(x))))(x), [[2, 0], [0, 2]])
    with pytest.raises(tg.errors.ConcretizationError, match="differs between the lanes"):
        tg.vmap(lambda x: x[x > 0])(x)  # a length for each lane
