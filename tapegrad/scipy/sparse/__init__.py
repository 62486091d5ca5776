"""`scipy.sparse`, for plain matrices, recorded operands and recorded elements.

With this module imported, SciPy's sparse matrices multiply recorded arrays, and are arguments to
differentiate with respect to: the derivative has elements in the same places. Inside the function
that is differentiated they are `SparseArray`s.
"""

from __future__ import annotations

from typing import Any

import scipy.sparse

from ..names import own
from .array import SparseArray
from .protocol import install

install()

__all__ = ["SparseArray"]


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.sparse, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.sparse)})
