"""Chains of elementwise functions as one kernel, on devices whose library can fuse them.

On a device every function is a kernel, which reads and writes memory and takes microseconds to
launch. CuPy's `fuse` traces a chain once for each combination of dtypes and ranks, and launches one
kernel from then on. What is fused computes with operators, and with elementwise functions of its
namespace or of `ops`, on arrays that are not recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend import namespace, on_device
from ..core.array import Array

kernels: dict[Any, Callable[..., Any]] = {}
"""Fused functions, by their code and what they close over."""


def fused(function: Callable[..., Any], *arguments: Any) -> Any:
    """What an elementwise function gives for arrays and numbers: on a device, in one kernel.

    Functions of equal code that close over equal values count as the same: what varies from call
    to call is an argument.
    """
    recorded = any(isinstance(x, Array) for x in arguments)
    if recorded or not any(on_device(x) and x.ndim for x in arguments):
        return function(*arguments)
    xp = namespace(*arguments)
    closed = tuple(cell.cell_contents for cell in function.__closure__ or ())
    key = xp.__name__, function.__code__, closed
    kernel = kernels.get(key)
    if kernel is None:
        name = f"tapegrad_{function.__name__.strip('<>')}_{len(kernels)}"
        kernel = kernels[key] = xp.fuse(kernel_name=name)(function)
    return kernel(*arguments)
