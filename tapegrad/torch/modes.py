"""`no_grad`, `enable_grad`, `set_grad_enabled` and `inference_mode`: contexts and decorators.

Results of `inference_mode` are ordinary constants here: unlike PyTorch's they may be used in what
is differentiated later, so that `Tensor.is_inference()` is always false.
"""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import Any

from ..core.modes import Mode, enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .calls import attach
from .tensor import Tensor

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]


class _State(threading.local):
    """Whether this thread is in inference mode."""

    inference = False


state = _State()


class InferenceMode(Mode):
    """As `no_grad`, for what is never to be differentiated; ``inference_mode(False)`` records."""

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)
        self.mode = mode
        self.outer: list[bool] = []

    def again(self) -> InferenceMode:
        return InferenceMode(self.mode)

    def __enter__(self) -> None:
        super().__enter__()
        self.outer.append(state.inference)
        state.inference = self.mode

    def __exit__(self, *error: object) -> None:
        state.inference = self.outer.pop()
        super().__exit__(*error)


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode."""
    return state.inference


def is_inference(input: Tensor) -> bool:
    """False: results of `inference_mode` are ordinary constants."""
    return False


def set_multithreading_enabled(mode: bool) -> Any:
    """A context, which makes no difference: a backward runs in the thread that calls it."""
    return nullcontext()


inference_mode = InferenceMode
attach("is_inference", globals())
