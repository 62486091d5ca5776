"""Least squares and linear programs: closed forms, differences of the solver, duals, lanes."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local
from tapegrad.errors import ConvergenceError
from tapegrad.scipy.optimize import curve_fit, least_squares, linprog, lsq_linear, nnls

T = np.linspace(0.0, 3.0, 9)
Y = 2.0 * np.exp(-0.7 * T) + 0.2 * np.cos(5 * T)  # far from exact: residuals matter
TIGHT = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}


def decay(p, y):
    return p["scale"] * tnp.exp(-p["rate"] * T) - y


def differences(f, x, h=2e-3):
    """The Jacobian of a function of a vector, by differences of fourth order.

    The step is large, for the answers of solvers are good to half of the digits only.
    """

    def along(step):
        near, far = f(x + step) - f(x - step), f(x + 2 * step) - f(x - 2 * step)
        return (8 * near - far) / (12 * h)

    return np.stack([along(step) for step in h * np.eye(x.size)], axis=-1)


RHO = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * ((1 + z) ** 0.5 - 1),
    "huber": lambda z: tnp.where(z <= 1, z, 2 * tnp.maximum(z, 1) ** 0.5 - 1),
    "cauchy": lambda z: tnp.log(1 + z),
    "arctan": tnp.arctan,
}
SCALE = 0.15


def polished(x, y, loss):
    """An approximate fit and its cost, made exact by Newton's method."""

    def cost(x):
        z = (decay({"scale": x[0], "rate": x[1]}, y) / SCALE) ** 2
        return SCALE**2 / 2 * tnp.sum(RHO[loss](z))

    for _ in range(4):
        x = x - np.linalg.solve(tg.hessian(cost)(x), tg.grad(cost)(x))
    return x, cost(x)


@pytest.mark.parametrize(
    ("method", "loss"),
    [("lm", "linear"), ("dogbox", "cauchy"), *(("trf", loss) for loss in RHO)],
)
def test_least_squares_is_differentiated_with_large_residuals(method, loss):
    del local.root[:]  # what other tests left

    def fit(y):
        start = {"scale": 1.5, "rate": 0.5}
        options = {"loss": loss, "f_scale": SCALE, **TIGHT}
        return least_squares(decay, start, method=method, args=(y,), **options)

    def parameters(y):
        x = fit(y).x
        return tnp.stack([x["scale"], x["rate"]])

    x = parameters(Y)
    assert_allclose(x, polished(x, Y, loss)[0], rtol=1e-7)
    expected = differences(lambda y: polished(x, y, loss)[0], Y, 2e-4)
    assert_allclose(tg.jacobian(parameters)(Y), expected, rtol=1e-5, atol=1e-7)
    assert_allclose(tg.jacfwd(parameters)(Y), expected, rtol=1e-5, atol=1e-7)
    value, slope = tg.value_and_grad(lambda y: fit(y).cost)(Y)
    assert_allclose(value, fit(Y).cost, rtol=1e-12)
    expected = differences(lambda y: polished(x, y, loss)[1], Y, 2e-4)
    assert_allclose(slope, expected, rtol=1e-6, atol=1e-8)
    assert len(local.root) == 0


def test_least_squares_in_lanes_and_to_second_order():
    def rate(y):
        return least_squares(decay, {"scale": 1.5, "rate": 0.5}, args=(y,), **TIGHT).x["rate"]

    ys = np.stack([Y, Y + 0.1])
    slopes = np.stack([tg.grad(rate)(y) for y in ys])
    assert_allclose(tg.vmap(tg.grad(rate))(ys), slopes, rtol=1e-7)
    assert_allclose(tg.grad(lambda y: tnp.sum(tg.vmap(rate)(y)))(ys), slopes, rtol=1e-7)
    d = np.cos(T)
    second = (tg.grad(rate)(Y + 1e-3 * d) - tg.grad(rate)(Y - 1e-3 * d)) / 2e-3
    assert_allclose(tg.hvp(rate, Y, d), second, rtol=1e-4, atol=1e-7)


