"""Bounds and constraints in SciPy's forms, as arrays and as functions of the unknowns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
import scipy.optimize
import scipy.sparse

from ... import numpy as np
from ... import tree
from ...core.array import Array
from ...core.record import raw
from ...errors import structure_mismatch
from ...implicit import errors
from ...implicit.entry import undisturbed
from ...transforms.vectors import Packing
from .problem import as_double, as_vector


def bounds_of(name: str, packing: Packing, bounds: Any) -> tuple[Any, Any]:
    """The lower and the upper bounds of a vector of unknowns.

    `bounds` are None, SciPy's `Bounds`, a pair of numbers or None for each element of a vector; or,
    for a tree of unknowns, a tree with such a pair for each array.
    """
    size = packing.layout.size
    if bounds is None:
        return numpy.full(size, -numpy.inf), numpy.full(size, numpy.inf)
    if isinstance(bounds, scipy.optimize.Bounds):
        lower, upper = (np.asarray(x, float) for x in (bounds.lb, bounds.ub))
        return np.broadcast_to(lower, (size,)), np.broadcast_to(upper, (size,))
    if packing.structure is None:
        pairs = list(bounds)
        if pairs and not isinstance(pairs[0], list | tuple) and not numpy.ndim(raw_of(pairs[0])):
            pairs = [bounds] * size  # one for all, as in linprog
        elif len(pairs) == 1:
            pairs *= size
        if len(pairs) != size:
            raise errors.bounds_count(name, size, len(pairs))
        return side(pairs, 0), side(pairs, 1)
    try:
        pairs = packing.structure.flatten_up_to(bounds)
    except ValueError:
        raise structure_mismatch(
            f"{name}, bounds", packing.structure, tree.structure(bounds)
        ) from None
    shapes = packing.layout.shapes
    lower, upper = (
        [np.broadcast_to(bound(pair, k), shape) for pair, shape in zip(pairs, shapes, strict=True)]
        for k in (0, 1)
    )
    return packing.layout.pack(lower), packing.layout.pack(upper)


def raw_of(x: Any) -> Any:
    """The data of an array; what is none as it is."""
    return x.raw if isinstance(x, Array) else x


def side(pairs: list[Any], which: int) -> Any:
    """The lower (0) or upper (1) bounds of pairs of numbers."""
    return np.stack([bound(pair, which) for pair in pairs])


def bound(pair: Any, which: int) -> Any:
    """One bound of a pair, where None stands for none."""
    value = pair[which]
    return np.asarray((-numpy.inf, numpy.inf)[which] if value is None else value, dtype=float)


class Constraint(NamedTuple):
    """``lower <= fun(x) <= upper`` for a tree of unknowns."""

    fun: Callable[[Any], Any]
    lower: Any
    upper: Any


def constraints_of(name: str, packing: Packing, constraints: Any) -> list[Constraint]:
    """Constraints in any of SciPy's forms."""
    if not isinstance(constraints, list | tuple):
        constraints = [constraints]
    return [constraint_of(name, packing, c) for c in constraints]


def constraint_of(name: str, packing: Packing, given: Any) -> Constraint:
    """One constraint: a dictionary, a `NonlinearConstraint` or a `LinearConstraint`."""
    if isinstance(given, scipy.optimize.NonlinearConstraint):
        return Constraint(given.fun, given.lb, given.ub)
    if isinstance(given, scipy.optimize.LinearConstraint):
        matrix = given.A.toarray() if scipy.sparse.issparse(given.A) else given.A
        return Constraint(lambda x: matrix @ packing.pack(as_vector(x)), given.lb, given.ub)
    if not isinstance(given, dict) or given.get("type") not in ("eq", "ineq"):
        raise errors.bad_solver_argument(
            name,
            "a constraint",
            'a dictionary with "type" ("eq" or "ineq") and "fun", a NonlinearConstraint or a '
            "LinearConstraint",
            given,
        )
    fun, args = given["fun"], tuple(given.get("args", ()))
    return Constraint(lambda x: fun(x, *args), 0.0, 0.0 if given["type"] == "eq" else numpy.inf)


def bounds_of_constraints(
    name: str, packing: Packing, start: Any, constraints: list[Constraint]
) -> tuple[Any, Any]:
    """The lower and the upper bounds of all constraints' values, as vectors."""
    lower, upper = [], []
    with undisturbed():
        x = packing.unpack(raw(start))
        sizes = [sum(numpy.size(raw(y)) for y in tree.leaves(c.fun(x))) for c in constraints]
    for c, size in zip(constraints, sizes, strict=True):
        lower.append(np.broadcast_to(as_double(name, c.lower), (size,)))
        upper.append(np.broadcast_to(as_double(name, c.upper), (size,)))
    return np.concatenate(lower), np.concatenate(upper)
