"""`minimize`: every method, constraints, bounds, trees, callbacks, lanes, failures."""

import functools
import threading

import numpy as np
import pytest
import scipy.optimize
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local
from tapegrad.errors import ConvergenceError
from tapegrad.scipy.optimize import minimize, minimize_scalar, rosen

METHODS = {
    **{key: {"tol": 1e-12} for key in ("CG", "BFGS", "L-BFGS-B", "TNC")},
    **{key: {"tol": 1e-10} for key in ("Newton-CG", "dogleg", "trust-ncg", "trust-exact")},
    "trust-krylov": {"tol": 1e-7},
    "SLSQP": {"tol": 1e-16},
    "trust-constr": {"options": {"gtol": 1e-10, "xtol": 1e-14}},
    "Nelder-Mead": {"options": {"xatol": 1e-10, "fatol": 1e-15}},
    "Powell": {"options": {"xtol": 1e-10, "ftol": 1e-15}},
    "COBYLA": {"tol": 1e-9},
    "COBYQA": {"tol": 1e-10},
}
ACCURACY = {"Nelder-Mead": 1e-6, "Powell": 1e-5, "COBYLA": 1e-5, "COBYQA": 1e-5, "CG": 1e-6}


def valley(x, a, b):
    return tnp.sum(tnp.cosh(x - a)) + b * x[0] * x[1] + tnp.sum(x**4) / 8


A = np.array([1.0, -0.5])
B = 0.3


def exact_minimum(a, b):
    """By Newton's method, differentiated by hand: H dx/da = diag(cosh(x - a))."""
    x = np.array([0.5, -0.3])
    for _ in range(50):
        gradient = np.sinh(x - a) + b * x[::-1] + x**3 / 2
        hessian = np.diag(np.cosh(x - a) + 1.5 * x**2) + b * np.array([[0, 1], [1, 0]])
        x = x - np.linalg.solve(hessian, gradient)
    return (
        x,
        np.linalg.solve(hessian, np.diag(np.cosh(x - a))),
        np.linalg.solve(hessian, -x[::-1]),
    )


@pytest.mark.parametrize("method", [None, *METHODS])
def test_every_method_has_the_derivatives_of_the_minimum(method):
    options = METHODS.get(method, {"tol": 1e-12})

    def best(a, b):
        return minimize(valley, [0.5, -0.3], (a, b), method=method, **options).x

    x, by_a, by_b = exact_minimum(A, B)
    rtol = ACCURACY.get(method, 1e-7)
    assert_allclose(best(A, B), x, rtol=rtol)
    got = tg.jacobian(best, (0, 1))(A, B)
    assert_allclose(got[0], by_a, rtol=rtol)
    assert_allclose(got[1], by_b, rtol=rtol)
    assert len(local.root) == 0


@pytest.mark.parametrize("linear", ["dense", "cg", "gmres"])
def test_second_derivatives_and_both_modes(linear):
    def best(b):
        return minimize(valley, [0.5, -0.3], (A, b), tol=1e-13, linear=linear).x

    h = 1e-5
    second = (exact_minimum(A, B + h)[2] - exact_minimum(A, B - h)[2]) / (2 * h)
    for transform in (
        lambda f: tg.jacfwd(tg.jacfwd(f)),
        lambda f: tg.jacrev(tg.jacrev(f)),
        lambda f: tg.jacfwd(tg.jacrev(f)),
    ):
        assert_allclose(transform(best)(B), second, rtol=1e-6)


def test_value_at_the_minimum_has_the_derivative_of_the_envelope():
    def value(b):
        return minimize(lambda x: valley(x, A, b), [0.5, -0.3], tol=1e-12).fun

    x, _, by_b = exact_minimum(A, B)
    v, slope = tg.value_and_grad(value)(B)
    assert_allclose(v, valley(x, A, B), rtol=1e-12)
    assert_allclose(slope, x[0] * x[1], rtol=1e-8)
    assert_allclose(tg.grad(tg.grad(value))(B), x[1] * by_b[0] + x[0] * by_b[1], rtol=1e-6)


def test_lanes():
    def best(a, b):
        return minimize(valley, [0.5, -0.3], (a, b), tol=1e-12).x

    grid = np.array([A, -A, [0.2, 0.1]])
    expected = [exact_minimum(a, B) for a in grid]
    assert_allclose(tg.vmap(best, (0, None))(grid, B), [x for x, *_ in expected], rtol=1e-7)
    slopes = tg.vmap(tg.jacobian(best), (0, None))(grid, B)
    assert_allclose(slopes, [by_a for _, by_a, _ in expected], rtol=1e-6)
    total = tg.grad(lambda b: tnp.sum(tg.vmap(lambda a: best(a, b))(grid)))(B)
    assert_allclose(total, sum(np.sum(by_b) for *_, by_b in expected), rtol=1e-6)


