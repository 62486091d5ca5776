"""`linprog`: linear programs, whose solutions and dual values have derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.optimize
import scipy.sparse

from ... import numpy as np
from ...transforms.rules import Flat
from ..dispatch import without_rule
from .conditions import constrained_condition
from .constraints import bounds_of
from .problem import Problem, Solve, is_tracked


def linprog(
    c: Any,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    bounds: Any = (0, None),
    method: str = "highs",
    callback: Callable[..., Any] | None = None,
    options: dict[str, Any] | None = None,
    x0: Any = None,
    integrality: Any = None,
) -> Any:
    """`scipy.optimize.linprog`, whose answer has derivatives in all of its numbers.

    Derivatives go from `result.x`, `result.fun`, the slacks, and the dual values
    (`result.ineqlin.marginals`, `eqlin`, `lower`, `upper`) to `c`, the matrices, the right-hand
    sides and the bounds. The solution is a vertex, which stays the same for small changes of `c`
    and moves linearly with the right-hand sides: its first derivatives are exact.

    Where a solution is not the only one, ConvergenceError is raised when a derivative is asked for;
    at a degenerate vertex (an active constraint with a dual value of zero) there is none either.
    With `integrality`, traced values raise. The methods are those of HiGHS.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import linprog
    >>> def profit(stock):  # of two products that share two materials
    ...     return -linprog([-3.0, -5.0], [[1.0, 2.0], [3.0, 2.0]], stock).fun
    >>> tg.grad(profit)(np.array([8.0, 12.0])).round(6)  # the materials' shadow prices
    array([2.25, 0.25])
    """
    name = "scipy.optimize.linprog"
    if integrality is not None and numpy.any(integrality):
        solve_in_integers = without_rule(
            scipy.optimize.linprog, name, "a solution in integers does not move with its data"
        )
        return solve_in_integers(
            c, A_ub, b_ub, A_eq, b_eq, bounds, method, callback, options, x0, integrality
        )
    c = np.asarray(c, dtype=float)
    size = c.shape[0]
    inequalities, most = rows(A_ub, b_ub, size)
    equalities, values = rows(A_eq, b_eq, size)
    split = most.shape[0]

    def program(x: Any, c: Any, inequalities: Any, equalities: Any) -> list[Any]:
        return [c @ x, np.concatenate([inequalities @ x, equalities @ x])]

    problem = Problem(
        name,
        program,
        lambda _, results: results,
        numpy.zeros(size),
        (c, inequalities, equalities),
    )
    more = [
        *bounds_of(name, problem.packing, bounds),
        np.concatenate([numpy.full(split, -numpy.inf), values]),
        np.concatenate([most, values]),
    ]

    def run(_function: Flat, _start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        c, inequalities, equalities, lower, upper, _, sides = rest[:7]
        result = scipy.optimize.linprog(
            c,
            inequalities if split else None,
            sides[:split] if split else None,
            equalities if len(sides) > split else None,
            sides[split:] if len(sides) > split else None,
            numpy.stack([lower, upper], axis=1),
            method=method,
            callback=callback,
            options=options,
        )
        if not result.success:
            return result, [numpy.full(size, numpy.nan), numpy.full(len(sides), numpy.nan)]
        return result, [
            result.x,
            numpy.concatenate([result.ineqlin.marginals, result.eqlin.marginals]),
        ]

    solve = Solve(name, run)
    x, duals = problem.solve(
        constrained_condition(len(problem.args)), solve, more, others=[numpy.zeros(more[-1].shape)]
    )
    result = solve.finished(x)
    if not is_tracked(x):
        return result
    costs = c - duals[:split] @ inequalities - duals[split:] @ equalities
    parts = {
        "ineqlin": (most - inequalities @ x, duals[:split]),
        "eqlin": (values - equalities @ x, duals[split:]),
        "lower": (x - more[0], np.maximum(costs, 0.0)),
        "upper": (more[1] - x, np.minimum(costs, 0.0)),
    }
    for key, (residual, marginals) in parts.items():
        result[key] = scipy.optimize.OptimizeResult(residual=residual, marginals=marginals)
    result.update(x=x, fun=c @ x, slack=parts["ineqlin"][0], con=parts["eqlin"][0])
    return result


def rows(matrix: Any, sides: Any, size: int) -> tuple[Any, Any]:
    """The matrix and the right-hand sides of some constraints, none of which may be given."""
    if matrix is None:
        return numpy.zeros((0, size)), numpy.zeros(0)
    if scipy.sparse.issparse(matrix):
        matrix = matrix.toarray()
    return np.asarray(matrix, dtype=float), np.atleast_1d(np.asarray(sides, dtype=float))
