"""Derivatives of a solver's answer: closed forms, differences, orders, modes, lanes, failures."""

import functools
import threading

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse.linalg
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local
from tapegrad.errors import ConcretizationError, ConvergenceError

LINEAR = ["dense", "sparse", "gmres"]
A = np.array([[3.0, 1.0, 0.2], [0.5, 4.0, 1.0], [0.1, -1.0, 5.0]])
B = np.array([1.0, -2.0, 0.5])


def newton(f, x):
    for _ in range(60):
        x = x - np.linalg.solve(np.atleast_2d(tg.jacobian(f)(x)), np.atleast_1d(f(x))).reshape(
            np.shape(x)
        )
    return x


def hybrid(f, x):
    return scipy.optimize.root(f, x, tol=1e-14).x


def descend(f, x):
    """Newton's method for a minimum."""
    return newton(tg.grad(f), x)


def cubic(x, a):
    return x**3 + a * x - 2.0


def cubic_derivatives(a):
    """The root of the cubic, and its first three derivatives, by implicit differentiation."""
    x = scipy.optimize.brentq(lambda x: x**3 + a * x - 2.0, 0, 3, xtol=1e-15)
    d = 3 * x * x + a
    x1 = -x / d
    x2 = -(6 * x * x1 * x1 + 2 * x1) / d
    x3 = -(6 * x1**3 + 18 * x * x1 * x2 + 3 * x2) / d
    return x, x1, x2, x3


@pytest.mark.parametrize("linear", LINEAR)
@pytest.mark.parametrize("captured", [False, True])
def test_scalar_root_to_third_order(linear, captured):
    def solve(a):
        if captured:
            return tg.implicit.root(lambda x: cubic(x, a), newton, linear=linear)(1.0)
        return tg.implicit.root(cubic, newton, linear=linear)(1.0, a)

    expected = cubic_derivatives(1.5)

    def jvp(f):
        return lambda a: tg.jvp(f, (a,), (1.0,))[1]

    chains = [(tg.grad, tg.grad, tg.grad), (jvp, jvp, jvp), (tg.grad, jvp, tg.grad)]
    for chain in chains:
        f = solve
        for order, transform in enumerate(chain):
            assert_allclose(f(1.5), expected[order], rtol=1e-9)
            f = transform(f)
        assert_allclose(f(1.5), expected[3], rtol=1e-8)
    assert len(local.root) == 0


@pytest.mark.parametrize("linear", LINEAR)
def test_linear_system_has_the_derivatives_of_solve(linear):
    def residual(x, a, b):
        return a @ x - b

    def solve(a, b):
        return tg.implicit.root(residual, hybrid, linear=linear)(np.zeros(3), a, b)

    def direct(a, b):
        return tnp.linalg.solve(a, b)

    for argnums in (0, 1, (0, 1)):
        for transform in (tg.jacrev, tg.jacfwd):
            got, expected = (transform(f, argnums)(A, B) for f in (solve, direct))
            tg.tree.map(lambda x, y: assert_allclose(x, y, atol=1e-9), got, expected)

    def second(f):
        return tg.hessian(lambda a: tnp.sum(f(a, B) ** 2))(A)

    assert_allclose(second(solve), second(direct), atol=1e-8)


def test_trees_of_unknowns_and_parameters():
    def residual(x, p):
        return [x["u"] * p["a"] - x["v"][::-1], x["v"] + tnp.sum(x["u"]) - p["b"]]

    def solve(f, x0):
        keys = sorted(x0)
        flat = scipy.optimize.root(
            lambda v: np.concatenate(f({"u": v[:2], "v": v[2:]})),
            np.concatenate([x0[k] for k in keys]),
            tol=1e-14,
        ).x
        return {"u": flat[:2], "v": flat[2:]}

    x0 = {"u": np.zeros(2), "v": np.ones(2)}
    p = {"a": np.array([2.0, 3.0]), "b": 1.5}
    fitted = tg.implicit.root(residual, solve)

    def plain(p):  # eliminated by hand: v = b - sum(u), u = v / a
        s = np.sum(1 / p["a"])
        v = p["b"] / (1 + s)
        return {"u": v / p["a"], "v": np.array([v, v])}

    got = fitted(x0, p)
    tg.tree.map(lambda x, y: assert_allclose(x, y, rtol=1e-10), got, plain(p))
    slope = tg.grad(lambda p: tnp.sum(fitted(x0, p)["u"] ** 2))(p)
    h = 1e-6
    for change in ("a", "b"):
        d = np.array([1.0, 0.0]) if change == "a" else 1.0
        up, down = ({**p, change: p[change] + s * h * d} for s in (1, -1))
        difference = (np.sum(plain(up)["u"] ** 2) - np.sum(plain(down)["u"] ** 2)) / (2 * h)
        assert_allclose(np.sum(slope[change] * d), difference, rtol=1e-7)
    assert isinstance(slope["b"], np.float64)


