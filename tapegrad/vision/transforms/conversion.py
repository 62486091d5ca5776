"""Between PIL images, arrays and tensors."""

from __future__ import annotations

import sys
from typing import Any

import numpy
from numpy import ndarray
from PIL import Image

from ...core.array import Array
from ...torch.dtypes import defaults
from ...torch.tensor import Tensor, wrap
from . import errors

NATIVE_16 = "I;16" if sys.byteorder == "little" else "I;16B"

DTYPES = {"I": numpy.int32, NATIVE_16: numpy.int16, "F": numpy.float32}
"""The dtypes of PIL's modes that are not of bytes."""

BYTES = {"L": 1, "RGB": 3, "RGBA": 4, "LA": 2, "CMYK": 4, "YCbCr": 3, "HSV": 3}
"""The channels of PIL's modes of bytes."""

MODES = {"uint8": "L", "int16": NATIVE_16, "int32": "I", "float32": "F"}
"""The modes of images of one channel, by the dtype."""

MULTIPLE = {2: ("LA",), 3: ("RGB", "YCbCr", "HSV"), 4: ("RGBA", "CMYK", "RGBX")}
"""The modes of images of several channels, by their number; the first is the usual one."""


def is_image(img: Any) -> bool:
    """Whether it is a PIL image."""
    return isinstance(img, Image.Image)


def pixels(pic: Any, dtype: Any = None) -> ndarray:
    """The pixels of a PIL image, (channels, height, width), not contiguous."""
    raw = numpy.array(pic, dtype)
    if raw.ndim == 2:
        return raw[None]
    return raw.transpose(2, 0, 1)


def bytes_of(pic: Any) -> ndarray:
    """The pixels of an image of bytes, (channels, height, width), only to be read.

    It takes much less time than numpy.array.
    """
    flat = numpy.frombuffer(pic.tobytes(), numpy.uint8)
    if BYTES[pic.mode] == 1:
        return flat.reshape(1, pic.height, pic.width)
    return flat.reshape(pic.height, pic.width, BYTES[pic.mode]).transpose(2, 0, 1)


def grey_image(raw: ndarray) -> Any:
    """An image of bytes (height, width), whose memory it shares until it is changed."""
    height, width = raw.shape
    data: Any = numpy.ascontiguousarray(raw)
    return Image.frombuffer("L", (width, height), data, "raw", "L", 0, 1)


def to_tensor(pic: Any) -> Tensor:
    """A PIL image or an array (height, width, channels) as a tensor (channels, height, width).

    Bytes become floating point numbers from 0 to 1; other numbers stay as they are.
    """
    if isinstance(pic, Image.Image):
        raw = bytes_of(pic) if pic.mode in BYTES else pixels(pic, DTYPES.get(pic.mode, numpy.uint8))
        if pic.mode == "1":
            raw *= 255
    elif isinstance(pic, ndarray):
        if pic.ndim not in (2, 3):
            raise errors.picture_axes(pic.ndim)
        raw = pic[None] if pic.ndim == 2 else pic.transpose(2, 0, 1)
    else:
        raise errors.not_a_picture(pic)
    if raw.dtype == numpy.uint8:
        d = defaults.real.dtype
        scaled = raw.astype(d, "C")
        scaled /= d.type(255)
        return wrap(scaled)
    return wrap(numpy.ascontiguousarray(raw))


def pil_to_tensor(pic: Any) -> Tensor:
    """A PIL image as a tensor (channels, height, width) of the same numbers."""
    if not isinstance(pic, Image.Image):
        raise errors.not_a_picture(pic)
    return wrap(pixels(pic))


def to_pil_image(pic: Any, mode: str | None = None) -> Any:
    """A tensor (channels, height, width), or an array (height, width, channels), as a PIL image.

    Floating point numbers are taken to go from 0 to 1, except for ``mode="F"``.
    """
    if isinstance(pic, Array):
        raw = numpy.asarray(pic.raw)
        raw = raw.transpose(1, 2, 0) if raw.ndim == 3 else raw
    elif isinstance(pic, ndarray):
        raw = pic
    else:
        raise errors.not_convertible(pic)
    if raw.ndim == 2:
        raw = raw[:, :, None]
    if raw.ndim != 3:
        raise errors.picture_axes(raw.ndim)
    channels = raw.shape[2]
    if channels > 4:
        raise errors.picture_channels(channels)
    if raw.dtype.kind == "f" and mode != "F":
        raw = (raw * 255).astype(numpy.uint8)
    return Image.fromarray(*shaped(raw, channels, mode))


def shaped(raw: ndarray, channels: int, mode: str | None) -> tuple[ndarray, str]:
    """The pixels as Pillow takes them, and their mode."""
    if channels == 1:
        found = MODES.get(raw.dtype.name)
        if found is None:
            raise errors.picture_dtype(raw.dtype)
        if mode not in (None, found):
            raise errors.picture_mode(mode, found, raw.dtype)
        return numpy.ascontiguousarray(raw[:, :, 0]), found
    known = MULTIPLE[channels]
    if raw.dtype != numpy.uint8:
        raise errors.picture_dtype(raw.dtype)
    if mode is not None and mode not in known:
        raise errors.picture_mode(mode, known, raw.dtype)
    return numpy.ascontiguousarray(raw), mode or known[0]
