"""Roots and minima of functions of one number, with derivatives in their parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.optimize

from ...core.array import Array
from ...implicit import minimum_condition, root_condition
from ...ops.linear import stop_gradient
from ...transforms.rules import Flat
from .conditions import box_condition
from .problem import Problem, Smooth, Solve, as_double, is_tracked, one_array, one_number


def constant(name: str, x: Any) -> Any:
    """A number that says where to look, and has no derivative."""
    return stop(as_double(name, x))


def stop(x: Any) -> Any:
    """A value as a constant for every derivative."""
    return stop_gradient(x) if isinstance(x, Array) else x


def find_root(
    problem: Problem,
    solver: Callable[[Smooth, Any, Sequence[Any]], Any],
    places: Sequence[Any],
) -> tuple[Any, Any]:
    """A root and the result object, of ``solver(function, start, places)``.

    `places` are numbers that the solver needs beside the start.
    """
    first = len(problem.args)

    def run(function: Flat, start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        result = solver(Smooth(function), start, rest[first : first + len(places)])
        return result, [numpy.asarray(result.root, float)[()]]

    solve = Solve(problem.name, run, lambda result: bool(numpy.all(result.converged)))
    (x,) = problem.solve(root_condition, solve, [constant(problem.name, p) for p in places])
    result = solve.finished(x)
    result.root = x
    result.converged = result.get("converged", True)
    return x, result


def root_scalar(
    f: Callable[..., Any],
    args: Any = (),
    method: str | None = None,
    bracket: Any = None,
    fprime: Any = None,
    fprime2: Any = None,
    x0: Any = None,
    x1: Any = None,
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: int | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """`scipy.optimize.root_scalar` with exact derivatives, whose root has derivatives too.

    The methods "newton" and "halley" get `fprime` and `fprime2` derived from `f` (functions given
    for them are not called; with ``fprime=True`` the first of the results of `f` is the value).
    Derivatives of `result.root` go to `args` and to what `f` closes over. A run without success
    gives SciPy's result, but raises ConvergenceError where derivatives may be asked of it.

    >>> import tapegrad as tg
    >>> from tapegrad.scipy.optimize import root_scalar
    >>> print(tg.grad(lambda a: root_scalar(lambda x: x**2 - a, x0=1.0, method="newton").root)(4.0))
    0.25
    """
    name = "scipy.optimize.root_scalar"
    if fprime is True or fprime2 is True:
        with_derivatives = f

        def f(x: Any, *args: Any) -> Any:
            return with_derivatives(x, *args)[0]

    if method is None and bracket is None:
        method = "halley" if fprime2 else "secant" if x1 is not None and not fprime else "newton"
    kind = (method or "brentq").lower()
    start = x0 if x0 is not None else bracket[0] if bracket is not None else 0.0
    problem = Problem(name, f, one_number, start, args, alone=True)
    places = [*(bracket if bracket is not None else ())][:2] + ([] if x1 is None else [x1])

    def solver(function: Smooth, start: Any, places: Sequence[Any]) -> Any:
        given: dict[str, Any] = {"f": function.value}
        if bracket is not None:
            given["bracket"] = tuple(places[:2])
        if x0 is not None:
            given["x0"] = start
        if x1 is not None:
            given["x1"] = places[-1]
        if kind in ("newton", "halley"):
            given["fprime"] = function.slope
        if kind == "halley":
            given["fprime2"] = function.curvature
        return scipy.optimize.root_scalar(
            method=method, xtol=xtol, rtol=rtol, maxiter=maxiter, options=options, **given
        )

    return find_root(problem, solver, places)[1]


def bracketing(original: Callable[..., Any]) -> Callable[..., Any]:
    """This namespace's function for one of SciPy's that look for a root between two numbers.

    The root has derivatives in `args` and in what the function closes over.
    """
    name = f"scipy.optimize.{original.__name__}"
    signature = inspect.signature(original)

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        f, a, b, extra = (given.arguments.pop(key) for key in ("f", "a", "b", "args"))
        full_output = given.arguments.pop("full_output")

        def solver(function: Smooth, _start: Any, places: Sequence[Any]) -> Any:
            return original(function.value, *places, full_output=True, **given.arguments)[1]

        x, result = find_root(Problem(name, f, one_number, a, extra, alone=True), solver, (a, b))
        return (x, result) if full_output else x

    return function


bisect = bracketing(scipy.optimize.bisect)
brenth = bracketing(scipy.optimize.brenth)
brentq = bracketing(scipy.optimize.brentq)
ridder = bracketing(scipy.optimize.ridder)
toms748 = bracketing(scipy.optimize.toms748)


def newton(
    func: Callable[..., Any],
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    tol: float = 1.48e-8,
    maxiter: int = 50,
    fprime2: Any = None,
    x1: Any = None,
    rtol: float = 0.0,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """`scipy.optimize.newton` with exact derivatives, whose root has derivatives too.

    It is Newton's method unless `x1` is given (then the secant method), and Halley's with
    `fprime2`; functions given for `fprime` and `fprime2` are not called. An array of starts gives
    an array of roots of a function that works element by element.

    >>> import numpy as np, tapegrad as tg
    >>> from tapegrad.scipy.optimize import newton
    >>> tg.elementwise_grad(lambda a: newton(lambda x: x * x - a, np.ones(2)))(np.array([1.0, 4.0]))
    array([0.5 , 0.25])
    """
    problem = Problem("scipy.optimize.newton", func, one_array, x0, args, alone=True)
    places = [] if x1 is None else [x1]

    def solver(function: Smooth, start: Any, places: Sequence[Any]) -> Any:
        given: dict[str, Any] = {"x1": places[0]} if places else {"fprime": function.slope}
        if fprime2 is not None:
            given["fprime2"] = function.curvature
        found = scipy.optimize.newton(
            function.value,
            start,
            tol=tol,
            maxiter=maxiter,
            rtol=rtol,
            full_output=True,
            disp=disp,
            **given,
        )
        if len(found) == 2:
            return found[1]
        root, converged, zero_der = found
        return scipy.optimize.OptimizeResult(
            root=root, converged=converged, zero_der=zero_der, flag="some elements did not converge"
        )

    x, result = find_root(problem, solver, places)
    if not full_output:
        return x
    return (x, result.converged, result.zero_der) if "zero_der" in result else (x, result)


def minimize_scalar(
    fun: Callable[..., Any],
    bracket: Any = None,
    bounds: Any = None,
    args: Any = (),
    method: str | None = None,
    tol: float | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """`scipy.optimize.minimize_scalar`, whose answer has derivatives.

    They go from `result.x` and `result.fun` to `args`, to `bounds`, and to what `fun` closes over.
    SciPy's methods compare values alone, which determine a minimum to about the square root of the
    precision; the derivatives are as accurate. A run without success gives SciPy's result, but
    raises ConvergenceError where derivatives may be asked of it.

    >>> import tapegrad as tg
    >>> from tapegrad.scipy.optimize import minimize_scalar
    >>> print(round(tg.grad(lambda a: minimize_scalar(lambda x: (x - a) ** 4 + x * x).x)(3.0), 5))
    0.85714
    """
    name = "scipy.optimize.minimize_scalar"
    places = [] if bracket is None else [constant(name, x) for x in bracket]
    more = [] if bounds is None else [as_double(name, x) for x in bounds]
    start = (bounds[0] + bounds[1]) / 2 if bounds is not None else places[0] if places else 0.0
    problem = Problem(name, fun, one_number, stop(start), args, alone=True)
    first = len(problem.args)
    last = first + len(more)

    def run(function: Flat, _start: Any, rest: Sequence[Any]) -> tuple[Any, list[Any]]:
        result = scipy.optimize.minimize_scalar(
            Smooth(function).value,
            bracket=tuple(rest[last : last + len(places)]) if places else None,
            bounds=tuple(rest[first:last]) if more else None,
            method=method,
            tol=tol,
            options=options,
        )
        return result, [numpy.asarray(result.x, float)[()]]

    solve = Solve(name, run)
    condition = box_condition(first) if more else minimum_condition
    (x,) = problem.solve(condition, solve, [*more, *places])
    result = solve.finished(x)
    result.x = x
    if is_tracked(x):
        result.fun = problem(x, *problem.args)[0]
    return result
