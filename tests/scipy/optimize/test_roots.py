"""Roots and fixed points: SciPy's results, exact derivatives, lanes, failures."""

import numpy as np
import pytest
import scipy.optimize
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local
from tapegrad.errors import ConvergenceError
from tapegrad.scipy import optimize

AS = np.array([0.5, 1.5, 4.0])


def cubic(x, a):
    return x**3 + a * x - 2.0


def slope(a):
    """Of the root of the cubic in a."""
    x = scipy.optimize.brentq(cubic, 0, 3, (a,), xtol=1e-15)
    return -x / (3 * x * x + a)


def second(a):
    x, d = scipy.optimize.brentq(cubic, 0, 3, (a,), xtol=1e-15), slope(a)
    return -(6 * x * d * d + 2 * d) / (3 * x * x + a)


SCALAR = {
    "bisect": lambda f, a: optimize.bisect(f, 0.0, 3.0, (a,), 1e-14),
    "brentq": lambda f, a: optimize.brentq(f, 0.0, 3.0, args=(a,), xtol=1e-14),
    "brenth": lambda f, a: optimize.brenth(f, 0.0, 3.0, (a,), full_output=True)[0],
    "ridder": lambda f, a: optimize.ridder(f, 0.0, 3.0, (a,)),
    "toms748": lambda f, a: optimize.toms748(f, 0.0, 3.0, (a,)),
    "newton": lambda f, a: optimize.newton(f, 1.0, args=(a,), tol=1e-12),
    "secant": lambda f, a: optimize.newton(f, 1.0, x1=1.1, args=a, tol=1e-12),
    "halley": lambda f, a: optimize.newton(f, 1.0, fprime2=True, args=(a,), tol=1e-12),
    "root_scalar": lambda f, a: optimize.root_scalar(f, (a,), x0=1.0, xtol=1e-12).root,
    "root_scalar, bracket": lambda f, a: optimize.root_scalar(f, a, bracket=[0, 3]).root,
    "root_scalar, secant": lambda f, a: optimize.root_scalar(f, a, x0=1.0, x1=1.1).root,
    "root_scalar, halley": lambda f, a: optimize.root_scalar(f, a, "halley", x0=1.0).root,
    "root": lambda f, a: optimize.root(f, 1.0, (a,), tol=1e-12).x[0],
    "fixed_point": lambda f, a: optimize.fixed_point(
        lambda x, a: x - f(x, a) / 8, 1.0, (a,), xtol=1e-13
    ),
}


@pytest.mark.parametrize("name", SCALAR)
def test_scalar_roots(name):
    def solve(a):
        return SCALAR[name](cubic, a)

    x = scipy.optimize.brentq(cubic, 0, 3, (1.5,), xtol=1e-15)
    assert_allclose(solve(1.5), x, rtol=1e-9)
    assert np.shape(solve(1.5)) == ()
    assert_allclose(tg.grad(solve)(1.5), slope(1.5), rtol=1e-8)
    assert_allclose(tg.jvp(solve, (1.5,), (2.0,))[1], 2 * slope(1.5), rtol=1e-8)
    assert_allclose(tg.grad(tg.grad(solve))(1.5), second(1.5), rtol=1e-7)
    assert_allclose(tg.vmap(tg.grad(solve))(AS), list(map(slope, AS)), rtol=1e-8)
    assert_allclose(tg.jacobian(tg.vmap(solve))(AS), np.diag(list(map(slope, AS))), rtol=1e-8)
    assert len(local.root) == 0


def test_lanes_have_their_own_brackets():
    def solve(low, high):
        return optimize.brentq(lambda x: x**3 - x, low, high)

    roots = tg.vmap(solve)(np.array([-3.0, -0.6, 0.7]), np.array([-0.5, 0.5, 4.0]))
    assert_allclose(roots, [-1.0, 0.0, 1.0], atol=1e-11)
    assert tg.grad(solve)(0.5, 3.0) == 0.0  # a bracket has no derivative


def test_arrays_of_roots():
    a = np.array([1.0, 4.0, 9.0])

    def solve(a):
        return optimize.newton(lambda x: x * x - a, np.ones(3))

    assert_allclose(solve(a), [1.0, 2.0, 3.0])
    assert_allclose(tg.jacobian(solve)(a), np.diag([1 / 2, 1 / 4, 1 / 6]), rtol=1e-9)
    root, converged, zero = optimize.newton(lambda x: x * x - a, np.ones(3), full_output=True)
    assert converged.all()
    assert not zero.any()
    assert_allclose(root**2, a)


def test_scalar_results_are_scipys():
    ours = optimize.root_scalar(cubic, (1.5,), bracket=(0, 3))
    theirs = scipy.optimize.root_scalar(cubic, (1.5,), bracket=(0, 3))
    assert ours == theirs
    assert type(ours) is type(theirs)
    x, result = optimize.brentq(cubic, 0, 3, (1.5,), full_output=True)
    assert (x, result) == scipy.optimize.brentq(cubic, 0, 3, (1.5,), full_output=True)
    ours = optimize.root_scalar(lambda x: (x * x - 2, 2 * x), x0=1.0, fprime=True)
    assert_allclose(ours.root, 2**0.5)


def circle_and_line(p, slope):
    return [p["x"] ** 2 + p["y"] ** 2 - 1, p["y"] - slope * p["x"]]


