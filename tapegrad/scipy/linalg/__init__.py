"""`scipy.linalg`, for plain and for recorded arrays."""

from __future__ import annotations

from typing import Any

import scipy.linalg

from ...numpy.reading import on_values
from ..dispatch import implements
from ..names import own
from .bands import cho_solve_banded as cho_solve_banded
from .bands import cholesky_banded as cholesky_banded
from .bands import eig_banded as eig_banded
from .bands import eigvals_banded as eigvals_banded
from .bands import solve_banded as solve_banded
from .bands import solveh_banded as solveh_banded
from .eigen import eig as eig
from .eigen import eigh as eigh
from .eigen import eigh_tridiagonal as eigh_tridiagonal
from .eigen import eigvals as eigvals
from .eigen import eigvalsh as eigvalsh
from .eigen import eigvalsh_tridiagonal as eigvalsh_tridiagonal
from .factors import cho_factor as cho_factor
from .factors import cholesky as cholesky
from .factors import lu as lu
from .factors import lu_factor as lu_factor
from .factors import null_space as null_space
from .factors import orth as orth
from .factors import orthogonal_procrustes as orthogonal_procrustes
from .factors import polar as polar
from .factors import qr as qr
from .factors import qr_multiply as qr_multiply
from .factors import rq as rq
from .factors import schur as schur
from .factors import subspace_angles as subspace_angles
from .factors import svd as svd
from .factors import svdvals as svdvals
from .functions import coshm as coshm
from .functions import cosm as cosm
from .functions import expm as expm
from .functions import expm_frechet as expm_frechet
from .functions import fractional_matrix_power as fractional_matrix_power
from .functions import funm as funm
from .functions import logm as logm
from .functions import signm as signm
from .functions import sinhm as sinhm
from .functions import sinm as sinm
from .functions import sqrtm as sqrtm
from .functions import tanhm as tanhm
from .functions import tanm as tanm
from .matrices import block_diag as block_diag
from .matrices import circulant as circulant
from .matrices import companion as companion
from .matrices import convolution_matrix as convolution_matrix
from .matrices import diagsvd as diagsvd
from .matrices import fiedler as fiedler
from .matrices import hankel as hankel
from .matrices import khatri_rao as khatri_rao
from .matrices import leslie as leslie
from .matrices import matmul_toeplitz as matmul_toeplitz
from .matrices import solve_circulant as solve_circulant
from .matrices import solve_toeplitz as solve_toeplitz
from .matrices import toeplitz as toeplitz
from .reasons import REASONS
from .systems import cho_solve as cho_solve
from .systems import det as det
from .systems import inv as inv
from .systems import lstsq as lstsq
from .systems import lu_solve as lu_solve
from .systems import norm as norm
from .systems import pinv as pinv
from .systems import pinvh as pinvh
from .systems import solve as solve
from .systems import solve_continuous_are as solve_continuous_are
from .systems import solve_continuous_lyapunov as solve_continuous_lyapunov
from .systems import solve_discrete_are as solve_discrete_are
from .systems import solve_discrete_lyapunov as solve_discrete_lyapunov
from .systems import solve_lyapunov as solve_lyapunov
from .systems import solve_sylvester as solve_sylvester
from .systems import solve_triangular as solve_triangular

__all__ = list(scipy.linalg.__all__)

bandwidth, ishermitian, issymmetric = (
    implements(function)(on_values(function, f"scipy.linalg.{function.__name__}"))
    for function in (scipy.linalg.bandwidth, scipy.linalg.ishermitian, scipy.linalg.issymmetric)
)


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here; a function that has no derivative."""
    return own(scipy.linalg, __name__, name, REASONS.get(name, ""))


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.linalg)})
