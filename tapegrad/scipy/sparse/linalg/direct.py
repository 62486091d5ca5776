"""Linear systems by sparse LU factorisation: `spsolve`, `splu`, `factorized`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.sparse.linalg

from ....core.op import table
from ....core.record import raw
from ....ops.sparse import Direct, sparse_solve
from ..array import SparseArray
from .operands import is_recorded, right_side, square


def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """The solution of ``A @ x = b``, as SciPy's; differentiable in the elements of A and in b.

    Of recorded arguments the result is dense, also where `b` is sparse, and a singular matrix
    raises RuntimeError where SciPy warns and gives NaN. The factorisation serves all derivatives.

    >>> import numpy as np, scipy.sparse, tapegrad as tg
    >>> from tapegrad.scipy.sparse.linalg import spsolve
    >>> A = scipy.sparse.csr_array(np.diag([2.0, 4.0]))
    >>> tg.grad(lambda A: spsolve(A, np.ones(2)).sum())(A).toarray()
    array([[-0.25  ,  0.    ],
           [ 0.    , -0.0625]])
    """
    if not is_recorded(A, b):
        return scipy.sparse.linalg.spsolve(A, b, permc_spec, use_umfpack)
    options = {} if permc_spec is None else {"permc_spec": permc_spec}
    a = square("spsolve", A)
    b = right_side("spsolve", a.shape, b)
    x = sparse_solve(a.data, b, solver=Direct(a.structure, options), transposed=False)
    return x if x.ndim == 1 or x.shape[1] != 1 else table["reshape"].function(x, to=(len(x),))


class Factors:
    """A factorised matrix, as `splu` gives it: solves recorded systems too.

    All attributes of SciPy's object (`L`, `U`, `perm_r`, ...) are there, as plain arrays.
    """

    def __init__(self, matrix: SparseArray, options: dict[str, Any]) -> None:
        self.matrix = matrix
        self.solver = Direct(matrix.structure, options)
        self.solver.factorise(raw(matrix.data))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.solver.factorise(raw(self.matrix.data)), name)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """The solution for the matrix ("N"), its transpose ("T") or conjugate transpose ("H")."""
        b = right_side("solve", self.matrix.shape, rhs)
        conj = table["conj"].function
        data = conj(self.matrix.data) if trans == "H" else self.matrix.data
        solver = Direct(self.matrix.structure, self.solver.options) if trans == "H" else self.solver
        return sparse_solve(data, b, solver=solver, transposed=trans in ("T", "H"))


def splu(A: Any, **options: Any) -> Factors:
    """The LU factorisation of a sparse matrix, as SciPy's, whose `solve` is differentiable.

    A singular matrix raises RuntimeError.
    """
    return Factors(square("splu", A), options)


def factorized(A: Any) -> Callable[[Any], Any]:
    """A function that solves systems with the matrix A, which is factorised once."""
    return splu(A).solve