def test_results_are_scipys():
    ours = minimize(rosen, [1.3, 0.7, 0.8], method="BFGS")
    theirs = scipy.optimize.minimize(
        scipy.optimize.rosen, [1.3, 0.7, 0.8], method="BFGS", jac=scipy.optimize.rosen_der
    )
    assert type(ours) is scipy.optimize.OptimizeResult
    assert ours.keys() == theirs.keys()
    assert_allclose(ours.x, theirs.x, rtol=1e-6)
    assert (ours.nit, ours.nfev, ours.message) == (theirs.nit, theirs.nfev, theirs.message)
    assert minimize(lambda x: (x[0] - 2) ** 2, 1.0).x.shape == (1,)
    assert minimize(lambda x: (x - 2) ** 2, np.ones(1)).fun.shape == ()


def test_trees_and_callbacks():
    def loss(p, target):
        return tnp.sum((p["w"] - target) ** 2) + (p["b"] - 1.0) ** 2 + p["b"] ** 2

    seen = []
    start = {"w": np.zeros((2, 2)), "b": 0.0}
    target = np.array([[1.0, 2.0], [3.0, 4.0]])
    result = minimize(loss, start, (target,), callback=seen.append)
    assert_allclose(result.x["w"], target, atol=1e-6)
    assert_allclose(result.x["b"], 0.5, atol=1e-6)
    assert seen
    assert seen[-1]["w"].shape == (2, 2)

    def with_result(intermediate_result):
        seen.append(intermediate_result)

    for method in ("BFGS", "TNC", "trust-constr"):
        minimize(loss, start, (target,), method=method, callback=with_result)
        assert set(seen[-1].x) == {"w", "b"}
    minimize(loss, start, (target,), method="trust-constr", callback=lambda x, s: seen.append(x))
    assert set(seen[-1]) == {"w", "b"}
    slope = tg.jacobian(lambda t: minimize(loss, start, (t,)).x["w"])(target)
    assert_allclose(slope, np.eye(4).reshape(2, 2, 2, 2), atol=1e-6)


CONSTRAINED = {
    "SLSQP": {"tol": 1e-14},
    "trust-constr": {"options": {"gtol": 1e-12, "xtol": 1e-14, "barrier_tol": 1e-12}},
    "COBYQA": {"tol": 1e-10},
    "COBYLA": {"tol": 1e-10},
}


@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC", "SLSQP", "trust-constr", "COBYQA"])
def test_bounds(method):
    """At x[0] = upper = 1, the free x[1] minimises alone."""

    def best(p, upper):
        bounds = [(None, upper), (-5.0, None)]
        options = CONSTRAINED[method]["options"] if method == "trust-constr" else None
        return minimize(
            lambda x: (x[0] - p) ** 2 + (x[1] - 2 * p) ** 2 + x[0] * x[1] / 2,
            [0.0, 0.0],
            method=method,
            bounds=bounds,
            tol=None if options else 1e-10,
            options=options,
        ).x

    assert_allclose(best(3.0, 1.0), [1.0, 5.75], rtol=1e-4)  # x[1] = 2 p - x[0] / 4
    by_p, by_upper = tg.jacobian(best, (0, 1))(3.0, 1.0)
    assert_allclose(by_p, [0.0, 2.0], atol=1e-7)
    assert_allclose(by_upper, [1.0, -0.25], atol=1e-7)
    assert_allclose(tg.vmap(tg.jacobian(best), (0, None))(np.array([3.0, 2.5]), 1.0)[:, 1], 2.0)


