"""Learned and random policies of augmentation: AutoAugment, RandAugment, TrivialAugment, AugMix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy

from ...torch.random import draw
from ...torch.tensor import Tensor
from . import errors, functional
from .modes import InterpolationMode
from .ranges import fill_for
from .transform import Transform, happens, integer

__all__ = ["AugMix", "AutoAugment", "AutoAugmentPolicy", "RandAugment", "TrivialAugmentWide"]

SIGNED = (
    *("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate"),
    *("Brightness", "Color", "Contrast", "Sharpness"),
)
"""The operations whose magnitude may be negative."""

ENHANCEMENTS = {
    "Brightness": functional.adjust_brightness,
    "Color": functional.adjust_saturation,
    "Contrast": functional.adjust_contrast,
    "Sharpness": functional.adjust_sharpness,
}
PLAIN = {
    "AutoContrast": functional.autocontrast,
    "Equalize": functional.equalize,
    "Invert": functional.invert,
    "Identity": lambda img: img,
}


def apply(img: Any, name: str, magnitude: float, interpolation: Any, fill: Any) -> Any:
    """The image after one operation."""
    if name in PLAIN:
        return PLAIN[name](img)
    if name in ENHANCEMENTS:
        return ENHANCEMENTS[name](img, 1.0 + magnitude)
    if name == "Posterize":
        return functional.posterize(img, int(magnitude))
    if name == "Solarize":
        return functional.solarize(img, magnitude)
    if name == "Rotate":
        return functional.rotate(img, magnitude, interpolation, fill=fill)
    moved, sheared, center = [0, 0], [0.0, 0.0], None
    axis = "XY".index(name[-1])
    if name.startswith("Shear"):
        sheared[axis], center = math.degrees(math.atan(magnitude)), [0, 0]
    else:
        moved[axis] = int(magnitude)
    return functional.affine(img, 0.0, moved, 1.0, sheared, interpolation, fill, center)


def space(
    bins: int,
    shear: float,
    translate: tuple[float, float],
    rotate: float,
    enhance: float,
    bits: tuple[int, int],
) -> dict[str, Any]:
    """The magnitudes of each operation, from weak to strong; None where it has none."""
    low, lost = bits
    posterized = numpy.round(numpy.arange(bins, dtype=numpy.float32) / ((bins - 1) / lost))
    return {
        "Identity": None,
        "ShearX": numpy.linspace(0.0, shear, bins),
        "ShearY": numpy.linspace(0.0, shear, bins),
        "TranslateX": numpy.linspace(0.0, translate[0], bins),
        "TranslateY": numpy.linspace(0.0, translate[1], bins),
        "Rotate": numpy.linspace(0.0, rotate, bins),
        **{name: numpy.linspace(0.0, enhance, bins) for name in ENHANCEMENTS},
        "Posterize": low - posterized,
        "Solarize": numpy.linspace(255.0, 0.0, bins),
        "AutoContrast": None,
        "Equalize": None,
        "Invert": None,
    }


class AutoAugmentPolicy(Enum):
    """What the policy was learned on."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


