"""Pictures of several images: a grid of them, and its file."""

from __future__ import annotations

from typing import Any

import numpy
from PIL import Image

from .. import torch
from ..torch.modes import no_grad
from ..torch.tensor import Tensor

__all__ = ["make_grid", "save_image"]


def make_grid(
    tensor: Any,
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    value_range: tuple[float, float] | None = None,
    scale_each: bool = False,
    pad_value: float = 0.0,
) -> Any:
    """Images side by side, `nrow` in a row: a tensor (3, height, width) of (n, 3, h, w) or a list.

    Images of one channel become grey in three. With `normalize`, intensities from `value_range`, or
    from the least to the greatest there is (of each image if `scale_each`), are scaled to 0 to 1.
    """
    if isinstance(tensor, list) and all(isinstance(x, Tensor) for x in tensor):
        tensor = torch.stack(tensor)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
    if value_range is not None and not isinstance(value_range, tuple):
        raise TypeError(
            "value_range has to be a tuple (min, max) if specified. min and max are numbers"
        )
    while tensor.dim() < 4:
        tensor = tensor.unsqueeze(0)
    if tensor.size(1) == 1:
        tensor = torch.cat((tensor, tensor, tensor), 1)
    if normalize:
        parts = [scaled(x, value_range) for x in (tensor if scale_each else [tensor])]
        tensor = torch.stack(parts) if scale_each else parts[0]
    n = tensor.size(0)
    if n == 1:
        return tensor[0]
    columns = min(nrow, n)
    rows = -(-n // columns)
    height, width = tensor.size(2) + padding, tensor.size(3) + padding
    shape = (tensor.size(1), height * rows + padding, width * columns + padding)
    grid = torch.full(shape, pad_value, dtype=tensor.dtype)
    for k in range(n):
        top, left = k // columns * height + padding, k % columns * width + padding
        grid[:, top : top + tensor.size(2), left : left + tensor.size(3)] = tensor[k]
    return grid


def scaled(x: Any, value_range: tuple[float, float] | None) -> Any:
    """Intensities from 0 to 1."""
    low, high = value_range or (float(x.min()), float(x.max()))
    return (x.clamp(low, high) - low) / max(high - low, 1e-5)


def save_image(tensor: Any, fp: Any, format: str | None = None, **options: Any) -> None:
    """Save images from 0 to 1 in a file, side by side; `options` are those of `make_grid`."""
    with no_grad():
        grid = make_grid(tensor, **options)
        pixels = (grid * 255 + 0.5).clamp(0, 255).permute(1, 2, 0).to(torch.uint8)
    Image.fromarray(numpy.ascontiguousarray(pixels.numpy())).save(fp, format=format)
