"""The second-order kit: operators, extremes, estimates and steps, against whole matrices."""

import numpy as np
import pytest
import scipy.sparse.linalg
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp

RNG = np.random.default_rng(3)
P = {"w": RNG.normal(size=(3, 2)), "b": RNG.normal(size=2), "c": 0.3}
X = RNG.normal(size=(5, 3))


def model(p):
    hidden = tnp.tanh(X @ p["w"] + p["b"])
    return {"mean": hidden * p["c"], "total": tnp.sum(hidden)}


def loss(out):
    return tnp.sum(tnp.cosh(out["mean"])) + tnp.sin(out["total"])


def objective(p):
    return loss(model(p))


def flat(tree):
    return np.concatenate([np.ravel(x) for x in tg.tree.leaves(tree)])


def matrix_of(operator):
    return operator @ np.eye(operator.shape[1])


def jacobian_of(f, p):
    """The whole Jacobian in the order of leaves, by pushing unit vectors one at a time."""
    leaves, structure = tg.tree.flatten(p)
    sizes = [np.size(x) for x in leaves]
    columns = []
    for k in range(sum(sizes)):
        unit = np.split(np.eye(sum(sizes))[k], np.cumsum(sizes)[:-1])
        parts = [u.reshape(np.shape(x)) for u, x in zip(unit, leaves, strict=True)]
        columns.append(flat(tg.jvp(f, (p,), (tg.tree.unflatten(structure, parts),))[1]))
    return np.stack(columns, axis=1)


def test_jacobian_operator():
    operator = tg.jacobian_operator(model, P)
    expected = jacobian_of(model, P)
    assert isinstance(operator, scipy.sparse.linalg.LinearOperator)
    assert operator.shape == expected.shape
    assert_allclose(matrix_of(operator), expected, atol=1e-13)
    assert_allclose(matrix_of(operator.T), expected.T, atol=1e-13)
    v, u = RNG.normal(size=expected.shape[1]), RNG.normal(size=expected.shape[0])
    assert_allclose(operator @ v, expected @ v, atol=1e-13)
    assert_allclose(operator @ v[:, None], expected @ v[:, None], atol=1e-13)
    assert_allclose(operator.T @ u, u @ expected, atol=1e-13)
    assert_allclose(operator.domain.pack(operator.domain.unpack(v)), v)
    assert set(operator.codomain.unpack(u)) == {"mean", "total"}
    both = tg.jacobian_operator(lambda a, b: a * b, (np.ones(2), np.array([3.0, 4.0])))
    assert_allclose(matrix_of(both), [[3, 0, 1, 0], [0, 4, 0, 1]])
    constant = tg.jacobian_operator(lambda x: [np.ones(2), x], np.ones(1))
    assert_allclose(matrix_of(constant), [[0], [0], [1]])
    assert_allclose(constant.T @ np.ones(3), [1])


def test_hessian_operator_and_extremes():
    expected = jacobian_of(tg.grad(objective), P)
    operator = tg.hessian_operator(objective, P)
    assert_allclose(matrix_of(operator), expected, atol=1e-12)
    values, basis = np.linalg.eigh(expected)
    low, high = tg.hessian_extremes(objective, P, vectors=True)
    assert_allclose([low[0], high[0]], values[[0, -1]], rtol=1e-10)
    assert low[1].keys() == P.keys()
    assert_allclose(abs(flat(high[1]) @ basis[:, -1]), 1.0)
    d = np.linspace(-3.0, 5.0, 40) ** 3

    def large(x):  # Lanczos' method proper
        return tnp.sum(d * x**2) / 2 + x[0] * x[1] / 100

    assert_allclose(tg.hessian_extremes(large, np.ones(40)), [-27.0, 125.0], rtol=1e-6)
    with pytest.raises(ValueError, match="no element"):
        tg.hessian_extremes(tnp.sum, np.zeros(0))


def test_ggn_operator_is_ggnvp():
    operator = tg.ggn_operator(model, loss, P)
    v = RNG.normal(size=operator.shape[0])
    expected = flat(tg.ggnvp(model, loss, P, operator.domain.unpack(v)))
    assert_allclose(operator @ v, expected, atol=1e-12)
    assert_allclose(matrix_of(operator) @ v, expected, atol=1e-12)


