"""Images cut, padded, flipped, resized, turned and distorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import errors, grids, pictures, tensors
from .conversion import is_image
from .dispatch import get_dimensions, of_images, two
from .modes import FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM, PILLOW, InterpolationMode, mode_of


@of_images
def resize(
    img: Any,
    size: Any,
    interpolation: Any = InterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    """The image in another size: (height, width), or one number for its shorter side.

    The longer side will be at most `max_size`. PIL images are always smoothed before they shrink;
    tensors are by ``antialias=True``.
    """
    mode = mode_of(interpolation)
    wanted = [size] if isinstance(size, int) else list(size)
    if len(wanted) not in (1, 2):
        raise errors.bad("Size must be an int or a 1 or 2 element tuple/list", size)
    if max_size is not None and len(wanted) == 2:
        raise errors.bad("max_size is for a size of one number, the shorter side", size)
    _, height, width = get_dimensions(img)
    if len(wanted) == 1:
        new = tensors.smaller((height, width), wanted[0], max_size)
    else:
        new = (wanted[0], wanted[1])
    if new == (height, width):
        return img
    if is_image(img):
        return img.resize((new[1], new[0]), PILLOW[mode])
    return grids.resize(img, new, mode.value, bool(antialias))


PADDING_MODES = ("constant", "edge", "reflect", "symmetric")


def around(padding: Any) -> tuple[int, int, int, int]:
    """The widths of a border: left, top, right, bottom."""
    if isinstance(padding, int):
        return padding, padding, padding, padding
    if not isinstance(padding, list | tuple):
        raise errors.bad_type("Got inappropriate padding arg", padding)
    if len(padding) == 1:
        return padding[0], padding[0], padding[0], padding[0]
    if len(padding) == 2:
        return padding[0], padding[1], padding[0], padding[1]
    if len(padding) == 4:
        return padding[0], padding[1], padding[2], padding[3]
    raise errors.bad("Padding must be an int or a 1, 2, or 4 element tuple", padding)


@of_images
def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """The image with a border: of one width, of (left and right, top and bottom), or of four."""
    if padding_mode not in PADDING_MODES:
        raise errors.bad(
            "Padding mode should be either constant, edge, reflect or symmetric", padding_mode
        )
    widths = around(padding)
    if is_image(img):
        return pictures.pad(img, widths, fill, padding_mode)
    return tensors.pad(img, widths, 0 if fill is None else fill, padding_mode)


@of_images
def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of the image; black where it reaches beyond."""
    if is_image(img):
        return img.crop((left, top, left + width, top + height))
    return tensors.crop(img, top, left, height, width)


