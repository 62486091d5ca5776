"""`solve`: the states of an initial value problem at given times, as one operation.

Its inputs are the initial state, all times (the first is the initial one) and the parameters, so
that it has derivatives in each. How they are computed is the problem's choice, `sensitivity`:

forward
    The matrix of sensitivities is integrated along with the state: dS/dt = J S + df/dp. Cheapest
    for few states and parameters.
adjoint
    The adjoint equation is integrated backwards piece by piece. The state in a piece is computed
    again from its beginning, with dense output, and the beginnings by recursive checkpointing (see
    `trajectory.py`): memory grows with the logarithm of the number of steps. The cost does not grow
    with the number of parameters.
backsolve
    As adjoint, but the state is integrated backwards too, from its value at the end of the piece.
    Needs no memory, but is unstable where the forward problem is stable and damped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.array import Array
from ...core.op import Op
from ...core.record import apply
from ...numpy.dispatch import np
from ...ops.define import looped
from ...ops.linear import cast
from ...sparse import Pattern, sparse_jacobian
from .adjoint import pull_adjoint
from .field import isolated
from .forward import DOUBLE, Pulling, SensitivityField, TangentField, pull_forward
from .solvers import Ivp, Odeint

SENSITIVITIES = ("auto", "forward", "adjoint", "backsolve")

FORWARD_UP_TO = 64
"""The number of sensitivities up to which "auto" integrates them forward."""


class Problem:
    """A right-hand side, a solver, and how to differentiate."""

    __slots__ = ("field", "jac", "pattern", "sensitivity", "solver")

    def __init__(
        self,
        field: Any,
        solver: Odeint | Ivp,
        sensitivity: str = "auto",
        jac: Any = None,
        pattern: Pattern | None = None,
    ) -> None:
        self.field = field
        self.solver = solver
        self.sensitivity = sensitivity
        self.jac = jac
        self.pattern = pattern

    def jacobian(self, params: Sequence[Any], n: int) -> Any:
        """The Jacobian that the solver gets: exact, unless the user gave another.

        None for a band, which SciPy finds by differences.
        """
        if self.jac is not None or self.solver.banded():
            return self.jac
        return self.exact(params, n)

    def exact(self, params: Sequence[Any], n: int) -> Callable[[Any, Any], Any]:
        """The exact Jacobian as a function of time and state: a sparse one if asked for."""
        if self.pattern is not None:
            pattern = self.pattern
            return lambda t, y: sparse_jacobian(lambda y: self.field(t, y, params), pattern)(y)
        return self.field.jacobian(params, n)

    def run(self, y0: Any, times: Any, params: Sequence[Any]) -> Any:
        """The states at all times; raw."""
        with isolated():
            plain = self.field.plain(params)
            jac = self.jacobian(params, y0.size)
            return self.solver.solve(plain, y0.astype(float), times, jac)

    def report(self, y0: Any, times: Any, params: Sequence[Any]) -> Any:
        """What `odeint` says on the run besides the states."""
        assert isinstance(self.solver, Odeint)
        with isolated():
            jac = self.jacobian(params, y0.size)
            return self.solver.run(self.field.plain(params), y0, times, jac)[1]

    def chosen(self, n: int, columns: int) -> str:
        """What "auto" stands for, with so many columns of sensitivities."""
        if self.sensitivity != "auto":
            return self.sensitivity
        few = n * columns <= FORWARD_UP_TO
        return "forward" if few and not self.solver.implicit() else "adjoint"


def solve(problem: Any, y0: Any, times: Any, params: Sequence[Any]) -> Any:
    """The states at `times`, of shape (times, n), recorded where an input is tracked."""
    return apply(ODE, y0, times, *params, problem=problem)


def _forward(_xp: Any, y0: Any, times: Any, *params: Any, problem: Problem) -> Any:
    return problem.run(y0, times, params)


def _pull(
    g: Any,
    out: Any,
    y0: Any,
    times: Any,
    *params: Any,
    wanted: tuple[bool, ...],
    problem: Problem,
) -> list[Any]:
    pulling = Pulling(g, out, y0, times, params, wanted)
    if any(isinstance(x, Array) for x in (g, out, y0, times, *params)):
        return pull_recorded(problem, pulling)
    how = problem.chosen(y0.size, pulling.columns())
    if how == "forward":
        return pull_forward(problem.field, problem.solver, pulling)
    with isolated():
        jacobian = problem.exact(params, y0.size)
    return pull_adjoint(problem.field, problem.solver, jacobian, pulling, how)


def pull_recorded(problem: Problem, pulling: Pulling) -> list[Any]:
    """The cotangents where they are themselves differentiated: by sensitivities, recorded."""
    y0, times, params = pulling.y0, pulling.times, pulling.params
    field = SensitivityField(problem.field, y0.size, params, pulling.initial())
    matrices = sensitivities(problem, field, y0, times, params)
    total = field.completed(np.einsum("ti,tik->k", pulling.g, matrices))
    return pulling.results(total, lambda t, y: problem.field(t, y, params))


def sensitivities(
    problem: Problem, field: SensitivityField, y0: Any, times: Any, params: Sequence[Any]
) -> Any:
    """The sensitivities at all times, of shape (times, n, columns)."""
    n, columns = y0.size, field.columns
    larger = Problem(field, problem.solver.extended(n, n * columns), "auto")
    start = np.concatenate([cast(y0, DOUBLE), field.start()])
    states = solve(larger, start, times, params)
    return np.reshape(states[:, n:], (states.shape[0], n, columns))


def _push(
    tangents: tuple[Any, ...], out: Any, y0: Any, times: Any, *params: Any, problem: Problem
) -> Any:
    n = y0.size
    dy0, dtimes, *moving = tangents
    if dtimes is not None:
        own = -problem.field(times[0], out[0], params) * dtimes[0]
        dy0 = own if dy0 is None else cast(dy0, DOUBLE) + own
    field = SensitivityField(problem.field, n, params, dy0 is not None)
    if problem.chosen(n, field.columns) == "forward":  # once for all tangents, if there are lanes
        direction = field.direction(dy0, moving, params)
        moved = sensitivities(problem, field, y0, times, params) @ direction
    else:
        moved = push_tangent(problem, dy0, moving, y0, times, params)
    if dtimes is None:
        return moved
    rates = [problem.field(times[i], out[i], params) for i in range(out.shape[0])]
    return moved + np.stack(rates) * np.reshape(dtimes, (-1, 1))


def push_tangent(
    problem: Problem,
    dy0: Any,
    moving: Sequence[Any],
    y0: Any,
    times: Any,
    params: Sequence[Any],
) -> Any:
    """The states' tangents for one tangent of initial state and parameters, integrated with it."""
    n = y0.size
    pushing = TangentField(problem.field, n, [t is not None for t in moving])
    larger = Problem(pushing, problem.solver.extended(n, n), problem.sensitivity)
    start = np.concatenate([cast(y0, DOUBLE), np.zeros(n) if dy0 is None else cast(dy0, DOUBLE)])
    given = [t for t in moving if t is not None]
    return solve(larger, start, times, (*params, *given))[:, n:]


def _function(y0: Any, times: Any, *params: Any, problem: Problem) -> Any:
    return solve(problem, y0, times, params)


ODE = Op(
    "solve_ode",
    forward=_forward,
    vjp=_pull,
    jvp=_push,
    batch=looped,
    joint=True,
    steep=True,  # for all that is known
    function=_function,
    doc="States of an initial value problem at given times.",
)