def test_bounds_of_trees_and_of_scipys_class():
    def loss(x):
        return tnp.sum((x["a"] - 3.0) ** 2) + (x["b"] + 1.0) ** 2

    start = {"a": np.zeros(2), "b": 0.5}
    got = minimize(loss, start, bounds={"a": (0.0, np.array([1.0, 5.0])), "b": (0.0, None)}).x
    assert_allclose(got["a"], [1.0, 3.0], atol=1e-6)
    assert_allclose(got["b"], 0.0, atol=1e-9)

    def best(upper):
        bounds = scipy.optimize.Bounds(-np.inf, upper)
        return minimize(lambda x: tnp.sum((x - 3.0) ** 2), [0.0, 0.0], bounds=bounds).x

    assert_allclose(tg.jacobian(best)(np.array([1.0, 4.0])), [[1, 0], [0, 0]], atol=1e-7)
    with pytest.raises(ValueError, match="2 unknowns, but bounds for 3"):
        minimize(loss, [0.0, 0.0], bounds=[(0, 1)] * 3)
    with pytest.raises(TypeError, match="bounds: the structures differ"):
        minimize(loss, start, bounds={"a": (0.0, 1.0)})


Q = np.array([[2.0, 0.5, 0.0], [0.5, 3.0, 0.2], [0.0, 0.2, 4.0]])
C = np.array([1.0, 0.5, -0.2])


def quadratic_program(method, c, s, floor):
    """min x'Qx/2 - c'x where sum(x) = s and x[2] >= floor."""
    return minimize(
        lambda x: x @ Q @ x / 2 - c @ x,
        [0.3, 0.3, 0.3],
        method=method,
        constraints=[
            {"type": "eq", "fun": lambda x, s: tnp.sum(x) - s, "args": (s,)},
            {"type": "ineq", "fun": lambda x: x[2] - floor},
        ],
        **CONSTRAINED[method],
    )


