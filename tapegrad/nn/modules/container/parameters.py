"""Containers: parameters in sequences and dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ....torch.tensor import Tensor
from ... import errors
from ...parameter import Parameter
from ..module import Module
from .modules import pairs, position

__all__ = ["ParameterDict", "ParameterList"]


def as_learned(x: Any) -> Any:
    """A tensor as a parameter; anything else as it is."""
    if isinstance(x, Tensor) and not isinstance(x, Parameter):
        return Parameter(x)
    return x


def description(key: str, x: Any, kind: str) -> str:
    """A line that tells of an element of a container of parameters, of a dtype spelled `kind`."""
    if not isinstance(x, Tensor):
        return f"({key}): Object of type: {type(x).__name__}"
    name = "Parameter" if isinstance(x, Parameter) else "Tensor"
    size = "x".join(map(str, x.shape))
    where = "" if x.device.type == "cpu" else f" ({x.device})"
    return f"({key}): {name} containing: [{kind} of size {size}{where}]"


def listing(name: str, text: str) -> str:
    """The representation of a container with a line for each element, if there are several."""
    if "\n" not in text:
        return f"{name}(  {text})" if text else f"{name}()"
    return f"{name}(" + f"\n{text}\n".replace("\n(", "\n    (") + ")"


class ParameterList(Module):
    """A list of parameters; tensors become parameters, other values may be among them."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(self[i] for i in range(*index.indices(len(self))))
        return getattr(self, str(position(index, len(self))))

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, str(position(index, len(self))), as_learned(value))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise errors.called_container(self)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def append(self, value: Any) -> ParameterList:
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got "
                f"{type(values).__name__}"
            )
        for value in [*values]:
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def extra_repr(self) -> str:
        """A line for each element."""
        return "\n".join(
            description(str(i), x, str(getattr(x, "dtype", ""))) for i, x in enumerate(self)
        )

    def __repr__(self) -> str:
        return listing("ParameterList", self.extra_repr())


class ParameterDict(Module):
    """A dictionary of parameters; tensors become parameters, other values may be among them."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{key}'")
        return getattr(self, key)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise errors.called_container(self)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}'). Open an issue on github if you need non-string "
                "keys."
            )
        self._keys[key] = None
        setattr(self, key, as_learned(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """The names and values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterator[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, or `default`."""
        return self[key] if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a name; `default`, which is entered, if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Take out a value, and give it back."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Take out the last name and its value."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def clear(self) -> None:
        """Take out everything."""
        for key in [*self._keys]:
            del self[key]

    def copy(self) -> ParameterDict:
        """A dictionary of the same values."""
        return ParameterDict(self)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A dictionary with one value for all names."""
        return ParameterDict((key, default) for key in keys)

    def update(self, parameters: Any) -> None:
        """Add the values of a mapping, or of an iterable of pairs."""
        for key, value in pairs(parameters, "ParameterDict"):
            self[key] = value

    def __or__(self, other: ParameterDict) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self

    def extra_repr(self) -> str:
        """A line for each value."""
        return "\n".join(description(key, x, errors.type_name(x)) for key, x in self.items())

    def __repr__(self) -> str:
        return listing("ParameterDict", self.extra_repr())
