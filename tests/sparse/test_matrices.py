"""Sparse Jacobians and Hessians, against closed forms and dense ones."""

import time

import numpy as np
import pytest
from scipy import sparse

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.sparse import Pattern, PatternError, PatternWarning

from . import problems

X = np.linspace(0.5, 1.6, 12)


def equal(matrix, expected):
    assert sparse.issparse(matrix)
    assert matrix.shape == expected.shape
    scale = abs(expected).max()
    assert abs(matrix - expected).max() <= 1e-13 * scale


@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_bratu(n):
    u = np.random.default_rng(n).standard_normal((n, n))
    pattern = tg.sparsity(problems.bratu, u)
    expected = problems.bratu_matrix(u)
    assert pattern.nnz == expected.nnz == 5 * n * n - 4 * n
    assert pattern.colors <= min(5, n * n)
    equal(tg.sparse_jacobian(problems.bratu, pattern)(u), expected)
    tg.sparse.check(pattern, problems.bratu, u)


@pytest.mark.parametrize(
    ("function", "expected", "colors"),
    [
        (problems.pairs, problems.pairs_matrix, 2),
        (problems.chain, problems.chain_matrix, 3),
        (problems.arrow, problems.arrow_matrix, 2),
    ],
)
@pytest.mark.parametrize("n", [2, 40])
def test_hessians(function, expected, colors, n):
    x = np.random.default_rng(n).standard_normal(n)
    pattern = tg.sparsity(function, x, of="hessian")
    assert pattern.symmetric
    assert pattern.colors <= colors
    equal(tg.sparse_hessian(function, pattern)(x), expected(x))
    equal(tg.sparse_hessian(function)(x), expected(x))
    tg.sparse.check(pattern, function, x)


def test_the_published_sizes():
    u = np.random.default_rng(0).standard_normal((300, 300))
    pattern = tg.sparsity(problems.bratu, u)
    assert pattern.colors <= 8
    equal(tg.sparse_jacobian(problems.bratu, pattern)(u), problems.bratu_matrix(u))
    x = np.random.default_rng(0).standard_normal(100_000)
    pattern = tg.sparsity(problems.pairs, x, of="hessian")
    assert pattern.colors <= 3
    equal(tg.sparse_hessian(problems.pairs, pattern)(x), problems.pairs_matrix(x))


@pytest.mark.slow
@pytest.mark.parametrize("function", [problems.pairs, problems.chain, problems.arrow])
def test_time_for_an_element_does_not_grow(function):
    def best(n):
        x = np.random.default_rng(n).standard_normal(n)
        times = []
        for _ in range(3):
            start = time.perf_counter()
            matrix = tg.sparse_hessian(function)(x)
            times.append((time.perf_counter() - start) / matrix.nnz)
        return min(times)

    best(100)
    assert best(100_000) <= best(1000)


FUNCTIONS = {
    "difference": (lambda x: tnp.diff(x**3), 22),
    "kernel": (lambda x: tnp.convolve(tnp.sin(x), np.array([1.0, -2.0, 1.0]), "valid"), 30),
    "arrow": (lambda x: tnp.concatenate([x[:1] * x.sum(), x * x[0]]), 35),
    "lines": (lambda x: tnp.cumsum(x.reshape(3, 4), axis=1), 48),
    "stack": (lambda x: tnp.linalg.inv(x.reshape(3, 2, 2) + 3 * np.eye(2)), 48),
    "largest": (lambda x: tnp.max(x.reshape(3, 4), axis=1), 12),
    "outer": (lambda x: tnp.outer(x, x), 276),
    "traces": (lambda x: tnp.einsum("ij,ij->i", x.reshape(3, 4), x.reshape(3, 4)), 12),
    "products": (lambda x: x.reshape(3, 4) @ np.ones((4, 2)), 24),
    "roll": (lambda x: tnp.roll(x, 1) * x, 24),
    "clipped": (lambda x: tnp.where(x > 1, x * x[::-1], x), 24),
    "constant": (lambda x: np.ones(3), 0),
    "half constant": (lambda x: {"a": np.ones(2), "b": x[:2] ** 2}, 2),
    "empty": (lambda x: x[:0], 0),
    "scalar": (lambda x: x[2] * x[3], 2),
    "checkpoint": (tg.checkpoint(lambda x: tnp.sin(x[1:]) * x[:-1]), 22),
    "power": (lambda x: tnp.fft.fft(x.reshape(3, 4), axis=1).real, 48),
}


