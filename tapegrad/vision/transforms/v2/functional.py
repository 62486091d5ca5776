"""The functions of `transforms.functional`, and those that the second version of them adds."""

from __future__ import annotations

from typing import Any

import numpy

from ....torch import float32
from ....torch.tensor import Tensor, wrap
from .. import errors, functional
from ..conversion import is_image, pixels

__all__ = [*functional.__all__, "to_dtype", "to_image"]


def __getattr__(name: str) -> Any:
    if name in functional.__all__:
        return getattr(functional, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def to_image(pic: Any) -> Tensor:
    """A PIL image or an array (height, width, channels) as a tensor (channels, height, width).

    The numbers stay as they are; a tensor is given back.
    """
    if isinstance(pic, Tensor):
        return pic
    if is_image(pic):
        return wrap(numpy.ascontiguousarray(pixels(pic)))
    if isinstance(pic, numpy.ndarray) and pic.ndim in (2, 3):
        return wrap(numpy.ascontiguousarray(numpy.atleast_3d(pic).transpose(2, 0, 1)))
    raise errors.not_a_picture(pic)


def to_dtype(image: Any, dtype: Any = float32, scale: bool = False) -> Any:
    """Another dtype; with `scale`, so that full intensity stays full intensity."""
    if not isinstance(image, Tensor):
        raise errors.not_a_tensor(image)
    return functional.convert_image_dtype(image, dtype) if scale else image.to(dtype)
