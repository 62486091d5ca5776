"""`least_squares`, `curve_fit`, `lsq_linear` and `nnls`, with derivatives of what is fitted."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.optimize
import scipy.sparse

from ... import numpy as np
from ... import tree
from ...core.array import is_mapped
from ...implicit import errors
from ...implicit.condition import regular
from ...transforms.jacobian import jacobian
from ...transforms.rules import Flat
from ...transforms.vectors import Packing
from .conditions import fit_condition
from .minimize import unpacked_callback
from .problem import Problem, Smooth, Solve, is_tracked, one_vector

FREE = (-numpy.inf, numpy.inf)

LOSSES: dict[str, Callable[[Any], Any]] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (np.sqrt(1 + z) - 1),
    "huber": lambda z: np.where(z <= 1, z, 2 * np.sqrt(np.maximum(z, 1)) - 1),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}
"""SciPy's loss functions, of squared residuals."""


def least_squares(
    fun: Callable[..., Any],
    x0: Any,
    jac: Any = None,
    bounds: Any = FREE,
    method: str = "trf",
    ftol: float | None = 1e-8,
    xtol: float | None = 1e-8,
    gtol: float | None = 1e-8,
    *,
    loss: Any = "linear",
    f_scale: float = 1.0,
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
    callback: Callable[..., Any] | None = None,
    jac_sparsity: Any = None,
    linear: Any = "dense",
    **options: Any,
) -> Any:
    """`scipy.optimize.least_squares` with exact Jacobians, whose answer has derivatives too.

    `fun` gets a tree of the structure of `x0`, and `result.x` is one; it gives a tree of residuals.
    The Jacobian is derived from `fun` (a function in `jac` is not called; a scheme of differences
    goes to SciPy). With `jac_sparsity`, a pattern (see `tapegrad.sparsity`) or a matrix that has
    one, it is a sparse matrix, for the methods that take one. `bounds` are SciPy's, or a pair of
    trees like `x0`. `callback` is called once a Jacobian, with `x` or, if its argument is named so,
    with an `intermediate_result`. Other options are SciPy's.

    Derivatives of `result.x`, `result.fun` and `result.cost` go to `args`, `kwargs`, the bounds,
    and what `fun` closes over. They are exact for large residuals too: the condition is that the
    gradient vanishes, and its Jacobian the whole Hessian. A run without success gives SciPy's
    result, but raises ConvergenceError where derivatives may be asked of it.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import least_squares
    >>> def rate(y):  # the least-squares estimate of k in exp(-k t) from two values
    ...     return least_squares(lambda p: np.exp(-p["k"] * np.arange(1.0, 3.0)) - y, {"k": 1.0},
    ...                          xtol=None, ftol=None, gtol=1e-12).x["k"]
    >>> tg.grad(rate)(np.exp([-0.5, -1.0])).round(6)
    array([-0.667089, -0.809219])
    """
    name = "scipy.optimize.least_squares"
    if isinstance(loss, str) and loss not in LOSSES:
        raise errors.bad_solver_argument(name, "loss", f"a function or one of {[*LOSSES]}", loss)
    problem = Problem(name, fun, one_vector, x0, args, kwargs)
    packing, place = problem.packing, len(problem.args)
    more = [one_side(packing, side) for side in sides(bounds)]

    def cost(values: Any, rest: Sequence[Any]) -> Any:
        z = (values / f_scale) ** 2
        rho = LOSSES[loss](z) if isinstance(loss, str) else loss(z)[0]
        return np.sum(rho) * (0.5 * f_scale**2)

    def run(function: Flat, start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        smooth = Smooth(function)
        exact: Callable[[Any], Any] = smooth.jacobian
        if jac_sparsity is not None:
            exact = functools.partial(smooth.sparse_jacobian, pattern=jac_sparsity)
        if callback is not None:
            seen = unpacked_callback(callback, packing, method)
            exact = shown(smooth, exact, seen, lambda values: cost(values, rest))
        result = scipy.optimize.least_squares(
            smooth.value,
            start,
            jac=jac if isinstance(jac, str) else exact,
            bounds=tuple(rest[place : place + 2]),
            method=method,
            ftol=ftol,
            xtol=xtol,
            gtol=gtol,
            loss=loss,
            f_scale=f_scale,
            **options,
        )
        return result, [result.x]

    solve = Solve(name, run)
    (x,) = problem.solve(fit_condition(place, cost), solve, more, linear)
    result = solve.finished(x)
    result.x = packing.unpack(x)
    if is_tracked(x):
        (result.fun,) = problem(x, *problem.args)
        result.cost = cost(result.fun, ())
    return result


def shown(
    smooth: Smooth,
    jacobian: Callable[[Any], Any],
    callback: Callable[..., Any],
    cost: Callable[[Any], Any],
) -> Callable[[Any], Any]:
    """The Jacobian of a function, which shows to a callback where it is asked for."""
    count = 0

    def watched_jacobian(x: Any) -> Any:
        nonlocal count
        values = smooth.value(x)
        state = scipy.optimize.OptimizeResult(
            x=numpy.array(x), fun=values, cost=cost(values), nit=count
        )
        count += 1
        if takes_whole(callback):
            callback(intermediate_result=state)
        else:
            callback(state.x)
        return jacobian(x)

    return watched_jacobian


def takes_whole(callback: Callable[..., Any]) -> bool:
    """Whether a callback wants an `intermediate_result`."""
    return set(inspect.signature(callback).parameters) == {"intermediate_result"}


def sides(bounds: Any) -> tuple[Any, Any]:
    """The lower and the upper bounds, of SciPy's `Bounds` or of a pair."""
    if isinstance(bounds, scipy.optimize.Bounds):
        return bounds.lb, bounds.ub
    lower, upper = bounds
    return lower, upper


def one_side(packing: Packing, bound: Any) -> Any:
    """One bound for all unknowns, a vector, or a tree of their structure, as a vector."""
    if packing.structure is not None and tree.structure(bound) == packing.structure:
        return packing.pack(bound)
    return np.broadcast_to(np.asarray(bound, dtype=float), (packing.layout.size,))


def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    check_finite: bool | None = None,
    bounds: Any = FREE,
    method: str | None = None,
    jac: Any = None,
    *,
    full_output: bool = False,
    **options: Any,
) -> Any:
    """`scipy.optimize.curve_fit` with exact Jacobians, whose answer has derivatives too.

    Derivatives of the parameters and of their covariance go to `xdata`, `ydata`, `sigma`, the
    bounds, and what `f` closes over. A fit that fails raises RuntimeError, as in SciPy.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import curve_fit
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> def slope(y):
    ...     return curve_fit(lambda x, a, b: a * x + b, x, y)[0][0]
    >>> tg.grad(slope)(np.array([1.0, 2.9, 5.1, 7.0])).round(6)
    array([-0.3, -0.1,  0.1,  0.3])
    """
    name = "scipy.optimize.curve_fit"
    if p0 is None:
        p0 = feasible(name, f, bounds)
    p0 = np.atleast_1d(np.asarray(p0, dtype=float))
    ydata = np.asarray(ydata, dtype=float)
    if isinstance(xdata, list | tuple):
        xdata = np.asarray(xdata, dtype=float)

    def model(p: Any, xdata: Any) -> Any:
        return f(xdata, *[p[i] for i in range(p.shape[0])])

    problem = Problem(name, model, one_vector, p0, (xdata,))
    place = len(problem.args)
    more = [one_side(problem.packing, side) for side in sides(bounds)]
    more += [ydata] if sigma is None else [ydata, np.asarray(sigma, dtype=float)]

    def weighted(values: Any, rest: Sequence[Any]) -> Any:
        return weigh(
            values - np.reshape(rest[place + 2], (-1,)), *rest[place + 3 : place + len(more)]
        )

    def cost(values: Any, rest: Sequence[Any]) -> Any:
        return np.sum(weighted(values, rest) ** 2) / 2

    def run(function: Flat, start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        smooth = Smooth(function)
        lower, upper, y, *errors_of_y = rest[place : place + len(more)]
        found = scipy.optimize.curve_fit(
            lambda _x, *p: smooth.value(numpy.array(p)).reshape(y.shape),
            numpy.arange(y.size),
            y,
            p0=start,
            sigma=errors_of_y[0] if errors_of_y else None,
            absolute_sigma=absolute_sigma,
            check_finite=check_finite,
            bounds=(lower, upper),
            method=method,
            jac=jac if isinstance(jac, str) else lambda _x, *p: smooth.jacobian(numpy.array(p)),
            full_output=True,
            **options,
        )
        return found, [found[0]]

    solve = Solve(name, run, lambda _: True)
    (p,) = problem.solve(fit_condition(place, cost), solve, more)
    found = solve.finished(p)
    if not is_tracked(p):
        return (p, *found[1:]) if full_output else (p, found[1])
    if full_output and is_mapped(p):
        raise errors.one_run(name)
    rest = (*problem.args, *more)

    def deviations(p: Any) -> Any:
        return weighted(problem(p, *problem.args)[0], rest)

    slopes = jacobian(deviations)(p)
    with regular(name):
        covariance = np.linalg.inv(slopes.T @ slopes)
    if not absolute_sigma:
        freedom = slopes.shape[0] - slopes.shape[1]
        scale = np.sum(deviations(p) ** 2) / freedom if freedom else numpy.inf
        covariance = covariance * scale
    return (p, covariance, *found[2:]) if full_output else (p, covariance)


def weigh(deviations: Any, sigma: Any = None) -> Any:
    """Deviations in units of their errors, or of a square root of their covariance matrix."""
    if sigma is None:
        return deviations
    if sigma.ndim < 2:
        return deviations / sigma
    root = np.linalg.cholesky(sigma)
    return np.linalg.solve(root, deviations[:, None])[:, 0]


def feasible(name: str, f: Callable[..., Any], bounds: Any) -> Any:
    """Where SciPy starts for want of a better start: ones, or inside of the bounds."""
    count = len(inspect.signature(f).parameters) - 1
    if count < 1 or any(
        p.kind is p.VAR_POSITIONAL for p in inspect.signature(f).parameters.values()
    ):
        raise errors.bad_solver_argument(name, "p0", "given where f has no named parameters", None)
    lower, upper = (
        numpy.broadcast_to(numpy.asarray(plain(side), float), count) for side in sides(bounds)
    )
    start = numpy.ones(count)
    both = numpy.isfinite(lower) & numpy.isfinite(upper)
    start[both] = (lower[both] + upper[both]) / 2
    above = numpy.isfinite(lower) & ~both
    start[above] = lower[above] + 1
    below = numpy.isfinite(upper) & ~both
    start[below] = upper[below] - 1
    return start


def plain(x: Any) -> Any:
    """The numbers of an array, without derivatives."""
    return np.asarray(x).raw if is_tracked(np.asarray(x)) else x


def lsq_linear(A: Any, b: Any, bounds: Any = FREE, *args: Any, **options: Any) -> Any:
    """`scipy.optimize.lsq_linear`, whose answer has derivatives in `A`, `b` and the bounds.

    The matrix must have full column rank for these. Options are SciPy's.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import lsq_linear
    >>> tg.jacobian(lambda b: lsq_linear(np.eye(2), b, (0.0, 1.0)).x)(np.array([0.5, 3.0])) + 0.0
    array([[1., 0.],
           [0., 0.]])
    """

    def solver(A: Any, b: Any, bounds: Any) -> Any:
        return scipy.optimize.lsq_linear(A, b, bounds, *args, **options)

    x, solve, values = linear_fit("scipy.optimize.lsq_linear", A, b, bounds, solver)
    result = solve.finished(x)
    result.x = x
    if is_tracked(x):
        result.fun = values(x)
        result.cost = np.sum(result.fun**2) / 2
    return result


def nnls(A: Any, b: Any, *, maxiter: int | None = None) -> tuple[Any, Any]:
    """`scipy.optimize.nnls`, whose answer has derivatives in `A` and `b`.

    The matrix must have full column rank for these. A run that fails raises RuntimeError.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import nnls
    >>> tg.jacobian(lambda b: nnls(np.eye(2), b)[0])(np.array([0.5, -3.0])) + 0.0
    array([[1., 0.],
           [0., 0.]])
    """

    def solver(A: Any, b: Any, _bounds: Any) -> Any:
        x, rnorm = scipy.optimize.nnls(A, b, maxiter=maxiter)
        return scipy.optimize.OptimizeResult(x=x, rnorm=rnorm, success=True)

    x, solve, values = linear_fit("scipy.optimize.nnls", A, b, (0.0, numpy.inf), solver)
    result = solve.finished(x)
    return x, np.linalg.norm(values(x)) if is_tracked(x) else result.rnorm


def linear_fit(
    name: str, A: Any, b: Any, bounds: Any, solver: Callable[[Any, Any, Any], Any]
) -> tuple[Any, Solve, Callable[[Any], Any]]:
    """The least-squares solution of ``A x = b`` in a box, its run, and the residuals at any x."""
    A = A.toarray() if scipy.sparse.issparse(A) else np.asarray(A, dtype=float)
    b = np.asarray(b, dtype=float)
    start = numpy.zeros(A.shape[1])
    problem = Problem(name, lambda x, A, b: A @ x - b, one_vector, start, (A, b))
    more = [one_side(problem.packing, side) for side in sides(bounds)]

    def run(_function: Flat, _start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        result = solver(rest[0], rest[1], tuple(rest[2:4]))
        return result, [result.x]

    def cost(values: Any, _rest: Sequence[Any]) -> Any:
        return np.sum(values**2) / 2

    solve = Solve(name, run)
    (x,) = problem.solve(fit_condition(2, cost), solve, more)
    return x, solve, lambda x: A @ x - b
