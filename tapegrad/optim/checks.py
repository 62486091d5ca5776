"""Checks of an optimiser's options, where it is made."""

from __future__ import annotations

from typing import Any

from ..torch.tensor import Tensor
from . import errors


def one_element(what: str, value: Any) -> None:
    """Raise if an option is a tensor of several elements."""
    if isinstance(value, Tensor) and value.raw.size != 1:
        raise errors.not_one_element(what)


def rate(lr: Any) -> None:
    """Check a learning rate."""
    one_element("lr", lr)
    if not lr >= 0.0:
        raise errors.invalid("learning rate", lr)


def not_negative(**options: Any) -> None:
    """Check that options are zero or larger; raises with their names."""
    for name, value in options.items():
        if not value >= 0.0:
            what = "epsilon value" if name == "eps" else f"{name} value"
            raise errors.invalid(what, value)


def decays(betas: Any) -> None:
    """Check the decay rates of running averages."""
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise errors.invalid(f"beta parameter at index {i}", beta)


def moments(lr: Any, betas: Any, eps: Any, weight_decay: Any) -> None:
    """Check what the optimisers have that average gradients and their sizes."""
    rate(lr)
    not_negative(eps=eps)
    decays(betas)
    not_negative(weight_decay=weight_decay)


def flags(foreach: bool | None, fused: bool | None, differentiable: bool) -> None:
    """Check flags that exclude each other."""
    if fused and differentiable:
        raise errors.fused_and("differentiable")
    if fused and foreach:
        raise errors.fused_and("foreach")


def real(optimizer: Any, group: dict[str, Any]) -> None:
    """Raise if a parameter with a gradient is complex."""
    for p in group["params"]:
        if p.grad is not None and p.raw.dtype.kind == "c":
            raise errors.complex_parameters(type(optimizer).__name__)
