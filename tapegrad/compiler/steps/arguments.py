"""The arguments of one call of a step."""

from __future__ import annotations

from typing import Any

from ... import tree
from ...core.array import Array
from ..keys import static_key


class Arguments:
    """A call's arguments, flat.

    `arrays` are those that are objects of the step's too, each once (tensors, which it may write
    to); `chosen` has the places of NumPy's arrays among the `leaves`. `key` tells calls apart that
    need programs of their own.
    """

    __slots__ = ("args", "arrays", "chosen", "key", "kwargs", "leaves", "names", "structure")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        self.leaves, self.structure = tree.flatten((args, kwargs))
        self.arrays: list[Array] = []
        self.names: list[int] = []  # where each of `arrays` is among the leaves
        self.chosen: list[int] = []
        places: list[int] = []
        rest: list[Any] = []
        for i, x in enumerate(self.leaves):
            if isinstance(x, Array):
                places.append(self.place(x, i))
            elif hasattr(x, "dtype"):
                self.chosen.append(i)
            else:
                rest.append(static_key(x))
        self.key = self.structure, tuple(places), tuple(self.chosen), tuple(rest)

    def place(self, x: Array, leaf: int) -> int:
        """The place of an array among those that there are, where it is put if it is new."""
        for i, other in enumerate(self.arrays):
            if other is x:
                return i
        self.arrays.append(x)
        self.names.append(leaf)
        return len(self.arrays) - 1

    def filled(self, values: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with other values in place of NumPy's arrays."""
        leaves = list(self.leaves)
        for i in self.chosen:
            leaves[i] = next(values)
        args, kwargs = tree.unflatten(self.structure, leaves)
        return args, kwargs
