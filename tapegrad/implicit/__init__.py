"""Derivatives of any solver's answer, by the implicit function theorem.

`root`, `fixed_point` and `minimum` take a function and a solver for it, and give a function of the
start and the parameters, which can be differentiated in the parameters: in both modes, at any
order, and under `vmap`. How the solver came to its answer does not matter, and is not recorded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .. import tree
from ..core.record import raw
from ..transforms.arguments import check_function
from ..transforms.flat import FlatCall, is_array
from ..transforms.linearize import matching
from ..transforms.rules import Flat, pull_function
from ..transforms.vectors import as_floating
from . import errors
from .condition import Residual
from .entry import solve_as_entry
from .linear import linear_solver

__all__ = ["fixed_point", "minimum", "root"]

Solver = Callable[[Callable[[Any], Any], Any], Any]


def root(
    fun: Callable[..., Any], solve: Solver, *, linear: Any = "dense", tol: float | None = None
) -> Callable[..., Any]:
    """A function that solves ``fun(x, *args) = 0`` for `x`, and can be differentiated in `args`.

    ``root(fun, solve)(x0, *args)`` calls ``solve(f, x0)`` once, on plain arrays, with `f` the
    function of `x` alone; it must return the root, of the structure and shapes of `x0`. Derivatives
    go to `args` and to what `fun` closes over, none to `x0`.

    `linear` says how the linear systems of the derivatives are solved: `"dense"` with the whole
    Jacobian; `"sparse"` with a sparse one, whose pattern is found, or given instead of the word
    (see `tapegrad.sparsity`); `"gmres"` or, for a symmetric positive one, `"cg"` with products
    alone; or a function ``linear(operator, b)`` like those of `scipy.sparse.linalg`.

    A solver that fails should raise. With `tol`, an answer at which an element of the residual is
    larger raises ConvergenceError; one that is not finite always does. So does a singular Jacobian
    when a derivative is asked for. Under `vmap` the solver runs for each lane.

    >>> import tapegrad as tg
    >>> def newton(f, x):
    ...     for _ in range(30):
    ...         x = x - f(x) / tg.grad(f)(x)
    ...     return x
    >>> square_root = tg.implicit.root(lambda x, a: x * x - a, newton)
    >>> print(square_root(1.0, 4.0), tg.grad(square_root, 1)(1.0, 4.0))
    2.0 0.25
    """
    return solver_of("implicit.root", fun, solve, root_condition, linear, tol)


def fixed_point(
    fun: Callable[..., Any], solve: Solver, *, linear: Any = "dense", tol: float | None = None
) -> Callable[..., Any]:
    """A function that solves ``x = fun(x, *args)``, and can be differentiated in `args`.

    As `root`, for the residual ``fun(x, *args) - x``; ``solve(f, x0)`` gets `fun` itself.

    >>> import tapegrad as tg, tapegrad.numpy as np
    >>> def iterate(f, x):
    ...     for _ in range(100):
    ...         x = f(x)
    ...     return x
    >>> f = tg.implicit.fixed_point(lambda x, a: np.cos(a * x), iterate)
    >>> print(round(f(0.5, 1.0), 6), round(tg.grad(f, 1)(0.5, 1.0), 6))
    0.739085 -0.297474
    """
    return solver_of("implicit.fixed_point", fun, solve, fixed_point_condition, linear, tol)


def minimum(
    fun: Callable[..., Any], solve: Solver, *, linear: Any = "dense", tol: float | None = None
) -> Callable[..., Any]:
    """A function that minimises a scalar ``fun(x, *args)``, and can be differentiated in `args`.

    As `root`, for the gradient of `fun` as the residual; ``solve(f, x0)`` gets `fun` itself. (Any
    point where the gradient vanishes will do: a maximum or a saddle point too.) With `linear="cg"`
    no Hessian is formed.

    >>> import numpy as np, tapegrad as tg
    >>> def descend(f, x):
    ...     for _ in range(200):
    ...         x = x - 0.1 * tg.grad(f)(x)
    ...     return x
    >>> def cost(x, b, c):
    ...     return ((x - b) ** 2).sum() + c * (x * x).sum()
    >>> ridge = tg.implicit.minimum(cost, descend)
    >>> tg.jacobian(ridge, 2)(np.zeros(2), np.array([1.0, 2.0]), 1.0).round(6)
    array([-0.25, -0.5 ])
    """
    return solver_of("implicit.minimum", fun, solve, minimum_condition, linear, tol)


def root_condition(function: Flat, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
    """The residual of a root."""
    return function(*xs, *rest)


def fixed_point_condition(function: Flat, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
    """The residual of a fixed point."""
    return [y - x for y, x in zip(function(*xs, *rest), xs, strict=True)]


def minimum_condition(function: Flat, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
    """The residual of a minimum: the gradient."""
    return pull_function(
        "minimum", lambda *some: function(*some, *rest), xs, [True] * len(xs), [1.0]
    )


def solver_of(
    name: str,
    fun: Callable[..., Any],
    solve: Solver,
    condition: Residual,
    linear: Any,
    tol: float | None,
) -> Callable[..., Any]:
    """What all three return."""
    check_function(name, fun)
    check_function(name, solve)
    linear = linear_solver(name, linear)

    @functools.wraps(fun, updated=())
    def solution(x0: Any, *args: Any, **kwargs: Any) -> Any:
        x0 = tree.map(lambda x: real_start(name, x), x0)
        leaves, structure = tree.flatten(x0)
        count = len(leaves)
        call = FlatCall(fun, (x0, *args), kwargs, lambda i, x: i < count or is_array(x))
        inputs = call.inputs()

        def solve_flat(function: Flat, starts: list[Any], rest: Sequence[Any]) -> list[Any]:
            def f(x: Any) -> Any:
                return call.rebuild(function(*matching(name, "x", structure, starts, x)))

            found = solve(f, tree.unflatten(structure, starts))
            xs = matching(name, "the solver's answer", structure, starts, found)
            xs = [numpy.array(raw(x))[()] for x in xs]
            check(name, condition(lambda *some: function(*some[:count]), xs, rest), tol)
            return xs

        xs = solve_as_entry(
            name, call, condition, solve_flat, inputs[:count], inputs[count:], linear
        )
        return tree.unflatten(structure, xs)

    return solution


def real_start(name: str, x: Any) -> Any:
    """A leaf of a start, as floating point."""
    x = as_floating(x)
    if x.dtype.kind != "f":
        raise errors.complex_unknown(name, x.dtype)
    return x


def check(name: str, residual: Sequence[Any], tol: float | None) -> None:
    """Raise if a residual is not as small as it is to be."""
    size = max((float(numpy.max(numpy.abs(raw(r)))) for r in residual if r.size), default=0.0)
    if not numpy.isfinite(size):
        raise errors.no_solution(name, f"the residual at its answer is {size}")
    if tol is not None and size > tol:
        raise errors.no_solution(name, f"the residual at its answer is {size:.3g}, above {tol:.3g}")
