"""Solutions piece by piece, from the end to the start, and the adjoint method on them."""

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad import errors
from tapegrad.scipy.integrate import adjoint, odeint, solve_ivp, trajectory
from tapegrad.scipy.integrate.solvers import Ivp, Odeint
from tapegrad.transforms.schedule import repetitions


def spin(t, y):
    return np.array([y[1] * (1 + 0.1 * t), -y[0]])


class Counted(Ivp):
    """A solver that notes between which times it was asked for a state."""

    def __init__(self, *args):
        super().__init__(*args)
        self.advances = []

    def solve(self, f, y0, times, jac=None):
        self.advances.append(tuple(times))
        return super().solve(f, y0, times, jac)


METHODS = ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"]


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_pieces_are_the_solution(method, back, monkeypatch):
    monkeypatch.setattr(trajectory, "STEPS", 2)
    monkeypatch.setattr(trajectory, "SLOTS", 2)
    start, stop = (9.0, 0.0) if back else (0.0, 9.0)
    solver = Ivp(method, {"rtol": 1e-5, "atol": 1e-7})
    found = list(trajectory.pieces(solver, spin, np.array([1.0, 0.5]), start, stop, None))
    assert len(found) > 3
    assert found[0][1] == stop
    assert found[-1][0] == start
    exact = solver.dense(spin, np.array([1.0, 0.5]), start, stop, None)
    for i, (begin, end, state) in enumerate(found):
        if i:
            assert end == found[i - 1][0]
        for t in (begin, (begin + end) / 2, end):
            assert_allclose(state(t), exact(t), atol=1e-2)


@pytest.mark.parametrize("slots", [1, 3, 6])
def test_pieces_are_advanced_to_as_seldom_as_can_be(slots, monkeypatch):
    monkeypatch.setattr(trajectory, "STEPS", 1)
    monkeypatch.setattr(trajectory, "SLOTS", slots)
    solver = Counted("RK23", {"max_step": 0.5, "first_step": 0.5})
    count = 40
    found = list(trajectory.pieces(solver, lambda t, y: -0.001 * y, np.ones(1), 0, 20.0, None))
    assert len(found) == count
    steps = sum(round((b - a) / 0.5) for a, b in solver.advances)
    assert steps <= count * repetitions(count, slots)


def test_memory_of_a_long_solution(monkeypatch):
    monkeypatch.setattr(trajectory, "STEPS", 20)
    monkeypatch.setattr(trajectory, "SLOTS", 8)
    n, steps = 6000, 400
    y0 = np.cos(np.arange(n))
    solver = Ivp("RK23", {"max_step": 0.01, "first_step": 0.01})
    tracemalloc.start()
    for _ in trajectory.pieces(solver, lambda t, y: -0.1 * y, y0, 0.0, 0.01 * steps, None):
        gc.collect(1)  # SciPy's solvers are cycles
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    whole = steps * 4 * n * 8  # what RK23's dense output saves of a step
    assert peak < whole / 5


def test_gradients_do_not_depend_on_the_pieces(monkeypatch):
    def loss(y0, k, method):
        options = {"rtol": 1e-6, "atol": 1e-8, "sensitivity": "adjoint"}
        system = lambda t, y: [y[1] * k, -y[0] * (1 + 0.1 * t)]  # noqa: E731
        if method == "odeint":
            y = odeint(system, y0, [0.0, 2.0, 5.0], tfirst=True, **options)
        else:
            y = solve_ivp(system, (0, 5), y0, method, t_eval=[2.0, 5.0], **options).y.T
        return (y[-1] ** 2).sum() + y[1, 0]

    for method in ("odeint", "RK45", "Radau"):
        gradient = tg.grad(loss, (0, 1))
        whole = gradient(np.array([1.0, 0.5]), 1.3, method)
        with monkeypatch.context() as patch:
            patch.setattr(trajectory, "STEPS", 10)
            patch.setattr(trajectory, "SLOTS", 3)
            pieces = gradient(np.array([1.0, 0.5]), 1.3, method)
        assert_allclose(pieces[0], whole[0], rtol=1e-4)
        assert_allclose(pieces[1], whole[1], rtol=1e-4)


def test_a_failure_on_the_way_raises():
    def explodes(t, y):
        return y**2

    with pytest.raises(errors.TapegradError, match=r"solve_ivp failed.*Required step size"):
        list(trajectory.pieces(Ivp("RK45", {}), explodes, np.array([1.0]), 0.0, 2.0, None))


def test_limits_of_the_step_are_kept_by_the_method_that_stands_in():
    solver = Odeint({"hmax": 0.1, "hmin": 0.001, "rtol": 1e-3}).as_ivp()
    expected = {"rtol": 1e-3, "atol": 1.49012e-8, "max_step": 0.1, "min_step": 0.001}
    assert solver.options == expected
    times = [s.t for s in solver.steps(lambda t, y: -y, np.ones(1), 0.0, 1.0, None)]
    assert np.diff(times).max() <= 0.1 + 1e-12


def test_stiff_systems_go_backwards_with_sparse_jacobians(monkeypatch):
    n = 400
    x = np.arange(n) / n
    shapes = set()
    whole = adjoint.adjoint_jacobian

    def watched(jacobian, state, size):
        found = whole(jacobian, state, size)

        def jac(t, a):
            matrix = found(t, a)
            shapes.add((matrix.shape, scipy.sparse.issparse(matrix)))
            return matrix

        return jac

    monkeypatch.setattr(adjoint, "adjoint_jacobian", watched)

    def heat(t, u, k):
        return k * n**2 * (tnp.roll(u, 1) - 2 * u + tnp.roll(u, -1))

    pattern = tg.sparsity(lambda u: heat(0.0, u, 1.0), x)

    def end(k):  # the first mode of a ring decays with exp(-(2 pi)**2 k t), nearly
        options = {"jac_sparsity": pattern, "sensitivity": "adjoint", "rtol": 1e-6, "atol": 1e-8}
        start = np.sin(2 * np.pi * x)
        return solve_ivp(heat, (0, 1), start, "Radau", args=(k,), t_eval=[1.0], **options).y[
            100, -1
        ]

    rate = 4 * n**2 * np.sin(np.pi / n) ** 2
    assert_allclose(tg.grad(end)(0.02), -rate * np.exp(-0.02 * rate), rtol=1e-4)
    assert shapes == {((n + 1, n + 1), True)}


def test_threads():
    def decay(k):
        return odeint(lambda y, t: -k * y, 1.0, [0.0, 1.0], sensitivity="adjoint")[-1, 0]

    rates = np.linspace(0.5, 2.0, 6)
    with ThreadPoolExecutor(3) as pool:
        slopes = list(pool.map(tg.grad(decay), rates))
    assert_allclose(slopes, -np.exp(-rates), rtol=1e-6)


def test_an_event_close_to_the_end():
    def end(y0, level):
        def reached(t, y):
            return y[0] - level

        reached.terminal = True
        options = {"events": reached, "rtol": 1e-10, "atol": 1e-12}
        return solve_ivp(lambda t, y: -y, (0.0, 1.0), [y0], **options).t[-1]

    level = np.exp(-1.0)
    assert tg.grad(end)(1.1, level) == 0.0  # it is not reached: the end of the span is a constant
    just = level * (1 + 1e-9)
    assert_allclose(tg.grad(end, (0, 1))(1.0, just), (1.0, -1 / just), rtol=1e-6)
