"""Images in another size: by the nearest element, by polynomials, and by means."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

from ...ops.index import ARRAY, getitem
from ...ops.transfer import beside
from ...torch import Tensor
from ...torch.calls import on_arrays
from ...torch.refusals import lacking
from ...torch.resampling import resized
from . import errors
from .adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .arguments import tensor

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

MEANS = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)
AXES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}


def wanted(
    lengths: Any, size: Any, scale_factor: Any, recompute: bool | None
) -> tuple[tuple[int, ...], list[float | None]]:
    """The lengths of the result's axes, and the factors that places are computed with, if any."""
    n = len(lengths)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        sizes = tuple(size) if isinstance(size, tuple | list) else (size,) * n
        if len(sizes) != n:
            raise errors.interpolated_size(n, sizes)
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return tuple(map(int, sizes)), [None] * n
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = scale_factor if isinstance(scale_factor, tuple | list) else (scale_factor,) * n
    if len(given) != n:
        raise errors.interpolated_size(n, given)
    factors = [float(f) for f in given]
    to = tuple(math.floor(m * f) for m, f in zip(lengths, factors, strict=True))
    return to, [None] * n if recompute else [*factors]


def nearest_places(n: int, m: int, factor: float | None, exact: bool) -> Any:
    """For each of `m` elements, the nearest of `n`, in PyTorch's single precision."""
    scale = numpy.float32(1 / factor if factor else n / m)
    at = numpy.arange(m, dtype=numpy.float32)
    if exact:
        at = at + numpy.float32(0.5)
    return numpy.minimum(numpy.floor(at * scale).astype(numpy.int64), n - 1)


@on_arrays
def nearest(x: Any, to: Any, factors: Any, exact: bool) -> Any:
    """Images by the nearest elements."""
    for a, (m, f) in enumerate(zip(to, factors, strict=True)):
        places = beside(nearest_places(x.shape[2 + a], m, f, exact), x)
        x = getitem(x, places, key=(*(slice(None),) * (2 + a), ARRAY))
    return x


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Images (N, C, ...) in a given size, or as many times as large.

    `mode` is `"nearest"`, `"nearest-exact"`, `"linear"`, `"bilinear"`, `"trilinear"`, `"bicubic"`
    or `"area"`. With `align_corners` the centres of the corner elements are the corners;
    `antialias` widens the polynomials (two axes) when an image gets smaller.
    """
    input = tensor(input)
    shape = input.raw.shape
    n = len(shape) - 2
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise errors.aligned_mode()
    elif mode not in AXES:
        raise errors.interpolated_mode(n + 2, mode)
    to, factors = wanted(shape[2:], size, scale_factor, recompute_scale_factor)
    if n not in (1, 2, 3) or AXES.get(mode, n) != n:
        raise errors.interpolated_mode(n + 2, mode)
    if min(to) <= 0 or 0 in shape[1:]:
        raise errors.interpolated_to(shape[2:], to)
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes")
    result: Tensor
    if mode in ("nearest", "nearest-exact"):
        lacking("compute_indices_weights_nearest", "bool signed complex", input)
        result = nearest(input, to, factors, mode == "nearest-exact")
    elif mode == "area":
        result = MEANS[n - 1](input, to)
    else:
        cubic = mode == "bicubic"
        kinds = "bool signed complex" if n == 2 else "bool integer complex"
        lacking(f"compute_indices_weights_{'cubic' if cubic else 'linear'}", kinds, input)
        result = resized(input, to, bool(align_corners), factors, cubic, antialias)
    return result


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`interpolate`, by an older name."""
    warnings.warn(errors.older_name("upsample"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` by the nearest elements."""
    warnings.warn(errors.older_name("upsample_nearest"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` by straight lines, with corners aligned."""
    warnings.warn(errors.older_name("upsample_bilinear"), stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
