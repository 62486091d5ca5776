"""The arguments of one call of a step."""

from __future__ import annotations

from typing import Any

import optree

from ... import tree
from ...core.array import Array
from ..keys import argument_names, static_key
from ..places import SCALARS


def is_object(x: Any) -> bool:
    """Whether an argument is taken as it is, though it is a container: a module is."""
    return "_parameters" in getattr(x, "__dict__", ())


def paths(value: Any) -> list[str]:
    """As `tree.paths`, with modules for leaves."""
    if is_object(value) or tree.structure(value) is None:
        return [""]
    accessors = optree.tree_accessors(value, is_leaf=is_object, namespace="tapegrad")
    return [accessor.codify("") for accessor in accessors]


class Arguments:
    """A call's arguments, flat.

    `arrays` are those that are objects of the step's too, each once (tensors, which it may write
    to); `chosen` has the places of NumPy's arrays among the `leaves`, `objects` those of modules,
    optimisers and the like. `key` tells calls apart that need programs of their own.
    """

    __slots__ = ("args", "arrays", "chosen", "key", "kwargs", "leaves", "objects", "places", "spec")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        given: Any = args, kwargs
        tree.flatten(given)  # registers dataclasses
        self.leaves, self.spec = optree.tree_flatten(given, is_leaf=is_object, namespace="tapegrad")
        self.arrays: list[Array] = []
        self.places: list[int] = []  # where each of `arrays` is among the leaves
        self.chosen: list[int] = []
        self.objects: list[int] = []
        places: list[int] = []
        rest: list[Any] = []
        for i, x in enumerate(self.leaves):
            if isinstance(x, Array):
                places.append(self.place(x, i))
            elif hasattr(x, "dtype"):
                self.chosen.append(i)
            else:
                rest.append(static_key(x))
                if type(x) not in SCALARS:
                    self.objects.append(i)
        self.key = self.spec, tuple(places), tuple(self.chosen), tuple(rest)

    def place(self, x: Array, leaf: int) -> int:
        """The place of an array among those that there are, where it is put if it is new."""
        for i, other in enumerate(self.arrays):
            if other is x:
                return i
        self.arrays.append(x)
        self.places.append(leaf)
        return len(self.arrays) - 1

    def filled(self, values: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with other values in place of NumPy's arrays."""
        leaves = list(self.leaves)
        for i in self.chosen:
            leaves[i] = next(values)
        whole: Any = optree.tree_unflatten(self.spec, leaves)
        args, kwargs = whole
        return args, kwargs

    def names(self, fun: Any) -> list[str]:
        """What the leaves are called."""
        return argument_names(fun, self.args, self.kwargs, {}, range(len(self.leaves)), paths)