def its_solution(c, s, floor, active):
    """The unknowns and the multipliers, by one linear system; is the inequality active?"""
    rows = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]][: 1 + active])
    matrix = np.block([[Q, -rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    return tnp.linalg.solve(matrix, tnp.concatenate([c, tnp.stack([s, floor][: 1 + active])]))


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
@pytest.mark.parametrize(("floor", "active"), [(0.1, True), (-1.0, False)])
def test_quadratic_program(method, floor, active):
    args = (C, 1.0, floor)
    atol = 1e-4 if method == "trust-constr" else 1e-5  # how near an interior point comes
    result = quadratic_program(method, *args)
    expected = its_solution(*args, active)
    assert_allclose(result.x, expected[:3], atol=atol)
    assert_allclose(result.multipliers[: 1 + active], expected[3:], atol=atol)

    def both(c, s, floor):
        result = quadratic_program(method, c, s, floor)
        return tnp.concatenate([result.x, result.multipliers[: 1 + active]])

    got = tg.jacobian(both, (0, 1, 2))(*args)
    right = tg.jacobian(lambda *args: its_solution(*args, active), (0, 1, 2))(*args)
    for g, r in zip(got, right, strict=True):
        assert_allclose(g, r, atol=1e-6)
    # the multipliers are the sensitivities of the value to the bounds
    slope = tg.grad(lambda s: quadratic_program(method, C, s, floor).fun)(1.0)
    assert_allclose(slope, result.multipliers[0], atol=atol)


@pytest.mark.parametrize("method", ["COBYLA", "COBYQA"])
def test_constraints_without_gradients(method):
    def best(s):
        return minimize(
            lambda x: x @ x,
            [1.0, 0.0],
            method=method,
            constraints={"type": "ineq", "fun": lambda x: x[0] + 2 * x[1] - s},
            tol=1e-8,
        ).x

    assert_allclose(best(1.0), [0.2, 0.4], atol=1e-5)
    assert_allclose(tg.jacobian(best)(1.0), [0.2, 0.4], atol=1e-5)


def test_nonlinear_and_linear_constraints():
    """The point of the circle of radius r in the half-plane x >= y that is nearest to (0, 3)."""

    def solve(r, method="SLSQP"):
        return minimize(
            lambda x: x[0] ** 2 + (x[1] - 3.0) ** 2,
            [1.0, 0.5],
            method=method,
            constraints=[
                scipy.optimize.NonlinearConstraint(lambda x: x @ x, r**2, r**2),
                scipy.optimize.LinearConstraint([[1.0, -1.0]], 0.0, np.inf),
            ],
            tol=1e-12,
        ).x

    for method in ("SLSQP", "trust-constr"):
        assert_allclose(solve(2.0, method), [2**0.5, 2**0.5], rtol=1e-6)
        slope = tg.jacobian(functools.partial(solve, method=method))(2.0)
        assert_allclose(slope, [0.5**0.5, 0.5**0.5], rtol=1e-6)
    radii = np.array([1.0, 2.0])
    assert_allclose(tg.vmap(tg.jacobian(solve))(radii), np.full((2, 2), 0.5**0.5), rtol=1e-5)


def test_equality_that_costs_nothing():
    """A multiplier of exactly zero on an equality: the solution still follows the constraint."""

    def solve(s):
        return minimize(
            lambda x: tnp.sum(x**2),
            [1.0, 0.0],
            constraints={"type": "eq", "fun": lambda x: x[0] + x[1] - s},
            tol=1e-14,
        ).x

    assert_allclose(tg.jacobian(solve)(0.0), [0.5, 0.5], atol=1e-7)


def test_functions_given_for_derivatives_are_not_needed():
    def with_gradient(x):
        return (x[0] - 1) ** 2, 2 * (x - 1)

    assert_allclose(minimize(with_gradient, [0.0], jac=True).x, 1.0)
    assert_allclose(minimize(lambda x: (x[0] - 1) ** 2, [0.0], jac="2-point").x, 1.0, rtol=1e-6)
    updates = scipy.optimize.BFGS()
    x = minimize(lambda x: (x[0] - 1) ** 2, [0.0], method="trust-constr", hess=updates).x
    assert_allclose(x, 1.0, rtol=1e-6)


def test_failure_raises_where_derivatives_are_asked_for():
    def stopped(a):
        return minimize(rosen, a * np.ones(3), options={"maxiter": 2})

    result = stopped(3.0)  # as SciPy does
    assert not result.success

    def loss(a):
        return minimize(lambda x: tnp.sum((x - a) ** 4), np.zeros(3), options={"maxiter": 1}).fun

    with pytest.raises(ConvergenceError, match=r"solver failed \(Maximum number of iterations"):
        tg.grad(loss)(3.0)
    with pytest.raises(ConvergenceError, match="solver failed"):
        tg.vmap(loss)(np.array([2.0, 3.0]))
    assert len(local.root) == 0


def test_misuse():
    with pytest.raises(TypeError, match="needs a function whose result is one number"):
        minimize(lambda x: x, [1.0, 2.0])
    with pytest.raises(TypeError, match="fun must be a function"):
        minimize(3.0, [1.0])
    with pytest.raises(TypeError, match="a constraint must be a dictionary"):
        minimize(tnp.sum, [1.0], constraints=[{"type": "equal"}])
    with pytest.raises(TypeError, match="real unknowns, but the start has dtype complex128"):
        minimize(tnp.sum, [1j])


def test_threads():
    def work(i):
        results[i] = tg.grad(lambda a: minimize(lambda x: tnp.sum((x - a) ** 2), [0.0]).x[0])(1.0)

    results = [None] * 4
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_allclose(results, 1.0)


@pytest.mark.parametrize(
    "options",
    [{}, {"bracket": (0.0, 1.0)}, {"bounds": (-1.0, 9.0)}, {"method": "golden", "tol": 1e-10}],
)
def test_minimum_of_one_number(options):
    def best(a):
        return minimize_scalar(lambda x: (x - a) ** 4 / 4 + x * x / 2, **options)

    # (x - a)**3 + x = 0, so that dx/da = 3 (x - a)**2 / (3 (x - a)**2 + 1); at a = 2: x = 1
    rtol = 1e-4 if "bounds" in options else 1e-6
    assert_allclose(best(2.0).x, 1.0, rtol=rtol)
    assert_allclose(tg.grad(lambda a: best(a).x)(2.0), 3 / 4, rtol=rtol)
    assert_allclose(tg.grad(lambda a: best(a).fun)(2.0), 1.0, rtol=rtol)
    assert_allclose(tg.vmap(tg.grad(lambda a: best(a).x))(np.array([2.0, 2.0])), 3 / 4, rtol=rtol)
    assert best(2.0).keys() == scipy.optimize.minimize_scalar(lambda x: x * x, **options).keys()


def test_minimum_of_one_number_at_a_bound():
    def best(upper):
        return minimize_scalar(lambda x: (x - 5.0) ** 2, bounds=(0.0, upper)).x

    assert_allclose(tg.grad(best)(2.0), 1.0)


def test_starts_of_all_kinds():
    def best(a):
        starts = ([a, 1.0], (a, 1), tnp.stack([a, a]), np.array([1, 2]))
        return sum(minimize(lambda x: tnp.sum((x - a) ** 2), x0).x[1] for x0 in starts)

    assert_allclose(best(2.0), 8.0, rtol=1e-6)
    assert_allclose(tg.grad(best)(2.0), 4.0)  # of the minimum alone: a start has no derivative
