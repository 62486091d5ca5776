"""Tuples that functions of `torch.linalg` give, with PyTorch's names of the parts."""

from __future__ import annotations

from typing import Any, NamedTuple


class CholeskyInfo(NamedTuple):
    """Factors, and a report for each matrix: 0, or the order of a minor that is not definite."""

    L: Any
    info: Any


class Orthogonal(NamedTuple):
    """An orthogonal and an upper triangular factor."""

    Q: Any
    R: Any


class Triangular(NamedTuple):
    """A permutation, a lower and an upper triangular factor."""

    P: Any
    L: Any
    U: Any


class Packed(NamedTuple):
    """LU factors in one matrix, and LAPACK's pivots, from 1 on."""

    LU: Any
    pivots: Any


class PackedInfo(NamedTuple):
    """As `Packed`, and a report for each matrix: 0, or a row whose pivot is zero."""

    LU: Any
    pivots: Any
    info: Any


class Symmetric(NamedTuple):
    """LDL factors in one matrix, and LAPACK's pivots."""

    LD: Any
    pivots: Any


class SymmetricInfo(NamedTuple):
    """As `Symmetric`, and a report for each matrix."""

    LD: Any
    pivots: Any
    info: Any


class Reflectors(NamedTuple):
    """LAPACK's QR factors: a matrix with the reflectors below the triangle, and their factors."""

    a: Any
    tau: Any


class Inverse(NamedTuple):
    """Inverses, and a report for each matrix: 0, or a row whose pivot is zero."""

    inverse: Any
    info: Any


class Solution(NamedTuple):
    """Solutions, and a report for each matrix: 0, or a row whose pivot is zero."""

    result: Any
    info: Any


class Determinant(NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: Any
    logabsdet: Any


class Eigen(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


class Singular(NamedTuple):
    """Singular values, descending, left vectors as columns and right ones as conjugated rows."""

    U: Any
    S: Any
    Vh: Any


class LeastSquares(NamedTuple):
    """A solution of least squares and what is known of the system; empty what is not computed."""

    solution: Any
    residuals: Any
    rank: Any
    singular_values: Any
