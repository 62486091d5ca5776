"""`torch.return_types`: the tuples with names that functions of several results give."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any


def build(cls: Any, *values: Any) -> Any:
    """A tuple of its parts, given one by one or, as PyTorch wants them, as one sequence."""
    parts = tuple(values[0]) if len(values) == 1 < cls.n_fields else values
    if len(parts) != cls.n_fields:
        raise TypeError(
            f"torch.return_types.{cls.__name__}() takes a {cls.n_fields}-sequence "
            f"({len(parts)}-sequence given)"
        )
    return tuple.__new__(cls, parts)


def written(self: Any) -> str:
    """As PyTorch writes it: a line for each part."""
    parts = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
    return f"torch.return_types.{type(self).__name__}(\n{parts})"


def rebuilt(name: str, parts: Iterable[Any]) -> Any:
    """A tuple that was pickled."""
    return globals()[name](*parts)


def named(name: str, *fields: str) -> Any:
    """The class of the tuples that a function gives."""
    body = {
        "__module__": "torch.return_types",
        "__new__": build,
        "__reduce__": lambda self: (rebuilt, (name, tuple(self))),
        "__repr__": written,
        "__slots__": (),
        "n_fields": len(fields),
        "n_sequence_fields": len(fields),
        "n_unnamed_fields": 0,
    }
    return type(name, (namedtuple(name, fields),), body)


aminmax = named("aminmax", "min", "max")
cummax = named("cummax", "values", "indices")
cummin = named("cummin", "values", "indices")
frexp = named("frexp", "mantissa", "exponent")
geqrf = named("geqrf", "a", "tau")
histogram = named("histogram", "hist", "bin_edges")
histogramdd = named("histogramdd", "hist", "bin_edges")
kthvalue = named("kthvalue", "values", "indices")
linalg_cholesky_ex = named("linalg_cholesky_ex", "L", "info")
linalg_eig = named("linalg_eig", "eigenvalues", "eigenvectors")
linalg_eigh = named("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_inv_ex = named("linalg_inv_ex", "inverse", "info")
linalg_ldl_factor = named("linalg_ldl_factor", "LD", "pivots")
linalg_ldl_factor_ex = named("linalg_ldl_factor_ex", "LD", "pivots", "info")
linalg_lstsq = named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_lu = named("linalg_lu", "P", "L", "U")
linalg_lu_factor = named("linalg_lu_factor", "LU", "pivots")
linalg_lu_factor_ex = named("linalg_lu_factor_ex", "LU", "pivots", "info")
linalg_qr = named("linalg_qr", "Q", "R")
linalg_slogdet = named("linalg_slogdet", "sign", "logabsdet")
linalg_solve_ex = named("linalg_solve_ex", "result", "info")
linalg_svd = named("linalg_svd", "U", "S", "Vh")
lu_unpack = named("lu_unpack", "P", "L", "U")
max = named("max", "values", "indices")
median = named("median", "values", "indices")
min = named("min", "values", "indices")
mode = named("mode", "values", "indices")
nanmedian = named("nanmedian", "values", "indices")
qr = named("qr", "Q", "R")
slogdet = named("slogdet", "sign", "logabsdet")
sort = named("sort", "values", "indices")
svd = named("svd", "U", "S", "V")
topk = named("topk", "values", "indices")
triangular_solve = named("triangular_solve", "solution", "cloned_coefficient")