def dense(function, x):
    rows = tg.tree.leaves(tg.jacobian(function)(x))
    return np.concatenate([r.reshape(-1, x.size) for r in rows])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_the_dense_jacobian(name):
    function, elements = FUNCTIONS[name]
    pattern = tg.sparsity(function, X)
    assert pattern.nnz == elements
    matrix = tg.sparse_jacobian(function, pattern)(X)
    assert matrix.dtype == np.float64
    np.testing.assert_allclose(matrix.toarray(), dense(function, X), rtol=1e-13, atol=1e-13)
    tg.sparse.check(pattern, function, X)


def test_item_assignment():
    def function(x):
        y = tnp.zeros(12)
        for i in range(12):
            y[i] = x[i] * x[i - 1]
        return y

    np.testing.assert_allclose(tg.sparse_jacobian(function)(X).toarray(), dense(function, X))


def test_a_function_with_a_rule_of_its_own():
    @tg.custom_vjp
    def product(x):
        return x * x[::-1]

    product.defvjp(
        lambda x: (product(x), (x, tnp.cos(x))),
        lambda saved, g: (g * saved[0][::-1] + (g * saved[0])[::-1],),
    )

    @tg.custom_jvp
    def cube(x):
        return x**3

    cube.defjvp(lambda primals, tangents: (cube(*primals), 3 * primals[0] ** 2 * tangents[0]))
    for function in (product, cube):
        pattern = tg.sparsity(function, X)
        assert pattern.nnz == (24 if function is product else 12)
        np.testing.assert_allclose(
            tg.sparse_jacobian(function, pattern)(X).toarray(), dense(function, X)
        )
        hessian = tg.sparse_hessian(lambda x, f=function: f(x).sum())(X)
        assert hessian.nnz == 12
    assert (tg.sparsity(product, X).columns == -1).all()  # it has no forward rule


def test_trees_and_other_arguments():
    def function(parameters, scale):
        a, b = parameters["a"], parameters["b"]
        return {"out": scale * a * b[0], "sum": b.sum()}

    parameters = {"a": np.array([1.0, 2.0]), "b": np.array([[3.0, 4.0]])}
    matrix = tg.sparse_jacobian(function)(parameters, scale=10.0)
    np.testing.assert_array_equal(matrix.toarray(), [[30, 0, 10, 0], [0, 40, 0, 20], [0, 0, 1, 1]])


def test_a_zero_by_value_is_an_element():
    matrix = tg.sparse_jacobian(lambda x: x[1:] * x[:-1])(np.zeros(4))
    assert matrix.nnz == 6
    assert not matrix.data.any()
    weights = np.array([0.0, 1.0, 0.0])
    assert tg.sparsity(lambda x: weights * x, np.ones(3)).nnz == 3
    assert tg.sparsity(lambda x: np.diag(weights) @ x, np.ones(3)).nnz == 9


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_other_precisions(dtype):
    x = np.ones(4, dtype=dtype)
    pattern = tg.sparsity(lambda x: x[1:] * x[:-1], x)
    assert pattern.nnz == 6
    assert tg.sparse_jacobian(lambda x: x[1:] * x[:-1], pattern)(x).dtype == dtype
    assert tg.sparsity(lambda x: (x + x.sum()).astype(np.float64), x).nnz == 16


