"""How SciPy's sparse matrices meet recorded arrays.

Their operators know no protocol by which another kind of array could take part; so they are taught
to leave recorded operands to `SparseArray`. And a sparse matrix is a container of its elements for
every transform: the gradient for a matrix is a matrix with elements in the same places.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy
import scipy.sparse

from ... import tree
from ...core.array import Array
from .array import SparseArray

OPERATORS = ("matmul", "rmatmul", "mul", "rmul", "truediv", "add", "radd", "sub", "rsub")
METHODS = (*(f"__{name}__" for name in OPERATORS), "dot", "multiply")

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
CLASSES: list[Any] = [
    getattr(scipy.sparse, f"{name}_{kind}") for name in FORMATS for kind in ("array", "matrix")
]


def leaving(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A method of SciPy's sparse matrices that leaves recorded operands to `SparseArray`."""

    @functools.wraps(original)
    def method(self: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(other, Array | SparseArray):
            own = SparseArray.of(self)
            if isinstance(self, scipy.sparse.spmatrix) and name in PRODUCTS:
                return getattr(own, PRODUCTS[name])(other)
            return getattr(own, name)(other)
        return original(self, other, *args, **kwargs)

    return method


PRODUCTS = {"__mul__": "dot", "__rmul__": "__rmatmul__"}
"""Of the old matrices, `*` is the matrix product."""


def install() -> None:
    """Teach SciPy's classes, and make them containers."""
    bases = {base for cls in CLASSES for base in cls.__mro__ if base is not object}
    for base in bases:
        for name in METHODS:
            if name in vars(base):
                setattr(base, name, leaving(vars(base)[name], name))
    for cls in (*CLASSES, SparseArray):
        tree.register(cls, flatten, unflatten)


def flatten(matrix: Any) -> tuple[tuple[Any], tuple[Any, Any]]:
    """The elements of a matrix, and what it is without them."""
    own = SparseArray.of(matrix)
    return (own.data,), (type(matrix), own.structure)


def unflatten(kind: tuple[Any, Any], children: Iterable[Any]) -> Any:
    """The matrix again: of SciPy's where its elements are plain numbers."""
    (data,) = children
    cls, structure = kind
    if not isinstance(data, numpy.ndarray) or data.shape != (structure.size,):
        return SparseArray(data, structure)
    matrix = structure.matrix(data)
    return matrix if cls is SparseArray else cls(matrix)
