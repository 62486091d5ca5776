"""Products of groups of matrices, as mixtures of experts use them."""

from __future__ import annotations

from typing import Any

import numpy

from ...ops.contract import matmul
from ...ops.index import getitem
from ...ops.join import concat, stack
from ...torch.calls import cast, on_arrays, raw_of
from ...torch.dtypes import as_numpy
from . import errors

__all__ = ["grouped_mm"]


@on_arrays
def grouped_mm(
    mat_a: Any, mat_b: Any, *, offs: Any = None, bias: Any = None, out_dtype: Any = None
) -> Any:
    """Products of groups: (G, M, K) with (G, K, N), or of matrices that hold groups side by side.

    `offs` says where each group ends: among the rows of `mat_a` (M, K) for `mat_b` (G, K, N), the
    columns of `mat_b` (K, N) for `mat_a` (G, M, K), or along K for two matrices, which gives
    (G, M, N).
    """
    if bias is not None:
        raise RuntimeError("Bias not supported yet: add it to the result")
    if mat_a.ndim not in (2, 3) or mat_b.ndim not in (2, 3):
        raise errors.grouped_axes_of(mat_a.shape, mat_b.shape)
    if (offs is None) != (mat_a.ndim == mat_b.ndim == 3):
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, and only then")
    if mat_a.shape[-1] != mat_b.shape[-2]:
        raise errors.grouped_inner(mat_a.shape, mat_b.shape)
    out = matmul(mat_a, mat_b) if offs is None else of_parts(mat_a, mat_b, raw_of(offs))
    return out if out_dtype is None else cast(out, as_numpy(out_dtype))


def of_parts(a: Any, b: Any, ends: Any) -> Any:
    """The products of groups of which some lie side by side in a matrix."""
    starts = numpy.concatenate([[0], ends[:-1]])
    spans = [slice(int(i), int(j)) for i, j in zip(starts, ends, strict=True)]
    whole = slice(None)
    if a.ndim == b.ndim:
        parts = [matmul(getitem(a, key=(whole, s)), getitem(b, key=(s,))) for s in spans]
        return stack(*parts, axis=0)
    if a.ndim == 2:
        parts = [matmul(getitem(a, key=(s,)), getitem(b, key=(i,))) for i, s in enumerate(spans)]
        return concat(*parts, axis=0)
    parts = [matmul(getitem(a, key=(i,)), getitem(b, key=(whole, s))) for i, s in enumerate(spans)]
    return concat(*parts, axis=1)
