"""The transforms that the second version adds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from .... import torch
from ....torch.random import draw
from ....torch.tensor import Tensor
from .. import errors
from ..conversion import is_image
from ..transform import Compose as Chain
from ..transform import Transform, integer
from . import functional

__all__ = [
    "RGB",
    "Compose",
    "CutMix",
    "GaussianNoise",
    "Identity",
    "MixUp",
    "ToDtype",
    "ToImage",
    "ToPureTensor",
]

PLAIN = (int, float, str, bytes, type(None))


class Compose(Chain):
    """Transforms one after another, of an image or of an image with its label.

    >>> import numpy
    >>> from tapegrad.vision.transforms import v2
    >>> chain = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
    >>> image, label = chain(numpy.full((1, 1, 3), 255, numpy.uint8), 7)
    >>> image.flatten().tolist(), label
    ([1.0, 1.0, 1.0], 7)
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        if not isinstance(transforms, Sequence):
            raise TypeError("Argument transforms should be a sequence of callables")
        if not transforms:
            raise ValueError("Pass at least one transform")
        super().__init__(transforms)

    def __call__(self, *inputs: Any) -> Any:
        sample = inputs[0] if len(inputs) == 1 else inputs
        if not isinstance(sample, tuple | list):
            return super().__call__(sample)
        image, *rest = sample
        if any(not isinstance(value, PLAIN) and math.prod(shape(value)) != 1 for value in rest):
            raise errors.several_images()
        return type(sample)([super().__call__(image), *rest])


def shape(value: Any) -> tuple[int, ...]:
    """The shape of an array, which a label has none of; (0,) for what is no array."""
    return tuple(value.shape) if hasattr(value, "shape") else (0,)


class Identity(Transform):
    """The image as it is."""

    def forward(self, img: Any) -> Any:
        """The image."""
        return img


class ToPureTensor(Identity):
    """The image as it is: tensors of images are plain tensors here."""


class ToImage(Transform):
    """A PIL image or an array (height, width, channels) as a tensor of the same numbers."""

    def forward(self, img: Any) -> Any:
        """The tensor (channels, height, width)."""
        return functional.to_image(img)


class ToDtype(Transform):
    """Another dtype; with `scale`, so that full intensity stays full intensity."""

    shown = ("dtype", "scale")

    def __init__(self, dtype: Any, scale: bool = False) -> None:
        super().__init__()
        if isinstance(dtype, dict):
            raise errors.several_images()
        self.dtype = dtype
        self.scale = scale

    def forward(self, img: Any) -> Any:
        """The image in the dtype; a PIL image as it is."""
        return img if is_image(img) else functional.to_dtype(img, self.dtype, self.scale)


class RGB(Transform):
    """A grey image in three channels; one of three as it is."""

    def forward(self, img: Any) -> Any:
        """The image with three channels."""
        if is_image(img):
            return img.convert("RGB")
        return img.repeat(*(1,) * (img.dim() - 3), 3, 1, 1) if img.shape[-3] == 1 else img


class GaussianNoise(Transform):
    """Normal noise added to an image of floating point numbers."""

    shown = ("mean", "sigma", "clip")

    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> None:
        super().__init__()
        self.mean = mean
        self.sigma = sigma
        self.clip = clip

    def forward(self, img: Any) -> Any:
        """The image with its noise, from 0 to 1 if it is clipped."""
        if not isinstance(img, Tensor):
            raise errors.not_a_tensor(img)
        if img.raw.dtype.kind != "f":
            raise errors.noise_of_integers(img.dtype)
        if self.sigma < 0:
            raise ValueError(f"sigma shouldn't be negative. Got {self.sigma}")
        noisy = img + self.mean + torch.randn_like(img) * self.sigma
        return noisy.clamp(0, 1) if self.clip else noisy


class Mixture(Transform, ABC):
    """A batch whose images and labels are mixed with those of the batch turned by one."""

    shown = ("alpha", "num_classes")

    def __init__(self, *, alpha: float = 1.0, num_classes: int | None = None) -> None:
        super().__init__()
        self.alpha = float(alpha)
        self.num_classes = num_classes

    def forward(self, images: Any, labels: Any) -> tuple[Any, Any]:
        """Images (n, channels, height, width) and labels: (n,), or weights of classes (n, k)."""
        if images.dim() != 4 or labels.dim() not in (1, 2):
            raise errors.no_batch(tuple(images.shape), tuple(labels.shape))
        if labels.dim() == 1:
            if self.num_classes is None:
                raise ValueError("num_classes must be passed if the labels are class indices")
            labels = torch.nn.functional.one_hot(labels, self.num_classes)
        share = float(draw(None, lambda g: g.beta(self.alpha, self.alpha)))
        images, share = self.mixed(images, images.roll(1, 0), share)
        labels = labels.float()
        return images, share * labels + (1 - share) * labels.roll(1, 0)

    @abstractmethod
    def mixed(self, images: Any, others: Any, share: float) -> tuple[Any, float]:
        """The mixture, and the share of `images` in it."""


class MixUp(Mixture):
    """Means of two images and of their labels (H. Zhang et al., mixup, 2018)."""

    def mixed(self, images: Any, others: Any, share: float) -> tuple[Any, float]:
        """Weighted means."""
        return share * images + (1 - share) * others, share


class CutMix(Mixture):
    """A rectangle of another image in each (S. Yun et al., CutMix, 2019)."""

    def mixed(self, images: Any, others: Any, share: float) -> tuple[Any, float]:
        """Images with a rectangle of the others, around a place at random."""
        height, width = images.shape[-2:]
        half = 0.5 * math.sqrt(1.0 - share)
        y, x = integer(0, height), integer(0, width)
        top, left = max(0, int(y - half * height)), max(0, int(x - half * width))
        bottom, right = min(height, int(y + half * height)), min(width, int(x + half * width))
        images = images.clone()
        images[..., top:bottom, left:right] = others[..., top:bottom, left:right]
        return images, 1 - (bottom - top) * (right - left) / (height * width)
