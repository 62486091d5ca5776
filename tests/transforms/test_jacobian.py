"""`jacobian`, `jacrev`, `jacfwd` and `hessian`."""

import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local

W = np.array([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]])
X = np.array([0.2, -0.4, 0.9])
ALL = (tg.jacobian, tg.jacrev, tg.jacfwd)


def layer(x):
    return tnp.tanh(W @ x)


EXPECTED = (1 - np.tanh(W @ X) ** 2)[:, None] * W


def rosenbrock(x):
    return tnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@pytest.mark.parametrize("transform", ALL)
@pytest.mark.parametrize("chunk_size", [None, 1, 2, 3, 100])
def test_values(transform, chunk_size):
    assert_allclose(transform(layer, chunk_size=chunk_size)(X), EXPECTED, rtol=1e-12)


@pytest.mark.parametrize("mode", ["auto", "fwd", "rev"])
def test_modes(mode):
    assert_allclose(tg.jacobian(layer, mode=mode)(X), EXPECTED, rtol=1e-12)


@pytest.mark.parametrize("transform", ALL)
def test_shape_is_that_of_the_result_and_that_of_the_argument(transform):
    a, x = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    result = transform(lambda x: a @ x)(x)
    assert result.shape == (2, 4, 3, 4)
    assert_allclose(result, np.einsum("ij,kl->ikjl", a, np.eye(4)))


@pytest.mark.parametrize("transform", ALL)
def test_trees_out_of_trees(transform):
    def f(p, s):
        return {"sum": p["a"] * s, "pair": (p["b"][0] ** 2, None)}

    p = {"a": np.array([1.0, 2.0]), "b": [np.array(3.0), None]}
    result = transform(f, (0, 1))(p, np.float64(5.0))
    at_sum, at_pair = result["sum"], result["pair"]
    assert_allclose(at_sum[0]["a"], 5 * np.eye(2))
    assert_allclose(at_sum[0]["b"][0], [0, 0])
    assert_allclose(at_sum[1], [1.0, 2.0])
    assert_allclose(at_pair[0][0]["a"], [0, 0])
    assert_allclose(at_pair[0][0]["b"][0], 6.0)
    assert at_pair[0][0]["b"][1] is None
    assert at_pair[1] is None


class Point(NamedTuple):
    x: np.ndarray
    y: np.ndarray


@pytest.mark.parametrize("transform", ALL)
def test_named_tuples(transform):
    result = transform(lambda p: Point(p.x * p.y, p.y))(Point(2.0, 3.0))
    assert result == Point(Point(3.0, 2.0), Point(0.0, 1.0))


@pytest.mark.parametrize("transform", ALL)
def test_argnums(transform):
    def f(x, y):
        return x * y

    assert transform(f, 1)(2.0, 3.0) == 2.0
    assert transform(f, -1)(2.0, 3.0) == 2.0
    assert transform(f, (1, 0))(2.0, 3.0) == (2.0, 3.0)
    assert transform(f, [0])(2.0, 3.0) == (3.0,)
    with pytest.raises(ValueError, match="argnums=2 names argument 2"):
        transform(f, 2)(2.0, 3.0)


@pytest.mark.parametrize("transform", ALL)
def test_keyword_arguments_and_auxiliary_results(transform):
    result, aux = transform(lambda x, *, k: (x * k, {"k": k, "x": x}), has_aux=True)(2.0, k=3.0)
    assert (result, aux) == (3.0, {"k": 3.0, "x": 2.0})


@pytest.mark.parametrize("transform", ALL)
def test_dtypes_are_kept(transform):
    result = transform(lambda x: tnp.sin(x) * 2)(np.ones(3, np.float32))
    assert result.dtype == np.float32
    scalar = transform(lambda x: x * x)(3.0)
    assert isinstance(scalar, np.float64)


@pytest.mark.parametrize("transform", ALL)
def test_integers_raise(transform):
    def f(x, n):
        return x * n

    with pytest.raises(TypeError, match=r"needs inputs of floating point, but argument 1 of f"):
        transform(f, (0, 1))(1.0, np.arange(3))


@pytest.mark.parametrize("transform", ALL)
def test_empty_and_constant_results(transform):
    assert transform(lambda x: x * 2)(np.zeros((0,))).shape == (0, 0)
    assert transform(lambda x: x[:0])(np.ones(3)).shape == (0, 3)
    assert transform(lambda x: tnp.ones(2))(np.zeros((0,))).shape == (2, 0)
    assert_allclose(transform(lambda x: np.ones(2))(X), np.zeros((2, 3)))
    assert transform(lambda x: 1.0)(2.0) == 0.0
    assert transform(lambda x: ())(X) == ()


