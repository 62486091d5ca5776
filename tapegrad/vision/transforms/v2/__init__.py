"""The second version of the transforms: those of the first, and the names that it adds.

A chain takes images as it did, and also an image with its label, ``transform(image, label)``:
numbers, texts and `None` pass through. Masks and boxes, which would have to be transformed with the
image, are refused.
"""

from __future__ import annotations

from typing import Any

from ... import transforms
from . import added, functional

__all__ = ["functional", *{*transforms.__all__, *added.__all__} - {"functional"}]


def __getattr__(name: str) -> Any:
    for module in (added, transforms):
        if name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
