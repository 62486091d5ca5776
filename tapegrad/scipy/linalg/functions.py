"""Functions of matrices, with the names of `scipy.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import scipy.linalg as original

from ... import errors
from ...backend import is_complex
from ...core.array import is_mapped
from ...core.record import raw
from ...ops import eigen
from ...ops import matrix_functions as ops
from ...ops.complex import imag, real
from ...ops.contract import transpose
from ...ops.linalg import solve
from ...ops.matrices import rows
from ..dispatch import implements
from .operands import square

__all__ = [
    "coshm",
    "cosm",
    "expm",
    "expm_frechet",
    "fractional_matrix_power",
    "funm",
    "logm",
    "signm",
    "sinhm",
    "sinm",
    "sqrtm",
    "tanhm",
    "tanm",
]


@implements(original.expm)
def expm(A: Any) -> Any:
    return ops.expm(square(A, False))


@implements(original.expm_frechet)
def expm_frechet(
    A: Any,
    E: Any,
    method: str | None = None,
    compute_expm: bool = True,
    check_finite: bool = True,
) -> Any:
    a, e = square(A, check_finite), square(E, check_finite)
    if a.shape != e.shape:
        raise ValueError("expected A and E to be the same shape")
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"Unknown implementation {method}")
    change = ops.expm_frechet(a, e)
    return (ops.expm(a), change) if compute_expm else change


@implements(original.sqrtm)
def sqrtm(A: Any, disp: Any = None, blocksize: Any = None) -> Any:
    return ops.sqrtm(square(A))


@implements(original.logm)
def logm(A: Any, disp: Any = None) -> Any:
    return ops.logm(square(A))


@implements(original.fractional_matrix_power)
def fractional_matrix_power(A: Any, t: float) -> Any:
    return ops.matrix_power(square(A), exponent=float(t))


@implements(original.signm)
def signm(A: Any, disp: Any = None) -> Any:
    return ops.signm(square(A))


@implements(original.funm)
def funm(A: Any, func: Callable[[Any], Any], disp: bool = True) -> Any:
    """As SciPy's, by eigenvectors, which must be independent; `func` gets the eigenvalues.

    Like `eig`, it is always complex in vmap.
    """
    if not disp:
        raise errors.not_in_scipy_face("linalg.funm", "disp=False", "Leave it out.")
    x = square(A)
    values, vectors = eigen.eig(x)
    scaled = vectors * rows(func(values))
    result = transpose(solve(transpose(vectors), transpose(scaled)))
    if is_complex(x.dtype) or is_mapped(result):
        return result
    known = raw(result)
    rounding = numpy.finfo(known.dtype).eps * 1e6
    return real(result) if (abs(known.imag) <= rounding).all() else result


def turned(x: Any) -> Any:
    """The exponential of i x."""
    return ops.expm(x * numpy.complex64(1j) if x.dtype == numpy.float32 else x * 1j)


@implements(original.cosm)
def cosm(A: Any) -> Any:
    x = square(A)
    return (turned(x) + turned(-x)) / 2 if is_complex(x.dtype) else real(turned(x))


@implements(original.sinm)
def sinm(A: Any) -> Any:
    x = square(A)
    return (turned(x) - turned(-x)) * -0.5j if is_complex(x.dtype) else imag(turned(x))


@implements(original.tanm)
def tanm(A: Any) -> Any:
    return solve(cosm(A), sinm(A))


@implements(original.coshm)
def coshm(A: Any) -> Any:
    x = square(A)
    return (ops.expm(x) + ops.expm(-x)) / 2


@implements(original.sinhm)
def sinhm(A: Any) -> Any:
    x = square(A)
    return (ops.expm(x) - ops.expm(-x)) / 2


@implements(original.tanhm)
def tanhm(A: Any) -> Any:
    return solve(coshm(A), sinhm(A))
