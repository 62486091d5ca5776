"""Sparse matrices with recorded operands and recorded elements, against dense ones."""

import numpy as np
import pytest
import scipy.sparse

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.scipy.sparse import SparseArray

RNG = np.random.default_rng(0)
DENSE = np.array([[1.0, 0, 2.0], [0, 3.0, 0], [4.0, 5.0, 0], [0, 0, 6.0]])
PLACES = DENSE != 0
X, W = RNG.standard_normal(3), RNG.standard_normal(4)
XS, WS = RNG.standard_normal((3, 2)), RNG.standard_normal((2, 4))
KINDS = ["csr_array", "csc_array", "coo_array", "csr_matrix", "csc_matrix", "lil_array"]


def sparse(kind="csr_array"):
    return getattr(scipy.sparse, kind)(DENSE)


PRODUCTS = {
    "vector": (lambda A, x: A @ x, X),
    "matrix": (lambda A, x: A @ x, XS),
    "from the left": (lambda A, x: x @ A, W),
    "matrix from the left": (lambda A, x: x @ A, WS),
    "transposed": (lambda A, x: A.T @ x, W),
    "transposed from the left": (lambda A, x: x @ A.T, X),
    "dot": (lambda A, x: A.dot(x), X),
    "numpy": (lambda A, x: tnp.matmul(A, x), X),
    "twice": (lambda A, x: (A @ x) @ (A @ x), X),
    "sparse with sparse": (lambda A, x: (A.T @ A) @ x, X),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(kind, name):
    function, x = PRODUCTS[name]
    A = sparse(kind)

    def loss(A, x):
        return tnp.sum(tnp.sin(function(A, x)))

    expected, expected_x = tg.grad(loss, (0, 1))(DENSE, x)
    np.testing.assert_allclose(tg.grad(lambda x: loss(A, x))(x), expected_x, rtol=1e-13)
    gradient, gradient_x = tg.grad(loss, (0, 1))(A, x)
    assert type(gradient) is type(A)
    np.testing.assert_allclose(gradient.toarray(), expected * PLACES, rtol=1e-13)
    np.testing.assert_allclose(gradient_x, expected_x, rtol=1e-13)
    if name != "numpy":
        alone = tg.grad(lambda A: loss(A, x))(A)
        np.testing.assert_allclose(alone.toarray(), expected * PLACES, rtol=1e-13)
    if name != "dot":  # which ndarrays have too, and not for recorded arrays
        second = tg.hessian(lambda x: loss(DENSE, x))(x)
        np.testing.assert_allclose(tg.hessian(lambda x: loss(A, x))(x), second, atol=1e-13)


FUNCTIONS = {
    "toarray": lambda A: A.toarray(),
    "sum": lambda A: A.sum(),
    "columns": lambda A: A.sum(axis=0),
    "rows": lambda A: A.sum(axis=-1),
    "mean": lambda A: A.mean(axis=0),
    "multiply": lambda A: A.multiply(A) @ X,
    "number": lambda A: (2.0 * A / 3.0) @ X,
    "dense factor": lambda A: A.multiply(np.arange(12.0).reshape(4, 3)) @ X,
    "row factor": lambda A: A.multiply(np.arange(3.0)) @ X,
    "sum of two": lambda A: (A + A - 0.5 * A[:, ::-1]) @ X,
    "negative": lambda A: (-A) @ X,
    "part": lambda A: A[1:3] @ X,
    "element": lambda A: A[2, 1] ** 2,
    "zero": lambda A: A[0, 1] * A[0, 0],
    "row": lambda A: A[[0]] @ X,
    "diagonal": lambda A: A.diagonal(),
    "power": lambda A: A.power(2) @ X,
    "square": lambda A: (A @ A.T).diagonal(),
    "with constant": lambda A: (A + scipy.sparse.eye_array(4, 3)) @ X,
    "constant with": lambda A: (scipy.sparse.eye_array(4, 3).tocsr() - A) @ X,
    "constant times": lambda A: (scipy.sparse.eye_array(3, 4).tocsr() @ A) @ X,
    "reshape": lambda A: A.reshape((3, 4)) @ W,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function = FUNCTIONS[name]
    A = sparse()
    elements = np.array(A.data)

    def plain(data):
        return np.asarray(function(scipy.sparse.csr_array((data, A.indices, A.indptr), A.shape)))

    np.testing.assert_allclose(tg.record(function)(A)[0], plain(elements), rtol=1e-13)
    weights = RNG.standard_normal(np.shape(plain(elements)))
    gradient = tg.grad(lambda A: tnp.sum(weights * function(A)))(A)
    h = 1e-6
    expected = [
        np.sum(weights * (plain(elements + h * unit) - plain(elements - h * unit))) / (2 * h)
        for unit in np.eye(elements.size)
    ]
    np.testing.assert_allclose(gradient.data, expected, rtol=1e-8, atol=1e-8)


def test_complex_elements():
    A = scipy.sparse.csr_array(DENSE * (1 + 0.5j))

    def loss(A, x):
        return tnp.sum(tnp.abs(A @ x) ** 2)

    gradient = tg.grad(loss)(A, X)
    np.testing.assert_allclose(gradient.toarray(), tg.grad(loss)(A.toarray(), X) * PLACES)
    real = tg.grad(lambda A: A.conj().imag.sum() + A.real.sum())(A)
    np.testing.assert_allclose(real.toarray(), (1 + 1j) * PLACES)


def test_repeated_places_add_up():
    A = scipy.sparse.coo_array(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    gradient = tg.grad(lambda A: (A @ np.array([1.0, 2.0])).sum() ** 2)(A)
    np.testing.assert_array_equal(gradient.toarray(), [[0, 40], [20, 0]])


def test_explicit_zeros_stay():
    A = sparse()
    A.data[:2] = 0
    gradient = tg.grad(lambda A: (A @ X).sum())(A)
    assert gradient.nnz == A.nnz
    np.testing.assert_allclose(gradient.toarray(), PLACES * X)


def test_in_trees_and_under_vmap():
    A = sparse()
    value, gradient = tg.value_and_grad(lambda p: (p["A"] @ p["x"]).sum())({"A": A, "x": X})
    np.testing.assert_allclose(value, (DENSE @ X).sum())
    assert scipy.sparse.issparse(gradient["A"])
    xs = RNG.standard_normal((5, 3))
    np.testing.assert_allclose(tg.vmap(lambda x: A @ x)(xs), xs @ DENSE.T)
    np.testing.assert_allclose(
        tg.vmap(lambda s: (A * s) @ X)(np.arange(3.0)), np.outer(np.arange(3.0), DENSE @ X)
    )
    np.testing.assert_allclose(
        tg.vmap(lambda s, x: (A * s) @ x, (0, 0))(np.arange(5.0), xs),
        np.arange(5.0)[:, None] * (xs @ DENSE.T),
    )
    tangent = tg.jvp(lambda A: A @ X, (A,), (A,))[1]
    np.testing.assert_allclose(tangent, DENSE @ X)


def test_elements_that_are_computed():
    def loss(data):
        A = SparseArray.at(data, [1, 0, 1], [0, 1, 0], (2, 2))
        return (A @ np.array([1.0, 10.0])).sum()

    np.testing.assert_array_equal(tg.grad(loss)(np.ones(3)), [1.0, 10.0, 1.0])


def test_sparse_derivatives_are_differentiated():
    def function(x):
        return x[1:] * x[:-1] ** 2

    pattern = tg.sparsity(function, X)
    found = tg.jacobian(lambda x: tg.sparse_jacobian(function, pattern)(x).toarray())(X)
    np.testing.assert_allclose(found, tg.jacobian(tg.jacobian(function))(X))


def test_patterns_of_products():
    A = sparse()
    assert tg.sparsity(lambda x: A @ x**2, X).nnz == A.nnz
    assert tg.sparsity(lambda x: A @ x, XS).nnz == 2 * A.nnz
    assert tg.sparsity(lambda x: x @ A, W).nnz == A.nnz
    assert tg.sparsity(lambda A: A @ X, A).nnz == A.nnz


def test_errors():
    A = sparse()
    with pytest.raises(ValueError, match=r"shape \(4, 3\) does not go with shape \(4,\)"):
        tg.grad(lambda x: (A @ x).sum())(W)
    with pytest.raises(ValueError, match="does not go with"):
        tg.grad(lambda A: (A @ A).sum())(A)
    with pytest.raises(ValueError, match="does not go with"):
        tg.grad(lambda A: (A + A.T).sum())(A)
    with pytest.raises(TypeError, match="would be dense"):
        tg.grad(lambda A: (A + X).sum())(A)
    with pytest.raises(TypeError, match="would be dense"):
        tg.grad(lambda x: (A - x).sum())(X)
    with pytest.raises(TypeError, match=r"A\.toarray\(\)"):
        tg.grad(lambda A: np.asarray(A).sum())(A)
    with pytest.raises(TypeError, match="truth value"):
        tg.grad(lambda A: A.sum() if A else 0.0)(A)
    with pytest.raises(TypeError, match="ambiguous"):
        tg.grad(lambda A: A.sum() / len(A))(A)
    with pytest.raises(TypeError, match="axes"):
        tg.grad(lambda A: A.transpose((0, 1)).sum())(A)
    assert repr(SparseArray.of(A)) == "<SparseArray of shape (4, 3) with 6 float64 elements>"
