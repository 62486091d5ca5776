"""Sparse Jacobians and Hessians: patterns by pushing index sets, colours, few walks.

SciPy must be installed.
"""

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
