"""`minimize`: a minimum in a box or under constraints, with derivatives in its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.optimize

from ... import numpy as np
from ... import tree
from ...implicit import minimum_condition
from ...implicit.condition import Residual
from ...transforms.rules import Flat
from ...transforms.vectors import Packing
from .conditions import box_condition, constrained_condition, multipliers_at
from .constraints import bounds_of, bounds_of_constraints, constraints_of
from .problem import Problem, Smooth, Solve, is_tracked, one_number, one_vector

GRADIENT_FREE = {"nelder-mead", "powell", "cobyla", "cobyqa"}
PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}
HESSIANS = {"dogleg", "trust-exact"}

PRECISION_LOSS = 2
SMALL_GRADIENT = 1e-5  # SciPy's default `gtol`


def minimize(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: dict[str, Any] | None = None,
    *,
    linear: Any = "dense",
) -> Any:
    """`scipy.optimize.minimize` with exact derivatives, whose answer has derivatives too.

    `fun` gets a tree of the structure of `x0`, and `result.x` is one (numbers and lists of numbers
    are vectors, as in SciPy). `bounds` of a tree are a tree of pairs. `callback` gets what SciPy
    gives, with `x` as a tree. Gradients, Jacobians and products with Hessians are derived from
    `fun` and the constraints, so that functions in `jac`, `hess` and `hessp` are not called; other
    choices (``jac="2-point"``, ``hess=BFGS()``) go to SciPy.

    Derivatives of `result.x`, `result.fun` and, under constraints, `result.multipliers` go to
    `args`, to the bounds, and to all that `fun` and the constraints close over: by the implicit
    function theorem at the answer, as accurate as the answer. The rest of the result is plain data
    about the run. `linear` says how the linear systems are solved (see `tapegrad.implicit.root`).
    The multipliers are the derivatives of `result.fun` in the constraints' bounds.

    A run without success gives SciPy's result, but raises ConvergenceError where derivatives may be
    asked of it. (A loss of precision at a gradient below 1e-5 counts as success.)

    >>> import tapegrad as tg
    >>> from tapegrad.scipy.optimize import minimize
    >>> def best(a):
    ...     return minimize(lambda x: (x[0] - a) ** 2 + x[0] ** 4, [1.0], tol=1e-10).x[0]
    >>> print(round(best(3.0), 6), round(tg.grad(best)(3.0), 6))  # 2 (x - a) + 4 x**3 = 0
    1.0 0.142857
    """
    name = "scipy.optimize.minimize"
    if jac is True:
        objective, jac = fun, None

        def fun(x: Any, *args: Any) -> Any:
            return objective(x, *args)[0]

    problem = Problem(name, fun, one_number, x0, args)
    packing, place = problem.packing, len(problem.args)
    constrained = constraints_of(name, packing, constraints)
    more: list[Any] = []
    others: list[Any] = []
    condition: Residual = minimum_condition
    if constrained:

        def both(x: Any, *args: Any) -> list[Any]:
            (value,) = one_number(name, tree.leaves(fun(x, *args)))
            return [value, *one_vector(name, tree.leaves([c.fun(x) for c in constrained]))]

        problem = Problem(name, both, lambda _, results: results, x0, args)
        more += bounds_of(name, packing, bounds)
        more += bounds_of_constraints(name, packing, problem.start, constrained)
        others = [numpy.zeros(more[-1].shape)]
        condition = constrained_condition(place)
    elif bounds is not None:
        more += bounds_of(name, packing, bounds)
        condition = box_condition(place)

    def run(function: Flat, start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        smooth = Smooth(function)
        given = derivatives(smooth, method, jac, hess)
        if bounds is not None:
            given["bounds"] = scipy.optimize.Bounds(*rest[place : place + 2])
        if constrained:
            given["constraints"] = scipy_constraints(function, method, *rest[place + 2 : place + 4])
        if callback is not None:
            given["callback"] = unpacked_callback(callback, packing, method)
        result = scipy.optimize.minimize(x0=start, method=method, tol=tol, options=options, **given)
        x = numpy.asarray(result.x, float)
        if not constrained:
            return result, [x]
        values = Smooth(lambda v: function(v)[1:])
        multipliers = multipliers_at(
            smooth.gradient(x),
            numpy.vstack([values.jacobian(x), numpy.eye(x.size)]),
            numpy.concatenate([values.value(x), x]),
            numpy.concatenate([rest[place + 2], rest[place]]),
            numpy.concatenate([rest[place + 3], rest[place + 1]]),
        )
        return result, [x, multipliers[: -x.size]]

    solve = Solve(name, run, succeeded)
    x, *multipliers = problem.solve(condition, solve, more, linear, others)
    result = solve.finished(x)
    result.x = packing.unpack(x)
    if is_tracked(x):
        result.fun = problem(x, *problem.args)[0]
    if constrained:
        (result.multipliers,) = multipliers
    return result


def succeeded(result: Any) -> bool:
    """Whether a run has found a minimum, or came as near to one as rounding allows."""
    if result.success:
        return True
    g = result.get("jac")
    return result.status == PRECISION_LOSS and g is not None and abs(g).max() < SMALL_GRADIENT


def derivatives(smooth: Smooth, method: Any, jac: Any, hess: Any) -> dict[str, Any]:
    """The objective and its derivatives, as far as a method takes them."""
    name = method.lower() if isinstance(method, str) else ""
    if name in GRADIENT_FREE:
        return {"fun": smooth.value}
    given: dict[str, Any] = {"fun": smooth.value_and_gradient, "jac": True}
    if isinstance(jac, str):
        given = {"fun": smooth.value, "jac": jac}
    if isinstance(hess, str | scipy.optimize.HessianUpdateStrategy):
        given["hess"] = hess
    elif name in PRODUCTS:
        given["hessp"] = smooth.hessian_product
    elif name in HESSIANS:
        given["hess"] = smooth.hessian
    return given


def scipy_constraints(function: Flat, method: Any, lower: Any, upper: Any) -> list[Any]:
    """The constraints as SciPy takes them, on plain data: equalities apart."""
    given = []
    for chosen in (lower == upper, lower != upper):
        if not chosen.any():
            continue
        part = Smooth(lambda v, chosen=chosen: [function(v)[1][chosen]])
        more = {}
        if isinstance(method, str) and method.lower() == "trust-constr":

            def curvature(x: Any, weights: Any, part: Smooth = part) -> Any:
                return Smooth(lambda v: [part.first(v) @ weights]).hessian(x)

            more["hess"] = curvature
        given.append(
            scipy.optimize.NonlinearConstraint(
                part.value, lower[chosen], upper[chosen], jac=part.jacobian, **more
            )
        )
    return given


def unpacked_callback(callback: Callable[..., Any], packing: Packing, method: Any) -> Any:
    """A user's callback, called with trees where SciPy gives vectors."""
    if set(inspect.signature(callback).parameters) == {"intermediate_result"}:

        def whole(intermediate_result: Any) -> Any:
            if not isinstance(intermediate_result, scipy.optimize.OptimizeResult):
                intermediate_result = {"x": intermediate_result}  # some methods give no more
            seen = scipy.optimize.OptimizeResult(intermediate_result)
            seen.x = packing.unpack(seen.x)
            return callback(intermediate_result=seen)

        return whole
    if isinstance(method, str) and method.lower() == "trust-constr":
        return lambda x, state: callback(packing.unpack(x), state)
    return lambda x: callback(packing.unpack(x))


def rosen(x: Any) -> Any:
    """`scipy.optimize.rosen`, the Rosenbrock function, for plain and for recorded arrays.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import rosen
    >>> tg.grad(rosen)(np.array([1.0, 2.0]))
    array([-400.,  200.])
    """
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0, axis=0)
