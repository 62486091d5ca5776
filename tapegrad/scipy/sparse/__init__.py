"""`scipy.sparse`, for plain matrices, recorded operands and recorded elements.

With this module imported, SciPy's sparse matrices multiply recorded arrays, and are arguments to
differentiate with respect to: the derivative has elements in the same places. Inside the function
that is differentiated they are `SparseArray`s, which `csr_array` and its like make of recorded
elements too. (To ask for the class of a plain matrix, ask with SciPy's.)
"""

from __future__ import annotations

from typing import Any

import scipy.sparse

from .array import SparseArray
from .construct import (
    block_array,
    block_diag,
    bmat,
    coo_array,
    coo_matrix,
    csc_array,
    csc_matrix,
    csr_array,
    csr_matrix,
    diags_array,
    hstack,
    kron,
    tril,
    triu,
    vstack,
)
from .names import guarded
from .protocol import install

install()

__all__ = [
    "SparseArray",
    "block_array",
    "block_diag",
    "bmat",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "diags_array",
    "hstack",
    "kron",
    "tril",
    "triu",
    "vstack",
]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return guarded(scipy.sparse, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.sparse)})
