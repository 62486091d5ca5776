"""Linear algebra under the names that stood in `torch` before `torch.linalg`, and as methods."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy

from ..backend import is_complex
from ..ops import determinant
from ..ops.contract import transpose as transposed
from ..ops.elementary import log
from ..ops.index import getitem
from ..ops.linear import identity
from ..ops.matrices import conjugate
from ..ops.selection import where
from ..ops.svd import svd as svd_op
from ..ops.triangular import solve_triangular
from . import errors, return_types
from .calls import attach, on_arrays
from .casting import asking
from .linalg import factors, products, spectrum, systems
from .linalg.operands import alike, eye, matrices, square, stacked
from .linalg.reflections import geqrf, householder_product, ormqr
from .refusals import refuse
from .tensor import Tensor

__all__ = [
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "det",
    "eig",
    "geqrf",
    "inverse",
    "logdet",
    "lstsq",
    "lu",
    "lu_solve",
    "lu_unpack",
    "matrix_exp",
    "matrix_power",
    "matrix_rank",
    "orgqr",
    "ormqr",
    "pinverse",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "symeig",
    "triangular_solve",
    "vander",
]

det = systems.det
inverse = systems.inv
matrix_exp = products.matrix_exp
matrix_power = products.matrix_power
orgqr = householder_product


def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The triangular factors of positive definite matrices: `torch.linalg.cholesky`."""
    return factors.cholesky(input, upper=upper, out=out)


def by_cholesky(b: Any, factor: Any, upper: bool) -> Any:
    """The solutions of systems of the matrices that have this Cholesky factor."""
    factor, b = stacked(factor, b)
    plain = partial(solve_triangular, factor, lower=not upper, transposed=False, unit=False)
    turned = partial(
        solve_triangular, conjugate(factor), lower=not upper, transposed=True, unit=False
    )
    return plain(turned(b)) if upper else turned(plain(b))


@on_arrays
def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    """The X with ``A @ X = B`` by the Cholesky factor of A, the lower one if not `upper`."""
    b, factor = matrices(B, "cholesky_solve"), square(L, "cholesky_solve")
    alike(b, factor, "cholesky_solve")
    if factor.shape[-1] != b.shape[-2]:
        raise errors.sizes_of_cholesky(factor.shape, b.shape)
    return by_cholesky(b, factor, upper)


@on_arrays
def cholesky_inverse(L: Any, upper: bool = False) -> Any:
    """The inverse of A by its Cholesky factor, the lower one if not `upper`."""
    factor = square(L, "cholesky_inverse")
    return by_cholesky(eye(factor, *factor.shape[-2:]), factor, upper)


@on_arrays
def logdet(input: Any) -> Any:
    """The logarithm of the determinant: NaN where it is negative, -inf where it is zero."""
    sign, size = determinant.slogdet(square(input, "logdet"))
    if is_complex(input.dtype):
        return log(sign) + size
    return where(sign < 0, size.dtype.type(numpy.nan), size)


def slogdet(input: Tensor, *, out: Any = None) -> Any:
    """The sign of determinants, and the logarithm of their size: `torch.linalg.slogdet`."""
    return return_types.slogdet(systems.slogdet(input, out=out))


def lu(
    A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None
) -> tuple[Tensor, ...]:
    """LU factors in one matrix and pivots, and a report for each matrix if `get_infos`."""
    result = factors.lu_factor_ex(A, pivot=pivot, out=out)
    return tuple(result) if get_infos else tuple(result[:2])


def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The solutions of systems by what `lu` gives."""
    return systems.lu_solve(LU_data, LU_pivots, b, out=out)


@on_arrays
def lu_unpack(
    LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """The permutation and the triangular factors of what `lu` gives; empty what is not wanted."""
    packed = matrices(LU_data, "lu_unpack")
    order = factors.order_of(LU_pivots, packed.shape[-2])
    parts = factors.unpacked(packed, order)
    nothing = numpy.empty(0, packed.dtype)
    p = parts[0] if unpack_pivots else nothing
    return return_types.lu_unpack(p, *(parts[1:] if unpack_data else (nothing, nothing)))


@asking
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudo-inverses of matrices: `torch.linalg.pinv`."""
    return spectrum.pinv(input, rcond=rcond)


def qr(input: Tensor, some: bool = True, *, out: Any = None) -> Any:
    """An orthogonal and an upper triangular factor: `torch.linalg.qr`."""
    return return_types.qr(factors.qr(input, "reduced" if some else "complete", out=out))


@on_arrays
def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """Singular values and vectors, the right ones as columns: ``U @ diag(S) @ V.mH``."""
    x = matrices(input, "linalg.svd")
    u, s, vh = svd_op(x, full=compute_uv and not some)
    if not compute_uv:
        u, vh = (numpy.zeros((*x.shape[:-2], n, n), x.dtype) for n in x.shape[-2:])
    return return_types.svd(u, s, conjugate(transposed(vh)))


@on_arrays
def triangular_solve(
    b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """The solutions X of ``A @ X = b`` (``A.mT @ X = b`` if `transpose`) for triangular A."""
    a, b = stacked(square(A, "triangular_solve"), matrices(b, "triangular_solve"))
    solved = solve_triangular(a, b, lower=not upper, transposed=transpose, unit=unitriangular)
    return return_types.triangular_solve(solved, identity(a))


@on_arrays
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of the elements, along a new last axis, falling if not `increasing`."""
    result = products.powers(x, x.shape[-1] if N is None else N)
    return result if increasing else getitem(result, key=(Ellipsis, slice(None, None, -1)))


def gone(name: str, instead: str) -> Any:
    """A name that PyTorch has withdrawn, with what to use in its place."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise errors.withdrawn(name, instead)

    function.__name__ = name
    function.__doc__ = f"Withdrawn by PyTorch: use {instead}."
    return function


eig = gone("eig", "torch.linalg.eig(A)")
lstsq = gone("lstsq", "torch.linalg.lstsq(A, B).solution, whose arguments are reversed")
matrix_rank = gone("matrix_rank", "torch.linalg.matrix_rank(A)")
solve = gone("solve", "torch.linalg.solve(A, B), whose arguments are reversed")
symeig = gone("symeig", "torch.linalg.eigh(A, UPLO='U' if upper else 'L')")

attach(
    "cholesky cholesky_inverse cholesky_solve det geqrf inverse logdet lu lu_solve matrix_exp "
    "matrix_power orgqr ormqr pinverse qr slogdet svd triangular_solve",
    globals(),
)

refuse(globals(), "triangular_solve_cpu", "bool integer half", "triangular_solve")
refuse(globals(), "cholesky_inverse_out_cpu", "integer half", "cholesky_inverse")
refuse(globals(), "cholesky_solve_cpu", "bool integer half", "cholesky_solve")
refuse(globals(), "logdet: Low precision dtypes not supported. Got {kind}", "half", "logdet")
