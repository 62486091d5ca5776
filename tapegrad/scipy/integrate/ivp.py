"""`solve_ivp`, for plain and for recorded arrays: states, dense output, events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.integrate
from scipy.sparse import issparse

from ...backend import is_complex
from ...core.array import Array, is_mapped
from ...core.record import raw, record
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...ops.linear import cast
from ...sparse import Pattern
from ...transforms.linearize import jvp
from ...transforms.stop import stop_gradient
from . import errors
from .field import Field, isolated
from .forward import DOUBLE
from .odeint import check_sensitivity, given_jacobian, state_and_times
from .problem import ODE, Problem, solve
from .solvers import Ivp

NEWTON_STEPS = 2
"""Each doubles the order to which an event's time has right derivatives: with 2, up to the third"""


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Sequence[Any] | None = None,
    *,
    sensitivity: str = "auto",
    **options: Any,
) -> Any:
    """`scipy.integrate.solve_ivp`, with derivatives in `y0`, in all times, and in parameters.

    Parameters are recorded arrays in `args` (any pytree) and in what `fun` and `events` close over.
    In the result, `y`, `sol` (of dense output), `t_events`, `y_events` and the times that were
    given are differentiable; steps that the solver chose are constants. `sensitivity` is as for
    `odeint`. Implicit methods get the exact Jacobian, a sparse matrix if `jac_sparsity` gives its
    pattern (a matrix, or what `tapegrad.sparsity` found). Under `vmap`, `t_eval` is needed. Raises
    if the solver fails.

    >>> import tapegrad as tg
    >>> def falls(height):
    ...     hit = lambda t, y: y[0]
    ...     hit.terminal = True
    ...     return solve_ivp(lambda t, y: [y[1], -9.81], [0, 9], [height, 0], events=hit).t[-1]
    >>> print(round(falls(2.0), 6), round(tg.grad(falls)(2.0), 6))
    0.638551 0.159638
    """
    check_sensitivity("solve_ivp", sensitivity)
    functions = () if events is None else (events,) if callable(events) else tuple(events)
    field = Field(Ivp.name, fun, tuple(args or ()), events=functions)
    start, stop = t_span
    given = (y0, start, stop, t_eval, *(y0 if isinstance(y0, list | tuple) else ()))
    if not (field.arrays or any(isinstance(x, Array) for x in given)):
        result = scipy.integrate.solve_ivp(
            fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, **options
        )
        if dense_output and not is_complex(numpy.asarray(result.y).dtype):
            problem = Problem(field, Ivp(method, options), sensitivity)
            span = numpy.array([start, stop], dtype=float)
            start_state = numpy.atleast_1d(numpy.asarray(y0, dtype=float))
            solving = Solving(problem, problem.solver, start_state, span, None)
            result.sol = DenseSolution(solving, result.sol)
        return result
    y0, span = state_and_times(field, operand(y0), operand([start, stop]))
    field.check(span[0], y0, field.arrays)
    t_eval = None if t_eval is None else cast(operand(t_eval), DOUBLE)
    mapped = any(map(is_mapped, (y0, span, *field.arrays)))
    if mapped and (t_eval is None or functions or dense_output):
        raise errors.lanes_of_solve_ivp()
    pattern = options.pop("jac_sparsity", None)
    if pattern is not None and not isinstance(pattern, Pattern):
        pattern = Pattern.of(pattern if issparse(pattern) else numpy.asarray(pattern))
    jac = options.pop("jac", None)
    if callable(jac):
        jac = given_jacobian(jac, tuple(args or ()), True)
    solver = Ivp(method, options)
    problem = Problem(field, solver, sensitivity, jac, pattern)
    return Solving(problem, solver, y0, span, t_eval).result(functions, dense_output)


