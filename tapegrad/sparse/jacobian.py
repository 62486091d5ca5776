"""`sparse_jacobian` and `sparse_hessian`: matrices of derivatives in `scipy.sparse` form."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.array import Array
from ..ops.sparse import Structure
from ..scipy.sparse import SparseArray
from ..transforms.arguments import check_function
from ..transforms.grad import differentiator
from . import errors
from .pattern import Pattern
from .products import Compressed
from .sparsity import find


def sparse_jacobian(
    fun: Callable[..., Any], pattern: Pattern | Any | None = None
) -> Callable[..., Any]:
    """The Jacobian of `fun` in its first argument, as a `scipy.sparse.csr_array`.

    Rows count the elements of the results, columns those of the argument; both may be trees of
    arrays of any shape. `pattern` is what `sparsity` gave, or a matrix whose stored elements are
    the pattern. Without it, it is found anew at every call: find it once where there are many. The
    matrix stores all elements of the pattern, also those that are zero by value.

    As many vectors as the pattern has colours are pushed and pulled, in one vectorised walk each.
    Inside other transforms the matrix is a `tapegrad.scipy.sparse.SparseArray`, and is
    differentiated like any value.

    >>> import numpy as np, tapegrad as tg
    >>> J = tg.sparse_jacobian(lambda x: x[1:] * x[:-1])(np.array([1.0, 2.0, 3.0]))
    >>> J.toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]])
    """
    check_function("sparse_jacobian", fun)
    given = None if pattern is None else coloured(pattern)

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        own = find("sparse_jacobian", fun, args, kwargs, False) if given is None else given
        return matrix(Compressed("sparse_jacobian", fun, own, args, kwargs))

    return wrapper


def sparse_hessian(
    fun: Callable[..., Any], pattern: Pattern | Any | None = None
) -> Callable[..., Any]:
    """The Hessian of a scalar function in its first argument, as a `scipy.sparse.csr_array`.

    As `sparse_jacobian`, for the gradient; the colouring uses the symmetry. A pattern is found by
    ``sparsity(fun, x, of="hessian")``.

    >>> import numpy as np, tapegrad as tg
    >>> H = tg.sparse_hessian(lambda x: (x[1:] * x[:-1] ** 2).sum())(np.array([1.0, 2.0, 3.0]))
    >>> H.toarray()
    array([[4., 2., 0.],
           [2., 6., 4.],
           [0., 4., 0.]])
    """
    check_function("sparse_hessian", fun)
    given = None if pattern is None else coloured(pattern, symmetric=True)
    gradient = differentiator("sparse_hessian", fun, 0, None, False, False)

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        own = find("sparse_hessian", fun, args, kwargs, True) if given is None else given
        return matrix(Compressed("sparse_hessian", gradient, own, args, kwargs))

    return wrapper


def coloured(pattern: Any, symmetric: bool = False) -> Pattern:
    """A pattern with its colouring, which a plain matrix is given."""
    if not isinstance(pattern, Pattern):
        return Pattern.of(pattern, symmetric)
    if symmetric and not pattern.symmetric:
        raise errors.not_symmetric("sparse_hessian")
    return pattern


def matrix(run: Compressed) -> Any:
    """The elements that a run gave as a sparse matrix of the caller's own.

    Where an enclosing transform tracks them, it is a `SparseArray`.
    """
    pattern = run.pattern
    structure = Structure(pattern.shape, pattern.indptr.copy(), pattern.indices.copy())
    if isinstance(run.elements, Array):
        return SparseArray(run.elements, structure)
    return structure.matrix(run.elements)
