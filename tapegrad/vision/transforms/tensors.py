"""Colours, borders and parts of images that are tensors (..., channels, height, width)."""

from __future__ import annotations

from typing import Any

import numpy

from ... import torch
from ...nn import functional
from ...torch.dtypes import of_numpy
from ...torch.tensor import wrap
from . import errors

GREY = (0.2989, 0.587, 0.114)
"""How much red, green and blue count for brightness (ITU-R BT.601, as torchvision rounds it)."""


def dimensions(img: Any) -> tuple[int, int, int]:
    """How many channels there are, the height and the width."""
    shape = img.raw.shape
    if len(shape) < 2:
        raise errors.image_axes(shape)
    return (shape[-3] if len(shape) > 2 else 1), shape[-2], shape[-1]


def check_channels(img: Any) -> int:
    """How many channels there are; raises unless it is one or three."""
    if img.raw.ndim < 3:
        raise errors.image_axes(img.raw.shape)
    n: int = img.raw.shape[-3]
    if n not in (1, 3):
        raise errors.channels([1, 3], n)
    return n


def check_bytes(img: Any) -> None:
    """Raise unless the image is of bytes."""
    if img.dtype is not torch.uint8:
        raise errors.only_bytes(img.dtype)


def largest(d: Any) -> int:
    """The number that stands for full intensity in a dtype."""
    return 1 if d.is_floating_point else 1 if d.category == 0 else torch.iinfo(d).max


def real_dtype(img: Any) -> Any:
    """The dtype to compute in."""
    return img.dtype if img.dtype.is_floating_point else torch.float32