def test_a_pattern_of_ones_own():
    x = np.arange(4.0)
    own = sparse.eye_array(4, format="csc") + sparse.eye_array(4, k=1)

    def function(x):
        return x * tnp.roll(x, -1) * np.array([1.0, 1.0, 1.0, 0.0])

    matrix = tg.sparse_jacobian(function, own)(x)
    np.testing.assert_array_equal(matrix.toarray(), tg.jacobian(function)(x))
    matrix = tg.sparse_jacobian(function, own.toarray())(x)
    np.testing.assert_array_equal(matrix.toarray(), tg.jacobian(function)(x))


def test_the_matrix_is_the_callers_own():
    pattern = tg.sparsity(lambda x: x * x, np.ones(3))
    jacobian = tg.sparse_jacobian(lambda x: x * x, pattern)
    first = jacobian(np.ones(3))
    first.data[:] = first.indices[:] = 0
    np.testing.assert_array_equal(jacobian(np.ones(3)).toarray(), 2 * np.eye(3))


def test_save_and_load(tmp_path):
    function = FUNCTIONS["arrow"][0]
    for pattern in (tg.sparsity(function, X), tg.sparsity(problems.chain, X, of="hessian")):
        path = tmp_path / "pattern.npz"
        pattern.save(path)
        other = Pattern.load(path)
        assert repr(other) == repr(pattern)
        np.testing.assert_array_equal(other.places(), pattern.places())
    equal(tg.sparse_hessian(problems.chain, other)(X), problems.chain_matrix(X))


def test_patterns_that_depend_on_values():
    looks = {
        "bool": lambda x: x * x if x[0] > 0 else x[::-1],
        "getitem": lambda x: x[tnp.argsort(x)],
        "take_along": tnp.sort,
        "mask": lambda x: x[x > 1],
    }
    for word, function in looks.items():
        with pytest.warns(PatternWarning, match=word):
            pattern = tg.sparsity(function, X)
        tg.sparse.check(pattern, function, X)
    for function in (lambda x: tnp.where(x > 1, x, 0), tnp.floor, lambda x: x * (x > 1)):
        tg.sparsity(function, X)  # no warning


def test_check_finds_what_is_missing():
    function = tnp.sort
    with pytest.warns(PatternWarning):
        pattern = tg.sparsity(function, X)
    with pytest.raises(PatternError, match="lacks elements here"):
        tg.sparse.check(pattern, function, X[::-1].copy())
    pattern = Pattern.of(sparse.eye_array(12), symmetric=True)
    with pytest.raises(PatternError, match="lacks elements here"):
        tg.sparse.check(pattern, problems.chain, X)


def test_errors():
    pattern = tg.sparsity(lambda x: x * x, X)
    with pytest.raises(PatternError, match=r"has shape \(12, 12\), but .* shape \(3, 3\)"):
        tg.sparse_jacobian(lambda x: x * x, pattern)(X[:3])
    with pytest.raises(PatternError, match="symmetric pattern, coloured as such"):
        tg.sparse_hessian(lambda x: (x * x).sum(), pattern)
    with pytest.raises(PatternError, match="is not"):
        Pattern.of(np.eye(3, k=1), symmetric=True)
    with pytest.raises(TypeError, match="not of type str"):
        tg.sparse_jacobian(lambda x: x, "banded")
    with pytest.raises(TypeError, match="real argument, but got complex128"):
        tg.sparse_jacobian(lambda x: x, pattern)(X + 0j)
    with pytest.raises(TypeError, match="real result, but got complex128"):
        tg.sparse_jacobian(lambda x: x * 1j, pattern)(X)
    with pytest.raises(ValueError, match="'jacobian' or 'hessian'"):
        tg.sparsity(lambda x: x, X, of="gradient")
    with pytest.raises(TypeError, match="needs a function"):
        tg.sparsity(X)
    with pytest.raises(TypeError, match="int"):
        tg.sparsity(lambda x: x, np.arange(3))
    with pytest.raises(ValueError, match="argument 0"):
        tg.sparsity(lambda: 1.0)
    with pytest.raises(MemoryError, match="'cumsum'"):
        tg.sparsity(tnp.cumsum, np.ones(20_000))
