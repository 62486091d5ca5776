"""`torch.utils.checkpoint`: less memory for more time, on `tapegrad.checkpoint`.

The function's Python runs once. What the backward runs again are the operations that were recorded,
with the same random numbers. So `use_reentrant`, `preserve_rng_state`, `determinism_check`, `debug`
and `early_stop` are taken and make no difference: either way gradients are right, also those of
tensors that the function closes over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from ...transforms import checkpoint as transform
from .. import errors

__all__ = [
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Any = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, of which nothing is kept for the backward but the inputs.

    >>> import tapegrad.torch as torch
    >>> from tapegrad.torch.utils.checkpoint import checkpoint
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False).backward()
    >>> x.grad
    tensor(-1.0331)
    """
    if context_fn not in (None, noop_context_fn):
        raise errors.context_of_checkpoint()
    return transform.checkpoint(function)(*args, **kwargs)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """The functions (or a `Sequential`) one after another, in segments that are checkpointed.

    The last segment is not, for the backward begins with it.
    """
    steps: Sequence[Callable[[Any], Any]] = list(
        functions.children() if hasattr(functions, "children") else functions
    )
    size = max(1, len(steps) // segments)
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(chained(steps[start : start + size]), input)
    return chained(steps[size * (segments - 1) :])(input)


def chained(steps: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """The functions as one."""

    def run(x: Any) -> Any:
        for step in steps:
            x = step(x)
        return x

    return run


def noop_context_fn() -> tuple[Any, Any]:
    """Two contexts that do nothing: for the forward, and for when it is run again."""
    return nullcontext(), nullcontext()


def set_checkpoint_early_stop(enable: bool) -> Any:
    """A context, which makes no difference: what is run again always stops early."""
    return nullcontext()


def set_checkpoint_debug_enabled(enabled: bool | None) -> Any:
    """A context, which makes no difference."""
    return nullcontext()
