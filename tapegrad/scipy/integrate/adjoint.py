"""The adjoint method: cotangents of the states, integrated backwards in time.

With the cotangent a(t) of the state, da/dt = -a J, and the parameters' cotangent gathers the
integral of a df/dp. Where a state is given out, a jumps by its cotangent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .field import Evaluator, RightHandSide, isolated
from .forward import Pulling
from .solvers import Ivp, Odeint

PIECES = 16
"""The least number of pieces: the state's dense output of one of them is kept at a time."""


def pull_adjoint(
    field: RightHandSide, solver: Odeint | Ivp, pulling: Pulling, how: str
) -> list[Any]:
    """The inputs' cotangents, by the adjoint method; on raw arrays."""
    n, size = pulling.y0.size, pulling.columns()
    params = pulling.params
    solver = solver.extended(n, 0)
    with isolated():
        plain = field.plain(params)
        evaluate = field.evaluator(params)
        times, states, jumps = pulling.times, pulling.out, pulling.g
        if how == "adjoint" and len(times) <= PIECES:
            times, states, jumps = refined(plain, solver, times, states, jumps)
        a = numpy.zeros(size)
        for i in range(len(times) - 1, 0, -1):
            a[:n] += jumps[i]
            if times[i] == times[i - 1]:
                continue
            if how == "adjoint":
                state = solver.dense(plain, states[i - 1], times[i - 1], times[i])
                back = along(evaluate, state, n)
                larger = solver.extended(n, size - n)
                jac = adjoint_jacobian(evaluate, state, n, size)
                a = larger.solve(back, a, times[[i, i - 1]], jac)[-1]
            else:
                larger = solver.extended(n, size)
                start = numpy.concatenate([states[i], a])
                back = beside(evaluate, n)
                a = larger.solve(back, start, times[[i, i - 1]])[-1, n:]
        a[:n] += jumps[0]
        return pulling.results(a, field.plain_array(params))


def refined(
    plain: Callable[[Any, Any], Any], solver: Odeint | Ivp, times: Any, states: Any, jumps: Any
) -> tuple[Any, Any, Any]:
    """Times, states and cotangents with more times, at which nothing jumps, in between."""
    parts = -(-PIECES // max(len(times) - 1, 1))
    all_times, all_states, all_jumps = [times[0]], [states[0]], [jumps[0]]
    for i in range(1, len(times)):
        if times[i] != times[i - 1]:
            inner = numpy.linspace(times[i - 1], times[i], parts + 1)
            all_times.extend(inner[1:-1])
            all_states.extend(solver.solve(plain, states[i - 1], inner)[1:-1])
            all_jumps.extend(numpy.zeros((parts - 1, len(states[i]))))
        all_times.append(times[i])
        all_states.append(states[i])
        all_jumps.append(jumps[i])
    return numpy.array(all_times), numpy.array(all_states), numpy.array(all_jumps)


def along(evaluate: Evaluator, state: Callable[[Any], Any], n: int) -> Callable[[Any, Any], Any]:
    """The rates of the cotangents where the state is known as a function of time."""

    def back(t: Any, a: Any) -> Any:
        return -evaluate(t, state(t)).pull(a[:n])

    return back


def adjoint_jacobian(
    evaluate: Evaluator, state: Callable[[Any], Any], n: int, size: int
) -> Callable[[Any, Any], Any]:
    """The exact Jacobian of those rates, for implicit methods."""

    def jacobian(t: Any, _a: Any) -> Any:
        whole = numpy.zeros((size, size))
        whole[:, :n] = -evaluate(t, state(t)).jacobian().T
        return whole

    return jacobian


def beside(evaluate: Evaluator, n: int) -> Callable[[Any, Any], Any]:
    """The rates of state and cotangents, where both are integrated backwards."""

    def back(t: Any, z: Any) -> Any:
        evaluation = evaluate(t, z[:n])
        return numpy.concatenate([evaluation.value, -evaluation.pull(z[n : 2 * n])])

    return back