def test_operators_are_for_plain_arrays():
    for call in (
        lambda x: tg.hessian_operator(tnp.sum, x),
        lambda x: tg.jacobian_operator(lambda y: x * y, np.ones(2)),
        lambda x: tg.newton_cg_step(lambda y: tnp.sum(y**2 * x), np.ones(2)),
        lambda x: tg.gauss_newton_step(lambda y: y * x, np.ones(2)),
    ):

        def f(x, call=call):
            call(x)
            return tnp.sum(x)

        with pytest.raises(TypeError, match="computes on plain arrays"):
            tg.grad(f)(np.ones(2))


def test_misuse():
    with pytest.raises(TypeError, match="needs real arguments and results, but got complex128"):
        tg.jacobian_operator(lambda x: x * x, np.ones(2) * 1j)
    with pytest.raises(TypeError, match="hessian_operator needs a function with a scalar result"):
        tg.hessian_operator(lambda x: x, np.ones(2))
    with pytest.raises(ValueError, match=r"damping must not be negative, but is -1\.0"):
        tg.levenberg_marquardt_step(lambda x: x, np.ones(2), -1)


def test_single_precision_is_kept():
    x = np.ones(3, np.float32)

    def f(x):
        return tnp.sum(tnp.cosh(x))

    operator = tg.hessian_operator(f, x)
    assert operator.dtype == (operator @ x).dtype == np.float32
    assert tg.newton_cg_step(f, x).dtype == np.float32
    step = tg.gauss_newton_step(lambda x: x * x - 2, x)
    assert step.dtype == np.float32
    assert_allclose(step, 0.5, rtol=1e-6)


def test_solves_by_scipy():
    def f(x):
        return tnp.sum(tnp.cosh(x)) + tnp.sum(x) ** 2 / 2

    x = np.linspace(-1, 1, 30)
    b = np.cos(x)
    solution, info = scipy.sparse.linalg.cg(tg.hessian_operator(f, x), b, rtol=1e-12)
    assert info == 0
    assert_allclose(solution, np.linalg.solve(tg.hessian(f)(x), b), rtol=1e-9)


def test_fisher_of_a_normal_distribution():
    """Mean and log of the scale: diag(1 / s**2, 2) is what the estimate tends to."""
    rng = np.random.default_rng(0)
    data = 1.5 + 2.0 * rng.normal(size=40_000)

    def likelihoods(mean, log_scale):
        return -log_scale - ((data - mean) * tnp.exp(-log_scale)) ** 2 / 2

    point = (1.5, np.log(2.0))
    columns = [tg.fisher_vp(likelihoods, point, v) for v in ((1.0, 0.0), (0.0, 1.0))]
    scores = np.stack(tg.jacobian(likelihoods, (0, 1))(*point))
    assert_allclose(columns, scores @ scores.T / data.size, rtol=1e-10)
    assert_allclose(columns, [[0.25, 0.0], [0.0, 2.0]], atol=0.05)
    assert tg.fisher_vp(lambda p: -p["a"] * data, {"a": 1.0}, {"a": 0.0})["a"] == 0.0


def test_laplacian():
    def f(x):
        return tnp.sum(tnp.sin(x)) * x[0]

    x = np.array([0.3, -0.2, 1.0])
    assert_allclose(tg.laplacian(f, x), np.trace(tg.hessian(f)(x)))
    assert_allclose(tg.laplacian(f, x, chunk_size=1), np.trace(tg.hessian(f)(x)))
    harmonic = tg.laplacian(lambda x, y: tnp.log(x**2 + y**2), (0.3, 0.4))
    assert_allclose(harmonic, 0.0, atol=1e-12)
    expected = tg.grad(lambda x: tnp.sum(tnp.diag(tg.hessian(f)(x))))(x)
    assert_allclose(tg.grad(lambda x: tg.laplacian(f, x))(x), expected, rtol=1e-10)
    assert_allclose(tg.vmap(lambda x: tg.laplacian(f, x))(x[None])[0], tg.laplacian(f, x))


