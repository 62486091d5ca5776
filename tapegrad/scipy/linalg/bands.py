"""Matrices given by their diagonals, with the names of `scipy.linalg`.

A band holds the diagonals of a matrix as rows, and of a Hermitian matrix those of one triangle.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy
import scipy.linalg as original

from ...backend import is_complex
from ...ops import banded, factorise
from ...ops.complex import real
from ...ops.index import getitem
from ...ops.join import concat
from ...ops.linear import cast
from ...ops.matrices import adjoint, conjugate, rows
from ...ops.selection import where
from ...ops.shape import diagonal, embed_diagonal
from ..dispatch import implements
from .eigen import selected
from .operands import finite, solved

__all__ = [
    "cho_solve_banded",
    "cholesky_banded",
    "eig_banded",
    "eigvals_banded",
    "solve_banded",
    "solveh_banded",
]


@implements(original.solve_banded)
def solve_banded(
    l_and_u: tuple[int, int],
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    ab, b = finite(ab, check_finite), finite(b, check_finite)
    lower, upper = map(int, l_and_u)
    if lower + upper + 1 != ab.shape[-2]:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 "
            f"({lower + upper + 1}) does not equal ab.shape[0] ({ab.shape[-2]})"
        )
    return solved(partial(banded.solve_banded, lower=lower, upper=upper, definite=False), ab, b)


@implements(original.solveh_banded)
def solveh_banded(
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> Any:
    """As SciPy's, for positive definite matrices. Stored once, an element counts for both."""
    ab, b = finite(ab, check_finite), finite(b, check_finite)
    side = ab.shape[-2] - 1
    if is_complex(ab.dtype):  # of the diagonal, LAPACK reads the real parts
        numbers = numpy.arange(side + 1)[:, None]
        ab = where(numbers == (0 if lower else side), cast(real(ab), ab.dtype), ab)
    turned = banded.turn_band(conjugate(ab), lower=side if lower else 0, upper=0 if lower else side)
    axis = ab.ndim - 2
    if lower:
        full = concat(rows_of(turned, slice(0, side)), ab, axis=axis)
    else:
        full = concat(ab, rows_of(turned, slice(1, None)), axis=axis)
    return solved(partial(banded.solve_banded, lower=side, upper=side, definite=True), full, b)


def rows_of(ab: Any, part: slice) -> Any:
    return getitem(ab, key=(Ellipsis, part, slice(None)))


# Through full matrices


def hermitian_of(ab: Any, lower: bool) -> Any:
    """The Hermitian matrices that bands of one triangle stand for."""
    *stack, side, n = ab.shape
    full = None
    for k in range(min(side, n)):
        band = getitem(ab, key=(Ellipsis, k if lower else side - 1 - k, slice(None)))
        if k == 0:
            band = cast(real(band), ab.dtype) if is_complex(ab.dtype) else band
            full = embed_diagonal(band, offset=0, to=(*stack, n, n))
            continue
        part = getitem(band, key=(Ellipsis, slice(None, n - k) if lower else slice(k, None)))
        one = embed_diagonal(part, offset=-k if lower else k, to=(*stack, n, n))
        full = full + one + adjoint(one)
    return full


def band_of_triangle(x: Any, side: int, lower: bool) -> Any:
    """The first diagonals of triangular matrices as a band, with zeros in its corner."""
    n = x.shape[-1]
    bands = []
    for k in range(side):
        band = diagonal(x, offset=-k if lower else k)
        zeros = numpy.zeros((*x.shape[:-2], n - band.shape[-1]), dtype=x.dtype)
        bands.append(rows(concat(*((band, zeros) if lower else (zeros, band)), axis=x.ndim - 2)))
    return concat(*(bands if lower else bands[::-1]), axis=x.ndim - 2)


@implements(original.cholesky_banded)
def cholesky_banded(
    ab: Any, overwrite_ab: bool = False, lower: bool = False, check_finite: bool = True
) -> Any:
    """As SciPy's, by a full matrix, and with zeros in the corner of the band."""
    ab = finite(ab, check_finite)
    factor = factorise.cholesky(hermitian_of(ab, lower))
    return band_of_triangle(factor if lower else adjoint(factor), ab.shape[-2], lower)


@implements(original.cho_solve_banded)
def cho_solve_banded(
    cb_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    cb, lower = cb_and_lower
    cb, b = finite(cb, check_finite), finite(b, check_finite)
    side = cb.shape[-2] - 1
    below, above = (side, 0) if lower else (0, side)
    turned = conjugate(banded.turn_band(cb, lower=below, upper=above))
    solve = partial(banded.solve_banded, definite=False)
    by_factor = partial(solve, lower=below, upper=above), cb
    by_adjoint = partial(solve, lower=above, upper=below), turned
    for way, band in (by_factor, by_adjoint) if lower else (by_adjoint, by_factor):
        b = solved(way, band, b)
    return b


@implements(original.eig_banded)
def eig_banded(
    a_band: Any,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
    check_finite: bool = True,
) -> Any:
    """As SciPy's, by a full matrix."""
    full = hermitian_of(finite(a_band, check_finite), lower)
    values, vectors = selected(full, select, select_range)
    return values if eigvals_only else (values, vectors)


@implements(original.eigvals_banded)
def eigvals_banded(
    a_band: Any,
    lower: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
) -> Any:
    return eig_banded(
        a_band,
        lower,
        eigvals_only=True,
        select=select,
        select_range=select_range,
        check_finite=check_finite,
    )