@of_images
def center_crop(img: Any, output_size: Any) -> Any:
    """The middle of the image; with a black border where the image is smaller."""
    height, width = two(output_size)
    _, h, w = get_dimensions(img)
    if width > w or height > h:
        x, y = max(width - w, 0), max(height - h, 0)
        img = pad(img, (x // 2, y // 2, (x + 1) // 2, (y + 1) // 2), fill=0)
        _, h, w = get_dimensions(img)
        if (height, width) == (h, w):
            return img
    return crop(img, round((h - height) / 2.0), round((w - width) / 2.0), height, width)


@of_images
def resized_crop(
    img: Any,
    top: int,
    left: int,
    height: int,
    width: int,
    size: Any,
    interpolation: Any = InterpolationMode.BILINEAR,
    antialias: bool | None = True,
) -> Any:
    """A part of the image in another size."""
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


@of_images
def hflip(img: Any) -> Any:
    """The image with left for right."""
    return img.transpose(FLIP_LEFT_RIGHT) if is_image(img) else img.flip(-1)


@of_images
def vflip(img: Any) -> Any:
    """The image with top for bottom."""
    return img.transpose(FLIP_TOP_BOTTOM) if is_image(img) else img.flip(-2)


@of_images
def five_crop(img: Any, size: Any) -> tuple[Any, ...]:
    """The four corners and the middle."""
    height, width = two(size)
    _, h, w = get_dimensions(img)
    if width > w or height > h:
        raise errors.crop_too_large((height, width), (h, w))
    corners = ((0, 0), (0, w - width), (h - height, 0), (h - height, w - width))
    parts = [crop(img, top, left, height, width) for top, left in corners]
    return (*parts, center_crop(img, (height, width)))


@of_images
def ten_crop(img: Any, size: Any, vertical_flip: bool = False) -> tuple[Any, ...]:
    """The four corners and the middle, of the image and of its mirror image."""
    mirrored = vflip(img) if vertical_flip else hflip(img)
    return (*five_crop(img, size), *five_crop(mirrored, size))


@of_images
def rotate(
    img: Any,
    angle: float,
    interpolation: Any = InterpolationMode.NEAREST,
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Any = None,
) -> Any:
    """The image turned counter-clockwise by degrees, about its middle or about (x, y).

    With `expand`, the result is as large as the turned image.
    """
    mode = mode_of(interpolation)
    if is_image(img):
        return pictures.rotate(img, angle, PILLOW[mode], expand, center, fill)
    matrix = grids.inverse_affine_matrix(middle(img, center), -angle, (0, 0), 1.0, (0, 0))
    return grids.affine(img, matrix, mode.value, fill, expand)


def middle(img: Any, center: Sequence[float] | None) -> tuple[float, float]:
    """A place (x, y) counted from the middle of the image."""
    if center is None:
        return 0.0, 0.0
    _, height, width = get_dimensions(img)
    return center[0] - width * 0.5, center[1] - height * 0.5


@of_images
def affine(
    img: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Any,
    interpolation: Any = InterpolationMode.NEAREST,
    fill: Any = None,
    center: Sequence[float] | None = None,
) -> Any:
    """The image sheared and turned clockwise by degrees, scaled, and moved by pixels (x, y)."""
    mode = mode_of(interpolation)
    if len(translate) != 2:
        raise errors.bad("Argument translate should be a sequence of length 2", translate)
    if scale <= 0.0:
        raise errors.bad("Argument scale should be positive", scale)
    if isinstance(shear, int | float):
        shear = (shear, 0.0)
    elif len(shear) == 1:
        shear = (shear[0], shear[0])
    elif len(shear) != 2:
        raise errors.bad("Shear should be a sequence containing two values", shear)
    if is_image(img):
        about = (img.width * 0.5, img.height * 0.5) if center is None else center
        matrix = grids.inverse_affine_matrix(about, angle, translate, scale, shear)
        return pictures.affine(img, matrix, PILLOW[mode], fill)
    about = middle(img, center)
    matrix = grids.inverse_affine_matrix(about, angle, translate, scale, shear)
    return grids.affine(img, matrix, mode.value, fill)


@of_images
def perspective(
    img: Any,
    startpoints: Any,
    endpoints: Any,
    interpolation: Any = InterpolationMode.BILINEAR,
    fill: Any = None,
) -> Any:
    """The image seen from another side: four corners (x, y) go to four others."""
    mode = mode_of(interpolation)
    coefficients = grids.perspective_coefficients(startpoints, endpoints)
    if is_image(img):
        return pictures.perspective(img, coefficients, PILLOW[mode], fill)
    return grids.perspective(img, coefficients, mode.value, fill)


@of_images
def elastic_transform(
    img: Any,
    displacement: Any,
    interpolation: Any = InterpolationMode.BILINEAR,
    fill: Any = None,
) -> Any:
    """The image with each pixel moved: by (1, height, width, 2), x and y in halves of the image."""
    mode = mode_of(interpolation)
    _, height, width = get_dimensions(img)
    if tuple(displacement.shape) != (1, height, width, 2):
        raise errors.bad(
            f"Argument displacement shape should be {(1, height, width, 2)}",
            tuple(displacement.shape),
        )
    if is_image(img):
        return pictures.by_tensor(img, lambda x: grids.elastic(x, displacement, mode.value, fill))
    return grids.elastic(img, displacement, mode.value, fill)
