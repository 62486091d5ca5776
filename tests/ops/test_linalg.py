"""Linear algebra at the edges: singular matrices, zero vectors, empty arrays."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops.determinant import (
    cofactors,
    det,
    products_but_one,
    products_but_two,
    slogdet,
)
from tapegrad.ops.factorise import cholesky
from tapegrad.ops.linalg import inv, solve
from tapegrad.ops.matrices import shared_solve
from tapegrad.ops.norm import length

SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def test_the_gradient_of_det_is_the_adjugate_also_where_it_is_zero():
    np.testing.assert_allclose(tg.grad(det)(SINGULAR), [[4.0, -2.0], [-2.0, 1.0]], atol=1e-14)
    deficient = np.diag([2.0, 3.0, 0.0])
    np.testing.assert_allclose(tg.grad(det)(deficient), np.diag([0.0, 0.0, 6.0]), atol=1e-14)
    np.testing.assert_array_equal(tg.grad(det)(np.diag([2.0, 0.0, 0.0])), np.zeros((3, 3)))
    np.testing.assert_array_equal(tg.grad(det)(np.zeros((1, 1))), [[1.0]])


@pytest.mark.parametrize("x", [SINGULAR, np.zeros((2, 2)), np.eye(2)])
def test_the_hessian_of_a_small_det_is_constant(x):
    hessian = tg.jacfwd(tg.jacrev(det))(x).reshape(4, 4)
    expected = [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]]
    np.testing.assert_allclose(hessian, expected, atol=1e-13)
    np.testing.assert_allclose(tg.jacrev(tg.jacrev(det))(x).reshape(4, 4), expected, atol=1e-13)


def test_the_hessian_of_det_with_two_zero_singular_values():
    x = np.diag([5.0, 0.0, 0.0])
    hessian = tg.jacfwd(tg.jacrev(det))(x)
    assert hessian[1, 1, 2, 2] == pytest.approx(5.0)
    assert hessian[1, 2, 2, 1] == pytest.approx(-5.0)
    assert np.abs(hessian).sum() == pytest.approx(20.0)


def test_the_third_derivative_of_det_needs_a_regular_matrix():
    def diagonal(d):
        return det(np.eye(3) * d)

    third = tg.grad(lambda d: tg.grad(lambda d: tg.grad(diagonal)(d))(d))
    assert third(2.0) == pytest.approx(6.0)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        third(0.0)


def test_det_in_a_stack_with_a_singular_matrix():
    stack = np.stack([np.eye(2), SINGULAR])
    _, pull = tg.vjp(det, stack)
    (g,) = pull(np.ones(2))
    np.testing.assert_allclose(g, [np.eye(2), [[4, -2], [-2, 1]]], atol=1e-14)


def test_cofactors_of_complex_singular_matrices():
    x = np.array([[1j, 2.0], [1.0, -2j]])
    np.testing.assert_allclose(cofactors(x), [[-2j, -1.0], [-2.0, 1j]], atol=1e-14)


def test_products_without_some():
    s = np.array([[5.0, 3.0, 2.0], [1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(products_but_one(np, s), [[6, 10, 15], [0, 0, 0]])
    np.testing.assert_array_equal(products_but_two(np, s)[0], [[0, 2, 3], [2, 0, 5], [3, 5, 0]])
    np.testing.assert_array_equal(products_but_two(np, s)[1], [[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    np.testing.assert_array_equal(products_but_two(np, np.array([7.0])), [[0.0]])
    assert products_but_two(np, np.ones((2, 0))).shape == (2, 0, 0)


def test_empty_matrices():
    x = np.zeros((0, 0))
    assert tg.grad(det)(x).shape == (0, 0)
    assert tg.vjp(inv, x)[1](x)[0].shape == (0, 0)
    out, pull = tg.vjp(solve, np.zeros((3, 0, 0)), np.zeros((3, 0, 2)))
    assert [g.shape for g in pull(out)] == [(3, 0, 0), (3, 0, 2)]


def test_slogdet_of_a_real_matrix():
    x = np.array([[0.0, 2.0], [3.0, 1.0]])
    (sign, size), pull = tg.vjp(slogdet, x)
    assert sign == -1.0
    assert size == pytest.approx(np.log(6.0))
    np.testing.assert_allclose(pull((1.0, 0.0))[0], np.zeros((2, 2)))
    np.testing.assert_allclose(pull((0.0, 1.0))[0], np.linalg.inv(x).T)
    np.testing.assert_array_equal(tg.grad(lambda x: slogdet(x)[0])(x), np.zeros((2, 2)))


def test_inverse_of_a_singular_matrix_raises_numpys_error():
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        tg.grad(lambda x: inv(x)[0, 0])(SINGULAR)
    assert caught.value.__notes__ == ["in the operation 'inv' on float64[2, 2]"]


def test_shared_solve_is_one_system():
    a = np.array([[2.0, 1.0], [0.0, 4.0]])
    b = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_allclose(shared_solve(a, b, solve), np.linalg.solve(a, b))


def test_the_gradient_of_cholesky_is_symmetric():
    x = np.array([[4.0, 2.0], [2.0, 5.0]])  # the factor is [[2, 0], [1, 2]]
    _, pull = tg.vjp(cholesky, x)
    # of the element (1, 0), x[1, 0] / sqrt(x[0, 0])
    np.testing.assert_allclose(
        pull(np.array([[0.0, 0.0], [1.0, 0.0]]))[0], [[-0.125, 0.25], [0.25, 0.0]]
    )
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        tg.grad(lambda x: cholesky(x)[0, 0])(-x)


def test_length_at_zero():
    zero = np.zeros(3)

    def norm(x):
        return length(x, axis=(0,), keepdims=False)

    np.testing.assert_array_equal(tg.grad(norm)(zero), zero)
    np.testing.assert_array_equal(tg.grad(lambda x: norm(x) ** 2)(zero), zero)
    assert tg.jvp(norm, (zero,), (np.ones(3),))[1] == 0.0
    assert np.isfinite(tg.hessian(norm)(zero)).all()
    np.testing.assert_array_equal(tg.grad(norm)(zero.astype(complex)), zero)


def test_the_gradient_of_a_complex_length():
    z = np.array([3.0, 4j])
    np.testing.assert_allclose(
        tg.grad(lambda z: length(z, axis=(0,), keepdims=False))(z), [0.6, -0.8j]
    )