def test_least_squares_with_bounds():
    def fit(y, low):
        bounds = ({"scale": low, "rate": -np.inf}, np.inf)
        x = least_squares(decay, {"scale": 3.0, "rate": 0.5}, None, bounds, args=(y,), **TIGHT).x
        return tnp.stack([x["scale"], x["rate"]])

    by_y, by_low = tg.jacobian(fit, (0, 1))(Y, 2.5)
    assert_allclose(fit(Y, 2.5)[0], 2.5)
    assert_allclose(by_low, differences(lambda v: fit(Y, v[0]), np.array([2.5]))[:, 0], atol=1e-5)
    assert_allclose(by_y, differences(lambda y: fit(y, 2.5), Y), atol=1e-5)


def test_least_squares_with_a_sparse_jacobian():
    """Smoothing: each residual has two unknowns at most."""
    n = 300
    noise = np.random.default_rng(0).normal(size=n)

    def residuals(x, y):
        return tnp.concatenate([x - y, 3.0 * tnp.sinh(x[1:] - x[:-1])])

    pattern = tg.sparsity(residuals, np.zeros(n), noise)
    full = least_squares(residuals, np.zeros(n), args=(noise,), tr_solver="lsmr")
    seen = []
    for given in (pattern, tg.sparse_jacobian(residuals)(np.ones(n), noise)):
        result = least_squares(
            residuals, np.zeros(n), args=(noise,), jac_sparsity=given, callback=seen.append
        )
        assert scipy.sparse.issparse(result.jac)
        assert_allclose(result.x, full.x, atol=1e-6)
    assert len(seen) > 2

    def middle(y, linear):
        options = {"jac_sparsity": pattern, "linear": linear, **TIGHT}
        return least_squares(residuals, np.zeros(n), args=(y,), **options).x[n // 2]

    slope = tg.grad(lambda y: middle(y, "sparse"))(noise)
    assert_allclose(slope, tg.grad(lambda y: middle(y, "cg"))(noise), atol=1e-9)
    d = np.cos(np.arange(n))
    along = differences(lambda t: middle(noise + t[0] * d, "dense"), np.zeros(1), 1e-2)
    assert_allclose(slope @ d, along, rtol=1e-5)


def test_least_squares_results_and_callbacks():
    seen = []
    start = {"scale": 1.0, "rate": 0.5}
    result = least_squares(decay, start, args=(Y,), callback=lambda x: seen.append(x["rate"]))
    assert result.njev == len(seen)
    assert_allclose(seen[-1], result.x["rate"], rtol=1e-4)
    theirs = scipy.optimize.least_squares(
        lambda p: p[0] * np.exp(-p[1] * T) - Y,
        [0.5, 1.0],
        jac=lambda p: np.stack([np.exp(-p[1] * T), -T * p[0] * np.exp(-p[1] * T)], axis=1),
    )
    ours = least_squares(lambda p: p[0] * np.exp(-p[1] * T) - Y, [0.5, 1.0])
    assert ours.keys() == theirs.keys()
    assert_allclose(ours.x, theirs.x, rtol=1e-12)
    assert_allclose(ours.cost, theirs.cost)
    assert ours.nfev == theirs.nfev

    def watch(intermediate_result):
        seen.append(intermediate_result.cost)

    least_squares(decay, start, args=(Y,), callback=watch, method="lm", kwargs={})
    least_squares(decay, start, args=(Y,), callback=watch)
    assert_allclose(seen[-1], result.cost, rtol=1e-6)
    with pytest.raises(TypeError, match="loss must be a function or one of"):
        least_squares(decay, start, args=(Y,), loss="absolute")
    with pytest.raises(ConvergenceError, match="solver failed"):
        tg.grad(lambda y: least_squares(decay, start, args=(y,), max_nfev=1).cost)(Y)


SIGMA = np.linspace(0.1, 0.3, 9)
COVARIANCE = np.diag(SIGMA**2) + 0.002


@pytest.mark.parametrize("sigma", [None, SIGMA, COVARIANCE], ids=["none", "errors", "covariance"])
@pytest.mark.parametrize("absolute", [False, True])
def test_curve_fit(sigma, absolute):
    def model(t, scale, rate):
        return scale * tnp.exp(-rate * t)

    def fit(t, y):
        return curve_fit(model, t, y, (1.0, 1.0), sigma, absolute, xtol=1e-15, ftol=1e-15)

    def plain(t, scale, rate):
        return scale * np.exp(-rate * t)

    popt, pcov = fit(T, Y)
    theirs = scipy.optimize.curve_fit(plain, T, Y, (1.0, 1.0), sigma, absolute)
    assert_allclose(popt, theirs[0], rtol=1e-6)
    assert_allclose(pcov, theirs[1], rtol=1e-5)
    recorded = tg.jvp(lambda y: fit(T, y)[1], (Y,), (Y,))[0]
    assert_allclose(recorded, pcov, rtol=1e-7)

    def both(t, y):
        popt, pcov = fit(t, y)
        return tnp.concatenate([popt, tnp.reshape(pcov, (-1,))])

    by_t, by_y = tg.jacobian(both, (0, 1))(T, Y)
    assert_allclose(by_t, differences(lambda t: both(t, Y), T), rtol=1e-4, atol=1e-6)
    assert_allclose(by_y, differences(lambda y: both(T, y), Y), rtol=1e-4, atol=1e-6)


def test_curve_fit_of_a_line():
    """Slope and intercept in closed form."""

    def line(x, a, b):
        return a * x + b

    slopes = tg.jacobian(lambda y: curve_fit(line, T, y)[0])(Y)
    assert_allclose(slopes, np.linalg.pinv(np.stack([T, np.ones(9)], axis=1)), atol=1e-8)
    by_sigma = tg.jacobian(lambda s: curve_fit(line, T, Y, sigma=s)[0])(SIGMA)
    weighted = differences(lambda s: curve_fit(line, T, Y, sigma=s)[0], SIGMA)
    assert_allclose(by_sigma, weighted, atol=1e-5)
    bounded = curve_fit(line, T, Y, bounds=([-0.2, 0.0], [0.0, np.inf]))[0]
    assert_allclose(bounded[0], -0.2, atol=1e-6)
    popt, *_, flag = curve_fit(line, T, Y, full_output=True)
    assert flag in (1, 2, 3, 4)
    assert_allclose(tg.vmap(lambda y: curve_fit(line, T, y)[0])(Y[None])[0], popt, rtol=1e-7)
    with pytest.raises(TypeError, match="full_output=True cannot describe"):
        tg.vmap(lambda y: curve_fit(line, T, y, full_output=True)[0])(Y[None])
    with pytest.raises(RuntimeError, match="Optimal parameters not found"):
        tg.grad(lambda y: curve_fit(lambda x, a, b: a * tnp.exp(b * x), T, y, maxfev=2)[0][0])(Y)
    with pytest.raises(TypeError, match="p0 must be given where f has no named parameters"):
        curve_fit(lambda x, *p: p[0] * x, T, Y)


MATRIX = np.array([[1.0, 0.2], [0.5, 2.0], [0.3, -1.0]])
SIDES = np.array([1.0, -2.0, 0.5])


def test_linear_least_squares():
    def solve(a, b):
        return lsq_linear(a, b).x

    def direct(a, b):
        return tnp.linalg.solve(a.T @ a, a.T @ b)

    for got, expected in zip(
        tg.jacobian(solve, (0, 1))(MATRIX, SIDES),
        tg.jacobian(direct, (0, 1))(MATRIX, SIDES),
        strict=True,
    ):
        assert_allclose(got, expected, atol=1e-9)
    sparse = scipy.sparse.csr_array(MATRIX)
    assert_allclose(tg.jacobian(lambda b: lsq_linear(sparse, b).x)(SIDES), np.linalg.pinv(MATRIX))
    cost = tg.grad(lambda b: lsq_linear(MATRIX, b, (0.0, 1.0)).cost)(SIDES)
    assert_allclose(
        cost, differences(lambda b: lsq_linear(MATRIX, b, (0.0, 1.0)).cost, SIDES), atol=1e-7
    )


def test_nonnegative_least_squares():
    x, norm = nnls(MATRIX, SIDES)
    theirs = scipy.optimize.nnls(MATRIX, SIDES)
    assert_allclose(x, theirs[0])
    assert norm == theirs[1]
    for k in (0, 1):
        by_a = tg.jacobian(lambda a, k=k: nnls(a, SIDES)[k])(MATRIX)
        expected = differences(lambda a, k=k: nnls(a.reshape(3, 2), SIDES)[k], MATRIX.ravel())
        assert_allclose(by_a.reshape(expected.shape), expected, atol=1e-8)
        by_b = tg.jacobian(lambda b, k=k: nnls(MATRIX, b)[k])(SIDES)
        assert_allclose(by_b, differences(lambda b, k=k: nnls(MATRIX, b)[k], SIDES), atol=1e-8)
    lanes = tg.vmap(lambda b: nnls(MATRIX, b)[0])(np.stack([SIDES, -SIDES]))
    assert_allclose(lanes, [nnls(MATRIX, b)[0] for b in (SIDES, -SIDES)])


COSTS = np.array([-3.0, -5.0, -1.0])
A_UB = np.array([[1.0, 2.0, 1.0], [3.0, 2.0, 0.5]])
B_UB = np.array([8.0, 12.0])
A_EQ = np.array([[0.5, 0.0, 1.0]])
B_EQ = np.array([2.0])


def program(c, a_ub, b_ub, a_eq, b_eq):
    return linprog(c, a_ub, b_ub, a_eq, b_eq, bounds=[(0, None), (0, 2.5), (None, None)])


def all_of(result):
    """Everything of a linear program's result that has derivatives."""
    duals = (result.ineqlin, result.eqlin, result.lower, result.upper)
    parts = [result.x, tnp.atleast_1d(result.fun), result.slack, result.con]
    return tnp.concatenate([*parts, *(d.marginals for d in duals)])


@pytest.mark.parametrize("i", range(5))
def test_linear_program_and_its_duals(i):
    args = (COSTS, A_UB, B_UB, A_EQ, B_EQ)

    def f(v):
        return all_of(program(*args[:i], v.reshape(args[i].shape), *args[i + 1 :]))

    v = args[i].ravel()
    assert_allclose(tg.jacobian(f)(v), differences(f, v), atol=1e-8)
    assert_allclose(tg.vmap(f)(v[None])[0], f(v), atol=1e-12)


def test_shadow_prices():
    result = program(COSTS, A_UB, B_UB, A_EQ, B_EQ)
    prices = tg.grad(lambda b: program(COSTS, A_UB, b, A_EQ, B_EQ).fun)(B_UB)
    assert_allclose(prices, result.ineqlin.marginals, atol=1e-12)
    assert_allclose(tg.grad(lambda c: program(c, A_UB, B_UB, A_EQ, B_EQ).fun)(COSTS), result.x)


def test_linear_program_in_lanes_and_its_result():
    args = (A_UB, B_UB, A_EQ, B_EQ)
    costs = np.stack([COSTS, [-1.0, 1.0, -1.0]])
    lanes = tg.vmap(lambda c: program(c, *args).x)(costs)
    assert_allclose(lanes, [program(c, *args).x for c in costs], atol=1e-12)
    slopes = tg.vmap(tg.grad(lambda c: program(c, *args).fun))(costs)
    assert_allclose(slopes, lanes, atol=1e-9)
    theirs = scipy.optimize.linprog(COSTS, A_UB, B_UB, A_EQ, B_EQ, bounds=(0, 2))
    ours = linprog(COSTS, scipy.sparse.csr_array(A_UB), B_UB, A_EQ, B_EQ, bounds=(0, 2))
    assert ours.keys() == theirs.keys()
    assert_allclose(ours.x, theirs.x)


def test_linear_programs_without_an_answer():
    def infeasible(b):
        return linprog([1.0, 1.0], A_eq=[[1.0, 1.0]], b_eq=b, bounds=(0, None))

    result = infeasible(np.array([-1.0]))  # as SciPy's
    assert result.status == 2
    assert result.x is None
    with pytest.raises(ConvergenceError, match=r"linprog: the solver failed \(The problem is infe"):
        tg.grad(lambda b: infeasible(b).fun)(np.array([-1.0]))
    with pytest.raises(ConvergenceError, match="singular at the solution"):
        tg.jacobian(lambda b: infeasible(b).x)(np.array([1.0]))  # any point of a line
    with pytest.raises(TypeError, match="has no rule for traced arrays"):
        tg.grad(lambda c: linprog(c, A_UB, B_UB, integrality=1).fun)(COSTS)
    assert linprog(COSTS, A_UB, B_UB, integrality=1).success


def test_curve_fit_of_parameters_that_are_not_determined():
    x = np.linspace(0.0, 1.0, 5)
    with pytest.raises(ConvergenceError, match="curve_fit: the Jacobian of the condition is sing"):
        tg.grad(lambda y: curve_fit(lambda x, a, b: (a + b) * x, x, y, p0=(1.0, 1.0))[0][0])(x)
