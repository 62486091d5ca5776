"""`Stage`: a pair of pure functions, and chains of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ... import tree
from ...backend import as_data
from ...core.array import Array
from ...core.face import bare, dressed, face_of
from .. import errors


@dataclass(frozen=True)
class Stage:
    """A part of an update, or all of it.

    init
        ``init(params)``: the state to begin with.
    update
        ``update(x, state, params)``: what the stage makes of `x`, a tree like the parameters, and
        the next state. A rule makes new parameters of gradients.
    """

    init: Callable[[Any], Any]
    update: Callable[[Any, Any, Any], tuple[Any, Any]]


def chain(*stages: Stage) -> Stage:
    """Stages one after the other, each on what the one before made; the state is a tuple."""

    def init(params: Any) -> tuple[Any, ...]:
        return tuple(stage.init(params) for stage in stages)

    def update(x: Any, state: tuple[Any, ...], params: Any) -> tuple[Any, tuple[Any, ...]]:
        after = []
        for stage, own in zip(stages, state, strict=True):
            x, new = stage.update(x, own, params)
            after.append(new)
        return x, tuple(after)

    return Stage(init, update)


def stateless(function: Callable[[Any], Any]) -> Stage:
    """A stage that is one function."""
    return Stage(lambda params: (), lambda x, state, params: (function(x), state))


def plain_leaf(x: Any) -> Any:
    """A leaf without its face: an array of the core's where it is recorded, else raw data."""
    return bare(x) if isinstance(x, Array) else as_data(x)


def like_leaf(x: Any, leaf: Any) -> Any:
    """A result as an array of the face of a leaf."""
    return dressed(x, face_of(leaf))


def leaves_like(structure: Any, name: str, x: Any) -> list[Any]:
    """The leaves of `x`, whose structure must be this one."""
    leaves, own = tree.flatten(x)
    if own != structure:
        raise errors.different_structure(name, structure, own)
    return leaves


def parts_of(structure: Any, x: Any) -> list[Any]:
    """What stands in `x` at the places of a structure's leaves."""
    return [x] if structure is None else structure.flatten_up_to(x)


def apply(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """A tree of what a function of plain leaves gives for those of `x` and others of its form."""
    leaves, structure = tree.flatten(x)
    rest = [leaves_like(structure, "a state", other) for other in others]
    results = [
        like_leaf(function(*map(plain_leaf, group)), group[0])
        for group in zip(leaves, *rest, strict=True)
    ]
    return tree.unflatten(structure, results)
