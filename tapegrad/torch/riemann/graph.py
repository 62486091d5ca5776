"""Zero gradients on request, derivatives of functions by hand, and what a tensor was made of."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from ...core.mutation import follow
from ...core.op import codes
from ...core.op import table as ops
from ...ops.selection import keep
from ..autograd.backward import grad
from ..autograd.function import Function
from ..autograd.graph import find
from ..calls import on_arrays
from ..conversion import clone
from ..filling import zeros_like
from ..printing import elements_as
from ..tensor import Tensor

__all__ = ["attach_zero_grad_sources", "fwbw_all_zero", "share_grad_map", "track_grad"]


@on_arrays
def fwbw_all_zero(x: Any) -> Any:
    """The number 0, with a gradient of zeros in `x`, whatever `x` holds.

    ``a + fwbw_all_zero(x)`` is `a`, and `backward` gives `x` a gradient of zeros in place of none.
    """
    nothing = keep(x, numpy.zeros(x.shape, dtype=bool))
    return ops["sum"].function(nothing, axis=tuple(range(x.ndim)), keepdims=False)


def attach_zero_grad_sources(self: Tensor, sources: Iterable[Any]) -> Tensor:
    """Have `backward` from this tensor give zeros to `sources` that would get no gradient.

    Those that do not require grad are passed over. Changes no value, and gives the tensor itself.
    """
    found = [x for x in sources if isinstance(x, Tensor) and x is not self and x.requires_grad]
    if self.slot < 0:
        for x in found:
            self.register_hook(functools.partial(give_zero, x))
    else:
        for x in found:
            follow(self, self + fwbw_all_zero(x).to(self.dtype))
    return self


def give_zero(x: Tensor, _gradient: Tensor) -> None:
    """Fill the gradient of a leaf with zeros if it has none."""
    if x.is_leaf and x.grad is None:
        x.grad = zeros_like(x)


def share_grad_map(tensors: Any) -> Any:
    """Copies of tensors of which each gives zero gradients to the others; other things as they are.

    So `backward` from a function of some of the copies gives all of `tensors` a gradient.
    """
    if not isinstance(tensors, tuple | list):
        raise ValueError("'tensors' need to be tuple or list of tensors")
    return type(tensors)(
        attach_zero_grad_sources(clone(x), [y for y in tensors if y is not x])
        if isinstance(x, Tensor) and x.requires_grad
        else x
        for x in tensors
    )


class Tracked(Function):
    """A call of a function whose partial derivatives another gives."""

    @staticmethod
    def forward(ctx: Any, call: Any, partials: Any, *tensors: Tensor) -> Any:
        ctx.partials = partials
        ctx.save_for_backward(*tensors)
        return call(*tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        tensors = ctx.saved_tensors
        (g,) = gradients
        found = ctx.partials(*tensors)
        pulled = [
            None if d is None else (g * d).sum_to_size(x.shape)
            for d, x in zip(found, tensors, strict=True)
        ]
        return (None, None, *pulled)


def track_grad(grad_func: Callable[..., tuple[Any, ...]]) -> Callable[..., Any]:
    """Give an elementwise function of tensors its partial derivatives, as a decorator.

    ``grad_func`` takes the same arguments and gives a tuple: the derivative in each tensor, or
    None. For complex tensors it is the conjugate of the derivative, as gradients are.

    >>> import tapegrad.torch as torch
    >>> @track_grad(lambda x: (1.0 / x,))
    ... def mylog(x):
    ...     return torch.log(x.detach())
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> mylog(x).backward()
    >>> x.grad
    tensor(0.5000)
    """

    def decorator(forward_func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(forward_func)
        def wrapper(*xs: Any, **kwargs: Any) -> Any:
            given = [*xs, *kwargs.values()]
            places = [i for i, x in enumerate(given) if isinstance(x, Tensor)]

            def apply(function: Callable[..., Any], tensors: Iterable[Tensor]) -> Any:
                filled = list(given)
                for i, x in zip(places, tensors, strict=True):
                    filled[i] = x
                named = dict(zip(kwargs, filled[len(xs) :], strict=True))
                return function(*filled[: len(xs)], **named)

            return Tracked.apply(
                lambda *tensors: apply(forward_func, tensors),
                lambda *tensors: apply(grad_func, tensors),
                *(given[i] for i in places),
            )

        return wrapper

    return decorator


def mixed_derivative(self: Tensor, *vars: Tensor, create_graph: bool = False) -> Tensor:
    """The derivative of a number in some numbers, one after the other: ``y.d(x, x)``."""
    if self.ndim or not self.requires_grad:
        raise ValueError("d(): the tensor must be a scalar that requires grad")
    if not vars or any(not isinstance(v, Tensor) or v.ndim for v in vars):
        raise ValueError("d(): give the variables, tensors without axes, one by one")
    current = self
    for i, v in enumerate(vars):
        again = create_graph or i < len(vars) - 1
        (found,) = grad(current, v, retain_graph=True, create_graph=again, allow_unused=True)
        if found is None or not (found.requires_grad or i == len(vars) - 1):
            return zeros_like(self)
        current = found
    return current


def copy_to(self: Tensor, target: Any = None) -> Any:
    """Write the elements into a tensor or an ndarray, or into a new tensor, and give that."""
    if target is None:
        return clone(self)
    if isinstance(target, Tensor):
        return target.copy_(self)
    if not isinstance(target, numpy.ndarray):
        raise TypeError("copy_to(): target must be a tensor, an ndarray or None")
    target[...] = self.raw
    return target


def from_vars(self: Tensor) -> tuple[Any, ...]:
    """The nodes of the graph that the tensor was computed from; leaves as themselves."""
    if self.slot <= 0:
        return ()
    nodes = (node for node, _ in self.grad_fn.next_functions)
    return tuple(getattr(node, "variable", node) for node in nodes if node is not None)


def parameters_of(self: Tensor) -> tuple[Any, ...]:
    """The parameters (axes, shapes) of the operation that computed the tensor."""
    entry = find(self.slot)[0] if self.slot > 0 else None
    params = None if entry is None else entry[2 + codes[entry[0]][1]]
    return tuple(params.values()) if params else ()


def displayed(self: Tensor, format_spec: str) -> str:
    """The tensor as text, with a format such as ``"8.4f"`` for each element."""
    start = repr(self).rpartition("]")[2] if self.ndim else ""
    end = start or (", requires_grad=True)" if self.requires_grad else ")")
    return f"tensor({elements_as(self, format_spec)}{end}"


METHODS: dict[str, Any] = {
    "__disp__": displayed,
    "attach_zero_grad_sources": attach_zero_grad_sources,
    "copy_to": copy_to,
    "d": mixed_derivative,
    "fromvars": property(from_vars),
    "grad_value": None,  # cotangents are kept by a sweep, while it runs
    "gradfuncs": property(lambda self: () if self.slot <= 0 else (self.grad_fn,)),
    "parms": property(parameters_of),
    "rcv_grad_count": 0,  # and so is what it still waits for
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
