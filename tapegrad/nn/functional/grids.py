"""Images at the points of a grid, and the grids of affine maps."""

from __future__ import annotations

import warnings
from math import prod
from typing import Any

import numpy

from ... import torch
from ...ops.contract import matmul, transpose
from ...ops.linear import reshape
from ...torch import Tensor
from ...torch.calls import on_arrays
from ...torch.resampling import EDGES, MODES
from . import errors

__all__ = ["affine_grid", "grid_sample"]


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Images (N, C, H, W) or (N, C, D, H, W) at the points of a grid (N, ..., 2 or 3).

    Coordinates are from -1 to 1, that of the last axis first. `mode` is `"bilinear"`, `"nearest"`
    or `"bicubic"`; outside there are zeros, what is at the border, or the reflection.
    """
    if mode not in MODES:
        raise errors.sampled_mode(mode)
    if padding_mode not in EDGES:
        raise errors.sampled_edges(padding_mode)
    if align_corners is None:
        warnings.warn(errors.DEFAULT_CORNERS, stacklevel=2)
        align_corners = False
    result: Tensor = torch.grid_sampler(
        input, grid, MODES.index(mode), EDGES.index(padding_mode), align_corners
    )
    return result


@on_arrays
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """The grid (N, ..., 2 or 3) of affine maps `theta` (N, 2, 3) or (N, 3, 4), for `grid_sample`.

    `size` is the shape of the images that it is for, (N, C, H, W) or (N, C, D, H, W).
    """
    if theta.dtype.kind not in "fV":
        raise errors.grid_of_integers(theta)
    size = tuple(size)
    n = len(size) - 2
    if n not in (2, 3):
        raise errors.grid_size(size)
    if theta.shape != (size[0], n, n + 1):
        raise errors.grid_of_maps(n, theta.shape, size)
    if min(size) <= 0:
        raise errors.grid_size(size)
    if align_corners is None:
        warnings.warn(errors.DEFAULT_CORNERS, stacklevel=2)
    lines = []
    for m in size[2:]:
        line = numpy.linspace(-1, 1, m) if m > 1 else numpy.zeros(1)
        lines.append(line if align_corners else line * (m - 1) / m)
    grids = numpy.meshgrid(*lines, indexing="ij")[::-1]
    base = numpy.stack([*grids, numpy.ones(size[2:])], -1).astype(theta.dtype)
    rows = base.reshape(prod(size[2:]), n + 1)
    return reshape(matmul(rows, transpose(theta)), to=(size[0], *size[2:], n))