POLICIES = {
    AutoAugmentPolicy.IMAGENET: """
        Posterize 0.4 8, Rotate 0.6 9; Solarize 0.6 5, AutoContrast 0.6;
        Equalize 0.8, Equalize 0.6; Posterize 0.6 7, Posterize 0.6 6;
        Equalize 0.4, Solarize 0.2 4; Equalize 0.4, Rotate 0.8 8; Solarize 0.6 3, Equalize 0.6;
        Posterize 0.8 5, Equalize 1.0; Rotate 0.2 3, Solarize 0.6 8;
        Equalize 0.6, Posterize 0.4 6; Rotate 0.8 8, Color 0.4 0; Rotate 0.4 9, Equalize 0.6;
        Equalize 0.0, Equalize 0.8; Invert 0.6, Equalize 1.0; Color 0.6 4, Contrast 1.0 8;
        Rotate 0.8 8, Color 1.0 2; Color 0.8 8, Solarize 0.8 7; Sharpness 0.4 7, Invert 0.6;
        ShearX 0.6 5, Equalize 1.0; Color 0.4 0, Equalize 0.6; Equalize 0.4, Solarize 0.2 4;
        Solarize 0.6 5, AutoContrast 0.6; Invert 0.6, Equalize 1.0;
        Color 0.6 4, Contrast 1.0 8; Equalize 0.8, Equalize 0.6""",
    AutoAugmentPolicy.CIFAR10: """
        Invert 0.1, Contrast 0.2 6; Rotate 0.7 2, TranslateX 0.3 9;
        Sharpness 0.8 1, Sharpness 0.9 3; ShearY 0.5 8, TranslateY 0.7 9;
        AutoContrast 0.5, Equalize 0.9; ShearY 0.2 7, Posterize 0.3 7;
        Color 0.4 3, Brightness 0.6 7; Sharpness 0.3 9, Brightness 0.7 9;
        Equalize 0.6, Equalize 0.5; Contrast 0.6 7, Sharpness 0.6 5;
        Color 0.7 7, TranslateX 0.5 8; Equalize 0.3, AutoContrast 0.4;
        TranslateY 0.4 3, Sharpness 0.2 6; Brightness 0.9 6, Color 0.2 8;
        Solarize 0.5 2, Invert 0.0; Equalize 0.2, AutoContrast 0.6; Equalize 0.2, Equalize 0.6;
        Color 0.9 9, Equalize 0.6; AutoContrast 0.8, Solarize 0.2 8;
        Brightness 0.1 3, Color 0.7 0; Solarize 0.4 5, AutoContrast 0.9;
        TranslateY 0.9 9, TranslateY 0.7 9; AutoContrast 0.9, Solarize 0.8 3;
        Equalize 0.8, Invert 0.1; TranslateY 0.7 9, AutoContrast 0.9""",
    AutoAugmentPolicy.SVHN: """
        ShearX 0.9 4, Invert 0.2; ShearY 0.9 8, Invert 0.7; Equalize 0.6, Solarize 0.6 6;
        Invert 0.9, Equalize 0.6; Equalize 0.6, Rotate 0.9 3; ShearX 0.9 4, AutoContrast 0.8;
        ShearY 0.9 8, Invert 0.4; ShearY 0.9 5, Solarize 0.2 6; Invert 0.9, AutoContrast 0.8;
        Equalize 0.6, Rotate 0.9 3; ShearX 0.9 4, Solarize 0.3 3; ShearY 0.8 8, Invert 0.7;
        Equalize 0.9, TranslateY 0.6 6; Invert 0.9, Equalize 0.6; Contrast 0.3 3, Rotate 0.8 4;
        Invert 0.8, TranslateY 0.0 2; ShearY 0.7 6, Solarize 0.4 8; Invert 0.6, Rotate 0.8 4;
        ShearY 0.3 7, TranslateX 0.9 3; ShearX 0.1 6, Invert 0.6;
        Solarize 0.7 2, TranslateY 0.6 7; ShearY 0.8 4, Invert 0.8;
        ShearX 0.7 9, TranslateY 0.8 3; ShearY 0.8 5, AutoContrast 0.7; ShearX 0.7 2, Invert 0.1""",
}
"""Pairs of operations, each with its probability and the number of its magnitude of ten
(E. Cubuk et al., AutoAugment, 2019, tables 7 to 9)."""


def policy_of(text: str) -> list[list[tuple[str, float, int | None]]]:
    """The pairs of operations of a policy."""
    pairs = []
    for pair in text.split(";"):
        words = [op.split() for op in pair.split(",")]
        pairs.append([(w[0], float(w[1]), int(w[2]) if len(w) > 2 else None) for w in words])
    return pairs


class Policy(Transform):
    """A transform that applies operations of a space of them."""

    def __init__(self, interpolation: Any, fill: Any) -> None:
        super().__init__()
        self.interpolation = interpolation
        self.fill = fill

    def applied(self, img: Any, name: str, magnitudes: Any, index: Any) -> Any:
        """The image after an operation of a magnitude with a random sign."""
        magnitude = 0.0 if magnitudes is None or index is None else float(magnitudes[index])
        if name in SIGNED and integer(0, 2):
            magnitude = -magnitude
        return apply(img, name, magnitude, self.interpolation, fill_for(img, self.fill))


