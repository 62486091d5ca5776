"""What functions of images share: which kinds of images there are, and their sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ...torch.tensor import Tensor, wrap
from . import errors, tensors
from .conversion import is_image

__all__ = ["get_dimensions", "get_image_num_channels", "get_image_size"]


def of_images(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of images that takes arrays too, and gives arrays for them."""

    @functools.wraps(function)
    def face(img: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(img, ndarray):
            result = function(wrap(img), *args, **kwargs)
            if isinstance(result, tuple):
                return tuple(x.numpy() for x in result)
            return result.numpy()
        if isinstance(img, Tensor) or is_image(img):
            return function(img, *args, **kwargs)
        raise errors.not_an_image(img)

    return face


def of_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors that takes arrays too, but no PIL images."""
    face = of_images(function)

    @functools.wraps(function)
    def checked(img: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(img, Tensor | ndarray):
            raise errors.not_a_tensor(img)
        return face(img, *args, **kwargs)

    return checked


def two(size: Any) -> tuple[int, int]:
    """A height and a width, of both or of one number for both."""
    if isinstance(size, int | float):
        return int(size), int(size)
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise errors.two_sizes(size)
    return size[0], size[1]


def get_dimensions(img: Any) -> list[int]:
    """The number of channels, the height and the width."""
    if is_image(img):
        return [len(img.getbands()), img.height, img.width]
    if isinstance(img, ndarray):
        img = wrap(img)
    if not isinstance(img, Tensor):
        raise errors.not_an_image(img)
    return list(tensors.dimensions(img))


def get_image_size(img: Any) -> list[int]:
    """The width and the height."""
    _, height, width = get_dimensions(img)
    return [width, height]


def get_image_num_channels(img: Any) -> int:
    """The number of channels."""
    return get_dimensions(img)[0]
