"""Images between their elements: in another size by polynomials, and at the points of a grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy

from ..backend import namespace
from ..core.op import table
from ..ops.contract import matmul
from ..ops.linear import cast, permute_dims, reshape
from ..ops.neural.rows import take_rows
from ..ops.rounding import floor, rint
from ..ops.selection import keep, where
from ..ops.transfer import beside
from . import errors
from .calls import in_single, on_arrays, raw_of
from .refusals import refuse
from .tensor import Tensor

__all__ = ["_upsample_bilinear2d_aa", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d"]

CUBIC = -0.75
"""The slope that decides the cubic polynomials between elements."""
CUBIC_SMOOTH = -0.5
"""The same where they are widened."""


def cubic(t: Any, a: float) -> Any:
    """The cubic weight of an element at a distance (Keys's), 0 from 2 on."""
    t = numpy.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((t - 5) * t + 8) * t * a - 4 * a
    return numpy.where(t <= 1, near, numpy.where(t < 2, far, 0))


def triangle(t: Any) -> Any:
    """The linear weight of an element at a distance, 0 from 1 on."""
    return numpy.maximum(1 - numpy.abs(t), 0)


def step(n: int, m: int, align: bool, factor: float | None) -> float:
    """How many of `n` elements lie between two of `m`."""
    if align:
        return (n - 1) / (m - 1) if m > 1 else 0.0
    return 1 / factor if factor else n / m


def weights(n: int, m: int, align: bool, factor: float | None, curved: bool) -> Any:
    """The matrix (m, n) that takes `n` elements of a line to `m`."""
    scale = step(n, m, align, factor)
    at = numpy.arange(m) * scale if align else (numpy.arange(m) + 0.5) * scale - 0.5
    if not curved and not align:
        at = numpy.maximum(at, 0)
    first = numpy.floor(at).astype(int)
    out = numpy.zeros((m, n))
    rows = numpy.arange(m)
    for k in range(-1, 3) if curved else range(2):
        share = cubic(at - (first + k), CUBIC) if curved else triangle(at - (first + k))
        numpy.add.at(out, (rows, numpy.clip(first + k, 0, n - 1)), share)
    return out


def smooth_weights(n: int, m: int, align: bool, factor: float | None, curved: bool) -> Any:
    """`weights` with polynomials that are as wide as the elements of the result."""
    scale = step(n, m, align, factor)
    width = max(scale, 1.0)
    support = (2 if curved else 1) * width
    centre = scale * (numpy.arange(m) + 0.5)
    low = numpy.maximum((centre - support + 0.5).astype(int), 0)
    high = numpy.minimum((centre + support + 0.5).astype(int), n)
    at = numpy.arange(n)
    distance = (at - centre[:, None] + 0.5) / width
    share = cubic(distance, CUBIC_SMOOTH) if curved else triangle(distance)
    share = numpy.where((at >= low[:, None]) & (at < high[:, None]), share, 0)
    return share / share.sum(1, keepdims=True)


def along_axis(x: Any, matrix: Any, axis: int) -> Any:
    """The products of a matrix with the lines of `x` along an axis."""
    matrix = beside(matrix, x)
    if axis == x.ndim - 1:
        return matmul(x, matrix.T)
    if axis == x.ndim - 2:
        return matmul(matrix, x)
    order = (*(a for a in range(x.ndim) if a != axis), axis)
    back = tuple(sorted(range(x.ndim), key=order.__getitem__))
    return permute_dims(matmul(permute_dims(x, axes=order), matrix.T), axes=back)


@on_arrays
@in_single
def resized(x: Any, to: Any, align: bool, factors: Any, curved: bool, smooth: bool) -> Any:
    """Images (N, C, ...) in a size, by linear or cubic polynomials."""
    dtype = x.dtype
    if dtype.kind == "u":
        x = cast(x, numpy.dtype(numpy.float32))
    how = smooth_weights if smooth else weights
    for a, (m, factor) in enumerate(zip(to, factors, strict=True)):
        n = x.shape[2 + a]
        if n != m or factor not in (None, 1.0) or smooth:
            x = along_axis(x, how(n, m, align, factor, curved).astype(x.dtype), 2 + a)
    if dtype.kind == "u":
        return cast(numpy.clip(numpy.rint(raw_of(x)), 0, 255), dtype)
    return table["identity"].function(x)


def _upsample_bilinear2d_aa(
    input: Tensor,
    output_size: Any,
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
    scale_factors: Any = None,
) -> Tensor:
    """Images in a size, or as many times as large, by triangles as wide as the result needs."""
    lengths = input.raw.shape[2:]
    if output_size is not None:
        to, factors = tuple(output_size), [scales_h, scales_w]
    else:
        factors = [*scale_factors]
        to = tuple(math.floor(n * f) for n, f in zip(lengths, factors, strict=True))
    result: Tensor = resized(input, to, align_corners, factors, False, True)
    return result


MODES = ("bilinear", "nearest", "bicubic")
EDGES = ("zeros", "border", "reflection")


def unnormalised(c: Any, n: int, align: bool) -> Any:
    """A coordinate from -1 to 1 as one of elements."""
    return (c + 1) * ((n - 1) / 2) if align else ((c + 1) * n - 1) * 0.5


def clamped(c: Any, n: int) -> Any:
    """A coordinate inside of the elements."""
    raw = raw_of(c)
    inside = (raw > 0) & (raw < n - 1)
    limited = where(raw != raw, 0, raw).clip(0, n - 1)
    return keep(c, inside) + (limited * ~inside).astype(raw.dtype)


def reflected(c: Any, low: float, high: float) -> Any:
    """A coordinate, mirrored at two edges until it is between them."""
    if low == high:
        return c * 0
    span = high - low
    raw = raw_of(c) - low
    turns = floor(abs(raw) / span)
    sign = where(raw < 0, -1.0, 1.0).astype(raw.dtype)
    rest = (c - low) * sign - (turns * span).astype(raw.dtype)
    back = turns % 2 == 1
    return where(back, span - rest, rest) + low


def inside_of(c: Any, n: int, edges: str, align: bool) -> Any:
    """A coordinate of elements, moved into the image as `edges` says."""
    if edges == "border":
        return clamped(c, n)
    if edges == "reflection":
        low, high = (0.0, n - 1.0) if align else (-0.5, n - 0.5)
        return clamped(reflected(c, low, high), n)
    return c


class Image:
    """Images (N, C, ...) as rows of channels, from which elements are taken by their places."""

    def __init__(self, x: Any) -> None:
        self.batch, self.lengths = x.shape[0], x.shape[2:]
        axes = (0, *range(2, x.ndim), 1)
        size = math.prod(x.shape) // max(x.shape[1], 1)
        self.rows = reshape(permute_dims(x, axes=axes), to=(size, x.shape[1]))

    def at(self, places: Any) -> Any:
        """The elements (N, ..., C) at places along the axes; zeros outside."""
        each = namespace(places[0]).arange(self.batch)
        flat: Any = each.reshape(-1, *(1,) * (places[0].ndim - 1))
        valid: Any = True
        for place, n in zip(places, self.lengths, strict=True):
            valid = valid & (place >= 0) & (place < n)
            flat = flat * n + place.clip(0, n - 1)
        return keep(take_rows(self.rows, flat), valid[..., None])


def lines(image: Image, coordinates: list[Any]) -> Any:
    """Values by straight lines between elements."""
    floors = [floor(raw_of(c)) for c in coordinates]
    total: Any = None
    for corner in product((0, 1), repeat=len(coordinates)):
        share: Any = None
        places = []
        for c, f, k in zip(coordinates, floors, corner, strict=True):
            part = c - f if k else (f + 1) - c
            share = part if share is None else share * part
            places.append(whole(f) + k)
        term = image.at(places) * reshape(share, to=(*share.shape, 1))
        total = term if total is None else total + term
    return total


def whole(raw: Any) -> Any:
    """Numbers as integers; those that are none, or too large, as -2 (outside)."""
    return where(abs(raw) < 1 << 30, raw, -2).astype(numpy.int64)


def nearest(image: Image, coordinates: list[Any]) -> Any:
    """The nearest elements, of two as near the even one."""
    return image.at([whole(rint(raw_of(c))) for c in coordinates])


def cubic_shares(t: Any) -> list[Any]:
    """The weights of the four elements around, for a distance from the second of them."""
    a = CUBIC

    def far(u: Any) -> Any:
        return ((u - 5) * u + 8) * u * a - 4 * a

    def near(u: Any) -> Any:
        return ((a + 2) * u - (a + 3)) * u * u + 1

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def curves(image: Image, coordinates: list[Any], move: Callable[[Any, int], Any]) -> Any:
    """Values by cubic polynomials between elements; `move` brings places into the image."""
    floors = [floor(raw_of(c)) for c in coordinates]
    shares = [cubic_shares(c - f) for c, f in zip(coordinates, floors, strict=True)]
    total: Any = None
    for i, j in product(range(4), repeat=2):
        places = [
            whole(move(f + k - 1, axis))
            for axis, (f, k) in enumerate(zip(floors, (i, j), strict=True))
        ]
        share = shares[0][i] * shares[1][j]
        term = image.at(places) * reshape(share, to=(*share.shape, 1))
        total = term if total is None else total + term
    return total


@on_arrays
@in_single
def grid_sampler(
    input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """Images (N, C, ...) at the points of a grid (N, ..., axes), with coordinates from -1 to 1.

    The last axis of the grid has the coordinate along the last axis of the image first. Modes are
    0 bilinear, 1 nearest, 2 bicubic; paddings 0 zeros, 1 border, 2 reflection.
    """
    n = input.ndim - 2
    if grid.ndim != n + 2 or grid.shape[-1] != n or n not in (2, 3):
        raise errors.grid_of_wrong_shape(input.shape, grid.shape)
    if grid.shape[0] != input.shape[0]:
        raise errors.grid_of_wrong_batch(input.shape, grid.shape)
    if min(input.shape[2:]) == 0:
        raise errors.grid_of_nothing(input.shape)
    mode, edges = MODES[interpolation_mode], EDGES[padding_mode]
    if mode == "bicubic" and n != 2:
        raise errors.bicubic_of_volume()
    take = table["getitem"].function
    coordinates = [
        unnormalised(take(grid, key=(Ellipsis, n - 1 - a)), m, align_corners)
        for a, m in enumerate(input.shape[2:])
    ]
    image = Image(input)
    if mode == "bicubic":
        out = curves(
            image,
            coordinates,
            lambda place, a: inside_of(place, image.lengths[a], edges, align_corners),
        )
    else:
        lengths = image.lengths
        coordinates = [
            inside_of(c, m, edges, align_corners) for c, m in zip(coordinates, lengths, strict=True)
        ]
        out = (nearest if mode == "nearest" else lines)(image, coordinates)
    out = permute_dims(out, axes=(0, n + 1, *range(1, n + 1)))
    if mode == "nearest":
        out = out + 0 * reshape(take(grid, key=(Ellipsis, 0)), to=(out.shape[0], 1, *out.shape[2:]))
    return out


grid_sampler_2d = grid_sampler_3d = grid_sampler


refuse(globals(), "compute_indices_weights", "bool signed complex", "resized")
refuse(globals(), "grid_sampler_2d_cpu_kernel_impl", "bool integer complex", "grid_sampler")