def test_estimated_diagonal():
    def separable(p):
        return tnp.sum(tnp.exp(p["a"])) + p["b"] ** 3

    p = {"a": np.array([0.1, 0.5]), "b": 2.0}
    exact = tg.hessian_diag(separable, p)
    one = tg.hessian_diag(separable, p, samples=1, rng=0)  # a diagonal Hessian: no error at all
    tg.tree.map(lambda x, y: assert_allclose(x, y, rtol=1e-12), one, exact)

    def coupled(x):
        return tnp.sum(x) ** 2 / 2 + tnp.sum(x**2)

    x = np.zeros(20)
    errors = {
        n: np.abs(tg.hessian_diag(coupled, x, samples=n, rng=1, chunk_size=64) - 3.0).mean()
        for n in (100, 10_000)
    }
    assert errors[10_000] < 3 * np.sqrt(19 / 10_000)  # the norm of the rest of a row is sqrt(19)
    assert errors[10_000] < errors[100] / 5
    again = [tg.hessian_diag(coupled, x, samples=3, rng=7) for _ in range(2)]
    assert_allclose(*again, rtol=0)
    assert_allclose(tg.laplacian(coupled, x, samples=20_000, rng=1), 60.0, rtol=0.02)
    assert_allclose(tg.hessian_diag(lambda x: 2.0 * tnp.sum(x), x, samples=2), 0.0)
    with pytest.raises(ValueError, match="samples must be at least 1, not 0"):
        tg.hessian_diag(coupled, x, samples=0)


def bowl(p):
    return tnp.sum(tnp.cosh(p["a"])) + tnp.sum(p["a"]) * p["b"] + p["b"] ** 2 * 4


def test_newton_cg_step():
    p = {"a": np.array([0.5, -0.2]), "b": 0.4}
    step = tg.newton_cg_step(bowl, p, tol=1e-12)
    hessian = jacobian_of(tg.grad(bowl), p)
    gradient = flat(tg.grad(bowl)(p))
    assert_allclose(flat(step), np.linalg.solve(hessian, -gradient), rtol=1e-9)
    assert step.keys() == p.keys()
    short = flat(tg.newton_cg_step(bowl, p, tol=1e-12, radius=0.1))
    assert_allclose(np.linalg.norm(short), 0.1)
    assert short @ gradient < 0
    one = flat(tg.newton_cg_step(bowl, p, maxiter=1))
    assert_allclose(one, -gradient * (gradient @ gradient) / (gradient @ hessian @ gradient))
    assert_allclose(flat(tg.newton_cg_step(lambda x: tnp.sum(x**2), np.zeros(3))), 0.0)


def test_newton_cg_step_at_a_saddle():
    def saddle(x):
        return x[0] ** 2 - x[1] ** 2

    x = np.array([0.1, 1.0])
    assert_allclose(tg.newton_cg_step(saddle, x), -tg.grad(saddle)(x))
    far = tg.newton_cg_step(saddle, x, radius=2.0)
    assert_allclose(np.linalg.norm(far), 2.0)
    assert far @ tg.grad(saddle)(x) < 0


def test_newton_cg_minimises_rosenbrock():
    def rosenbrock(x):
        return tnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    x, radius = np.full(5, -0.5), 1.0
    for _ in range(60):
        step = tg.newton_cg_step(rosenbrock, x, radius=radius)
        better = rosenbrock(x + step) < rosenbrock(x)
        x, radius = (x + step, 2 * radius) if better else (x, radius / 4)
    assert_allclose(x, 1.0, rtol=1e-6)


def test_gauss_newton_and_levenberg_marquardt_steps():
    def residuals(p):
        return {"r": p["a"] * np.array([1.0, 2.0, 3.0]) + p["b"] ** 2, "s": p["b"] - 1.0}

    p = {"a": 0.5, "b": np.array([0.3, 0.1, -0.2])}
    jacobian = jacobian_of(residuals, p)
    r = flat(residuals(p))
    step = tg.gauss_newton_step(residuals, p)
    assert step.keys() == p.keys()
    assert_allclose(flat(step), np.linalg.lstsq(jacobian, -r)[0], rtol=1e-8)
    for damping in (0.1, 10.0):
        damped = flat(tg.levenberg_marquardt_step(residuals, p, damping))
        matrix = jacobian.T @ jacobian + damping * np.eye(4)
        assert_allclose(damped, np.linalg.solve(matrix, -jacobian.T @ r), rtol=1e-8)
    x = np.array([-1.2, 1.0])
    for _ in range(20):
        x = x + tg.levenberg_marquardt_step(
            lambda x: tnp.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]]), x, 1e-3
        )
    assert_allclose(x, 1.0, rtol=1e-8)
