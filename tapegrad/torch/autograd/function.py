"""`torch.autograd.Function`: operations whose derivative is written by hand."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from ...core.array import Array
from ...core.modes import is_grad_enabled, no_grad
from ...core.op import Op
from ...core.record import record
from .. import errors
from ..calls import as_tensors
from ..tensor import Tensor, core
from .application import apply
from .call import Call
from .context import FunctionCtx

__all__ = ["Function", "InplaceFunction", "NestedIOFunction", "once_differentiable"]


class Function:
    """An operation with a derivative of its own: subclass it, and call `apply`.

    ``forward(ctx, *args)`` computes; ``backward(ctx, *grads)`` gives a gradient for each argument,
    None for none. `ctx` saves tensors in between. Instead, `forward(*args)` may leave the saving to
    ``setup_context(ctx, inputs, output)``. ``jvp(ctx, *tangents)`` serves forward mode.
    ``vmap(info, in_dims, *args)``, which gives results and their `out_dims`, may replace how the
    lanes of a `vmap` are computed: by default, by `forward` and `backward` themselves.

    One call is one entry of the tape, of which `backward` is the rule. It works on the conjugates
    of complex gradients, as everywhere in PyTorch.

    >>> import tapegrad.torch as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * 2
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> Double.apply(x).backward()
    >>> x.grad
    tensor(2.)
    """

    generate_vmap_rule = False
    _context: ClassVar[type[FunctionCtx]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise errors.function_instance(type(self).__name__)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The results, as a tensor or a tuple."""
        raise errors.no_forward()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what `backward` needs, where `forward` has no `ctx`."""
        raise errors.no_setup_context()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients of the arguments, for those of the results."""
        raise errors.no_backward()

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The tangents of the results, for those of the arguments (None for none)."""
        raise errors.no_jvp("Function")

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The results over lanes, and the place of their lanes."""
        raise errors.no_vmap()

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the operation."""
        context = () if cls.has("setup_context") else (None,)
        signature = signature_of(cls.forward) if kwargs or not context else None
        if signature and (kwargs or len(args) != len(signature.parameters)):
            bound = signature.bind(*context, *args, **kwargs)
            bound.apply_defaults()
            if not kwargs.keys().isdisjoint(bound.kwargs):
                raise errors.keywords_of_apply()
            args = bound.args[len(context) :]
        return apply(Call(cls, cls.context_class()(), args), args)

    @classmethod
    def has(cls, name: str) -> bool:
        """Whether the author wrote one of the functions that are not always needed."""
        return getattr(cls, name) is not getattr(Function, name)

    @classmethod
    def context_class(cls) -> type[FunctionCtx]:
        """The class of `ctx`, made once for each operation."""
        if "_context" not in cls.__dict__:
            names = {"name_of_function": cls.__name__}
            cls._context = type(f"{cls.__name__}Backward", (FunctionCtx,), names)
        return cls._context


signature_of = functools.lru_cache(maxsize=512)(inspect.signature)

InplaceFunction = NestedIOFunction = Function
"""Names of PyTorch's past, for the same."""


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Say that a `backward` is not differentiable itself: to differentiate it raises."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grads)
        tracked = [core(g) for g in grads if isinstance(g, Tensor) and g.slot]
        saved = ctx.restored[-1] if ctx.restored else ()
        tracked += [core(x) for x in saved if isinstance(x, Tensor) and x.slot]
        if not (tracked and is_grad_enabled()):
            return results
        single = not isinstance(results, tuple)
        marked = [
            as_tensors(record(ONCE, (core(x), *tracked), {}, x.raw)) if is_real(x) else x
            for x in ((results,) if single else results)
        ]
        return marked[0] if single else tuple(marked)

    return wrapper


def is_real(x: Any) -> bool:
    return isinstance(x, Array) and x.raw.dtype.kind in "fcV"


def _refuse(_g: Any, _out: Any, *_inputs: Any, argnum: int) -> Any:
    raise errors.differentiated_twice()


ONCE = Op(
    "once_differentiable",
    forward=lambda _xp, x, *_: x,
    vjp=_refuse,
    jvp=lambda _tangents, _out, *_inputs: _refuse(None, None, argnum=0),
    batch=lambda function, mapped, x, *rest: function(x, *rest),
)
ONCE.function = lambda x, *rest: record(ONCE, (x, *rest), {}, x.raw if isinstance(x, Array) else x)
