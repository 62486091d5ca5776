"""`scipy.sparse.linalg` with derivatives: linear systems and eigenvalues of sparse matrices.

The derivative of a solution is another solution, by the same method, of the transposed system; so
its precision is that which the method was asked for.
"""

from __future__ import annotations

from typing import Any

import scipy.sparse.linalg

from ..names import guarded
from .direct import factorized, splu, spsolve
from .eigen import eigsh
from .krylov import bicg, bicgstab, cg, cgs, gmres, lgmres, minres, tfqmr

__all__ = [
    "bicg",
    "bicgstab",
    "cg",
    "cgs",
    "eigsh",
    "factorized",
    "gmres",
    "lgmres",
    "minres",
    "splu",
    "spsolve",
    "tfqmr",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return guarded(scipy.sparse.linalg, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.sparse.linalg)})
