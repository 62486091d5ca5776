"""Shifts, zooms, rotations and affine maps of images: interpolation at mapped coordinates."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from operator import index
from typing import Any

import numpy
import scipy.ndimage
import scipy.special
from numpy.lib.array_utils import normalize_axis_index

from ... import errors
from ...core.array import Array, is_mapped
from ...core.record import raw
from ...numpy.creation import assembled
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import any_recorded, is_tracked, known
from ...ops.linear import broadcast_to, cast, reshape
from ..dispatch import implements
from .arguments import for_each, image
from .interpolation import as_image, at, coefficients, interpolated

DOUBLE = numpy.dtype(float)


def grid(columns: list[Any]) -> Any:
    """Coordinates of all points of a grid, from the coordinates along each axis."""
    shape = tuple(c.shape[0] for c in columns)
    return np.stack(
        [
            broadcast_to(reshape(c, to=(n, *(1,) * (len(shape) - i - 1))), to=shape)
            for i, (c, n) in enumerate(zip(columns, shape, strict=True))
        ]
    )


def mapped_image(
    x: Any, coordinates: Any, dtype: Any, order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    if x.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    return as_image(interpolated(x, coordinates, order, mode, cval, prefilter), dtype)


@implements(scipy.ndimage.shift)
def shift(
    input: Any,
    shift: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    x, dtype = image("shift", input, output, shift, cval)
    by = for_each(shift, x.ndim)
    columns = [numpy.arange(n) + -1.0 * s for n, s in zip(x.shape, by, strict=True)]
    return mapped_image(x, grid(columns), dtype, order, mode, cval, prefilter)


@implements(scipy.ndimage.zoom)
def zoom(
    input: Any,
    zoom: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Any:
    if any_recorded(zoom) and any(is_tracked(z) for z in for_each(zoom, numpy.ndim(raw(input)))):
        raise errors.not_in_scipy_face(
            "ndimage.zoom", "a traced factor", "It decides a shape; use affine_transform instead."
        )
    x, dtype = image("zoom", input, output, cval)
    factors = [float(known(z, "a factor")) for z in for_each(zoom, x.ndim)]
    if all(z == 1 for z in factors) and prefilter:
        return cast(x, dtype)
    if grid_mode and mode in ("constant", "wrap"):
        warnings.warn(
            f"It is recommended to use mode = grid-{mode} instead of {mode} when grid_mode is "
            "True.",
            stacklevel=3,
        )
    columns = []
    for n, z in zip(x.shape, factors, strict=True):
        m = round(n * z)
        places = numpy.arange(m, dtype=float)
        if grid_mode:
            columns.append((places + 0.5) * (n / m if m else 1.0) - 0.5)
        else:
            columns.append(places * ((n - 1) / (m - 1) if m != 1 else 1.0))
    return mapped_image(x, grid(columns), dtype, order, mode, cval, prefilter)


@implements(scipy.ndimage.affine_transform)
def affine_transform(
    input: Any,
    matrix: Any,
    offset: Any = 0.0,
    output_shape: Any = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    matrix = matrix if isinstance(matrix, Array) else operand(assembled(matrix))
    x, dtype = image("affine_transform", input, output, matrix, offset, cval)
    n = x.ndim
    shape = x.shape if output_shape is None else tuple(map(index, output_shape))
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if matrix.ndim == 2 and matrix.shape[1] == n + 1 and matrix.shape[0] in (n, n + 1):
        if matrix.shape[0] == n + 1 and not is_mapped(matrix):
            expected = [0] * n + [1]
            if not numpy.all(raw(matrix)[n] == expected):
                raise ValueError(
                    f"Expected homogeneous transformation matrix with shape {matrix.shape} for "
                    f"image shape {x.shape}, but bottom row was not equal to {expected}"
                )
        offset = matrix[:n, n]
        matrix = matrix[:n, :n]
    if matrix.shape[0] != n:
        raise RuntimeError("affine matrix has wrong number of rows")
    if matrix.ndim == 2 and matrix.shape[1] != len(shape):
        raise RuntimeError("affine matrix has wrong number of columns")
    offsets = for_each(offset, n)
    if matrix.ndim == 1:
        columns = [
            (numpy.arange(m) + offsets[i] / matrix[i]) * matrix[i] for i, m in enumerate(shape)
        ]
        return mapped_image(x, grid(columns), dtype, order, mode, cval, prefilter)
    coordinates = affine_coordinates(matrix, offsets, shape)
    return mapped_image(x, coordinates, dtype, order, mode, cval, prefilter)


def affine_coordinates(matrix: Any, offsets: list[Any], shape: tuple[int, ...]) -> Any:
    """The images of the points of a grid under an affine map."""
    points = numpy.indices(shape, dtype=float)
    rows = []
    for i, offset in enumerate(offsets):
        row: Any = offset
        for j in range(len(shape)):
            row = row + points[j] * matrix[i, j]
        rows.append(row)
    return np.stack(rows)


def sine_and_cosine(angle: Any) -> tuple[Any, Any]:
    """Of an angle in degrees, exact at multiples of a right angle where it is known."""
    if not isinstance(angle, Array):
        return scipy.special.sindg(angle), scipy.special.cosdg(angle)
    radians = np.multiply(angle, math.pi / 180)
    sine, cosine = np.sin(radians), np.cos(radians)
    if not is_mapped(angle):
        value = raw(angle)
        sine = sine + (scipy.special.sindg(value) - raw(sine))
        cosine = cosine + (scipy.special.cosdg(value) - raw(cosine))
    return sine, cosine


@implements(scipy.ndimage.rotate)
def rotate(
    input: Any,
    angle: Any,
    axes: Any = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    x, dtype = image("rotate", input, output, angle, cval)
    if x.ndim < 2:
        raise ValueError("input array should be at least 2D")
    if len(tuple(axes)) != 2:
        raise ValueError("axes should contain exactly two values")
    plane = tuple(sorted(normalize_axis_index(index(a), x.ndim) for a in axes))
    sine, cosine = sine_and_cosine(angle)
    matrix = np.stack([np.stack([cosine, sine]), np.stack([-sine, cosine])])
    inside = tuple(x.shape[a] for a in plane)
    shape = inside
    if reshape:
        value = known(matrix, "an angle that decides a shape")
        rows, columns = inside
        bounds = value @ [[0, 0, rows, rows], [0, columns, 0, columns]]
        shape = tuple((numpy.ptp(bounds, axis=1) + 0.5).astype(int).tolist())
    center = np.matmul(matrix, (numpy.array(shape) - 1) / 2)
    offset = (numpy.array(inside) - 1) / 2 - center
    coordinates = affine_coordinates(matrix, [offset[0], offset[1]], shape)
    rest = tuple(a for a in range(x.ndim) if a not in plane)
    planes = np.transpose(x, (*rest, *plane))
    outer = planes.shape[:-2]
    planes = np.reshape(planes, (-1, *inside))
    turned = []
    for k in range(planes.shape[0]):
        filtered, margin = coefficients(planes[k], order, mode, cval, prefilter)
        turned.append(at(filtered, margin, inside, coordinates, order, mode, cval))
    out = np.reshape(np.stack(turned), (*outer, *shape))
    out = np.transpose(out, tuple(numpy.argsort((*rest, *plane)).tolist()))
    return as_image(out, dtype)


@implements(scipy.ndimage.geometric_transform)
def geometric_transform(
    input: Any,
    mapping: Callable[..., Any],
    output_shape: Any = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    extra_arguments: Any = (),
    extra_keywords: Any = None,
) -> Any:
    x, dtype = image("geometric_transform", input, output, cval)
    shape = x.shape if output_shape is None else tuple(map(index, output_shape))
    points = [
        mapping(point, *extra_arguments, **(extra_keywords or {})) for point in numpy.ndindex(shape)
    ]
    coordinates = np.reshape(np.transpose(operand(assembled(points))), (x.ndim, *shape))
    return mapped_image(x, cast(coordinates, DOUBLE), dtype, order, mode, cval, prefilter)
