"""Modules as pytrees: the leaves are the parameters, the rest is structure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import tree
from .parameter import as_parameter


class Structure:
    """A module without its parameters.

    Two are equal if their modules are of the same classes, with parameters of the same names,
    in the same mode, and with the same settings (numbers and strings among the attributes).
    """

    __slots__ = ("key", "module", "names")

    def __init__(self, module: Any, names: tuple[str, ...]) -> None:
        self.module = module
        self.names = names
        self.key = (
            names,
            tuple((path, type(m), settings(m)) for path, m in module.named_modules()),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"{type(self.module).__name__}({', '.join(self.names)})"


SETTINGS = (bool, int, float, str, type(None))


def settings(module: Any) -> tuple[tuple[str, Any], ...]:
    """The attributes of a module that are numbers or strings, or tuples of these."""
    return tuple(
        (name, value)
        for name, value in sorted(module.__dict__.items())
        if isinstance(value, SETTINGS)
        or (type(value) is tuple and all(isinstance(x, SETTINGS) for x in value))
    )


def flatten(module: Any) -> tuple[list[Any], Structure]:
    """The parameters of a module, and the module without them."""
    named = dict(module.named_parameters())
    return [*named.values()], Structure(module, tuple(named))


def unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """A module like that of the structure with other parameters."""
    new = dict(zip(structure.names, leaves, strict=True))
    replaced: dict[int, Any] = {}
    for name, param in structure.module.named_parameters():
        replaced[id(param)] = new[name]
    return copied(structure.module, replaced, {})


def copied(module: Any, replaced: dict[int, Any], done: dict[int, Any]) -> Any:
    """A module of the same buffers and settings whose parameters are replaced, by their `id`."""
    if module is None:
        return None
    if id(module) in done:
        return done[id(module)]
    result = done[id(module)] = object.__new__(type(module))
    own = result.__dict__
    own.update(module.__dict__)
    own["_parameters"] = {
        name: None if x is None else leaf(replaced[id(x)]) for name, x in module._parameters.items()
    }
    own["_buffers"] = dict(module._buffers)
    own["_modules"] = {name: copied(m, replaced, done) for name, m in module._modules.items()}
    return result


def leaf(x: Any) -> Any:
    """A leaf of a tree in the place of a parameter: arrays as tensors, all else as it is."""
    return as_parameter(x) if hasattr(x, "dtype") else x


def register(cls: type) -> None:
    """Make a class of modules a container."""
    tree.register(cls, flatten, unflatten)
