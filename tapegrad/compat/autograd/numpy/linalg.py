"""`numpy.linalg`, for plain and for traced arrays: the names of `tapegrad.numpy.linalg`.

One function differs: the gradient of `eigh` is in the triangle that it reads, as in autograd, and
not shared with the other one.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from .... import numpy as _np
from ....core.array import Array as _Array
from ....numpy import linalg as _linalg
from ....ops.shape import embed_diagonal as _embed_diagonal
from ..names import enter as _enter


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of the Hermitian matrices that have a triangle of `a`."""
    if isinstance(a, _Array):
        triangle = _np.tril(a, -1) if UPLO.upper() == "L" else _np.triu(a, 1)
        diagonal = _np.real(_linalg.diagonal(a))
        other = _np.conj(_np.matrix_transpose(triangle))
        a = triangle + other + _embed_diagonal(diagonal, offset=0, to=a.shape)
    return _linalg.eigh(a, UPLO)


T, _dot = _np.matrix_transpose, _np.matmul  # autograd's helpers, which programs have come to use

_enter(globals(), _linalg, _numpy.linalg)
