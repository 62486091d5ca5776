"""Hooks of modules: handles, hooks of all modules, and how hooks take part in a backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from ...core.array import Array
from ...core.face import bare
from ...core.op import Op, table
from ...core.record import record
from ...core.tape import Paused, current, following
from ...ops.linear import identity
from ...torch.tensor import Tensor, core, wrap
from ...torch.utils.hooks import RemovableHandle, add
from .. import errors


class GlobalHooks:
    """The hooks that all modules share."""

    def __init__(self) -> None:
        self.forward: dict[int, Any] = {}
        self.forward_with_kwargs: dict[int, bool] = {}
        self.forward_always: dict[int, bool] = {}
        self.forward_pre: dict[int, Any] = {}
        self.backward: dict[int, Any] = {}
        self.backward_pre: dict[int, Any] = {}
        self.full: bool | None = None
        self.buffers: dict[int, Any] = {}
        self.modules: dict[int, Any] = {}
        self.parameters: dict[int, Any] = {}


shared = GlobalHooks()


def registered(hooks: dict[int, Any], module: Any, name: str, value: Any) -> Any:
    """What is registered, after the hooks on registrations have seen it."""
    for hook in hooks.values():
        other = hook(module, name, value)
        if other is not None:
            value = other
    return value


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(module, args)`` called before the `forward` of every module."""
    return add(shared.forward_pre, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Have ``hook(module, args, output)`` called after the `forward` of every module."""
    marks = [(shared.forward_with_kwargs, with_kwargs), (shared.forward_always, always_call)]
    return add(shared.forward, hook, marks=marks)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(module, grad_output)`` called in the backward of every module."""
    return add(shared.backward_pre, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(module, grad_input, grad_output)`` called in the backward of every module."""
    return add_global_backward(hook, True)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """As `register_module_full_backward_hook`, which PyTorch recommends in its place."""
    return add_global_backward(hook, False)


def add_global_backward(hook: Callable[..., Any], full: bool) -> RemovableHandle:
    if shared.full is not None and shared.full is not full and shared.backward:
        raise errors.both_backward_hooks("as a global Module hook")
    shared.full = full
    return add(shared.backward, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(module, name, buffer)`` called at each registration; it may give another."""
    return add(shared.buffers, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(module, name, submodule)`` called at each registration; it may give another."""
    return add(shared.modules, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(module, name, parameter)`` called at each registration; it may give another."""
    return add(shared.parameters, hook)


NO_INPUT_GRADIENT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since "
    "no inputs require gradients."
)


class BackwardHooks:
    """A call of a module whose backward is watched.

    The inputs, and then the outputs, go through one entry of the tape that changes nothing; its
    rule is where the hooks are called.
    """

    def __init__(self, module: Any, hooks: list[Any], pre_hooks: list[Any]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.gradients: tuple[Any, ...] | None = None  # with respect to the outputs
        self.places: list[int] | None = None  # of the inputs that have a gradient
        self.count = 0

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of `forward`."""
        self.count = len(args)
        places = tracked(args)
        if not places:
            return args
        self.places = places
        return replaced(args, places, watched([args[i] for i in places], self.at_inputs))

    def watch_outputs(self, result: Any) -> Any:
        """What `forward` gave: a tensor, or a tuple of tensors and other things."""
        if isinstance(result, Tensor):
            return self.watch_outputs((result,))[0]
        if not isinstance(result, tuple):
            return result
        places = tracked(result)
        if not places:
            return result
        size = len(result)
        seen = watched([result[i] for i in places], lambda gs: self.at_outputs(places, size, gs))
        return replaced(result, places, seen)

    def at_outputs(self, places: list[int], size: int, gs: list[Any]) -> list[Any]:
        """The rule behind the outputs: hooks before the backward, and their changes."""
        gradients = spread(gs, places, size)
        for hook in self.pre_hooks:
            gradients = changed("pre hook", hook(self.module, gradients), gradients)
        self.gradients = gradients
        if self.places is None and self.hooks:
            warnings.warn(NO_INPUT_GRADIENT, stacklevel=2)
            for hook in self.hooks:
                hook(self.module, (None,) * self.count, gradients)
        return [gradients[i] for i in places]

    def at_inputs(self, gs: list[Any]) -> list[Any]:
        """The rule in front of the inputs: the hooks proper, and their changes."""
        assert self.places is not None
        gradients = spread(gs, self.places, self.count)
        if self.gradients is None:
            return [gradients[i] for i in self.places]  # an input by another way than the outputs
        for hook in self.hooks:
            result = hook(self.module, gradients, self.gradients)
            gradients = changed("hook", result, gradients)
        self.gradients = None
        return [gradients[i] for i in self.places]


def tracked(values: tuple[Any, ...]) -> list[int]:
    """The places of the tensors that have a gradient."""
    if type(current()) is Paused:
        return []
    return [i for i, x in enumerate(values) if isinstance(x, Tensor) and x.slot]


def replaced(values: tuple[Any, ...], places: list[int], new: list[Any]) -> tuple[Any, ...]:
    """A tuple, or a named tuple, with other values in some places."""
    filled = list(values)
    for i, x in zip(places, new, strict=True):
        filled[i] = x
    return type(values)(*filled) if hasattr(values, "_fields") else tuple(filled)


def spread(gs: list[Any], places: list[int], size: int) -> tuple[Any, ...]:
    """Gradients in their places, None in all others."""
    filled: list[Any] = [None] * size
    for i, g in zip(places, gs, strict=True):
        filled[i] = g
    return tuple(filled)


def changed(what: str, result: Any, before: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients after a hook, which gave None, a tensor, or a tuple."""
    if result is None:
        return before
    given = (result,) if isinstance(result, Tensor) else tuple(result)
    if len(given) != len(before):
        raise errors.wrong_number_of_gradients(what, len(given), len(before))
    return given


def watched(tensors: list[Any], seen: Callable[[list[Any]], list[Any]]) -> list[Any]:
    """Tensors after an entry that does nothing but call ``seen(gradients)`` in a backward.

    None stands for a gradient that has not been computed.
    """
    own = [identity(core(x)) for x in tensors]
    slots = [x.slot for x in own]
    results = own if len(own) == 1 else together(own)
    node = slots[0] if len(own) == 1 else node_of(results[0])

    def after(pulled: dict[int, Any], _: Any) -> None:
        found = [pulled.get(slot) for slot in sources]
        given = seen([None if g is None else wrap(conjugated(g)) for g in found])
        for slot, g in zip(sources, given, strict=True):
            if g is None:
                pulled.pop(slot, None)
            else:
                pulled[slot] = bare(conjugated(g))

    sources = [x.slot for x in tensors] if len(own) == 1 else slots
    following.setdefault(int(str(node)), []).append(after)
    return [wrap(x) for x in results]


def together(arrays: list[Any]) -> list[Any]:
    """Arrays after one entry for all of them."""
    return list(record(tie(len(arrays)), tuple(arrays), {}, tuple(x.raw for x in arrays)))


def node_of(result: Any) -> int:
    """The slot of the entry that gave several results, one of which is `result`."""
    index = result.tape.find(result.slot)
    return int(result.tape[index][2])


@cache
def tie(outputs: int) -> Op:
    """The operation that gives its inputs, all at once."""
    return Op(
        "module_hook",
        forward=lambda xp, *xs: xs,
        vjp=lambda g, _out, *_xs, wanted: list(g),
        jvp=lambda tangents, out, *_xs: tangents,
        batch=lambda function, mapped, *xs: xs,
        joint=True,
        outputs=outputs,
        function=lambda *xs: xs,
        doc="The inputs as they are, where a module's hooks watch a backward.",
    )


def conjugated(g: Any) -> Any:
    """A gradient from the core's convention to PyTorch's, or back."""
    raw = g.raw if isinstance(g, Array) else g
    if raw.dtype.kind != "c":
        return g
    return g.conj() if isinstance(g, Tensor) else table["conj"].function(g)
