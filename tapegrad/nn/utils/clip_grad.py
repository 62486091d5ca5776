"""Gradients held within bounds."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ...backend import quiet
from ...core.modes import no_grad
from ...torch.creation import tensor
from ...torch.joining import stack
from ...torch.tensor import Tensor

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]

Tensors = Any


def unrecorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs without recording."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with no_grad():
            return function(*args, **kwargs)

    return run


def listed(tensors: Tensors) -> list[Any]:
    """One tensor or several, as a list."""
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def gradients(parameters: Iterable[Any]) -> list[Any]:
    """The gradients that there are."""
    return [p.grad for p in parameters if p.grad is not None]


@unrecorded
def get_total_norm(
    tensors: Tensors,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """The norm of all tensors together, as of one vector.

    `norm_type` may be infinity. `foreach` is PyTorch's, and changes nothing here.
    """
    given = listed(tensors)
    norm_type = float(norm_type)
    if not given:
        return tensor(0.0)
    total = stack([x.norm(norm_type) for x in given]).norm(norm_type)
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped. To disable this error and scale the gradients by the "
            "non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


@unrecorded
def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Any, foreach: bool | None = None
) -> None:
    """Scale the parameters' gradients by ``max_norm / total_norm`` if that is less than 1."""
    found = gradients(listed(parameters))
    if not found:
        return
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    with quiet():
        for grad in found:
            grad.mul_(factor)


@unrecorded
def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """Scale all gradients so that their norm together is at most `max_norm`; gives the norm before.

    An infinite norm makes them zero (and NaN where they are infinite), NaN makes all NaN; either
    raises if `error_if_nonfinite`.
    """
    given = listed(parameters)
    if isinstance(parameters, types.GeneratorType) and not given:
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3
        )
    total = get_total_norm(gradients(given), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(given, max_norm, total, foreach)
    return total


def clip_grad_norm(*args: Any, **kwargs: Any) -> Any:
    """The older name of `clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(*args, **kwargs)


@unrecorded
def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Hold each element of the gradients between ``-clip_value`` and ``clip_value``."""
    clip_value = float(clip_value)
    for grad in gradients(listed(parameters)):
        grad.clamp_(-clip_value, clip_value)
