"""Transforms that do the same to every image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import torch
from ...torch.tensor import Tensor
from . import errors, functional, tensors
from .dispatch import two
from .geometry import PADDING_MODES, around
from .modes import InterpolationMode, mode_of
from .transform import Transform

__all__ = [
    "AutoContrast",
    "Brightness",
    "CenterCrop",
    "Contrast",
    "ConvertImageDtype",
    "Equalize",
    "FiveCrop",
    "Grayscale",
    "Hue",
    "Invert",
    "LinearTransformation",
    "Normalize",
    "PILToTensor",
    "Pad",
    "Posterize",
    "Resize",
    "SanitizeBoundingBox",
    "Saturation",
    "Sharpness",
    "Solarize",
    "TenCrop",
    "ToPILImage",
    "ToTensor",
]


class ToTensor:
    """A PIL image or an array (height, width, channels) as a tensor (channels, height, width).

    Bytes become floating point numbers from 0 to 1; other numbers stay as they are.
    """

    def __call__(self, pic: Any) -> Tensor:
        return functional.to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor:
    """A PIL image as a tensor (channels, height, width) of the same numbers."""

    def __call__(self, pic: Any) -> Tensor:
        return functional.pil_to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ToPILImage:
    """A tensor (channels, height, width), or an array (height, width, channels), as a PIL image."""

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return functional.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.mode is None else f'mode={self.mode}'})"


class ConvertImageDtype(Transform):
    """Another dtype, scaled so that full intensity stays full intensity."""

    def __init__(self, dtype: Any = torch.float32) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Any) -> Any:
        """The image in the dtype."""
        return functional.convert_image_dtype(image, self.dtype)


class Normalize(Transform):
    """Less a mean and divided by a deviation: one for each channel, or one for all."""

    shown = ("mean", "std")

    def __init__(self, mean: Any, std: Any, inplace: bool = False) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace
        self._made: Any = (None, None, None)  # of which mean, deviation and dtype
        self._constants: Any = None

    def forward(self, tensor: Any) -> Any:
        """The normalised tensor."""
        if type(tensor) is not Tensor or not tensor.is_floating_point():
            return functional.normalize(tensor, self.mean, self.std, self.inplace)
        mean, std, d = self._made
        if mean is not self.mean or std is not self.std or d is not tensor.raw.dtype:
            self._constants = tensors.constants(self.mean, self.std, tensor.raw.dtype)
            self._made = (self.mean, self.std, tensor.raw.dtype)
        shift, scale = self._constants
        return tensors.normalize(tensor, shift, scale, self.inplace)


class Resize(Transform):
    """Another size: (height, width), or one number for the shorter side."""

    shown = ("size", "interpolation", "max_size", "antialias")

    def __init__(
        self,
        size: Any,
        interpolation: Any = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        if not isinstance(size, int | Sequence):
            raise errors.bad_type("Size should be int or sequence", size)
        if isinstance(size, Sequence) and len(size) not in (1, 2):
            raise errors.bad("If size is a sequence, it should have 1 or 2 values", size)
        self.size = size
        self.max_size = max_size
        self.interpolation = mode_of(interpolation)
        self.antialias = antialias

    def forward(self, img: Any) -> Any:
        """The image in the size."""
        return functional.resize(img, self.size, self.interpolation, self.max_size, self.antialias)


class Sized(Transform):
    """A transform with a height and a width."""

    shown: tuple[str, ...] = ("size",)

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = two(size)


class CenterCrop(Sized):
    """The middle of an image; with a black border where the image is smaller."""

    def forward(self, img: Any) -> Any:
        """The middle."""
        return functional.center_crop(img, self.size)


class FiveCrop(Sized):
    """The four corners and the middle, in a tuple."""

    def forward(self, img: Any) -> Any:
        """The five parts."""
        return functional.five_crop(img, self.size)


class TenCrop(Sized):
    """The four corners and the middle, of an image and of its mirror image, in a tuple."""

    shown = ("size", "vertical_flip")

    def __init__(self, size: Any, vertical_flip: bool = False) -> None:
        super().__init__(size)
        self.vertical_flip = vertical_flip

    def forward(self, img: Any) -> Any:
        """The ten parts."""
        return functional.ten_crop(img, self.size, self.vertical_flip)


class Pad(Transform):
    """A border: of one width, of (left and right, top and bottom), or of four."""

    shown = ("padding", "fill", "padding_mode")

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> None:
        super().__init__()
        around(padding)
        if not isinstance(fill, int | float | tuple | list):
            raise errors.bad_type("Got inappropriate fill arg", fill)
        if padding_mode not in PADDING_MODES:
            raise errors.bad(
                "Padding mode should be either constant, edge, reflect or symmetric", padding_mode
            )
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Any) -> Any:
        """The image with its border."""
        return functional.pad(img, self.padding, self.fill, self.padding_mode)


class Grayscale(Transform):
    """Shades of grey, in one channel or the same in three."""

    shown = ("num_output_channels",)

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Any) -> Any:
        """The image in greys."""
        return functional.rgb_to_grayscale(img, self.num_output_channels)


class LinearTransformation(Transform):
    """A flattened image less a mean, times a square matrix: whitening, for example."""

    shown = ("transformation_matrix", "mean_vector")

    def __init__(self, transformation_matrix: Any, mean_vector: Any) -> None:
        super().__init__()
        rows, columns = transformation_matrix.shape
        if rows != columns:
            raise errors.bad("transformation_matrix should be square", (rows, columns))
        if mean_vector.shape[0] != rows:
            raise errors.bad(f"mean_vector should have the length {rows}", mean_vector.shape[0])
        self.transformation_matrix = transformation_matrix
        self.mean_vector = mean_vector

    def forward(self, tensor: Any) -> Any:
        """The transformed tensor, of the same shape."""
        n = self.mean_vector.shape[0]
        if tensor.shape[-3] * tensor.shape[-2] * tensor.shape[-1] != n:
            raise errors.bad(f"an image should have {n} numbers", tuple(tensor.shape))
        flat = tensor.reshape(-1, n) - self.mean_vector
        return (flat @ self.transformation_matrix.to(flat.dtype)).reshape(tensor.shape)


class Adjustment(Transform):
    """A property of images changed by one number; a subclass says which, and how."""

    shown = ("value",)
    how: Any

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def forward(self, img: Any) -> Any:
        """The changed image."""
        return type(self).how(img, self.value)


class Brightness(Adjustment):
    """Brightness times a factor."""

    how = staticmethod(functional.adjust_brightness)


class Contrast(Adjustment):
    """Contrast times a factor."""

    how = staticmethod(functional.adjust_contrast)


class Saturation(Adjustment):
    """Colourfulness times a factor."""

    how = staticmethod(functional.adjust_saturation)


class Sharpness(Adjustment):
    """Sharpness times a factor."""

    how = staticmethod(functional.adjust_sharpness)


class Hue(Adjustment):
    """Hues turned round by a part of the circle, from -0.5 to 0.5."""

    how = staticmethod(functional.adjust_hue)


class Posterize(Adjustment):
    """The highest bits of each intensity, so many of them."""

    how = staticmethod(functional.posterize)


class Solarize(Adjustment):
    """Intensities from a threshold on, inverted."""

    how = staticmethod(functional.solarize)


class AutoContrast(Transform):
    """Each channel stretched from black to full intensity."""

    def forward(self, img: Any) -> Any:
        """The stretched image."""
        return functional.autocontrast(img)


class Equalize(Transform):
    """Each channel with its intensities spread evenly."""

    def forward(self, img: Any) -> Any:
        """The image with spread intensities."""
        return functional.equalize(img)


class Invert(Transform):
    """Dark for light."""

    def forward(self, img: Any) -> Any:
        """The negative."""
        return functional.invert(img)


class SanitizeBoundingBox(Transform):
    """Leaves out boxes that are too small or not within the image, with what belongs to them.

    Takes an image and a dict with ``boxes``, (n, 4) as x1, y1, x2, y2. Tensors under ``labels`` and
    ``masks`` are cut likewise.
    """

    shown = ("min_size", "min_area")

    def __init__(self, min_size: float = 1.0, min_area: float = 1.0) -> None:
        super().__init__()
        if min_size < 1:
            raise errors.bad("min_size must be >= 1", min_size)
        if min_area < 1:
            raise errors.bad("min_area must be >= 1", min_area)
        self.min_size = min_size
        self.min_area = min_area

    def forward(self, img: Any, target: Any) -> Any:
        """The image as it is, and the dict without what is wrong."""
        if not isinstance(target, dict) or "boxes" not in target:
            raise errors.no_boxes()
        boxes = torch.as_tensor(target["boxes"])
        _, height, width = functional.get_dimensions(img)
        x1, y1, x2, y2 = boxes.unbind(-1)
        w, h = x2 - x1, y2 - y1
        good = (w >= self.min_size) & (h >= self.min_size) & (w * h >= self.min_area)
        good = good & (x1 >= 0) & (y1 >= 0) & (x2 <= width) & (y2 <= height)
        parts = {name: target[name][good] for name in ("labels", "masks") if name in target}
        return img, {**target, "boxes": boxes[good], **parts}
