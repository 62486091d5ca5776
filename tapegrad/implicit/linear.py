"""The linear solves of implicit derivatives without matrices: Krylov methods of SciPy.

Such a solve is itself a solution of a condition, A x = b: an entry like any other, so that its
derivatives are solves again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ..core.record import raw
from ..transforms import misuse
from ..transforms.rules import Flat
from ..transforms.vectors import Layout
from . import errors
from .condition import Condition, Linear
from .entry import append, traced

CHOICES = ("dense", "cg", "gmres")


def linear_solver(name: str, choice: Any) -> Linear | None:
    """The solver that a user chose by `linear=`; None for the dense one."""
    if isinstance(choice, str) and choice in CHOICES:
        return None if choice == "dense" else functools.partial(solve_linear, METHODS[choice])
    if not callable(choice):
        raise misuse.bad_option(name, "linear", (*CHOICES, "a function"), choice)
    return functools.partial(solve_linear, choice)


def solve_linear(
    method: Callable[..., Any],
    name: str,
    apply: Callable[..., list[Any]],
    b: list[Any],
    parameters: Sequence[Any],
    starts: list[Any],
) -> list[Any]:
    """The arrays xs with ``apply(*xs, *parameters) = b``, by ``method(operator, vector)``."""
    start, stop = len(parameters), len(parameters) + len(b)
    rest = (*parameters, *b)

    def function(*arrays: Any) -> list[Any]:
        return apply(*arrays[: -len(b)])

    def residual(function: Flat, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        return [y - c for y, c in zip(function(*xs, *rest), rest[start:stop], strict=True)]

    def solver(function: Flat, starts: list[Any], rest: Sequence[Any]) -> list[Any]:
        return krylov(method, name, function, starts, rest[start:stop])

    program, captured = traced(function, (*starts, *rest), len(starts), many=False)
    linear = functools.partial(solve_linear, method)
    unknowns, equations = Layout(starts), Layout([raw(x) for x in b])
    condition = Condition(name, program, residual, solver, linear, unknowns, equations)
    return append(condition, (*starts, *rest, *captured))


def krylov(
    method: Callable[..., Any], name: str, function: Flat, starts: list[Any], b: Sequence[Any]
) -> list[Any]:
    """The solution of a linear system whose matrix is known by its products, on plain data."""
    from scipy.sparse.linalg import LinearOperator

    unknowns, equations = Layout(starts), Layout(b)

    def product(vector: Any) -> Any:
        return equations.pack(function(*unknowns.unpack(vector.reshape(-1))))

    shape = (equations.size, unknowns.size)
    operator = LinearOperator(shape, matvec=product, dtype=equations.dtype)
    found = method(operator, equations.pack(b))
    if isinstance(found, tuple):
        found, info = found[:2]
        if info != 0:
            raise errors.linear_failure(name, info)
    return unknowns.unpack(numpy.asarray(found, dtype=unknowns.dtype).reshape(-1))


def accuracy(b: Any) -> float:
    """The relative residual to reach: close to what the dtype allows."""
    return 1e-11 if b.dtype.itemsize >= 8 else 1e-5


def conjugate_gradients(operator: Any, b: Any) -> Any:
    """SciPy's `cg`: for symmetric positive matrices, such as Hessians at a minimum."""
    from scipy.sparse.linalg import cg

    return cg(operator, b, rtol=accuracy(b), atol=0.0)


def minimal_residuals(operator: Any, b: Any) -> Any:
    """SciPy's `gmres`, with a restart only after many steps."""
    from scipy.sparse.linalg import gmres

    return gmres(operator, b, rtol=accuracy(b), atol=0.0, restart=min(b.size, 100))


METHODS = {"cg": conjugate_gradients, "gmres": minimal_residuals}
