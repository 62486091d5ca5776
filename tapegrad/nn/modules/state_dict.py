"""A module's state: what it is saved as, and how it is loaded."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from weakref import ref

from ...core.modes import no_grad
from ...torch.tensor import Tensor
from ...torch.utils.hooks import RemovableHandle, add
from .. import errors
from ..parameter import Parameter, is_lazy
from .conversion import Convertible

EXTRA_STATE = "_extra_state"


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Keys):
    """What a loaded state lacked, and what it had too much."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys!r}, "
            f"unexpected_keys={self.unexpected_keys!r})"
        )

    __str__ = __repr__


class WithModule:
    """A hook that gets the module it was registered on first, without keeping that alive."""

    def __init__(self, hook: Callable[..., Any], module: Any) -> None:
        self.hook = hook
        self.module = ref(module)

    def __call__(self, *args: Any) -> Any:
        return self.hook(self.module(), *args)

    def __reduce__(self) -> tuple[Any, ...]:
        return WithModule, (self.hook, self.module())

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copied = memo.get(id(self.module()), self.module())
        return WithModule(self.hook, copied)


class Stateful(Convertible):
    """What can be saved to a dictionary of tensors, and loaded from one."""

    _version: int = 1
    _state_dict_hooks: dict[int, Any]
    _state_dict_pre_hooks: dict[int, Any]
    _load_state_dict_pre_hooks: dict[int, Any]
    _load_state_dict_post_hooks: dict[int, Any]

    def get_extra_state(self) -> Any:
        """What is to be saved beside the tensors; for subclasses to define."""
        raise errors.extra_state("get_extra_state")

    def set_extra_state(self, state: Any) -> None:
        """Take what `get_extra_state` gave when the state was saved."""
        raise errors.extra_state("set_extra_state")

    def state_dict(
        self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """The parameters and persistent buffers of this module and those below it, by name.

        The tensors share the memory of the module's; they are detached unless `keep_vars`.
        """
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, metadata)
            if result is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = result
        return destination

    def _persistent(self) -> dict[str, Any]:
        """The module's own parameters and persistent buffers."""
        kept = (
            (name, buffer)
            for name, buffer in self._buffers.items()
            if name not in self._non_persistent_buffers_set
        )
        both = itertools.chain(self._parameters.items(), kept)
        return {name: x for name, x in both if x is not None}

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, x in self._persistent().items():
            destination[prefix + name] = x if keep_vars or is_lazy(x) else x.detach()
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(module, prefix, keep_vars)`` called before the state is gathered."""
        return add(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(module, state_dict, prefix, local_metadata)`` called after it is."""
        public: Any = hook
        public._from_public_api = True
        return add(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return add(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)`` called before this module's own state is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        entered = WithModule(hook, self) if with_module else hook
        return add(self._load_state_dict_pre_hooks, entered)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(module, incompatible_keys)`` called after the state is loaded."""
        return add(self._load_state_dict_post_hooks, hook)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Copy a state into the parameters and buffers; with `assign`, take its tensors themselves.

        If `strict`, the names have to match exactly. Gives what was missing and what was too much.
        """
        if not isinstance(state_dict, Mapping):
            raise errors.not_a_state(state_dict)
        missing: list[str] = []
        unexpected: list[str] = []
        messages: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        self._load(
            OrderedDict(state_dict), metadata or {}, "", assign, (missing, unexpected, messages)
        )
        if strict:
            for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    listed = ", ".join(f'"{key}"' for key in keys)
                    messages.insert(0, f"{what} key(s) in state_dict: {listed}. ")
        if messages:
            raise errors.cannot_load(self, messages)
        return _IncompatibleKeys(missing, unexpected)

    def _load(
        self,
        state: Any,
        metadata: dict[str, Any],
        prefix: str,
        assign: bool,
        found: tuple[list[str], list[str], list[str]],
    ) -> None:
        """Load this module and those below it; `found` collects what is wrong."""
        local = dict(metadata.get(prefix[:-1], {}))
        if assign:
            local["assign_to_params_buffers"] = True
        self._load_from_state_dict(state, prefix, local, True, *found)
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}{name}."
                part = OrderedDict((k, v) for k, v in state.items() if k.startswith(below))
                module._load(part, metadata, below, assign, found)
        keys = _IncompatibleKeys(*found[:2])
        for hook in self._load_state_dict_post_hooks.values():
            if hook(self, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected "
                    "to return new values, if incompatible_keys need to be modified, it should be "
                    "done inplace."
                )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load this module's own parameters and buffers; what goes wrong is added to the lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(
                state_dict,
                prefix,
                local_metadata,
                strict,
                missing_keys,
                unexpected_keys,
                error_msgs,
            )
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = self._persistent()
        for name, x in own.items():
            key = prefix + name
            if key in state_dict:
                message = self._load_tensor(name, key, x, state_dict[key], assign)
                if message:
                    error_msgs.append(message)
            elif strict:
                missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        if type(self).set_extra_state is not Stateful.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if not strict:
            return
        for key in state_dict:
            if key.startswith(prefix) and key != extra:
                name, dot, _ = key[len(prefix) :].partition(".")
                if name not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    def _load_tensor(self, name: str, key: str, x: Any, loaded: Any, assign: bool) -> str | None:
        """Load one tensor; the text of what is wrong, if it cannot be."""
        if not isinstance(loaded, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(loaded)}"
            )
        given: Any = loaded
        if is_lazy(given) and is_lazy(x):
            return None
        if not is_lazy(x):
            if x.raw.ndim == 0 and given.raw.shape == (1,):
                given = given[0]
            if given.shape != x.shape:
                return (
                    f"size mismatch for {key}: copying a param with shape {given.shape} from "
                    f"checkpoint, the shape in current model is {x.shape}."
                )
        try:
            with no_grad():
                if assign:
                    if isinstance(x, Parameter):
                        if isinstance(given, Parameter):
                            given.requires_grad_(x.requires_grad)
                        else:
                            given = Parameter(given, requires_grad=x.requires_grad)
                    setattr(self, name, given)
                else:
                    x.copy_(given)
        except Exception as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{x.size()} and whose dimensions in the checkpoint are {given.size()}, an "
                f"exception occurred : {error.args}."
            )
        return None
