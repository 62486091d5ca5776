"""Images with other colours, other numbers, or smoothed."""

from __future__ import annotations

from typing import Any

from PIL import ImageOps

from ...torch.dtypes import float32
from . import errors, pictures, tensors
from .conversion import is_image
from .dispatch import of_images, of_tensors


@of_tensors
def convert_image_dtype(image: Any, dtype: Any = float32) -> Any:
    """The image in another dtype, scaled so that full intensity stays full intensity."""
    return tensors.convert_image_dtype(image, dtype)


@of_tensors
def normalize(tensor: Any, mean: Any, std: Any, inplace: bool = False) -> Any:
    """Less a mean and divided by a deviation, for each channel."""
    tensors.check_normalizable(tensor)
    shift, scale = tensors.constants(mean, std, tensor.raw.dtype)
    return tensors.normalize(tensor, shift, scale, inplace)


@of_images
def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Darker (a factor below 1) or brighter; 0 gives black."""
    return adjusted(img, "brightness", brightness_factor)


@of_images
def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """With less contrast (a factor below 1) or more; 0 gives its mean grey."""
    return adjusted(img, "contrast", contrast_factor)


@of_images
def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Paler (a factor below 1) or more colourful; 0 gives greys."""
    return adjusted(img, "saturation", saturation_factor)


@of_images
def adjust_sharpness(img: Any, sharpness_factor: float) -> Any:
    """Smoother (a factor below 1) or sharper."""
    return adjusted(img, "sharpness", sharpness_factor)


def adjusted(img: Any, what: str, factor: float) -> Any:
    """The image with a property changed by a factor."""
    if factor < 0:
        raise errors.negative(f"{what}_factor", factor)
    if is_image(img):
        return pictures.ADJUSTMENTS[what](img, factor)
    return getattr(tensors, f"adjust_{what}")(img, factor)


@of_images
def adjust_hue(img: Any, hue_factor: float) -> Any:
    """With its hues turned round by a part of the circle, from -0.5 to 0.5."""
    if not -0.5 <= hue_factor <= 0.5:
        raise errors.out_of_range("hue_factor", hue_factor, -0.5, 0.5)
    if is_image(img):
        return pictures.adjust_hue(img, hue_factor)
    return tensors.adjust_hue(img, hue_factor)


@of_images
def adjust_gamma(img: Any, gamma: float, gain: float = 1) -> Any:
    """Each intensity x, from 0 to 1, as ``gain * x ** gamma``."""
    if gamma < 0:
        raise errors.negative("gamma", gamma)
    if is_image(img):
        return pictures.adjust_gamma(img, gamma, gain)
    return tensors.adjust_gamma(img, gamma, gain)


@of_images
def rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """In shades of grey, in one channel or the same in three."""
    if num_output_channels not in (1, 3):
        raise errors.bad("num_output_channels should be either 1 or 3", num_output_channels)
    if is_image(img):
        return pictures.to_grayscale(img, num_output_channels)
    return tensors.rgb_to_grayscale(img, num_output_channels)


to_grayscale = rgb_to_grayscale


@of_images
def gaussian_blur(img: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """The image smoothed by a Gaussian bell of an odd width, or of widths (x, y).

    `sigma` is its deviation in pixels, by default ``0.15 * kernel_size + 0.35``.
    """
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    if len(sizes) != 2:
        raise errors.bad("If kernel_size is a sequence its length should be 2", kernel_size)
    if any(k % 2 == 0 or k < 0 for k in sizes):
        raise errors.bad("kernel_size should have odd and positive integers", kernel_size)
    if sigma is None:
        sigmas = [k * 0.15 + 0.35 for k in sizes]
    else:
        sigmas = [float(sigma)] * 2 if isinstance(sigma, int | float) else list(sigma)
    if len(sigmas) == 1:
        sigmas = sigmas * 2
    if len(sigmas) != 2:
        raise errors.bad("If sigma is a sequence, its length should be 2", sigma)
    if any(s <= 0.0 for s in sigmas):
        raise errors.bad("sigma should have positive values", sigma)
    if is_image(img):
        return pictures.by_tensor(img, lambda x: tensors.gaussian_blur(x, sizes, sigmas))
    return tensors.gaussian_blur(img, sizes, sigmas)


@of_images
def invert(img: Any) -> Any:
    """Dark for light."""
    return ImageOps.invert(img) if is_image(img) else tensors.invert(img)


@of_images
def posterize(img: Any, bits: int) -> Any:
    """Only the highest `bits` bits of each intensity."""
    if not 0 <= bits <= 8:
        raise errors.bad("The number of bits should be between 0 and 8", bits)
    return ImageOps.posterize(img, bits) if is_image(img) else tensors.posterize(img, bits)


@of_images
def solarize(img: Any, threshold: Any) -> Any:
    """Intensities from a threshold on, inverted."""
    if is_image(img):
        return ImageOps.solarize(img, threshold)
    return tensors.solarize(img, threshold)


@of_images
def autocontrast(img: Any) -> Any:
    """Each channel stretched from black to full intensity."""
    return ImageOps.autocontrast(img) if is_image(img) else tensors.autocontrast(img)


@of_images
def equalize(img: Any) -> Any:
    """Each channel with its intensities spread evenly."""
    return ImageOps.equalize(img) if is_image(img) else tensors.equalize(img)


@of_tensors
def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """A part of the image, from row `i` and column `j` on, overwritten by `v`."""
    return tensors.erase(img, i, j, h, w, v, inplace)
