"""Why functions of `scipy.linalg` have no derivative here: what the error says."""

from __future__ import annotations

UPDATED = "it updates factors; take those of the changed matrix by qr"

REASONS = {
    "cdf2rdf": "it arranges eigenvectors by which values are real; use the complex ones of eig",
    "clarkson_woodruff_transform": "it draws a random matrix; multiply by one of your own",
    "cossin": "its factors are a choice among many; use svd of the blocks",
    "expm_cond": "it is an estimate that jumps; use norm and expm_frechet",
    "fiedler_companion": "use companion, which has the same eigenvalues",
    "hessenberg": "it jumps where a column is reduced already; use schur with output='complex'",
    "ldl": "its pivots jump between single elements and pairs; use cholesky, lu or eigh",
    "matrix_balance": "it scales by powers of two, which jump",
    "ordqz": "its factors are a choice among many; use eigvals with two matrices",
    "qr_delete": UPDATED,
    "qr_insert": UPDATED,
    "qr_update": UPDATED,
    "qz": "its factors are a choice among many; use eigvals with two matrices",
    "rsf2csf": "use schur with output='complex', which gives the same",
}
"""By name; what takes no arrays of numbers at all needs no reason."""