def ridge(x, a, b, c):
    r = a @ x - b
    return tnp.sum(r * r) / 2 + c * tnp.sum(x * x) / 2


def ridge_solution(a, b, c):
    return tnp.linalg.solve(a.T @ a + c * np.eye(3), a.T @ b)


MINRES = functools.partial(scipy.sparse.linalg.minres, rtol=1e-13)


@pytest.mark.parametrize("linear", ["dense", "sparse", "cg", "gmres", MINRES])
def test_quadratic_minimum(linear):
    def solve(a, b, c):
        return tg.implicit.minimum(ridge, descend, linear=linear)(np.zeros(3), a, b, c)

    args = (A, B, 0.3)
    assert_allclose(solve(*args), ridge_solution(*args), rtol=1e-9)
    for transform in (tg.jacrev, tg.jacfwd):
        got, expected = (transform(f, (0, 1, 2))(*args) for f in (solve, ridge_solution))
        for g, e in zip(got, expected, strict=True):
            assert_allclose(g, e, atol=1e-8)
    second = [
        tg.hessian(lambda c, f=f: tnp.sum(f(A, B, c) ** 2))(0.3) for f in (solve, ridge_solution)
    ]
    assert_allclose(*second, rtol=1e-7)


def iterate(f, x):
    for _ in range(200):
        x = f(x)
    return x


@pytest.mark.parametrize("linear", LINEAR)
def test_fixed_point_is_that_of_the_unrolled_loop(linear):
    def step(x, w, b):
        return tnp.tanh(w @ x + b)

    w, b = A / 10, B / 4

    def unrolled(w, b):
        return iterate(lambda x: step(x, w, b), np.zeros(3))

    def implicit(w, b):
        return tg.implicit.fixed_point(step, iterate, linear=linear)(np.zeros(3), w, b)

    assert_allclose(implicit(w, b), unrolled(w, b), rtol=1e-12)
    for got, expected in zip(
        tg.jacobian(implicit, (0, 1))(w, b), tg.jacobian(unrolled, (0, 1))(w, b), strict=True
    ):
        assert_allclose(got, expected, atol=1e-9)
    with_w = [tg.hessian(lambda b, f=f: tnp.sum(f(w, b) ** 2))(b) for f in (implicit, unrolled)]
    assert_allclose(*with_w, atol=1e-8)


AS = np.array([0.5, 1.5, 4.0])


@pytest.mark.parametrize("linear", LINEAR)
@pytest.mark.parametrize("captured", [False, True])
def test_lanes(linear, captured):
    def solve(a):
        if captured:
            return tg.implicit.root(lambda x: cubic(x, a), newton, linear=linear)(1.0)
        return tg.implicit.root(cubic, newton, linear=linear)(1.0, a)

    x, x1, x2, _ = np.array([cubic_derivatives(a) for a in AS]).T
    lanes = tg.vmap(solve)
    assert_allclose(lanes(AS), x, rtol=1e-10)
    assert_allclose(tg.vmap(tg.grad(solve))(AS), x1, rtol=1e-9)
    assert_allclose(tg.grad(lambda a: tnp.sum(lanes(a)))(AS), x1, rtol=1e-9)
    assert_allclose(tg.jacfwd(lanes)(AS), np.diag(x1), rtol=1e-9)
    assert_allclose(tg.jacrev(lanes)(AS), np.diag(x1), rtol=1e-9)
    assert_allclose(tg.vmap(tg.hessian(solve))(AS), x2, rtol=1e-8)
    assert_allclose(tg.hessian(lambda a: tnp.sum(lanes(a)))(AS), np.diag(x2), atol=1e-8)
    grid = np.stack([AS, AS[::-1]])
    assert_allclose(tg.vmap(tg.vmap(solve))(grid), np.stack([x, x[::-1]]), rtol=1e-10)
    slopes = tg.grad(lambda a: tnp.sum(tg.vmap(tg.vmap(solve))(a)))(grid)
    assert_allclose(slopes, np.stack([x1, x1[::-1]]), rtol=1e-9)