@pytest.mark.parametrize("transform", ALL)
def test_results_share_memory_with_nothing(transform):
    a, b = transform(lambda x, y: x + y, (0, 1))(X, X)
    assert not np.shares_memory(a, b)
    first, second = transform(lambda x: (x, x))(X)
    assert not np.shares_memory(first, second)
    first[...] = 7.0
    assert_allclose(second, np.eye(3))
    assert_allclose(transform(lambda x: x)(X), np.eye(3))


def test_complex_arguments_as_in_jax():
    z = np.array([1 + 2j, 3 - 1j])
    square = tg.jacrev(lambda z: z * z, holomorphic=True)(z)
    assert_allclose(square, np.diag(2 * z))
    assert_allclose(tg.jacfwd(lambda z: z * z, holomorphic=True)(z), np.diag(2 * z))
    assert_allclose(tg.jacobian(lambda z: z * z, holomorphic=True)(z), np.diag(2 * z))
    # the gradient of abs(z) ** 2 is twice the conjugate
    assert_allclose(tg.jacrev(lambda z: tnp.abs(z) ** 2)(z), np.diag(2 * z.conj()))
    assert_allclose(tg.jacobian(lambda z: tnp.abs(z) ** 2)(z), np.diag(2 * z.conj()))
    assert_allclose(tg.jacobian(lambda x: x * (1 + 2j))(X), np.eye(3) * (1 + 2j))
    with pytest.raises(TypeError, match="jacfwd with mode 'fwd' needs a real argument"):
        tg.jacfwd(lambda z: tnp.abs(z) ** 2)(z)
    with pytest.raises(TypeError, match="jacrev with mode 'rev' needs a real result"):
        tg.jacrev(lambda z: z * z)(z)
    with pytest.raises(TypeError, match="holomorphic=True needs complex inputs"):
        tg.jacrev(lambda x: x * x, holomorphic=True)(X)


def test_bad_options():
    with pytest.raises(ValueError, match="mode must be 'auto', 'fwd' or 'rev', not 'both'"):
        tg.jacobian(layer, mode="both")
    with pytest.raises(ValueError, match="chunk_size must be at least 1, not 0"):
        tg.hessian(rosenbrock, chunk_size=0)


def test_the_function_runs_once():
    calls = []

    def f(x):
        calls.append(x)
        return x * x

    for transform in ALL:
        transform(f, chunk_size=1)(X)
    assert len(calls) == 3


def test_auto_pulls_where_there_are_fewer_results_and_where_nothing_can_be_pushed():
    @tg.custom_vjp
    def f(x):
        return tnp.stack([x, x * x])

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g[0] + 2 * x * g[1],))
    for g in (f, tg.checkpoint(f)):
        assert_allclose(tg.jacobian(g)(np.array([3.0])), [[[1.0]], [[6.0]]])
        with pytest.raises(TypeError, match="f has no forward-mode rule"):
            tg.jacfwd(g)(np.array([3.0]))


@pytest.mark.parametrize("transform", ALL)
def test_a_zero_cotangent_stays_zero(transform):
    def f(x):
        return tnp.where(x > 0, tnp.sqrt(tnp.where(x > 0, x, 1.0)), 0.0) + tnp.where(
            x > 0, x * tnp.log(x), 0.0
        )

    with np.errstate(all="ignore"):
        result = transform(f)(np.array([0.0, -1.0, 4.0]))
    assert_allclose(result, np.diag([0, 0, 0.25 + np.log(4) + 1]))


def test_hessian_of_rosenbrock():
    x = np.array([0.3, -0.2, 1.1, 0.7])
    expected = np.zeros((4, 4))
    for i in range(3):
        expected[i, i] += 1200 * x[i] ** 2 - 400 * x[i + 1] + 2
        expected[i + 1, i + 1] += 200
        expected[i, i + 1] = expected[i + 1, i] = -400 * x[i]
    for chunk_size in (None, 1, 3):
        assert_allclose(tg.hessian(rosenbrock, chunk_size=chunk_size)(x), expected, rtol=1e-12)
    for outer in ALL:
        for inner in ALL:
            assert_allclose(outer(inner(rosenbrock))(x), expected, rtol=1e-12, atol=1e-12)


