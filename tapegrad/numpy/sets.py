"""Sets of values. The cotangent of a value goes to the element that it was taken from: of equal
elements, the first."""

from __future__ import annotations

from typing import Any

import numpy

from ..ops import sort
from ..ops.index import ARRAY, getitem
from ..ops.join import concat
from ..ops.linear import cast
from .dispatch import implements
from .operands import operand, ravel
from .reading import as_untracked, known

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def chosen(x: Any, indices: Any) -> Any:
    """Elements of a vector, or rows of an array."""
    return getitem(x, indices, key=(ARRAY,))


@implements(numpy.unique)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    ar = operand(ar)
    values = known(ar, "numpy.unique")
    _, indices, inverse, counts = numpy.unique(values, True, True, True, axis, equal_nan=equal_nan)
    if axis is None:
        elements = chosen(ravel(ar), indices)
    else:
        elements = getitem(ar, indices, key=(*(slice(None),) * (axis % ar.ndim), ARRAY))
    extra = ((indices, return_index), (inverse, return_inverse), (counts, return_counts))
    results = (elements, *(as_untracked(x) for x, wanted in extra if wanted))
    return results if len(results) > 1 else elements


@implements(numpy.unique_all)
def unique_all(x: Any) -> Any:
    kind = type(numpy.unique_all(numpy.zeros(0)))
    return kind(*unique_of(x, return_index=True, return_inverse=True, return_counts=True))


@implements(numpy.unique_counts)
def unique_counts(x: Any) -> Any:
    kind = type(numpy.unique_counts(numpy.zeros(0)))
    return kind(*unique_of(x, return_counts=True))


@implements(numpy.unique_inverse)
def unique_inverse(x: Any) -> Any:
    kind = type(numpy.unique_inverse(numpy.zeros(0)))
    return kind(*unique_of(x, return_inverse=True))


@implements(numpy.unique_values)
def unique_values(x: Any) -> Any:
    return unique_of(x)


def unique_of(x: Any, **wanted: bool) -> Any:
    """`unique` as the array API standard has it: every NaN is a value of its own."""
    return unique(operand(x), equal_nan=False, **wanted)


@implements(numpy.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    return unique(concat(ravel(operand(ar1)), ravel(operand(ar2)), axis=0))


@implements(numpy.intersect1d)
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    ar1, ar2 = ravel(operand(ar1)), ravel(operand(ar2))
    ar1 = cast(ar1, numpy.result_type(ar1.dtype, ar2.dtype))
    what = "numpy.intersect1d"
    values = known(ar1, what), known(ar2, what)
    _, first, second = numpy.intersect1d(*values, assume_unique, True)
    common = chosen(ar1, first)
    return (common, as_untracked(first), as_untracked(second)) if return_indices else common


@implements(numpy.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    ar1 = ravel(operand(ar1)) if assume_unique else unique(operand(ar1))
    others = known(operand(ar2), "numpy.setdiff1d")
    values = known(ar1, "numpy.setdiff1d")
    return chosen(ar1, numpy.flatnonzero(numpy.isin(values, others, invert=True)))


@implements(numpy.setxor1d)
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    parts = [ravel(operand(x)) if assume_unique else unique(operand(x)) for x in (ar1, ar2)]
    both = concat(*parts, axis=0)
    values = known(both, "numpy.setxor1d")
    order = numpy.argsort(values, kind="stable")
    ranked = values[order]
    steps = numpy.concatenate(([True], ranked[1:] != ranked[:-1], [True]))
    return chosen(both, order[steps[1:] & steps[:-1]] if values.size else order)


@implements(numpy.isin)
def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> Any:
    return sort.isin(operand(element), operand(test_elements), invert=invert)
