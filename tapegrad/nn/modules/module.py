"""`Module`: a function with parameters, buffers and submodules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...torch import compile
from .. import errors
from ..tree import register
from .access import Accessible
from .hooks import (
    BackwardHooks,
    RemovableHandle,
    add,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    shared,
)

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

TABLES = (
    "_parameters",
    "_buffers",
    "_modules",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


class Module(Accessible):
    """The base class of all layers and networks.

    A subclass makes its parameters and submodules in `__init__`, after ``super().__init__()``, by
    assigning them to attributes, and says in `forward` what it computes. It is called as a
    function. Modules are pytrees whose leaves are the parameters.

    >>> import tapegrad.torch as torch
    >>> from tapegrad import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(torch.tensor(3.0))
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> Scale()(torch.tensor(2.0)).item()
    6.0
    """

    call_super_init: bool = False
    _backward_pre_hooks: dict[int, Any]
    _backward_hooks: dict[int, Any]
    _forward_hooks: dict[int, Any]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _forward_pre_hooks: dict[int, Any]
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _is_full_backward_hook: bool | None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            if kwargs:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                    f"'{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but "
                    f"{len(args) + 1} were given"
                )
        own = self.__dict__
        own["training"] = True
        for name in TABLES:
            own[name] = {}
        own["_non_persistent_buffers_set"] = set()
        own["_is_full_backward_hook"] = None
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = self.__dict__
        for name in TABLES:  # states that were saved by classes with fewer tables
            own.setdefault(name, {})
        own.setdefault("_non_persistent_buffers_set", set())
        own.setdefault("_is_full_backward_hook", None)
        own.update(state)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; for subclasses to define."""
        raise errors.no_forward(self)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile `forward` in place, with the arguments of `torch.compile`.

        By default nothing changes; ``backend="tapegrad"`` compiles.
        """
        forward = self.forward
        compiled = compile(forward, *args, **kwargs)
        if compiled is not forward:
            self.__dict__["forward"] = compiled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or shared.forward
            or shared.forward_pre
            or shared.backward
            or shared.backward_pre
        ):
            return self.forward(*args, **kwargs)
        called: set[int] = set()
        try:
            return self._call_with_hooks(args, kwargs, called)
        except Exception:
            self._call_after_failure(args, kwargs, called)
            raise

    def _call_with_hooks(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]
    ) -> Any:
        """`forward` between the hooks; `called` collects the forward hooks that were begun."""
        for hooks, with_kwargs in (
            (shared.forward_pre, {}),
            (self._forward_pre_hooks, self._forward_pre_hooks_with_kwargs),
        ):
            for key, hook in [*hooks.items()]:
                if key in with_kwargs:
                    given = hook(self, args, kwargs)
                    if given is not None:
                        if not (isinstance(given, tuple) and len(given) == 2):
                            raise errors.bad_pre_hook_result(given)
                        args, kwargs = given
                else:
                    given = hook(self, args)
                    if given is not None:
                        args = given if isinstance(given, tuple) else (given,)
        watch = None
        pre = [*shared.backward_pre.values(), *self._backward_pre_hooks.values()]
        back = [*shared.backward.values(), *self._backward_hooks.values()]
        if pre or back:
            watch = BackwardHooks(self, back, pre)
            args = watch.watch_inputs(args)
        result = self.forward(*args, **kwargs)
        for hooks, with_kwargs in (
            (shared.forward, shared.forward_with_kwargs),
            (self._forward_hooks, self._forward_hooks_with_kwargs),
        ):
            for key, hook in [*hooks.items()]:
                called.add(key)
                if key in with_kwargs:
                    given = hook(self, args, kwargs, result)
                else:
                    given = hook(self, args, result)
                if given is not None:
                    result = given
        return result if watch is None else watch.watch_outputs(result)

    def _call_after_failure(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]
    ) -> None:
        """The forward hooks that are always called, where the forward raised before them."""
        for kind, hooks, always, with_kwargs in (
            ("global ", shared.forward, shared.forward_always, shared.forward_with_kwargs),
            (
                "",
                self._forward_hooks,
                self._forward_hooks_always_called,
                self._forward_hooks_with_kwargs,
            ),
        ):
            for key, hook in [*hooks.items()]:
                if key in always and key not in called:
                    given = (args, kwargs, None) if key in with_kwargs else (args, None)
                    try:
                        hook(self, *given)
                    except Exception as failure:  # of which the error of forward must be heard
                        warnings.warn(errors.failed_hook(kind, failure), stacklevel=3)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Have ``hook(module, args)`` called before `forward`; what it gives are other arguments.

        If `with_kwargs` it is ``hook(module, args, kwargs)``, and gives both or None.
        """
        marks = [(self._forward_pre_hooks_with_kwargs, with_kwargs)]
        return add(self._forward_pre_hooks, hook, prepend, marks)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Have ``hook(module, args, output)`` called after `forward`; it may give another output.

        If `with_kwargs` it is ``hook(module, args, kwargs, output)``; if `always_call`, it is
        called with None for the output where `forward` raises.
        """
        marks = [
            (self._forward_hooks_with_kwargs, with_kwargs),
            (self._forward_hooks_always_called, always_call),
        ]
        return add(self._forward_hooks, hook, prepend, marks)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Have ``hook(module, grad_output)`` called when the gradient of the output is known.

        What it gives takes the gradient's place.
        """
        return add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Have ``hook(module, grad_input, grad_output)`` called when the gradients are known.

        Both are tuples, of the positional arguments and of the outputs, with None for what has no
        gradient. What the hook gives takes the place of `grad_input`. Hooks run in the sweeps of
        `backward` and `autograd.grad`; transforms such as `tapegrad.grad` do not call them.
        """
        return self._add_backward_hook(hook, prepend, True)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """As `register_full_backward_hook`, which PyTorch recommends in its place."""
        return self._add_backward_hook(hook, False, False)

    def _add_backward_hook(
        self, hook: Callable[..., Any], prepend: bool, full: bool
    ) -> RemovableHandle:
        if self._is_full_backward_hook is (not full):
            raise errors.both_backward_hooks("on a single Module")
        self._is_full_backward_hook = full
        return add(self._backward_hooks, hook, prepend)

    def extra_repr(self) -> str:
        """What stands in the parentheses of the representation; for subclasses to define."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) > 1 or self._modules:
            lines += [f"({name}): {indented(repr(m))}" for name, m in self._modules.items()]
            return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"
        return f"{self._get_name()}({extra})"


def indented(text: str) -> str:
    """A text whose lines after the first are moved to the right."""
    return text.replace("\n", "\n  ")


register(Module)