class AutoAugment(Policy):
    """One of 25 pairs of operations that were learned to help on a data set."""

    shown = ("policy", "fill")

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: InterpolationMode = InterpolationMode.NEAREST,
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation, fill)
        if policy not in POLICIES:
            raise errors.bad("The provided policy is not recognized", policy)
        self.policy = policy
        self.policies = policy_of(POLICIES[policy])

    def forward(self, img: Any) -> Any:
        """The image after a random pair of the policy."""
        _, height, width = functional.get_dimensions(img)
        moved = (150.0 / 331.0 * width, 150.0 / 331.0 * height)
        magnitudes = space(10, 0.3, moved, 30.0, 0.9, (8, 4))
        for name, p, index in self.policies[integer(0, len(self.policies))]:
            if happens(p):
                img = self.applied(img, name, magnitudes[name], index)
        return img


class RandAugment(Policy):
    """Some operations at random, all of one magnitude."""

    shown = ("num_ops", "magnitude", "num_magnitude_bins", "interpolation", "fill")

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: InterpolationMode = InterpolationMode.NEAREST,
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation, fill)
        self.num_ops = num_ops
        self.magnitude = magnitude
        self.num_magnitude_bins = num_magnitude_bins

    def forward(self, img: Any) -> Any:
        """The image after the operations."""
        _, height, width = functional.get_dimensions(img)
        moved = (150.0 / 331.0 * width, 150.0 / 331.0 * height)
        magnitudes = space(self.num_magnitude_bins, 0.3, moved, 30.0, 0.9, (8, 4))
        del magnitudes["Invert"]
        for _ in range(self.num_ops):
            name = list(magnitudes)[integer(0, len(magnitudes))]
            img = self.applied(img, name, magnitudes[name], self.magnitude)
        return img


class TrivialAugmentWide(Policy):
    """One operation at random, of a random magnitude."""

    shown = ("num_magnitude_bins", "interpolation", "fill")

    def __init__(
        self,
        num_magnitude_bins: int = 31,
        interpolation: InterpolationMode = InterpolationMode.NEAREST,
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation, fill)
        self.num_magnitude_bins = num_magnitude_bins

    def forward(self, img: Any) -> Any:
        """The image after the operation."""
        bins = self.num_magnitude_bins
        magnitudes = space(bins, 0.99, (32.0, 32.0), 135.0, 0.99, (8, 6))
        del magnitudes["Invert"]
        name = list(magnitudes)[integer(0, len(magnitudes))]
        return self.applied(img, name, magnitudes[name], integer(0, bins))


class AugMix(Policy):
    """An image mixed with several chains of random operations on it."""

    shown = (
        *("severity", "mixture_width", "chain_depth", "alpha", "all_ops"),
        *("interpolation", "fill"),
    )

    def __init__(
        self,
        severity: int = 3,
        mixture_width: int = 3,
        chain_depth: int = -1,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation, fill)
        if not 1 <= severity <= 10:
            raise errors.bad("The severity must be between 1 and 10", severity)
        self.severity = severity
        self.mixture_width = mixture_width
        self.chain_depth = chain_depth
        self.alpha = alpha
        self.all_ops = all_ops

    def forward(self, orig_img: Any) -> Any:
        """The mixture."""
        single = isinstance(orig_img, Tensor)
        img = orig_img if single else functional.pil_to_tensor(orig_img)
        _, height, width = functional.get_dimensions(img)
        magnitudes = space(10, 0.3, (width / 3.0, height / 3.0), 30.0, 0.9, (4, 4))
        left_out: Sequence[str] = ("Identity", "Invert", *(() if self.all_ops else ENHANCEMENTS))
        names = [name for name in magnitudes if name not in left_out]
        share = dirichlet(self.alpha, 2)
        weights = dirichlet(self.alpha, self.mixture_width) * share[1]
        mix = float(share[0]) * img
        for weight in weights:
            chain = img
            depth = self.chain_depth if self.chain_depth > 0 else integer(1, 4)
            for _ in range(depth):
                name = names[integer(0, len(names))]
                chain = self.applied(chain, name, magnitudes[name], integer(0, self.severity))
            mix = mix + float(weight) * chain
        mix = mix.to(img.dtype)
        return mix if single else functional.to_pil_image(mix, orig_img.mode)


def dirichlet(alpha: float, n: int) -> Any:
    """Random weights that add up to 1."""
    return draw(None, lambda g: g.dirichlet([alpha] * n))
