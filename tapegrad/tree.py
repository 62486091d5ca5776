"""Pytrees, on `optree`: nested containers whose leaves are arrays and numbers.

Dictionaries, lists, tuples, named tuples, `None`, dataclasses and registered classes are
containers; everything else is a leaf. `optree` is imported when the first container is met.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from .core.array import Array, Traced

__all__ = ["flatten", "leaves", "map", "paths", "register", "spread", "structure", "unflatten"]

Structure = Any

_registering = threading.Lock()

_single = {numpy.ndarray, float, numpy.float64, numpy.float32, int, complex, Array, Traced}


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of `tree`, and its structure (None for a tree that is a single leaf).

    >>> flatten({"a": 1.0, "b": [2.0, 3.0]})[0]
    [1.0, 2.0, 3.0]
    """
    if type(tree) in _single:
        return [tree], None
    import optree

    while True:
        leaves, structure = optree.tree_flatten(tree, namespace="tapegrad")
        unknown = {type(leaf) for leaf in leaves} - _single
        new = [kind for kind in unknown if dataclasses.is_dataclass(kind)]
        if not new:
            return leaves, None if optree.treespec_is_leaf(structure) else structure
        for cls in new:
            _register_dataclass(cls)


def unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """The tree of a structure with other leaves."""
    if structure is None:
        (leaf,) = leaves
        return leaf
    import optree

    return optree.tree_unflatten(structure, leaves)


def leaves(tree: Any) -> list[Any]:
    """The leaves of `tree`, in order.

    >>> leaves((1, {"b": 2, "a": 3}))
    [1, 3, 2]
    """
    return flatten(tree)[0]


def structure(tree: Any) -> Structure:
    """The structure of `tree`: what it is without its leaves (None for a single leaf)."""
    return flatten(tree)[1]


def map(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """`tree` with `function` applied to each leaf, beside those of trees of the same structure.

    >>> map(lambda x, y: x + y, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    first, spec = flatten(tree)
    others = []
    for other in rest:
        other_leaves, other_spec = flatten(other)
        if other_spec != spec:
            raise ValueError(f"tree.map: the structures differ: {spec} and {other_spec}.")
        others.append(other_leaves)
    return unflatten(spec, [function(*xs) for xs in zip(first, *others, strict=True)])


def paths(tree: Any) -> list[str]:
    """For each leaf, the expression that leads to it, such as `['a'][0]`.

    >>> paths({"a": [1.0, 2.0]})
    ["['a'][0]", "['a'][1]"]
    """
    if flatten(tree)[1] is None:
        return [""]
    import optree

    return [accessor.codify("") for accessor in optree.tree_accessors(tree, namespace="tapegrad")]


def spread(prefix: Any, tree: Any) -> list[Any]:
    """For each leaf of `tree`, the leaf of `prefix` above it; None counts as a leaf of `prefix`.

    >>> spread((0, None), ([1.0, 2.0], {"a": 3.0}))
    [0, 0, None]
    """
    import optree

    flatten(tree)  # registers dataclasses
    above = optree.broadcast_prefix(prefix, tree, none_is_leaf=True, namespace="tapegrad")
    below = optree.tree_leaves(tree, none_is_leaf=True, namespace="tapegrad")
    return [p for p, x in zip(above, below, strict=True) if x is not None]


def register(
    cls: type,
    flatten: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten: Callable[[Any, Iterable[Any]], Any],
) -> type:
    """Make a class a container.

    ``flatten(object)`` gives children and static data, ``unflatten(data, children)`` the object.

    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> _ = register(Pair, lambda p: ((p.a, p.b), None), lambda _, c: Pair(*c))
    >>> leaves(Pair(1, 2))
    [1, 2]
    """
    import optree

    optree.register_pytree_node(cls, flatten, unflatten, namespace="tapegrad")
    return cls


def _register_dataclass(cls: type) -> None:
    import optree

    names = tuple(f.name for f in dataclasses.fields(cls))

    def children(x: Any) -> tuple[list[Any], tuple[str, ...], tuple[str, ...]]:
        return [getattr(x, name) for name in names], names, names

    def rebuild(_: Any, values: Iterable[Any]) -> Any:
        x: Any = object.__new__(cls)
        for name, value in zip(names, values, strict=True):
            object.__setattr__(x, name, value)
        return x

    with _registering:  # another thread may have met the class at the same time
        if optree.register_pytree_node.get(cls, namespace="tapegrad") is None:
            optree.register_pytree_node(cls, children, rebuild, namespace="tapegrad")


def __dir__() -> list[str]:
    return list(__all__)
