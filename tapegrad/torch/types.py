"""`torch.types`: names for annotations."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, TypeAlias

from .device import device
from .dtypes import dtype
from .size import Size
from .tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number: TypeAlias = builtins.int | builtins.float | builtins.bool
Device: TypeAlias = device | str | builtins.int | None
FileLike: TypeAlias = Any
Storage: TypeAlias = Any

_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
_device: TypeAlias = device
_dtype: TypeAlias = dtype
_float: TypeAlias = builtins.float
_int: TypeAlias = builtins.int
_size: TypeAlias = Size | list[builtins.int] | tuple[builtins.int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_Number = (builtins.bool, builtins.int, builtins.float)
