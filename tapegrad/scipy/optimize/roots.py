"""Roots of systems of equations, and fixed points, with derivatives in their parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.optimize

from ... import tree
from ...implicit import fixed_point_condition, root_condition
from ...transforms.rules import Flat
from .problem import Problem, Smooth, Solve, one_array, one_vector

WITH_JACOBIAN = {"hybr", "lm"}


def root(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: str = "hybr",
    jac: Any = None,
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: dict[str, Any] | None = None,
    *,
    linear: Any = "dense",
) -> Any:
    """`scipy.optimize.root` with exact Jacobians, whose answer has derivatives too.

    `fun` gets a tree of the structure of `x0`, and `result.x` is one; it gives a tree of as many
    numbers. The methods that use a Jacobian get it derived from `fun` (functions in `jac` are not
    called). ``callback(x, f)`` is called as SciPy does; by the methods "hybr" and "lm", for which
    SciPy has none, at each evaluation.

    Derivatives of `result.x` go to `args` and to what `fun` closes over. `linear` says how the
    linear systems are solved (see `tapegrad.implicit.root`). A run without success gives SciPy's
    result, but raises ConvergenceError where derivatives may be asked of it.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import root
    >>> def circle_meets_line(slope):
    ...     return root(lambda p: [p["x"] ** 2 + p["y"] ** 2 - 1, p["y"] - slope * p["x"]],
    ...                 {"x": 1.0, "y": 1.0}).x["x"]
    >>> print(round(tg.grad(circle_meets_line)(1.0), 6))  # of (1 + slope**2) ** -0.5
    -0.353553
    """
    name = "scipy.optimize.root"
    if jac is True:
        with_jacobian = fun

        def fun(x: Any, *args: Any) -> Any:
            return with_jacobian(x, *args)[0]

    problem = Problem(name, fun, one_vector, x0, args)
    packing = problem.packing

    def run(function: Flat, start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        smooth = Smooth(function)
        given: dict[str, Any] = {"fun": smooth.value}
        if method in WITH_JACOBIAN:
            given["jac"] = smooth.jacobian
            if callback is not None:
                given["fun"] = watched(smooth.value, lambda x, f: callback(packing.unpack(x), f))
        elif callback is not None:
            given["callback"] = lambda x, f: callback(packing.unpack(x), f)
        result = scipy.optimize.root(x0=start, method=method, tol=tol, options=options, **given)
        return result, [numpy.asarray(result.x, float)]

    solve = Solve(name, run)
    (x,) = problem.solve(root_condition, solve, linear=linear)
    result = solve.finished(x)
    result.x = packing.unpack(x)
    return result


def watched(
    function: Callable[[Any], Any], callback: Callable[[Any, Any], Any]
) -> Callable[[Any], Any]:
    """A function whose values are shown to a callback."""

    def watched_function(x: Any) -> Any:
        value = function(x)
        callback(numpy.array(x), value)
        return value

    return watched_function


def fixed_point(
    func: Callable[..., Any],
    x0: Any,
    args: Any = (),
    xtol: float = 1e-8,
    maxiter: int = 500,
    method: str = "del2",
    *,
    linear: Any = "dense",
) -> Any:
    """`scipy.optimize.fixed_point`, whose answer has derivatives: in `args` and what `func` sees.

    Unlike SciPy's, it takes and gives trees. It raises RuntimeError where it does not converge.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import fixed_point
    >>> print(round(tg.grad(lambda a: fixed_point(lambda x: np.exp(-a * x), 0.5))(1.0), 6))
    -0.205247
    """
    alone = tree.structure(x0) is None
    form = one_array if alone else one_vector
    problem = Problem("scipy.optimize.fixed_point", func, form, x0, args, alone=alone)

    def run(function: Flat, start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        x = scipy.optimize.fixed_point(
            Smooth(function).value, start, xtol=xtol, maxiter=maxiter, method=method
        )
        return None, [numpy.asarray(x, float)[()]]

    solve = Solve(problem.name, run, lambda _: True)
    (x,) = problem.solve(fixed_point_condition, solve, linear=linear)
    return x if alone else problem.packing.unpack(x)