def test_lanes_of_starts_and_shared_parameters():
    roots = tg.implicit.root(lambda x, a: x * x - a, newton)
    starts = np.array([-1.0, 1.0, 3.0])
    both = tg.vmap(roots, (0, None))
    assert_allclose(both(starts, 4.0), [-2.0, 2.0, 2.0])
    assert_allclose(tg.grad(lambda a: tnp.sum(both(starts, a) ** 3))(4.0), 3 * 4 / 4 * (-1 + 1 + 1))
    assert tg.vmap(roots, (0, None))(np.zeros(0), 4.0).shape == (0,)
    assert_allclose(tg.grad(roots)(1.0, 4.0), 0.0)  # none to the start


def test_branches_are_taken_by_the_solver():
    def f(x, a):
        return a * x - 1 if x > 0 else 10 * x - 1.0

    solve = tg.implicit.root(f, lambda f, x: scipy.optimize.brentq(f, -1, 8))
    assert_allclose(tg.grad(solve, 1)(-1.0, 0.5), -1 / 0.25)
    with pytest.raises(ConcretizationError, match="differs between the lanes"):
        tg.vmap(solve, (None, 0))(1.0, AS)


def test_solver_runs_once_and_leaves_nothing_on_the_tape():
    calls = []

    def solve(f, x):
        calls.append(1)
        return newton(f, x)

    def loss(a):
        x = tg.implicit.root(lambda x: cubic(x, a), solve)(1.0)
        assert len(local.root) < 20
        return x * a

    slope = tg.grad(loss)(1.5)
    x, x1, *_ = cubic_derivatives(1.5)
    assert_allclose(slope, x + 1.5 * x1, rtol=1e-10)
    assert calls == [1]
    assert len(local.root) == 0
    assert_allclose(tg.grad(tg.checkpoint(loss))(1.5), slope)
    out, tape = tg.record(lambda a: tg.implicit.root(cubic, newton)(1.0, a))(1.5)
    assert [entry.op for entry in tape.entries][:1] == ["implicit"]
    assert_allclose(out, x)


def test_imperative_leaf():
    from tapegrad.core.backward import backward
    from tapegrad.core.leaf import requires_grad

    a = requires_grad(1.5)
    backward(tg.implicit.root(lambda x: cubic(x, a), newton)(1.0))
    assert_allclose(a.grad.raw, cubic_derivatives(1.5)[1], rtol=1e-10)


def test_dtypes_and_kinds_are_kept():
    solve = tg.implicit.root(cubic, newton)
    a = np.float32(1.5)
    x, slope = tg.value_and_grad(solve, 1)(np.float32(1.0), a)
    assert x.dtype == slope.dtype == np.float32
    assert_allclose(slope, cubic_derivatives(1.5)[1], rtol=1e-5)
    assert isinstance(solve(1, 1.5), np.float64)  # an integer start is one of floating point
    assert type(solve(np.ones(1), 1.5)) is np.ndarray


def test_threads():
    slope = tg.grad(tg.implicit.root(cubic, newton), 1)  # one for all

    def work(i):
        for _ in range(5):
            results[i] = slope(1.0, 0.5 + i)

    results = [None] * 4
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_allclose(results, [cubic_derivatives(0.5 + i)[1] for i in range(4)], rtol=1e-10)


def test_failing_solver_raises_before_any_derivative():
    def failing(f, x):
        raise RuntimeError("no convergence after 50 iterations")

    with pytest.raises(RuntimeError, match="no convergence"):
        tg.grad(tg.implicit.root(cubic, failing), 1)(1.0, 1.5)
    bracketed = tg.implicit.root(cubic, lambda f, x: scipy.optimize.brentq(f, 0, 1))
    with pytest.raises(ValueError, match="different signs") as caught:
        tg.vmap(bracketed, (None, 0))(1.0, np.array([1.5, 2.0, -4.0]))
    assert "in lane 2 of 3" in caught.value.__notes__[0]
    with pytest.raises(ConvergenceError, match=r"residual at its answer is 1, above 0\.1"):
        tg.implicit.root(lambda x, a: x - a, lambda f, x: x, tol=0.1)(1.0, 2.0)
    with pytest.raises(ConvergenceError, match="residual at its answer is nan"):
        tg.implicit.root(lambda x, a: x - a, lambda f, x: np.nan)(1.0, 2.0)
    with pytest.raises(ConvergenceError, match="singular at the solution"):
        tg.grad(tg.implicit.root(lambda x, a: x**2 - a, lambda f, x: 0.0), 1)(1.0, 0.0)
    with pytest.raises(ConvergenceError, match="linear solve for the derivative did not converge"):
        tg.grad(tg.implicit.root(lambda x, a: x**2 - a, lambda f, x: 0.0, linear=stuck), 1)(
            1.0, 0.0
        )
    assert len(local.root) == 0