@pytest.mark.parametrize("method", ["hybr", "lm", "broyden1", "krylov"])
def test_systems(method):
    def solve(slope):
        start = {"x": 0.8, "y": 0.6}
        return optimize.root(circle_and_line, start, (slope,), method=method, tol=1e-12).x

    assert_allclose(solve(1.0)["x"], 0.5**0.5, rtol=1e-9)
    assert_allclose(tg.grad(lambda s: solve(s)["x"])(1.0), -(2**-1.5), rtol=1e-8)
    assert_allclose(tg.grad(lambda s: solve(s)["y"])(1.0), 2**-1.5, rtol=1e-8)
    got = tg.vmap(tg.grad(lambda s: solve(s)["x"]))(np.array([1.0, 0.9]))
    assert_allclose(got, [-(2**-1.5), -0.9 * 1.81**-1.5], rtol=1e-8)


@pytest.mark.parametrize("method", ["broyden1", "broyden2", "diagbroyden", "krylov", "df-sane"])
def test_systems_by_methods_without_jacobians(method):
    def solve(a):
        def equations(x):
            return [x[0] - 0.3 * tnp.cos(x[1]) - a, x[1] - 0.2 * tnp.sin(x[0])]

        return optimize.root(equations, [0.5, 0.1], method=method, tol=1e-11).x

    x, y = solve(0.7)
    # J = [[1, 0.3 sin y], [-0.2 cos x, 1]], and a comes in with -1
    determinant = 1 + 0.06 * np.sin(y) * np.cos(x)
    expected = [1 / determinant, 0.2 * np.cos(x) / determinant]
    assert_allclose(tg.jacobian(solve)(0.7), expected, rtol=1e-8)


def residual(u, p):
    """-u'' + exp(u) = p on a line."""
    inner = tnp.pad(u, 1)
    return (2 * u - inner[:-2] - inner[2:]) * (u.size + 1) ** 2 + tnp.exp(u) - p


PATTERN = tg.sparsity(residual, np.zeros(30), np.ones(30))


@pytest.mark.parametrize("linear", ["dense", "gmres", "sparse", PATTERN])
def test_a_large_system(linear):
    """d(sum u)/dp by differences of the solver."""
    n = 30

    def total(p):
        return tnp.sum(optimize.root(residual, np.zeros(n), (p,), tol=1e-13, linear=linear).x)

    p = np.linspace(0.5, 2.0, n)
    d = np.cos(np.arange(n))
    h = 1e-4
    expected = (total(p + h * d) - total(p - h * d)) / (2 * h)
    assert_allclose(tg.grad(total)(p) @ d, expected, rtol=1e-7)
    second = (tg.grad(total)(p + h * d) - tg.grad(total)(p - h * d)) / (2 * h)
    assert_allclose(tg.hvp(total, p, d), second, rtol=1e-4, atol=1e-9)


def test_root_callback_and_result():
    seen = []
    start = {"x": 0.8, "y": 0.6}

    def watch(x, f):
        seen.append((x["x"], f))

    result = optimize.root(circle_and_line, start, (1.0,), callback=watch)
    assert type(result) is scipy.optimize.OptimizeResult
    assert result.success
    assert result.nfev <= len(seen)
    assert_allclose(seen[-1][0], result.x["x"], rtol=1e-6)
    optimize.root(circle_and_line, start, (1.0,), method="broyden1", callback=watch)
    with_jacobian = optimize.root(lambda x: (x * x - 2, 2 * x), [1.0], jac=True)
    assert_allclose(with_jacobian.x, 2**0.5)


def test_fixed_point_of_trees():
    def step(p, a):
        return {"u": a * tnp.cos(p["v"]), "v": tnp.sin(p["u"]) / 2}

    def solve(a):
        start = {"u": 0.5, "v": np.zeros(2)}
        return optimize.fixed_point(step, {**start, "u": np.zeros(2)}, (a,), 1e-13)["u"]

    h = 1e-5
    a = np.array([0.5, 0.8])
    expected = (solve(a + h) - solve(a - h)) / (2 * h)
    assert_allclose(np.diag(tg.jacobian(solve)(a)), expected, rtol=1e-8)


def test_failures():
    def three(x, a):
        return tnp.concatenate([a * x, x[:1]])

    def far(a):
        return optimize.root(lambda x: x**2 + a, [1.0]).x[0]

    result = optimize.root(lambda x: x**2 + 1.0, [1.0])
    assert not result.success  # as SciPy's
    with pytest.raises(ConvergenceError, match=r"scipy\.optimize\.root: the solver failed"):
        tg.grad(far)(1.0)
    with pytest.raises(RuntimeError, match="Failed to converge after 2 iterations"):
        tg.grad(lambda a: optimize.brentq(cubic, 0, 3, (a,), maxiter=2))(1.5)
    with pytest.raises(ConvergenceError, match=r"brentq: the solver failed \(convergence error"):
        tg.grad(lambda a: optimize.brentq(cubic, 0, 3, (a,), maxiter=2, disp=False))(1.5)
    with pytest.raises(ConvergenceError, match="solver failed"):
        tg.vmap(far)(np.array([-1.0, 1.0]))
    with pytest.raises(ValueError, match="different signs"):
        tg.grad(lambda a: optimize.brentq(cubic, 2, 3, (a,)))(1.5)
    with pytest.raises(ValueError, match="2 unknowns cannot be determined by 3 equations"):
        tg.jacobian(lambda a: optimize.root(three, a * np.zeros(2), (a,), method="krylov").x)(1.0)
    assert len(local.root) == 0
