"""The base of transforms, those that put others together, and how they draw random numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from ...nn.modules.module import Module
from ...torch.random import draw
from . import errors

__all__ = ["Compose", "Lambda", "RandomApply", "RandomChoice", "RandomOrder", "Transform"]


def uniform(low: float, high: float) -> float:
    """A number between two, from the default generator."""
    return low + (high - low) * float(draw(None, lambda g: g.random()))


def integer(low: int, high: int) -> int:
    """An integer from `low` on, less than `high`."""
    return int(draw(None, lambda g: g.integers(low, high)))


def happens(p: float) -> bool:
    """True with a probability."""
    return uniform(0.0, 1.0) < p


class Transform(Module):
    """A function of an image with parameters. A subclass defines `forward`.

    `shown` names the attributes that its text shows.
    """

    shown: tuple[str, ...] = ()

    def __repr__(self) -> str:
        values = (f"{name}={plain(getattr(self, name))}" for name in self.shown)
        return f"{type(self).__name__}({', '.join(values)})"


def plain(value: Any) -> Any:
    """A value as the text of a transform shows it."""
    return value.value if hasattr(value, "value") and hasattr(value, "name") else value


def listing(owner: Any, transforms: Sequence[Any], extra: str = "") -> str:
    """The text of a transform with others inside, one a line."""
    lines = "".join(f"\n    {t}" for t in transforms)
    return f"{type(owner).__name__}({extra}{lines}\n)"


class Compose:
    """Transforms one after another.

    >>> import numpy
    >>> from tapegrad.vision import transforms
    >>> chain = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.5, 0.5)])
    >>> chain(numpy.zeros((2, 2, 3), numpy.uint8)).min()
    tensor(-1.)
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for t in self.transforms:
            img = t(img)
        return img

    def __repr__(self) -> str:
        return listing(self, self.transforms)


class Lambda:
    """A function of the user's as a transform."""

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        if not callable(lambd):
            raise errors.bad_type("Argument lambd should be callable", lambd)
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class RandomApply(Transform):
    """Transforms one after another, with a probability; else the image as it is."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, img: Any) -> Any:
        """The image, transformed or as it is."""
        if not happens(self.p):
            return img
        for t in self.transforms:
            img = t(img)
        return img

    def __repr__(self) -> str:
        return listing(self, self.transforms, f"\n    p={self.p}")


class Several:
    """A transform that chooses among others."""

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        if not isinstance(transforms, Sequence):
            raise errors.bad_type("Argument transforms should be a sequence", transforms)
        self.transforms = transforms

    def __repr__(self) -> str:
        return listing(self, self.transforms)


class RandomOrder(Several):
    """Transforms one after another, in random order."""

    def __call__(self, img: Any) -> Any:
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img


class RandomChoice(Several):
    """One of several transforms, with the probabilities `p` or all alike."""

    def __init__(
        self, transforms: Sequence[Callable[..., Any]], p: Sequence[float] | None = None
    ) -> None:
        super().__init__(transforms)
        if p is not None and not isinstance(p, Sequence):
            raise errors.bad_type("Argument p should be a sequence", p)
        self.p = p

    def __call__(self, *args: Any) -> Any:
        return random.choices(self.transforms, weights=self.p)[0](*args)

    def __repr__(self) -> str:
        return f"{super().__repr__()}(p={self.p})"