def stuck(operator, b):
    return b, 7


def test_misuse():
    solve = tg.implicit.root(lambda x, a: a * tnp.sum(x), lambda f, x: x)
    with pytest.raises(ValueError, match="3 unknowns cannot be determined by 1 equations"):
        tg.jacobian(solve, 1)(np.zeros(3), 1.0)
    solve = tg.implicit.root(lambda x: x, lambda f, x: x)
    with pytest.raises(TypeError, match="real unknowns, but the start has dtype complex128"):
        solve(1j)
    with pytest.raises(ValueError, match=r"the solver's answer must have shape \(3,\)"):
        tg.implicit.root(lambda x: x, lambda f, x: x[:2])(np.zeros(3))
    with pytest.raises(TypeError, match="the structures differ"):
        tg.implicit.root(lambda x: x, lambda f, x: [x])(np.zeros(3))
    with pytest.raises(ValueError, match="linear must be 'dense', 'sparse', 'cg', 'gmres'"):
        tg.implicit.root(cubic, newton, linear="qr")
    with pytest.raises(TypeError, match="needs a function"):
        tg.implicit.root(cubic, "newton")


def test_a_solver_inside_of_a_problem():
    """x = sqrt(y) for the root y of y**2 = a: the fourth root."""

    def bracketed(f, _):
        return scipy.optimize.brentq(f, 0.0, 100.0, xtol=1e-14)

    def inner(a):
        return tg.implicit.root(lambda y: y * y - a, bracketed)(1.0)

    def outer(a):
        return tg.implicit.root(lambda x: x * x - inner(a), bracketed)(1.0)

    assert_allclose(outer(16.0), 2.0)
    assert_allclose(tg.grad(outer)(16.0), 16.0**-0.75 / 4)
    assert_allclose(tg.grad(tg.grad(outer))(16.0), -3 / 16 * 16.0**-1.75)
    assert_allclose(tg.vmap(tg.grad(outer))(np.array([16.0, 81.0])), np.array([8, 27.0]) ** -1 / 4)


def test_problems_with_reverse_rules_of_their_own():
    @tg.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, g: (2 * x * g,))

    def solve(a):
        return tg.implicit.root(lambda x: square(x) - a, hybrid)(np.ones(2))

    a = np.array([4.0, 9.0])
    for transform in (tg.jacrev, tg.jacobian, tg.jacfwd):  # no tangent passes through `square`
        assert_allclose(transform(solve)(a), np.diag([1 / 4, 1 / 6]), rtol=1e-9)
    second = tg.hessian(lambda a: tnp.sum(solve(a)))(a)
    assert_allclose(second, np.diag([-1 / 32, -1 / 108]), rtol=1e-8)

    def of_square(a):
        return tg.implicit.root(lambda x: x - square(a), hybrid)(np.ones(2))

    assert_allclose(tg.jacobian(of_square)(a), np.diag(2 * a))
    assert_allclose(tg.hessian(lambda a: tnp.sum(of_square(a)))(a), 2 * np.eye(2))
    with pytest.raises(TypeError, match="has no forward-mode rule"):
        tg.jacfwd(of_square)(a)


def test_entries_that_nobody_needs_are_dropped():
    from tapegrad.core.leaf import requires_grad
    from tapegrad.scipy.optimize import minimize

    a = requires_grad(np.ones(2))
    for _ in range(3):
        x = tg.implicit.root(lambda x: x * x - a, hybrid)(np.ones(2))
        x = minimize(lambda x: tnp.sum((x - a) ** 2), np.zeros(2)).x
    del x
    local.root.compact()
    assert len(local.root) == 0