def convert_image_dtype(image: Any, dtype: Any) -> Any:
    """The image in another dtype, scaled so that full intensity stays full intensity."""
    source = image.dtype
    if source is dtype:
        return image
    if source.is_floating_point:
        if dtype.is_floating_point:
            return image.to(dtype)
        wide = dtype.itemsize >= 4 if source is torch.float32 else dtype.itemsize >= 8
        if wide and dtype.is_signed and source in (torch.float32, torch.float64):
            raise errors.unsafe_cast(source, dtype)
        return (image * (largest(dtype) + 1.0 - 1e-3)).to(dtype)
    if dtype.is_floating_point:
        return image.to(dtype) / largest(source)
    above, below = largest(source), largest(dtype)
    if above > below:
        return torch.div(image, (above + 1) // (below + 1), rounding_mode="floor").to(dtype)
    return image.to(dtype) * ((below + 1) // (above + 1))


def blend(one: Any, other: Any, ratio: float) -> Any:
    """A weighted mean of two images, or beyond one of them."""
    ratio = float(ratio)
    mixed = ratio * one + (1.0 - ratio) * other
    return mixed.clamp(0, largest(one.dtype)).to(one.dtype)


def rgb_to_grayscale(img: Any, num_output_channels: int) -> Any:
    """The image in shades of grey, in one channel or the same in three."""
    if check_channels(img) == 3:
        r, g, b = img.unbind(-3)
        grey = (GREY[0] * r + GREY[1] * g + GREY[2] * b).to(img.dtype).unsqueeze(-3)
    else:
        grey = img.clone()
    shape = (*img.shape[:-3], 3, *img.shape[-2:])
    return grey.expand(shape) if num_output_channels == 3 else grey


def adjust_brightness(img: Any, factor: float) -> Any:
    """Towards black, or away from it."""
    check_channels(img)
    return blend(img, torch.zeros_like(img), factor)


def adjust_contrast(img: Any, factor: float) -> Any:
    """Towards its mean grey, or away from it."""
    grey = rgb_to_grayscale(img, 1)
    mean = grey.to(real_dtype(img)).mean(dim=(-3, -2, -1), keepdim=True)
    return blend(img, mean, factor)


def adjust_saturation(img: Any, factor: float) -> Any:
    """Towards its greys, or away from them."""
    return img if check_channels(img) == 1 else blend(img, rgb_to_grayscale(img, 1), factor)


def adjust_sharpness(img: Any, factor: float) -> Any:
    """Towards what it is when smoothed, or away from that; the outermost pixels stay."""
    n = check_channels(img)
    if img.shape[-1] <= 2 or img.shape[-2] <= 2:
        return img
    d = real_dtype(img)
    kernel = torch.ones((3, 3), dtype=d)
    kernel[1, 1] = 5.0
    kernel = (kernel / kernel.sum()).expand(n, 1, 3, 3)
    smooth = img.clone()
    smooth[..., 1:-1, 1:-1] = computed(img, d, lambda x: functional.conv2d(x, kernel, groups=n))
    return blend(img, smooth, factor)


def computed(img: Any, d: Any, how: Any) -> Any:
    """What a function of batches of real images gives, rounded to the image's dtype."""
    source, shape = img.dtype, img.shape
    out = how(img.to(d).reshape(-1, *shape[-3:]))
    out = out.reshape(*shape[:-3], *out.shape[-3:])
    return out if source is d else out.round().to(source)


def adjust_gamma(img: Any, gamma: float, gain: float) -> Any:
    """Each intensity raised to a power."""
    check_channels(img)
    real = img if img.dtype.is_floating_point else convert_image_dtype(img, torch.float32)
    return convert_image_dtype((gain * real.pow(gamma)).clamp(0, 1), img.dtype)


def adjust_hue(img: Any, factor: float) -> Any:
    """Its hues turned round by a part of the circle."""
    if check_channels(img) == 1:
        return img
    h, s, v = hsv_of(convert_image_dtype(img, torch.float32))
    return convert_image_dtype(rgb_of((h + factor) % 1.0, s, v), img.dtype)


def hsv_of(img: Any) -> tuple[Any, Any, Any]:
    """Hue, saturation and value of red, green and blue; hue and saturation of a grey are 0."""
    r, g, b = img.unbind(-3)
    high, low = img.amax(dim=-3), img.amin(dim=-3)
    grey = high == low
    spread = high - low
    ones = torch.ones_like(high)
    s = spread / torch.where(grey, ones, high)
    divisor = torch.where(grey, ones, spread)
    rc, gc, bc = ((high - part) / divisor for part in (r, g, b))
    sector = torch.where(high == r, bc - gc, torch.where(high == g, 2.0 + rc - bc, 4.0 + gc - rc))
    h = torch.fmod(torch.where(grey, ones * 0.0, sector) / 6.0 + 1.0, 1.0)
    return h, s, high


SIXTHS = ((0, 3, 1), (2, 0, 1), (1, 0, 3), (1, 2, 0), (3, 1, 0), (0, 1, 2))
"""Which of v, p, q, t red, green and blue are, in each sixth of the circle of hues."""


def rgb_of(h: Any, s: Any, v: Any) -> Any:
    """Red, green and blue of hue, saturation and value."""
    sixth = torch.floor(h * 6.0)
    f = h * 6.0 - sixth
    p = (v * (1.0 - s)).clamp(0.0, 1.0)
    q = (v * (1.0 - s * f)).clamp(0.0, 1.0)
    t = (v * (1.0 - s * (1.0 - f))).clamp(0.0, 1.0)
    values = (v, p, q, t)
    which = sixth.to(torch.int64) % 6
    parts = []
    for channel in range(3):
        part = values[SIXTHS[5][channel]]
        for k in range(5):
            part = torch.where(which == k, values[SIXTHS[k][channel]], part)
        parts.append(part)
    return torch.stack(parts, dim=-3)


def pad(img: Any, padding: tuple[int, int, int, int], fill: Any, padding_mode: str) -> Any:
    """A border of given widths: left, top, right, bottom; it cuts where they are negative."""
    left, top, right, bottom = padding
    if padding_mode == "constant":
        if not isinstance(fill, int | float):
            raise errors.bad_type("fill should be a number for a tensor", fill)
        return functional.pad(img, (left, right, top, bottom), value=fill)
    rows = border(img.shape[-2], top, bottom, padding_mode)
    columns = border(img.shape[-1], left, right, padding_mode)
    return img[..., rows[:, None], columns]


def border(n: int, before: int, after: int, padding_mode: str) -> Any:
    """Which of `n` places those of a padded axis show."""
    kept = numpy.arange(n)[max(-before, 0) : n - max(-after, 0)]
    how: Any = padding_mode
    return wrap(numpy.pad(kept, (max(before, 0), max(after, 0)), mode=how))


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of the image; black where it reaches beyond."""
    _, h, w = dimensions(img)
    right, bottom = left + width, top + height
    if left < 0 or top < 0 or right > w or bottom > h:
        around = (
            max(-left + min(0, right), 0),
            max(-top + min(0, bottom), 0),
            max(right - max(w, left), 0),
            max(bottom - max(h, top), 0),
        )
        return pad(img[..., max(top, 0) : bottom, max(left, 0) : right], around, 0, "constant")
    return img[..., top:bottom, left:right]


def gaussian(size: int, sigma: float, d: Any) -> Any:
    """The weights of a Gaussian bell."""
    half = (size - 1) * 0.5
    x = torch.linspace(-half, half, size, dtype=d)
    bell: Any = torch.exp(-0.5 * (x / sigma).pow(2))
    return bell / bell.sum()


def gaussian_blur(img: Any, kernel_size: Any, sigma: Any) -> Any:
    """The image smoothed by a Gaussian bell, reflected at its border."""
    d, n = real_dtype(img), img.shape[-3]
    across, down = (gaussian(k, s, d) for k, s in zip(kernel_size, sigma, strict=True))
    kernel = (down[:, None] * across[None, :]).expand(n, 1, kernel_size[1], kernel_size[0])
    x, y = kernel_size[0] // 2, kernel_size[1] // 2
    around = (x, y, x, y)
    return computed(
        img, d, lambda b: functional.conv2d(pad(b, around, 0, "reflect"), kernel, groups=n)
    )


def invert(img: Any) -> Any:
    """Dark for light."""
    check_channels(img)
    return largest(img.dtype) - img


def posterize(img: Any, bits: int) -> Any:
    """The highest `bits` bits of each intensity."""
    check_channels(img)
    check_bytes(img)
    return wrap(img.raw & numpy.uint8(256 - (1 << (8 - bits))))


def solarize(img: Any, threshold: float) -> Any:
    """Intensities from a threshold on, inverted."""
    inverted = invert(img)
    if threshold > largest(img.dtype):
        raise TypeError("Threshold should be less than bound of img.")
    return torch.where(img >= threshold, inverted, img)


def autocontrast(img: Any) -> Any:
    """Each channel stretched from black to full intensity."""
    check_channels(img)
    bound, d = largest(img.dtype), real_dtype(img)
    low = img.amin(dim=(-2, -1), keepdim=True).to(d)
    high = img.amax(dim=(-2, -1), keepdim=True).to(d)
    flat = low == high
    scale = bound / torch.where(flat, torch.ones_like(low), high - low)
    low = torch.where(flat, torch.zeros_like(low), low)
    scale = torch.where(flat, torch.ones_like(scale), scale)
    return ((img - low) * scale).clamp(0, bound).to(img.dtype)


def equalize(img: Any) -> Any:
    """Each channel with its intensities spread evenly."""
    check_channels(img)
    check_bytes(img)
    flat = img.raw.reshape(-1, *img.raw.shape[-2:])
    return wrap(numpy.stack([equalized(channel) for channel in flat]).reshape(img.raw.shape))


def equalized(channel: Any) -> Any:
    """The bytes of one channel with their intensities spread evenly."""
    counts = numpy.bincount(channel.reshape(-1), minlength=256)
    present = counts[counts != 0]
    step = int(present[:-1].sum()) // 255
    if step == 0:
        return channel
    table = (numpy.cumsum(counts) + step // 2) // step
    return numpy.clip(numpy.concatenate(([0], table[:-1])), 0, 255).astype(numpy.uint8)[channel]


def constants(mean: Any, std: Any, d: Any) -> tuple[Any, Any]:
    """A mean and a deviation as arrays of a dtype, one of each for each channel."""
    mean, std = (numpy.asarray(getattr(x, "raw", x), d) for x in (mean, std))
    if (std == 0).any():
        raise errors.zero_std(of_numpy(d))
    mean, std = (x[:, None, None] if x.ndim == 1 else x for x in (mean, std))
    return mean, std


def check_normalizable(tensor: Any) -> None:
    """Raise unless a tensor is an image of floating point numbers."""
    if tensor.raw.dtype.kind != "f" and not tensor.is_floating_point():
        raise errors.not_floating(tensor.dtype)
    if tensor.raw.ndim < 3:
        raise errors.normalise_axes(tensor.shape)


def normalize(tensor: Any, mean: Any, std: Any, inplace: bool) -> Any:
    """Less a mean and divided by a deviation, which `constants` gave."""
    check_normalizable(tensor)
    if inplace:
        return tensor.sub_(wrap(mean)).div_(wrap(std))
    if tensor.slot:
        return (tensor - wrap(mean)) / wrap(std)
    raw = tensor.raw - mean
    raw /= std
    return wrap(raw)


def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool) -> Any:
    """A part of the image overwritten."""
    img = img if inplace else img.clone()
    img[..., i : i + h, j : j + w] = v
    return img


def smaller(size: tuple[int, int], short: int, max_size: int | None) -> tuple[int, int]:
    """The height and width of an image whose shorter side becomes `short`."""
    h, w = size
    low, high = (w, h) if w <= h else (h, w)
    new_low, new_high = short, int(short * high / low)
    if max_size is not None:
        if max_size <= short:
            raise errors.bad(
                f"max_size must be greater than the size of the shorter side, {short}", max_size
            )
        if new_high > max_size:
            new_low, new_high = int(max_size * new_low / new_high), max_size
    return (new_high, new_low) if w <= h else (new_low, new_high)
