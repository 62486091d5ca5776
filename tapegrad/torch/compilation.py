"""`torch.compile`, for programs written with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["compile"]


def compile(model: Callable[..., Any] | None = None, **options: Any) -> Any:
    """The model or function itself, which computes the same; or a decorator that gives it.

    PyTorch's options are taken. Operations are run as they come, and not compiled together:
    `tapegrad.compile` does that for functions of arrays.

    >>> compile(max) is max
    True
    """
    return (lambda function: function) if model is None else model
