"""Transforms as functions, of PIL images, tensors and arrays (..., channels, height, width).

Arrays of NumPy's are transformed as tensors are, and give arrays.
"""

from __future__ import annotations

from .colours import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    adjust_sharpness,
    autocontrast,
    convert_image_dtype,
    equalize,
    erase,
    gaussian_blur,
    invert,
    normalize,
    posterize,
    rgb_to_grayscale,
    solarize,
    to_grayscale,
)
from .conversion import pil_to_tensor, to_pil_image, to_tensor
from .dispatch import get_dimensions, get_image_num_channels, get_image_size
from .geometry import (
    affine,
    center_crop,
    crop,
    elastic_transform,
    five_crop,
    hflip,
    pad,
    perspective,
    resize,
    resized_crop,
    rotate,
    ten_crop,
    vflip,
)
from .modes import InterpolationMode

__all__ = [
    "InterpolationMode",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "adjust_sharpness",
    "affine",
    "autocontrast",
    "center_crop",
    "convert_image_dtype",
    "crop",
    "elastic_transform",
    "equalize",
    "erase",
    "five_crop",
    "gaussian_blur",
    "get_dimensions",
    "get_image_num_channels",
    "get_image_size",
    "hflip",
    "invert",
    "normalize",
    "pad",
    "perspective",
    "pil_to_tensor",
    "posterize",
    "resize",
    "resized_crop",
    "rgb_to_grayscale",
    "rotate",
    "solarize",
    "ten_crop",
    "to_grayscale",
    "to_pil_image",
    "to_tensor",
    "vflip",
]
