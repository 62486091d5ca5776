"""What a tensor tells of its part in differentiation, and how it is told: `requires_grad`, `grad`,
`data`, `detach`, `backward`, hooks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
from numpy import ndarray

from ...backend import place_of, restore, silence
from ...core import array as arrays
from ...core import leaf as leaves
from ...core.array import Traced
from ...core.mutation import assign
from ...core.tail import backward_at_the_end
from ...core.versions import version_of
from .. import errors
from ..tensor import Tensor, replace, wrap, writable
from ..views import view
from .backward import backward
from .handle import Handle
from .names import note_end


def get_requires_grad(self: Tensor) -> bool:
    """Whether operations on the tensor are recorded to be differentiated."""
    if isinstance(self, Traced):
        tape: Any = self.tape
        return bool(self.slot) and bool(tape.requires_grad(self))
    return self.slot != 0


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Make the tensor a leaf whose `grad` is filled by `backward`, or a constant again."""
    if self.slot > 0:
        if requires_grad != get_requires_grad(self):
            raise errors.only_leaves()
    elif requires_grad:
        if self.raw.dtype.kind not in "fcV":
            raise errors.integer_requires_grad()
        kept = arrays.grad_of(self)
        leaves.make_leaf(self)
        arrays.set_grad(self, kept)
    elif self.slot:
        leaves.freeze(self)
    return self


def set_requires_grad(self: Tensor, requires_grad: bool) -> None:
    requires_grad_(self, requires_grad)


def get_grad(self: Tensor) -> Tensor | None:
    """The accumulated gradient of a leaf (or of what `retain_grad` was called on), or None."""
    found: Tensor | None = arrays.grad_of(self)
    if found is None and self.slot > 0 and not may_have_grad(self):
        warnings.warn(errors.GRAD_OF_COMPUTED, stacklevel=2)
    return found


def may_have_grad(x: Tensor) -> bool:
    """Whether a computed tensor gets a gradient: it was asked for, or stands for a leaf."""
    return isinstance(x, Traced) or x.slot in leaves.retained


def set_grad(self: Tensor, grad: Tensor | None) -> None:
    if grad is not None:
        if not isinstance(grad, Tensor):
            raise errors.grad_no_tensor(type(grad))
        if grad is self:
            raise errors.grad_of_itself()
        if grad.raw.shape != self.raw.shape:
            raise errors.grad_of_wrong_size(grad.raw.shape, self.raw.shape)
        if grad.raw.dtype != self.raw.dtype:
            raise errors.grad_of_wrong_dtype(grad.dtype, self.dtype)
        if place_of(grad.raw) != place_of(self.raw):
            raise errors.grad_elsewhere()
    arrays.set_grad(self, grad)


def detach(self: Tensor) -> Tensor:
    """The same memory as a constant: what is written to one shows in the other."""
    if isinstance(self, Traced):
        return view(self, "stop_gradient")
    return wrap(writable(self))


def detach_(self: Tensor) -> Tensor:
    """Make the tensor a constant: what it was computed from gets no gradient through it."""
    if getattr(self, "base", None) is not None:
        raise errors.detached_view()
    if isinstance(self, Traced):
        assign(self, detach(self))
        return self
    if self.slot < 0:
        leaves.freeze(self)
    self.slot = 0
    self.tape = None
    return self


class Memory:
    """The memory of an array as NumPy sees that of a foreign library."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.__array_interface__ = raw.__array_interface__


def get_data(self: Tensor) -> Tensor:
    """The same memory as a constant. Writes through it are not noticed by the graph's checks.

    A gradient may be wrong then: `detach()` is safe.
    """
    if isinstance(self, Traced):
        return detach(self)
    raw = writable(self)
    if not isinstance(raw, ndarray):
        return wrap(raw)
    return wrap(numpy.asarray(Memory(raw)).view(raw.dtype))


def set_data(self: Tensor, new: Tensor) -> None:
    if isinstance(self, Traced) or isinstance(new, Traced):
        assign(self, detach(new))
    else:
        replace(self, writable(new))


def backward_method(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of this tensor to the `grad` of the leaves it was computed from.

    >>> import tapegrad.torch as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (x * x).backward()
    >>> x.grad
    tensor(6.)
    """
    simple = gradient is None and inputs is None and not retain_graph and not create_graph
    note_end(self)
    token = silence()
    try:
        if simple and backward_at_the_end(self):
            return
        backward(self, gradient, retain_graph, create_graph, inputs)
    finally:
        restore(token)


def register_hook(self: Tensor, hook: Callable[[Any], Any]) -> Handle:
    """Have `hook(grad)` called in each backward; what it returns, if not None, is passed on."""
    if not self.slot:
        raise errors.hook_without_grad()

    def checked(g: Any) -> Any:
        result = hook(g)
        if result is not None:
            check_result(hook, g, result)
        return result

    return Handle(leaves.add_hook(self, checked))


def check_result(hook: Callable[[Any], Any], g: Tensor, result: Any) -> None:
    """Raise unless what a hook gives can take the place of a gradient."""
    name = getattr(hook, "__name__", type(hook).__name__)
    if not isinstance(result, Tensor):
        raise errors.hook_no_tensor(type(result))
    if result.raw.dtype != g.raw.dtype:
        raise errors.hook_changed_dtype(name, g.dtype, result.dtype)
    if result.raw.shape != g.raw.shape:
        raise errors.hook_changed_size(name)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Any], None]) -> Handle:
    """Have `hook(tensor)` called after `backward` has added to the `grad` of this leaf."""
    if self.slot >= 0:
        raise errors.hook_on_computed()
    return Handle(leaves.add_hook_after(self, hook))


def retain_grad(self: Tensor) -> None:
    """Have `backward` fill the `grad` of a computed tensor too."""
    if not self.slot:
        raise errors.retain_without_grad()
    leaves.retain_grad(self)


ATTRIBUTES: dict[str, Any] = {
    "requires_grad": property(get_requires_grad, set_requires_grad),
    "requires_grad_": requires_grad_,
    "is_leaf": property(lambda self: self.slot <= 0),
    "grad": property(get_grad, set_grad, lambda self: set_grad(self, None)),
    "data": property(get_data, set_data),
    "detach": detach,
    "detach_": detach_,
    "backward": backward_method,
    "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    "retain_grad": retain_grad,
    "retains_grad": property(lambda self: self.slot in leaves.retained),
    "_version": property(lambda self: version_of(self.raw)),
}

for _name, _attribute in ATTRIBUTES.items():
    setattr(Tensor, _name, _attribute)
