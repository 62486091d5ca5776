"""The members of a module: parameters, buffers and submodules, by name and in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...torch.tensor import Tensor
from .. import errors
from ..parameter import Buffer, Parameter
from .hooks import registered, shared

Self = Any


class Members:
    """What a module is made of."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def register_parameter(self, name: str, param: Any) -> None:
        """Make a `Parameter`, or None, the parameter `name`."""
        self.check_name("parameter", name, self.__dict__.get("_parameters"))
        if param is not None:
            if not isinstance(param, Parameter):
                raise errors.cannot_register(param, "parameter", name, "torch.nn.Parameter or None")
            if param.slot > 0:
                raise errors.computed_parameter(name)
            param = registered(shared.parameters, self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Make a tensor, or None, the buffer `name`; part of the `state_dict` if `persistent`."""
        self.check_name("buffer", name, self.__dict__.get("_buffers"))
        if tensor is not None and not isinstance(tensor, Tensor):
            raise errors.cannot_register(tensor, "buffer", name, "torch Tensor or None")
        self._buffers[name] = registered(shared.buffers, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        """Make a module, or None, the submodule `name`."""
        if not (isinstance(module, Members) or module is None):
            raise errors.not_module(module)
        self.check_name("module", name, self.__dict__.get("_modules"))
        self._modules[name] = registered(shared.modules, self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """As `add_module`."""
        self.add_module(name, module)

    def check_name(self, what: str, name: Any, own: dict[str, Any] | None) -> None:
        """Raise if nothing of this kind can be registered by this name."""
        if own is None:
            raise errors.no_init(what)
        if not isinstance(name, str):
            raise errors.name_not_string(what, name)
        if "." in name:
            raise errors.name_with_dot(what, name)
        if not name:
            raise errors.empty_name(what)
        if name not in own and hasattr(self, name):
            raise errors.name_taken(name)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in own and name in own[table]:
                return own[table][name]
        raise errors.no_attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Members) and name in own.get("_parameters", ()):
            raise errors.cannot_assign(value, "parameter", name, "torch.nn.Parameter or None")
        if isinstance(value, Tensor):
            if value.is_parameter:
                if "_parameters" not in own:
                    raise errors.no_init("parameters")
                self.forget(name, own["_parameters"])
                self.register_parameter(name, value)
                return
            if isinstance(value, Buffer):
                if "_buffers" not in own:
                    raise errors.no_init("buffers")
                self.forget(name, own["_buffers"])
                self.register_buffer(name, value, getattr(value, "persistent", True))
                return
        elif isinstance(value, Members):
            if "_modules" not in own:
                raise errors.no_init("module")
            self.forget(name, own["_modules"])
            own["_modules"][name] = registered(shared.modules, self, name, value)
            return
        if "_parameters" in own:
            if name in own["_parameters"]:
                if value is not None:
                    raise errors.cannot_assign(
                        value, "parameter", name, "torch.nn.Parameter or None"
                    )
                self.register_parameter(name, None)
                return
            if name in own["_modules"]:
                if value is not None:
                    raise errors.cannot_assign(
                        value, "child module", name, "torch.nn.Module or None"
                    )
                own["_modules"][name] = registered(shared.modules, self, name, None)
                return
            if name in own["_buffers"]:
                if value is not None and not isinstance(value, Tensor):
                    expected = "torch.nn.Buffer, torch.Tensor or None"
                    raise errors.cannot_assign(value, "buffer", name, expected)
                own["_buffers"][name] = registered(shared.buffers, self, name, value)
                return
        object.__setattr__(self, name, value)

    def forget(self, name: str, kept: dict[str, Any]) -> None:
        """Drop what there is by a name, of all kinds but that of the table `kept`."""
        own = self.__dict__
        own.pop(name, None)
        for table in (own["_parameters"], own["_buffers"], own["_modules"]):
            if table is not kept:
                table.pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name: str) -> None:
        for own in (self._parameters, self._buffers, self._modules):
            if name in own:
                del own[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        members = (*self._parameters, *self._modules, *self._buffers)
        names = {*object.__dir__(self), *members}
        return sorted(name for name in names if not name[:1].isdigit())

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """This module and all below it, each with the path that leads to it."""
        seen: set[Any] = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(seen, path, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Any]:
        """This module and all below it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """The direct submodules by name; one that has two names comes once."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        """The direct submodules."""
        for _, module in self.named_children():
            yield module

    def _named_members(
        self,
        get_members_fn: Callable[[Any], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules if recurse else [(prefix, self)]:
            for name, value in get_members_fn(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """The parameters by the path that leads to them, of this module and of those below it."""
        return self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        """The parameters; one that is shared comes once."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """The buffers by the path that leads to them, of this module and of those below it."""
        return self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        """The buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Any:
        """The module that a path such as ``"encoder.layers.0"`` leads to."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise errors.no_member(module, name)
            module = getattr(module, name)
            if not isinstance(module, Members):
                raise errors.not_member(name, "an nn.Module")
        return module

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put a module where a path leads; if `strict`, there has to be one already."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Members):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise errors.no_member(parent, name)
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Members):
            raise errors.not_member(name, "an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Any:
        """The parameter that a path leads to."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise errors.no_member(module, name)
        param = getattr(module, name)
        if not isinstance(param, Parameter):
            raise errors.not_member(name, "an nn.Parameter")
        return param

    def get_buffer(self, target: str) -> Any:
        """The buffer that a path leads to."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise errors.no_member(module, name)
        if name not in module._buffers:
            raise errors.not_member(name, "a buffer")
        return module._buffers[name]

    def _get_name(self) -> str:
        return type(self).__name__
