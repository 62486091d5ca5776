"""Members by their paths, beyond PyTorch's methods: asking for, setting and deleting them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from typing import Any

from ..parameter import Parameter
from .state_dict import Stateful


class Accessible(Stateful):
    """Members by paths such as ``"encoder.weight"``, and copies."""

    def _owner(self, target: str) -> tuple[Any, str]:
        path, _, name = target.rpartition(".")
        return self.get_submodule(path), name

    def _has(self, target: str, table: str) -> bool:
        try:
            owner, name = self._owner(target)
        except AttributeError:
            return False
        return getattr(owner, table).get(name) is not None

    def has_parameter(self, target: str) -> bool:
        """Whether a path leads to a parameter."""
        return self._has(target, "_parameters")

    def has_buffer(self, target: str) -> bool:
        """Whether a path leads to a buffer."""
        return self._has(target, "_buffers")

    def has_submodule(self, target: str) -> bool:
        """Whether a path leads to a module."""
        return self._has(target, "_modules")

    def set_parameter(self, target: str, param: Any) -> None:
        """Put a tensor, as a parameter, or None where a path leads."""
        owner, name = self._owner(target)
        plain = param is None or isinstance(param, Parameter)
        setattr(owner, name, param if plain else Parameter(param))

    def set_buffer(self, target: str, tensor: Any) -> None:
        """Put a tensor, or None, in the place of a buffer, or make it a new one."""
        owner, name = self._owner(target)
        if name in owner._buffers:
            setattr(owner, name, tensor)
        else:
            owner.register_buffer(name, tensor)

    def delete_parameter(self, target: str) -> None:
        """Delete the parameter that a path leads to."""
        self.get_parameter(target)
        owner, name = self._owner(target)
        delattr(owner, name)

    def delete_buffer(self, target: str) -> None:
        """Delete the buffer that a path leads to."""
        self.get_buffer(target)
        owner, name = self._owner(target)
        delattr(owner, name)

    def delete_submodule(self, target: str) -> bool:
        """Delete the module that a path leads to; False if there is none."""
        if not self.has_submodule(target):
            return False
        owner, name = self._owner(target)
        delattr(owner, name)
        return True

    def register_parameters_batch(self, params: Mapping[str, Any]) -> None:
        """Register several parameters by name."""
        for name, param in params.items():
            self.register_parameter(name, param)

    def register_buffers_batch(self, buffers: Mapping[str, Any], persistent: bool = True) -> None:
        """Register several buffers by name."""
        for name, tensor in buffers.items():
            self.register_buffer(name, tensor, persistent)

    def enable_cache(self, enabled: bool = True) -> None:
        """Nothing: members are found in dictionaries, and there is no cache to be wrong."""

    def clear_cache(self) -> None:
        """Nothing, as in `enable_cache`."""

    def copy(self) -> Any:
        """A module with the same parameters, buffers and submodules, in dictionaries of its own."""
        result = copy(self)
        for name, value in self.__dict__.items():
            if isinstance(value, dict | set):
                result.__dict__[name] = value.copy()
        return result

    def deepcopy(self) -> Any:
        """A module that shares nothing with this one."""
        return deepcopy(self)
