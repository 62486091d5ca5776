"""Sparse Jacobians and Hessians: patterns by pushing index sets, colours, few walks.

SciPy must be installed.
"""

from importlib.util import find_spec

from ..errors import no_scipy

if find_spec("scipy") is None:
    raise no_scipy("tapegrad.sparse")

from .errors import PatternError, PatternWarning
from .jacobian import sparse_hessian, sparse_jacobian
from .pattern import Pattern
from .products import check
from .sparsity import sparsity

__all__ = [
    "Pattern",
    "PatternError",
    "PatternWarning",
    "check",
    "sparse_hessian",
    "sparse_jacobian",
    "sparsity",
]