class Solving:
    """One call: what goes in, and what SciPy gave for it."""

    def __init__(self, problem: Problem, solver: Any, y0: Any, span: Any, t_eval: Any) -> None:
        self.problem = problem
        self.solver = solver
        self.field = problem.field
        self.params = problem.field.arrays
        self.y0 = y0
        self.span = span
        self.t_eval = t_eval

    def result(self, functions: Sequence[Any], dense_output: bool) -> Any:
        """SciPy's result object, with recorded arrays where they are differentiable."""
        data = [raw(p) for p in self.params]
        y0, span = raw(self.y0), raw(self.span)
        with isolated():
            result = self.solver.run(
                self.field.plain(data),
                y0,
                span,
                self.problem.jacobian(data, y0.size),
                t_eval=None if self.t_eval is None else raw(self.t_eval),
                dense_output=dense_output,
                events=[plain_event(self.field, i, f, data) for i, f in enumerate(functions)]
                or None,
            )
        times = self.t_eval
        if functions:
            self.differentiate_events(result)
        if times is None:
            end = self.span[1]
            if result.status == 1:
                last = max if span[1] > span[0] else min
                end = last((t[-1] for t in result.t_events if len(t)), key=raw)
            times = np.concatenate([self.span[:1], result.t[1:-1], np.reshape(end, (1,))])
        result.t = times[: len(result.t)]
        values = numpy.reshape(result.y, (len(y0), -1))  # of no time, SciPy gives a list
        result.y = np.transpose(self.states(result.t, values.T))
        if dense_output:
            result.sol = DenseSolution(self, result.sol)
        return result

    def recorded(self) -> bool:
        """Whether the solution depends on a recorded array."""
        return any(isinstance(x, Array) for x in (self.y0, self.span, *self.params))

    def states(self, times: Any, values: Any) -> Any:
        """The states at recorded times, given their values."""
        times = np.concatenate([self.span[:1], times])
        out = numpy.concatenate([raw(self.y0)[None], values])
        inputs = (self.y0, times, *self.params)
        return record(ODE, inputs, {"problem": self.problem}, out)[1:]

    def differentiate_events(self, result: Any) -> None:
        """Put recorded times and states of events in place of plain ones.

        The time of an event solves an equation, event(t, y(t)) = 0. Steps of Newton's method from
        the solution leave the value where it is, and have the derivatives of the solution.
        """
        found = [(t, i, k) for i, ts in enumerate(result.t_events) for k, t in enumerate(ts)]
        if not found:
            return
        found.sort(key=lambda each: each[0], reverse=bool(raw(self.span)[1] < raw(self.span)[0]))
        values = numpy.array([t for t, _, _ in found])
        times: Any = values
        for _ in range(NEWTON_STEPS):
            states = self.at(times)
            steps = [self.newton_step(i, times[k], states[k]) for k, (_, i, _) in enumerate(found)]
            times = times - np.stack(steps)
        times = values + (times - stop_gradient(times))
        states = self.states(times, numpy.stack([result.y_events[i][k] for _, i, k in found]))
        for i, ts in enumerate(result.t_events):
            places = numpy.array([n for n, (_, own, _) in enumerate(found) if own == i], dtype=int)
            if len(ts):
                result.t_events[i] = times[places]
                result.y_events[i] = states[places]

    def at(self, times: Any) -> Any:
        """The states at recorded times, computed."""
        times = np.concatenate([self.span[:1], times])
        return solve(self.problem, self.y0, times, self.params)[1:]

    def newton_step(self, index: int, t: Any, y: Any) -> Any:
        """How far an event's time is off."""
        event = self.field.event(index, self.params)
        rate = (1.0, self.field(t, y, self.params))
        value, slope = jvp(lambda t, y: np.reshape(operand(event(t, y)), ()), (t, y), rate)
        if raw(slope) == 0:
            raise errors.grazing_event(index, float(raw(t)))
        return value / slope


def plain_event(field: Field, index: int, function: Any, params: list[Any]) -> Any:
    """An event function on raw arrays, with the attributes that SciPy reads."""
    event = field.event(index, params)

    def plain(t: Any, y: Any) -> Any:
        out = event(t, y)
        if isinstance(out, Array) and out.slot:
            raise errors.hidden_parameter(field.name)
        return raw(out)

    for name in ("terminal", "direction"):  # of a function, or of an object's class
        if hasattr(function, name):
            setattr(plain, name, getattr(function, name))
    return plain


class DenseSolution(scipy.integrate.OdeSolution):
    """`sol(t)`: the state at any time of the span, differentiable in it too."""

    def __init__(self, solving: Solving, plain: Any) -> None:
        self.__dict__.update(plain.__dict__)
        self.solving = solving

    def __call__(self, t: Any) -> Any:
        """The state, of shape (n,) for one time and (n, times) for several."""
        t = operand(t)
        if not (isinstance(t, Array) or self.solving.recorded()):
            return super().__call__(t)
        t = cast(t, DOUBLE)
        if is_mapped(t):
            raise errors.lanes_of_solve_ivp()
        times = np.reshape(t, (-1,))
        values = raw(times)
        outside = (values < self.t_min) | (values > self.t_max)
        if outside.any():
            raise errors.outside_of_span(values[outside][0], self.t_min, self.t_max)
        order = numpy.argsort(values)
        if self.ts[-1] < self.ts[0]:
            order = order[::-1]
        states = self.solving.states(times[order], super().__call__(values[order]).T)
        back = numpy.empty_like(order)
        back[order] = numpy.arange(len(order))
        return np.reshape(np.transpose(states[back]), (-1, *t.shape))
