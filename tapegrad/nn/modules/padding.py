"""Padding of the last one to three axes."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional
from .module import Module
from .utils import _ntuple

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """`padding` is one number, or two for each axis, the last axis first."""

    axes: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self.axes)(padding)

    def forward(self, input: Any) -> Any:
        return functional.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        return functional.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPad):
    """Continues the last axis with a value."""

    axes = 1


class ConstantPad2d(_ConstantPad):
    """Continues the last two axes with a value."""

    axes = 2


class ConstantPad3d(_ConstantPad):
    """Continues the last three axes with a value."""

    axes = 3


class ZeroPad1d(_ZeroPad):
    """Continues the last axis with zeros."""

    axes = 1


class ZeroPad2d(_ZeroPad):
    """Continues the last two axes with zeros."""

    axes = 2


class ZeroPad3d(_ZeroPad):
    """Continues the last three axes with zeros."""

    axes = 3


class ReflectionPad1d(_Pad):
    """Continues the last axis with its mirror image, without the edge."""

    axes = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Continues the last two axes with its mirror image, without the edge."""

    axes = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Continues the last three axes with its mirror image, without the edge."""

    axes = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Continues the last axis with its edge."""

    axes = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Continues the last two axes with its edge."""

    axes = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Continues the last three axes with its edge."""

    axes = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """Continues the last axis with its other end."""

    axes = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """Continues the last two axes with its other end."""

    axes = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """Continues the last three axes with its other end."""

    axes = 3
    mode = "circular"
