"""Tensors sampled at other places: turned, sheared, seen from the side, distorted, resized."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from ... import torch
from ...nn import functional
from . import errors
from .tensors import real_dtype


def inverse_affine_matrix(
    center: Sequence[float],
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
) -> list[float]:
    """The two rows of the matrix that takes a place in the result to the one it shows.

    The image is sheared, scaled and turned about its centre, and then moved. With r the angle and
    x, y the angles of shear, turning and shearing are [[a, b], [c, d]] of determinant 1.
    """
    r, x, y = (math.radians(v) for v in (angle, *shear))
    a = math.cos(r - y) / math.cos(y)
    b = -math.cos(r - y) * math.tan(x) / math.cos(y) - math.sin(r)
    c = math.sin(r - y) / math.cos(y)
    d = -math.sin(r - y) * math.tan(x) / math.cos(y) + math.cos(r)
    first, second = [d / scale, -b / scale], [-c / scale, a / scale]
    moved = [-center[0] - translate[0], -center[1] - translate[1]]
    rows = []
    for row, middle in ((first, center[0]), (second, center[1])):
        rows += [*row, row[0] * moved[0] + row[1] * moved[1] + middle]
    return rows


def perspective_coefficients(startpoints: Any, endpoints: Any) -> list[float]:
    """The eight numbers of the projection that takes the end points to the start points."""
    if len(startpoints) != 4 or len(endpoints) != 4:
        raise errors.bad("Please provide exactly four corners", (len(startpoints), len(endpoints)))
    rows = []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    target = numpy.asarray(startpoints, numpy.float64).reshape(8)
    solution = numpy.linalg.solve(numpy.asarray(rows, numpy.float64), target)
    return [float(x) for x in solution.astype(numpy.float32)]


def places(width: int, height: int, x: float, y: float, d: Any) -> Any:
    """The middles of pixels, (height, width, 3) as x, y, 1, the first of them at `x`, `y`."""
    across = torch.linspace(x, x + width - 1, width, dtype=d)
    down = torch.linspace(y, y + height - 1, height, dtype=d)
    ones = torch.ones((height, width), dtype=d)
    return torch.stack(
        (across.expand(height, width), down[:, None].expand(height, width), ones), -1
    )


def affine(
    img: Any, matrix: list[float], interpolation: str, fill: Any, expand: bool = False
) -> Any:
    """The image whose pixel at x shows the one at matrix · x, both counted from the middle."""
    h, w = img.shape[-2:]
    width, height = expanded(matrix, w, h) if expand else (w, h)
    d = real_dtype(img)
    theta = torch.tensor(matrix, dtype=d).reshape(2, 3)
    scaled = theta.T / torch.tensor([0.5 * w, 0.5 * h], dtype=d)
    grid = places(width, height, 0.5 - width * 0.5, 0.5 - height * 0.5, d) @ scaled
    return sampled(img, grid[None], interpolation, fill)


def expanded(matrix: list[float], w: int, h: int) -> tuple[int, int]:
    """The width and height that hold the whole of a turned image."""
    corners = numpy.array([[-w, -h, 2], [-w, h, 2], [w, h, 2], [w, -h, 2]], numpy.float32) / 2
    moved = corners @ numpy.array(matrix, numpy.float32).reshape(2, 3).T
    middle = numpy.array([w * 0.5, h * 0.5], numpy.float32)
    step = numpy.float32(1e-4)  # so that 3.00001 needs 3 pixels and no fourth
    high = numpy.ceil(numpy.trunc((moved.max(axis=0) + middle) / step) * step)
    low = numpy.floor(numpy.trunc((moved.min(axis=0) + middle) / step) * step)
    return int(high[0] - low[0]), int(high[1] - low[1])


def perspective(img: Any, coefficients: list[float], interpolation: str, fill: Any) -> Any:
    """The image seen from another side."""
    h, w = img.shape[-2:]
    d = real_dtype(img)
    a, b, c, e, f, g, u, v = coefficients
    above = torch.tensor([[a, b, c], [e, f, g]], dtype=d).T
    below = torch.tensor([[u, v, 1.0], [u, v, 1.0]], dtype=d).T
    points = places(w, h, 0.5, 0.5, d)
    scaled = above / torch.tensor([0.5 * w, 0.5 * h], dtype=d)
    grid = (points @ scaled) / (points @ below) - 1.0
    return sampled(img, grid[None], interpolation, fill)


def elastic(img: Any, displacement: Any, interpolation: str, fill: Any) -> Any:
    """The image with each pixel moved by a displacement, (1, height, width, 2) of half an image."""
    h, w = img.shape[-2:]
    down = torch.linspace((1 - h) / h, (h - 1) / h, h)
    across = torch.linspace((1 - w) / w, (w - 1) / w, w)
    identity = torch.stack((across.expand(h, w), down[:, None].expand(h, w)), -1)
    return sampled(img, identity[None] + displacement, interpolation, fill)


def sampled(img: Any, grid: Any, interpolation: str, fill: Any) -> Any:
    """The image at the places of a grid; the fill, or black, outside of it."""
    if interpolation not in ("nearest", "bilinear"):
        raise errors.no_such_mode(interpolation, ["nearest", "bilinear"])
    source, shape = img.dtype, img.shape
    d = grid.dtype if not source.is_floating_point else source
    batch = img.to(d).reshape(-1, *shape[-3:])
    n, channels = batch.shape[:2]
    grid = grid.to(d).expand(n, *grid.shape[1:])
    fill = fill_values(fill, channels)
    if fill is not None:
        inside = torch.ones((n, 1, *batch.shape[2:]), dtype=d)
        batch = torch.cat((batch, inside), dim=1)
    out = functional.grid_sample(
        batch, grid, mode=interpolation, padding_mode="zeros", align_corners=False
    )
    if fill is not None:
        out, share = out[:, :-1], out[:, -1:]
        colour = torch.tensor(fill, dtype=d).reshape(1, -1, 1, 1)
        if interpolation == "nearest":
            out = torch.where(share < 0.5, colour, out)
        else:
            out = out * share + (1.0 - share) * colour
    out = out.reshape(*shape[:-3], *out.shape[1:])
    return out if source is d else out.round().to(source)


def fill_values(fill: Any, channels: int) -> list[float] | None:
    """The fill for each channel, or for all."""
    if fill is None:
        return None
    values = [float(x) for x in fill] if isinstance(fill, list | tuple) else [float(fill)]
    if len(values) not in (1, channels):
        raise errors.fill_channels(len(values), channels)
    return values


def resize(img: Any, size: tuple[int, int], interpolation: str, antialias: bool) -> Any:
    """The image in another size."""
    known = ("nearest", "nearest-exact", "bilinear", "bicubic")
    if interpolation not in known:
        raise errors.no_such_mode(interpolation, list(known))
    smooth = interpolation in ("bilinear", "bicubic")
    source, shape = img.dtype, img.shape
    real = img.to(real_dtype(img)).reshape(-1, *shape[-3:])
    out = functional.interpolate(
        real,
        size=list(size),
        mode=interpolation,
        align_corners=False if smooth else None,
        antialias=bool(antialias and smooth),
    )
    out = out.reshape(*shape[:-3], *out.shape[-3:])
    if source.is_floating_point:
        return out
    if interpolation == "bicubic" and source is torch.uint8:
        out = out.clamp(0, 255)
    return out.round().to(source)
