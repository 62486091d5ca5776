"""The adjoint method: cotangents of the states, integrated backwards in time.

With the cotangent a(t) of the state, da/dt = -a J, and the parameters' cotangent gathers the
integral of a df/dp. Where a state is given out, a jumps by its cotangent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from scipy.sparse import block_diag, csc_array, issparse

from .field import Evaluator, RightHandSide, isolated
from .forward import Pulling
from .solvers import Function, Ivp, Odeint
from .trajectory import pieces


def pull_adjoint(
    field: RightHandSide,
    solver: Odeint | Ivp,
    jacobian: Function,
    pulling: Pulling,
    how: str,
) -> list[Any]:
    """The inputs' cotangents, by the adjoint method; on raw arrays.

    `jacobian` is that of the right-hand side, a sparse matrix perhaps.
    """
    n, size = pulling.y0.size, pulling.columns()
    params, times, states = pulling.params, pulling.times, pulling.out
    solver = solver.extended(n, 0)
    with isolated():
        plain = field.plain(params)
        evaluate = field.evaluator(params)
        a = numpy.zeros(size)
        for i in range(len(times) - 1, 0, -1):
            a[:n] += pulling.g[i]
            if times[i] == times[i - 1]:
                continue
            if how == "adjoint":
                larger = solver.extended(n, size - n)
                for start, stop, state in pieces(
                    solver.as_ivp(), plain, states[i - 1], times[i - 1], times[i], jacobian
                ):
                    back = along(evaluate, state, n)
                    jac = adjoint_jacobian(jacobian, state, size)
                    a = larger.solve(back, a, numpy.array([stop, start]), jac)[-1]
            else:
                larger = solver.extended(n, size)
                begin = numpy.concatenate([states[i], a])
                a = larger.solve(beside(evaluate, n), begin, times[[i, i - 1]])[-1, n:]
        a[:n] += pulling.g[0]
        return pulling.results(a, field.plain_array(params))


def along(evaluate: Evaluator, state: Callable[[Any], Any], n: int) -> Callable[[Any, Any], Any]:
    """The rates of the cotangents where the state is known as a function of time."""

    def back(t: Any, a: Any) -> Any:
        return -evaluate(t, state(t)).pull(a[:n])

    return back


def adjoint_jacobian(jacobian: Function, state: Callable[[Any], Any], size: int) -> Function:
    """The Jacobian of those rates, for implicit methods.

    What the parameters' cotangents take from that of the state is left out: they have no influence
    themselves, so that Newton's method needs one step more, and no derivatives in the parameters.
    """

    def transposed(t: Any, _a: Any) -> Any:
        own = -jacobian(t, state(t)).T
        if issparse(own):
            extra = size - own.shape[0]
            return block_diag([own, csc_array((extra, extra))], format="csc")
        whole = numpy.zeros((size, size))
        whole[: len(own), : len(own)] = own
        return whole

    return transposed


def beside(evaluate: Evaluator, n: int) -> Callable[[Any, Any], Any]:
    """The rates of state and cotangents, where both are integrated backwards."""

    def back(t: Any, z: Any) -> Any:
        evaluation = evaluate(t, z[:n])
        return numpy.concatenate([evaluation.value, -evaluation.pull(z[n : 2 * n])])

    return back
