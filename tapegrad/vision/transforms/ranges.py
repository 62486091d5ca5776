"""What random transforms share: probabilities, ranges and fills."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ...torch.tensor import Tensor
from . import errors, functional
from .transform import Transform, happens


def fill_for(img: Any, fill: Any) -> Any:
    """A fill with one number for each channel of a tensor."""
    if isinstance(img, Tensor) and isinstance(fill, int | float):
        return [float(fill)] * functional.get_dimensions(img)[0]
    return fill


def check_fill(fill: Any) -> Any:
    """A fill, or 0 for none."""
    if fill is not None and not isinstance(fill, Sequence | int | float):
        raise errors.bad_type("Fill should be either a sequence or a number", fill)
    return 0 if fill is None else fill


def check_length(x: Any, name: str, lengths: tuple[int, ...] = (2,)) -> None:
    """Raise unless a parameter is a sequence of one of some lengths."""
    wanted = " or ".join(map(str, lengths))
    if not isinstance(x, Sequence):
        raise errors.bad_type(f"{name} should be a sequence of length {wanted}", x)
    if len(x) not in lengths:
        raise errors.bad(f"{name} should be a sequence of length {wanted}", x)


def range_of(x: Any, name: str, lengths: tuple[int, ...] = (2,)) -> list[float]:
    """From and to, of both or of one number for minus and plus."""
    if isinstance(x, int | float):
        if x < 0:
            raise errors.bad(f"If {name} is a single number, it must be positive", x)
        return [-float(x), float(x)]
    check_length(x, name, lengths)
    return [float(v) for v in x]


class Sometimes(Transform, ABC):
    """A transform that happens with a probability."""

    shown: tuple[str, ...] = ("p",)

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        """The image, transformed or as it is."""
        return self.changed(img) if happens(self.p) else img

    @abstractmethod
    def changed(self, img: Any) -> Any:
        """The transformed image."""
