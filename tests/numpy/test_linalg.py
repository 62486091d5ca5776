"""numpy.linalg: values and derivatives of programs written with plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from .program import check

A = np.array([[3.0, -1.2, 0.7], [1.5, 4.0, -0.65], [0.2, -0.9, 5.0]])
STACK = np.stack([A[:2, :2], A[1:, 1:]])
X = np.array([[0.3, -1.2, 0.7], [1.5, 0.4, -0.6]])
B = np.array([0.3, -1.2, 0.7])
POSITIVE = A @ A.T

ON_SQUARE = {
    "inv": np.linalg.inv,
    "det": np.linalg.det,
    "slogdet": lambda x: np.linalg.slogdet(x).logabsdet,
    "slogdet_unpacked": lambda x: tuple(np.linalg.slogdet(x)),
    "solve": lambda x: np.linalg.solve(x, B),
    "solve_matrix": lambda x: np.linalg.solve(x, X.T),
    "solve_stack": lambda x: np.linalg.solve(x, np.stack([X.T, X.T * 2])),
    "solve_for": lambda x: np.linalg.solve(A, x),
    "solve_itself": lambda x: np.linalg.solve(x, x.T),
    "matrix_power_0": lambda x: np.linalg.matrix_power(x, 0) * x,
    "matrix_power_1": lambda x: np.linalg.matrix_power(x, 1),
    "matrix_power_5": lambda x: np.linalg.matrix_power(x, 5),
    "matrix_power_minus_2": lambda x: np.linalg.matrix_power(x, -2),
    "multi_dot": lambda x: np.linalg.multi_dot([x, X.T, X, B]),
    "multi_dot_scalar": lambda x: np.linalg.multi_dot([B, x, B]),
    "multi_dot_matrix": lambda x: np.linalg.multi_dot([X, x, x]),
    "norm": np.linalg.norm,
    "norm_fro": lambda x: np.linalg.norm(x, "fro"),
    "norm_1": lambda x: np.linalg.norm(x, 1),
    "norm_minus_1": lambda x: np.linalg.norm(x, -1),
    "norm_inf": lambda x: np.linalg.norm(x, np.inf, keepdims=True),
    "norm_minus_inf": lambda x: np.linalg.norm(x, -np.inf),
    "cond_1": lambda x: np.linalg.cond(x, 1),
    "tensorinv": lambda x: np.linalg.tensorinv(x[:, :, None], ind=1),
    "tensorsolve": lambda x: np.linalg.tensorsolve(x[None], B[None]),
    "trace": lambda x: np.linalg.trace(x, offset=1),
    "diagonal": lambda x: np.linalg.diagonal(x, offset=-1),
    "matrix_transpose": np.linalg.matrix_transpose,
    "cross": lambda x: np.linalg.cross(x, B),
    "outer": lambda x: np.linalg.outer(x[0], B),
    "vecdot": lambda x: np.linalg.vecdot(x, A, axis=0),
    "matmul": lambda x: np.linalg.matmul(x, A),
    "tensordot": lambda x: np.linalg.tensordot(x, A, axes=1),
}

ON_ROWS = {
    "norm_axis": lambda x: np.linalg.norm(x, axis=1),
    "norm_axes": lambda x: np.linalg.norm(x, axis=(1, 0)),
    "norm_kept": lambda x: np.linalg.norm(x, axis=-1, keepdims=True),
    "norm_vector_1": lambda x: np.linalg.norm(x, 1, axis=0),
    "norm_vector_3": lambda x: np.linalg.norm(x, 3, axis=0),
    "norm_vector_half": lambda x: np.linalg.norm(x, 0.5, axis=0),
    "norm_vector_negative": lambda x: np.linalg.norm(x, -1, axis=0),
    "norm_vector_inf": lambda x: np.linalg.norm(x, np.inf, axis=0),
    "norm_vector_minus_inf": lambda x: np.linalg.norm(x, -np.inf, axis=0),
    "norm_vector_0": lambda x: np.linalg.norm(x, 0, axis=0) * x[0],
    "vector_norm": np.linalg.vector_norm,
    "vector_norm_axes": lambda x: np.linalg.vector_norm(x, axis=(0, 1), ord=4),
    "matrix_norm": lambda x: np.linalg.matrix_norm(x[None], keepdims=True),
    "matrix_norm_1": lambda x: np.linalg.matrix_norm(x, ord=1),
}


@pytest.mark.parametrize("f", ON_SQUARE.values(), ids=ON_SQUARE)
def test_on_a_square_matrix(f):
    check(f, A, exact=False)


@pytest.mark.parametrize("f", ON_ROWS.values(), ids=ON_ROWS)
def test_norms(f):
    check(f, X, exact=False)


@pytest.mark.parametrize("f", [np.linalg.inv, np.linalg.det, np.linalg.matrix_transpose])
def test_on_a_stack(f):
    check(f, STACK, exact=False)


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(upper):
    check(lambda x: np.linalg.cholesky(x @ x.T, upper=upper), A, lanes=False, exact=False)
    out, _ = tg.vjp(lambda x: np.linalg.cholesky(x, upper=upper), POSITIVE)
    np.testing.assert_array_equal(out, np.linalg.cholesky(POSITIVE, upper=upper))


@pytest.mark.parametrize(
    ("a", "b"), [((2, 2), (2,)), ((2, 2), (2, 2)), ((3, 2, 2), (2,)), ((1, 2, 2), (3, 2, 2))]
)
def test_solve_takes_a_vector_only_where_it_has_one_axis(a, b):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(a) + 3 * np.eye(2), rng.standard_normal(b)
    out, pull = tg.vjp(np.linalg.solve, x, y)
    np.testing.assert_allclose(out, np.linalg.solve(x, y))
    assert [g.shape for g in pull(out)] == [a, b]


def test_single_precision_is_kept():
    x = A.astype(np.float32)
    for f in (np.linalg.det, np.linalg.norm, lambda x: np.linalg.solve(x, x[0])[0]):
        value, g = tg.value_and_grad(f)(x)
        assert value.dtype == g.dtype == np.float32


def test_norms_at_zero_have_gradient_zero():
    zero = np.zeros((2, 2))
    for order in (None, "fro", 1, -1, np.inf):
        g = tg.grad(lambda x, order=order: np.linalg.norm(x, order))(zero)
        np.testing.assert_array_equal(g, zero)
    for order in (0.5, 1, 2, 3, np.inf):
        g = tg.grad(lambda x, order=order: np.linalg.norm(x, order))(zero[0])
        np.testing.assert_array_equal(g, zero[0])
    np.testing.assert_array_equal(tg.grad(lambda x: np.linalg.norm(x) ** 2)(zero), zero)
    np.testing.assert_allclose(
        tg.grad(lambda x: np.linalg.norm(x, 0.5))(np.array([0.0, 2.0])), [0.0, 1.0]
    )


def test_a_largest_element_that_is_not_alone_shares():
    g = tg.grad(lambda x: np.linalg.norm(x, np.inf))(np.array([1.0, -3.0, 3.0]))
    np.testing.assert_array_equal(g, [0.0, -0.5, 0.5])


def test_norms_of_nothing():
    assert tg.vjp(lambda x: np.linalg.norm(x, np.inf), np.zeros(0))[0] == 0.0
    assert tg.vjp(np.linalg.norm, np.zeros(0))[0] == 0.0


def test_norms_of_integers_over_lanes():
    x = np.arange(6).reshape(2, 3)
    np.testing.assert_allclose(tg.vmap(np.linalg.norm)(x), np.linalg.norm(x, axis=1))


def test_det_of_a_singular_matrix():
    g = tg.grad(np.linalg.det)(np.array([[1.0, 2.0], [2.0, 4.0]]))
    np.testing.assert_allclose(g, [[4.0, -2.0], [-2.0, 1.0]], atol=1e-14)


def test_every_public_name_is_here():
    assert set(np.linalg.__all__) <= set(dir(tnp.linalg))
    for name in np.linalg.__all__:
        assert callable(getattr(tnp.linalg, name))
    assert tnp.linalg.LinAlgError is np.linalg.LinAlgError
    np.testing.assert_array_equal(tnp.linalg.qr(A).Q, np.linalg.qr(A).Q)
    np.testing.assert_array_equal(tnp.linalg.inv(A), np.linalg.inv(A))
    for name in ("_secret", "nonsense"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
            getattr(tnp.linalg, name)


@pytest.mark.parametrize(
    ("f", "match"),
    [
        (lambda x: np.linalg.qr(x, "raw"), 'linalg.qr of traced arrays does not take mode="raw"'),
        (
            lambda x: np.linalg.pinv(x, rcond=np.ones(1)),
            "linalg.pinv of traced arrays does not take an array of tolerances",
        ),
        (lambda x: np.linalg.matrix_power(x, 0.5), "exponent must be an integer"),
        (
            lambda x: np.linalg.multi_dot([x, x], out=np.ones((3, 3))),
            "linalg.multi_dot of traced arrays does not take out=",
        ),
    ],
)
def test_what_has_no_rule_says_so(f, match):
    with pytest.raises(TypeError, match=match):
        tg.vjp(f, A)


@pytest.mark.parametrize(
    ("f", "match"),
    [
        (lambda x: np.linalg.norm(x[0], "fro"), "Invalid norm order 'fro' for vectors"),
        (lambda x: np.linalg.norm(x, 3), "Invalid norm order for matrices"),
        (lambda x: np.linalg.norm(x[None], 1), "Improper number of dimensions to norm"),
        (lambda x: np.linalg.multi_dot([x]), "Expecting at least two arrays"),
        (lambda x: np.linalg.outer(x, x), "must be one-dimensional"),
        (lambda x: np.linalg.cross(x[:, :2], x[:, :2]), "2 and 2 dimensional instead"),
        (lambda x: np.linalg.matrix_transpose(x[0]), "at least 2-dimensional, but it is 1"),
        (lambda x: np.linalg.tensorinv(x, ind=0), "Invalid ind argument"),
        (lambda x: np.linalg.tensorsolve(x[:2], x[0]), "product of the trailing axes"),
        (lambda x: np.linalg.inv(x[:2]), "must be square"),
        (lambda x: np.linalg.matrix_power(x[:2], 2), "must be square"),
        (lambda x: np.linalg.multi_dot([x, x[None]]), "must be two-dimensional"),
        (lambda x: np.linalg.solve(x[0], x), "at least two-dimensional"),
        (lambda x: np.linalg.solve(x, x[:2]), "solve"),
    ],
)
def test_errors_are_numpys(f, match):
    with pytest.raises((ValueError, np.linalg.LinAlgError), match=match):
        tg.vjp(f, A)


@pytest.mark.parametrize("order", [1, 2, np.inf, "nuc", "fro"])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 0), (0, 2, 2)])
def test_norms_of_empty_matrices(order, shape):
    x = np.ones(shape)
    out, pull = tg.vjp(lambda x: np.linalg.matrix_norm(x, ord=order), x)
    np.testing.assert_array_equal(out, np.linalg.matrix_norm(x, ord=order))
    assert pull(out)[0].shape == shape