def test_hessian_of_trees_and_several_arguments():
    def f(p, y):
        return p["a"] ** 2 * p["b"] * y

    # nested as jax.hessian nests them
    h = tg.hessian(f, (0, 1))({"a": 2.0, "b": 3.0}, 5.0)
    assert h == (
        {"a": ({"a": 30.0, "b": 20.0}, 12.0), "b": ({"a": 20.0, "b": 0.0}, 4.0)},
        ({"a": 12.0, "b": 4.0}, 0.0),
    )
    assert tg.hessian(f, 1)({"a": 2.0, "b": 3.0}, 5.0) == 0.0
    plain = tg.hessian(lambda x, y: x * x * y, (0, 1))(2.0, 3.0)
    assert plain == ((6.0, 4.0), (4.0, 0.0))


def test_hessian_needs_a_scalar():
    with pytest.raises(TypeError, match=r"hessian needs a function with a scalar result"):
        tg.hessian(layer)(X)


@pytest.mark.parametrize("transform", ALL)
def test_inside_other_transforms(transform):
    expected = np.stack([transform(layer)(x) for x in (X, 2 * X)])
    assert_allclose(tg.vmap(transform(layer))(np.stack([X, 2 * X])), expected, rtol=1e-12)

    def trace(x):
        return tnp.sum(transform(layer)(x) * W)

    y = np.tanh(W @ X)
    by_hand = ((W * W).sum(1) * -2 * y * (1 - y * y)) @ W
    assert_allclose(tg.grad(trace)(X), by_hand, rtol=1e-12)
    assert_allclose(tg.jvp(trace, (X,), (X,))[1], by_hand @ X, rtol=1e-12)
    assert_allclose(tg.vmap(tg.grad(trace))(X[None])[0], by_hand, rtol=1e-12)


@pytest.mark.parametrize("transform", ALL)
def test_closing_over_an_outer_value(transform):
    def f(w):
        return tnp.sum(transform(lambda x: x * x * w)(X) * transform(lambda x: w * x)(X))

    # the sum of 2 w x_i * w
    assert_allclose(tg.grad(f)(3.0), 4 * 3.0 * X.sum(), rtol=1e-12)
    assert_allclose(tg.jvp(f, (3.0,), (1.0,))[1], 4 * 3.0 * X.sum(), rtol=1e-12)


@pytest.mark.parametrize("transform", [*ALL, tg.hessian])
def test_a_raise_leaves_the_tape(transform):
    def f(x):
        tnp.sin(x * x)
        raise RuntimeError("inside")

    before, tape = len(local.root), local.tape
    with pytest.raises(RuntimeError, match="inside"):
        transform(f)(X)
    with pytest.raises(RuntimeError, match="inside"):
        tg.vmap(transform(f))(X[None])
    assert (len(local.root), local.tape) == (before, tape)


def test_chunks_bound_the_memory():
    x = np.linspace(0, 1, 300)

    def f(x):
        return tnp.sin(tnp.cos(tnp.sin(x))).sum()

    def peak(chunk_size):
        tg.hessian_diag(f, x[:2])  # what is made once is not counted
        tracemalloc.start()
        tg.hessian_diag(f, x, chunk_size=chunk_size)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result

    assert peak(10) < peak(None) / 4


@pytest.mark.parametrize("d", [tg.jacfwd, tg.jacrev, tg.jacobian, lambda f: tg.hessian(energy(f))])
def test_a_loop_of_assignments_needs_memory_for_the_matrix_alone(d):
    n = 120

    def f(u):
        r = tnp.zeros(n)
        for i in range(1, n - 1):
            r[i] = u[i - 1] - 2.0 * u[i] + u[i + 1]
        return r

    u = np.linspace(0.0, 1.0, n)
    matrix = np.zeros((n, n))
    for i in range(1, n - 1):
        matrix[i, i - 1 : i + 2] = 1.0, -2.0, 1.0
    result = d(f)(u)
    expected = matrix if np.array_equal(result, matrix) else 2.0 * matrix.T @ matrix
    np.testing.assert_allclose(result, expected, atol=1e-12)
    tracemalloc.start()
    d(f)(u)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n**3 * 8 / 4  # a matrix for each assignment would be four times as much


def energy(f):
    return lambda u: np.sum(f(u) ** 2)
