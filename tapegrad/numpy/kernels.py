"""How functions of CuPy reach recorded arrays: its ufuncs do what NumPy's of the same names do."""

from __future__ import annotations

from typing import Any

import numpy

from ..core.array import Array
from . import errors
from .dispatch import ufuncs
from .ufuncs import array_ufunc


def override_kernel(self: Array, kernel: Any, *args: Any, **kwargs: Any) -> Any:
    """`Array.__cupy_override_elementwise_kernel__`, CuPy's protocol for other classes of arrays."""
    original = getattr(numpy, kernel.name.removeprefix("cupy_"), None)
    if not isinstance(original, numpy.ufunc) or original not in ufuncs:
        raise errors.no_kernel_rule(kernel.name)
    return array_ufunc(self, original, "__call__", *args, **kwargs)
