"""Functions that take arguments apart and put results together, generated for one structure.

They do what `tree.flatten` and `tree.unflatten` do for lists, tuples and dictionaries, in a tenth
of the time: for small programs, that is most of a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import optree

Unpack = Callable[[Any], list[Any] | None]
"""Gives the leaves of a tree of the structure; None for any other tree."""

PLAIN = (list, tuple, dict)


def unpacker(structure: Any) -> Unpack:
    """The function that takes trees of a structure (of `optree`'s) apart."""
    lines: list[str] = []
    leaves: list[str] = []
    count = 0

    def visit(spec: Any, place: str) -> None:
        nonlocal count
        if spec.is_leaf():
            lines.append(f"if type({place}) in containers: return None")
            leaves.append(place)
            return
        if spec.type not in PLAIN:
            raise LookupError
        count += 1
        name = f"t{count}"
        lines.append(f"{name} = {place}")
        size = spec.num_children
        lines.append(
            f"if type({name}) is not {spec.type.__name__} or len({name}) != {size}: return None"
        )
        children = spec.children()
        if spec.type is dict:
            for key, child in zip(spec.entries(), children, strict=True):
                if type(key) not in (str, int):
                    raise LookupError
                lines.append(f"if {key!r} not in {name}: return None")
                visit(child, f"{name}[{key!r}]")
        elif all(child.is_leaf() for child in children):
            leaves.append(f"*{name}")
            lines.append(f"if not containers.isdisjoint(map(type, {name})): return None")
        else:
            for i, child in enumerate(children):
                visit(child, f"{name}[{i}]")

    try:
        visit(structure, "tree")
    except LookupError:
        return lambda tree: general(structure, tree)
    body = "\n    ".join([*lines, f"return [{', '.join(leaves)}]"])
    names: dict[str, Any] = {"containers": CONTAINERS}
    exec(f"def unpack(tree):\n    {body}\n", names)
    result: Unpack = names["unpack"]
    return result


CONTAINERS = frozenset([list, tuple, dict, type(None)])
"""What is no leaf for certain. Leaves of other types are looked at by what takes them."""


def general(structure: Any, tree: Any) -> list[Any] | None:
    leaves, own = optree.tree_flatten(tree, namespace="tapegrad")
    return leaves if own == structure else None


def packer(structure: Any) -> Callable[[list[Any]], Any]:
    """The function that makes a tree of a structure of `tree.flatten`'s of a list of leaves."""
    if structure is None:
        return first
    count = 0

    def visit(spec: Any) -> str:
        nonlocal count
        if spec.is_leaf():
            count += 1
            return f"x[{count - 1}]"
        if spec.type not in PLAIN:
            raise LookupError
        parts = [visit(child) for child in spec.children()]
        if spec.type is dict:
            if any(type(key) not in (str, int) for key in spec.entries()):
                raise LookupError
            pairs = zip(spec.entries(), parts, strict=True)
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in pairs) + "}"
        if spec.type is list:
            return f"[{', '.join(parts)}]"
        return f"({''.join(f'{part}, ' for part in parts)})"

    try:
        text = visit(structure)
    except LookupError:
        return lambda leaves: optree.tree_unflatten(structure, leaves)
    result: Callable[[list[Any]], Any] = eval(f"lambda x: {text}")
    return result


def first(leaves: list[Any]) -> Any:
    return leaves[0]
