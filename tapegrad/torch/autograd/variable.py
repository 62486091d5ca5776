"""`Variable`: what tensors that require grad were called before they were one with the others."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor

__all__ = ["Variable"]


class VariableMeta(type):
    """Every tensor is a `Variable`, and to make one gives a tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)

    def __call__(cls, data: Tensor, requires_grad: bool = False) -> Any:
        return data.detach().requires_grad_(requires_grad)


class Variable(metaclass=VariableMeta):
    """``Variable(tensor, requires_grad=False)``: a tensor on the same memory."""
