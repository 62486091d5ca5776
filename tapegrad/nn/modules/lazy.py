"""Modules that find out the shapes of their parameters when they are first called."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

from ...core.modes import no_grad
from ..parameter import is_lazy
from .module import Module

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin(Module):
    """Beside a class of layers: has uninitialised parameters until the first call.

    Then `initialize_parameters`, with the arguments of the call, makes them, and the module becomes
    one of the class `cls_to_become`.
    """

    cls_to_become: ClassVar[type[Any] | None] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self.register_load_state_dict_pre_hook(materialize_loaded)
        self._initialize_hook = self.register_forward_pre_hook(infer_parameters, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Make the parameters for the arguments of a call; for subclasses to define."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self) -> bool:
        """Whether there are parameters or buffers without a shape."""
        return any(map(is_lazy, itertools.chain(self._parameters.values(), self._buffers.values())))


def materialize_loaded(module: Any, state: Any, prefix: str, *_: Any) -> None:
    """Give parameters the shapes of those that are going to be loaded."""
    for name, x in itertools.chain(module._parameters.items(), module._buffers.items()):
        given = state.get(prefix + name)
        if is_lazy(x) and given is not None and not is_lazy(given):
            with no_grad():
                x.materialize(given.shape)


def infer_parameters(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Initialise a module for its first call, and make it one of its proper class."""
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
    module._initialize_hook.remove()
    module._load_hook.remove()
    del module._initialize_hook, module._load_hook
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become
