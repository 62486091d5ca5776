"""Methods of tensors that are functions of networks; these are loaded when one is first called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from . import errors
from .tensor import Tensor


def method(name: str) -> Callable[..., Tensor]:
    """The method that calls the function of a name on a tensor."""

    def called(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        functions = import_module("tapegrad.nn.functional.top_level").NAMES
        result: Tensor = functions[name](self, *args, **kwargs)
        return result

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"As ``torch.{name}(self, ...)``."
    return called


def chalf(self: Tensor) -> Tensor:
    """Raises: NumPy has no complex numbers of half precision."""
    raise errors.half_complex("Tensor.chalf")


for _name, _method in (
    ("chalf", chalf),
    ("hardshrink", method("hardshrink")),
    ("prelu", method("prelu")),
):
    setattr(Tensor, _name, _method)
