"""Changing all of a module: its dtype and device, its mode, what is learned."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from ...core.modes import no_grad
from ...torch.dtypes import as_numpy, bfloat16, dtype, float16, float32, float64, of_numpy
from ...torch.tensor import Tensor
from .. import errors
from ..parameter import is_lazy
from .members import Members

M = TypeVar("M", bound="Convertible")

COMPLEX_MODULES = (
    "Complex modules are a new feature under active development whose design may change, and some "
    "modules might not work as expected when using complex tensors as parameters or buffers."
)


class Convertible(Members):
    """What can be done to a module and all below it at once."""

    def _apply(self: M, fn: Callable[[Any], Any], recurse: bool = True) -> M:
        """Put ``fn(tensor)`` in the place of the data of each parameter, gradient and buffer."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            if is_lazy(param):
                param.template = fn(param.template)
                continue
            with no_grad():
                param.data = fn(param.data)
                grad = param.grad
                if grad is not None:
                    grad.data = fn(grad.data)
        for name, buffer in self._buffers.items():
            if is_lazy(buffer):
                buffer.template = fn(buffer.template)
            elif buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def apply(self: M, fn: Callable[[Any], Any]) -> M:
        """Call `fn` on every module below this one, and then on this one.

        >>> from tapegrad import nn
        >>> _ = nn.Linear(2, 2).apply(lambda module: nn.init.zeros_(module.bias))
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self: M, *args: Any, **kwargs: Any) -> M:
        """Move and convert the parameters and buffers: ``to(device, dtype)``, ``to(tensor)``.

        A dtype changes those that are floating point or complex, and has to be such a one.
        """
        place, wanted = parsed(args, kwargs)
        if wanted is not None:
            if not (wanted.is_floating_point or wanted.is_complex):
                raise errors.integer_module(wanted)
            if wanted.is_complex:
                warnings.warn(COMPLEX_MODULES, stacklevel=2)

        def convert(x: Any) -> Any:
            inexact = x.is_floating_point() or x.is_complex()
            return x.to(device=place, dtype=wanted if inexact else None)

        return self._apply(convert)

    def type(self: M, dst_type: Any) -> M:
        """Convert all parameters and buffers to a dtype."""
        return self._apply(lambda x: x.type(dst_type))

    def float(self: M) -> M:
        """Convert what is floating point to float32."""
        return self._floats(float32)

    def double(self: M) -> M:
        """Convert what is floating point to float64."""
        return self._floats(float64)

    def half(self: M) -> M:
        """Convert what is floating point to float16."""
        return self._floats(float16)

    def bfloat16(self: M) -> M:
        """Convert what is floating point to bfloat16."""

        return self._floats(bfloat16)

    def _floats(self: M, d: Any) -> M:
        return self._apply(lambda x: x.to(d) if x.is_floating_point() else x)

    def cuda(self: M, device: Any = None) -> M:
        """Move to a GPU."""
        place = "cuda" if device is None else device
        return self._apply(lambda x: x.to(device=place))

    def cpu(self: M) -> M:
        """Move to the CPU."""
        return self._apply(lambda x: x.cpu())

    def to_empty(self: M, *, device: Any, recurse: bool = True) -> M:
        """Move to a device without the values: they are arbitrary then."""
        return self._apply(lambda x: x.to(device=device), recurse=recurse)

    def share_memory(self: M) -> M:
        """Give back this module: threads share its memory anyway."""
        return self

    def train(self: M, mode: bool = True) -> M:
        """Set training mode, or evaluation mode, in this module and in all below it."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: M) -> M:
        """Set evaluation mode."""
        return self.train(False)

    def requires_grad_(self: M, requires_grad: bool = True) -> M:
        """Have all parameters learned, or frozen."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the parameters' gradients, or make them zero."""
        for param in self.parameters():
            grad = param.grad
            if grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if grad.slot:
                    grad = param.grad = grad.detach()
                with no_grad():
                    grad.zero_()


def parsed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The device and the dtype that the arguments of `to` name."""
    place = kwargs.get("device")
    wanted = kwargs.get("dtype")
    other = kwargs.get("tensor")
    for a in args:
        if isinstance(a, dtype) or a in (float, int, complex):
            wanted = a
        elif isinstance(a, Tensor):
            other = a
        elif not isinstance(a, bool) and a is not None:
            place = a
    if other is not None:
        place, wanted = other.device, other.dtype
    return place, None if wanted is None else of_numpy(as_numpy(wanted))
