"""`torch.utils`: its modules are loaded when they are first asked for."""

from importlib import import_module
from typing import Any

HOMES = {"checkpoint": "tapegrad.torch.utils.checkpoint", "data": "tapegrad.data"}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        return import_module(HOMES[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
