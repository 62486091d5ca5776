"""The linear solves of implicit derivatives: by a dense or a sparse matrix, or by products alone.

A solve by products is itself a solution of a condition, A x = b: an entry like any other, so that
its derivatives are solves again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ..core.record import raw
from ..transforms.rules import Flat
from ..transforms.vectors import Layout
from . import errors
from .condition import Condition, Linear, dense, regular
from .entry import append, traced

CHOICES = ("dense", "sparse", "cg", "gmres")


def linear_solver(name: str, choice: Any) -> Linear:
    """The solver that a user chose by `linear=`."""
    if isinstance(choice, str) and choice in CHOICES:
        return SOLVERS[choice]
    if is_pattern(choice):
        return functools.partial(sparse, pattern=choice)
    if not callable(choice):
        raise errors.bad_linear(name, CHOICES, choice)
    return functools.partial(by_products, choice)


def is_pattern(choice: Any) -> bool:
    """Whether a choice says which elements of the Jacobian are not zero."""
    return hasattr(choice, "indptr") and hasattr(choice, "indices")


def sparse(
    condition: Condition,
    xs: Sequence[Any],
    rest: Sequence[Any],
    right: list[Any],
    transposed: bool,
    pattern: Any = None,
) -> list[Any]:
    """The solution of a linear system by its sparse matrix; its pattern is found if not given."""
    from ..scipy.sparse.linalg import spsolve
    from ..sparse import sparse_jacobian

    rows, columns = condition.equations, condition.unknowns
    matrix = sparse_jacobian(condition.packed(rest), pattern)(columns.pack(xs))
    if transposed:
        matrix, rows, columns = matrix.T, columns, rows
    with regular(condition.name):
        return columns.unpack(spsolve(matrix.tocsc(), rows.pack(right)))


def by_products(
    method: Callable[..., Any],
    condition: Condition,
    xs: Sequence[Any],
    rest: Sequence[Any],
    right: list[Any],
    transposed: bool,
) -> list[Any]:
    """The solution of a linear system by ``method(operator, vector)``, as an entry."""
    apply = condition.apply_transposed if transposed else condition.apply
    unknowns = condition.equations if transposed else condition.unknowns
    starts = zeros(unknowns)
    parameters = (*xs, *rest)
    start, stop = len(parameters), len(parameters) + len(right)

    def function(*arrays: Any) -> list[Any]:
        return apply(*arrays[: -len(right)])

    def residual(function: Flat, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        return [y - b for y, b in zip(function(*xs, *rest), rest[start:stop], strict=True)]

    def solver(function: Flat, starts: list[Any], rest: Sequence[Any]) -> list[Any]:
        return krylov(method, condition.name, function, starts, rest[start:stop])

    given = (*starts, *parameters, *right)
    program, captured = traced(function, given, len(starts), many=False)
    own = Condition(
        condition.name,
        program,
        residual,
        solver,
        functools.partial(by_products, method),
        unknowns,
        Layout([raw(b) for b in right]),
    )
    return append(own, (*given, *captured))


def zeros(layout: Layout) -> list[Any]:
    """Zeros of the shapes and dtypes of a layout."""
    pairs = zip(layout.shapes, layout.dtypes, strict=True)
    return [numpy.zeros(shape, dtype)[()] for shape, dtype in pairs]


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


SOLVERS: dict[str, Linear] = {
    "dense": dense,
    "sparse": sparse,
    "cg": functools.partial(by_products, conjugate_gradients),
    "gmres": functools.partial(by_products, minimal_residuals),
}
