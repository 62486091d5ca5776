"""Eigenvalues of sparse matrices: `eigsh`."""

from __future__ import annotations

from typing import Any

import scipy.sparse.linalg

from ....core.record import raw
from ....ops.sparse_eigen import sparse_eigsh
from .. import errors
from .operands import is_recorded, square


def eigsh(A: Any, k: int = 6, M: Any = None, sigma: float | None = None, **options: Any) -> Any:
    """`k` eigenvalues and eigenvectors of a real symmetric matrix, as SciPy's.

    Of recorded matrices the symmetric part is meant, and the derivative is symmetric. Eigenvectors
    have derivatives where their eigenvalues are simple, and raise ArithmeticError where two are
    equal; each derivative is found by a sparse factorisation of its own. The start `v0` has none.
    The generalised problem (`M`) is not supported.
    """
    if not is_recorded(A, M, sigma, options.get("v0")):
        return scipy.sparse.linalg.eigsh(A, k, M, sigma, **options)
    if M is not None or any(options.get(name) is not None for name in ("Minv", "OPinv")):
        raise errors.not_supported("eigsh", "M, Minv and OPinv", "Transform A instead.")
    a = square("eigsh", A)
    if a.dtype.kind == "c":
        raise errors.not_supported("eigsh", "complex matrices", "Use numpy.linalg.eigh.")
    vectors = options.pop("return_eigenvectors", True)
    if options.get("v0") is not None:
        options["v0"] = raw(options["v0"])
    pairs = sparse_eigsh(a.data, structure=a.structure, options=settings(k, sigma, options))
    return pairs if vectors else pairs[0]


def settings(k: int, sigma: float | None, options: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The options of the call that are given."""
    named = {"k": k, "sigma": sigma, **options}
    return tuple((name, value) for name, value in named.items() if value is not None)
