"""Linear systems by Krylov methods: `cg`, `gmres`, `bicgstab` and their like."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy
import scipy.sparse
import scipy.sparse.linalg
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from ....core.op import table
from ....core.record import raw
from ....ops.sparse import Structure, sparse_solve
from .. import errors
from ..array import SparseArray, plain
from .operands import is_recorded, right_side

SYMMETRIC = ("cg", "minres")
"""Methods for Hermitian matrices: the transpose of one is its conjugate."""


class Krylov:
    """Solves by a method of SciPy's, with the options of the call.

    `operator` is a linear operator in place of a matrix with elements. `once` are options of the
    first system alone, not of the derivatives'.
    """

    def __init__(
        self,
        name: str,
        structure: Structure,
        operator: Any,
        preconditioner: Any,
        options: dict[str, Any],
        once: dict[str, Any],
    ) -> None:
        self.name = name
        self.structure = structure
        self.operator = operator
        self.preconditioner = preconditioner
        self.options = options
        self.once = once

    def __call__(self, data: Any, b: Any, transposed: bool) -> Any:
        if b.ndim == 2:
            columns = [self(data, b[:, k], transposed) for k in range(b.shape[1])]
            return numpy.stack(columns, axis=1) if columns else b
        if transposed and self.name in SYMMETRIC:
            return self.run(data, b.conj(), False).conj()
        return self.run(data, b, transposed)

    def run(self, data: Any, b: Any, transposed: bool) -> Any:
        """The solution of one system."""
        operator = self.structure.matrix(data) if self.operator is None else self.operator
        options = {**self.options, **self.once}
        self.once = {}
        if self.preconditioner is not None:
            options["M"] = aslinearoperator(self.preconditioner)
        if transposed:
            operator = operator.T
            if "M" in options:
                options["M"] = options["M"].T
        x, info = getattr(scipy.sparse.linalg, self.name)(operator, b, **options)
        if info:
            raise errors.not_converged(self.name, info)
        return x


def method(name: str) -> Callable[..., tuple[Any, int]]:
    """This namespace's function for a Krylov method of SciPy's."""
    original = getattr(scipy.sparse.linalg, name)

    @functools.wraps(original)
    def function(A: Any, b: Any, x0: Any = None, **options: Any) -> tuple[Any, int]:
        if not is_recorded(A, b, x0):
            return original(A, b, x0, **options)
        own = {"x0": None if x0 is None else raw(x0)}  # of no concern to derivatives
        own.update((key, options.pop(key)) for key in CALLBACKS if key in options)
        preconditioner = plain(options.pop("M", None))
        operator = A if isinstance(A, LinearOperator) else None
        matrix = SparseArray.of(scipy.sparse.csr_array(A.shape) if operator is not None else A)
        b = right_side(name, matrix.shape, b)
        b = table["reshape"].function(b, to=(b.size,)) if b.ndim == 2 else b
        solver = Krylov(name, matrix.structure, operator, preconditioner, options, own)
        return sparse_solve(matrix.data, b, solver=solver, transposed=False), 0

    return function


CALLBACKS = ("callback", "callback_type")


bicg = method("bicg")
bicgstab = method("bicgstab")
cg = method("cg")
cgs = method("cgs")
gmres = method("gmres")
lgmres = method("lgmres")
minres = method("minres")
tfqmr = method("tfqmr")
