"""Making modules without drawing their parameters; layouts of weights."""

from __future__ import annotations

import inspect
from typing import Any

from ...torch.random import get_rng_state, set_rng_state
from ..modules.module import Module

__all__ = [
    "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format",
    "skip_init",
]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module of which the parameters are arbitrary: the state of the generator stays as it is."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    state = get_rng_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        set_rng_state(state)


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """The module as it is: convolutions work on any layout of their weights alike."""
    return module


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """The module as it is: convolutions work on any layout of their weights alike."""
    return module
