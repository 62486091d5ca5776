"""Imperative leaves, and what a sweep is asked to do at a value: fill its `grad`, call hooks."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from .. import errors
from ..backend import as_data, is_inexact
from .array import Array, Traced, set_grad, tracked
from .tape import hooks, leaves, local, shared, tick
from .versions import stamp

Hook = Callable[[Array], Array | None]

retained: weakref.WeakValueDictionary[int, Array] = weakref.WeakValueDictionary()
"""The computed values whose `grad` is filled too, by slot."""


def requires_grad(data: Any) -> Array:
    """A leaf with a copy of `data`: `backward` adds to its `grad`, which begins as None.

    >>> w = requires_grad(3.0)
    >>> w.grad is None
    True
    """
    data = data.raw if isinstance(data, Array) else as_data(data)
    return make_leaf(tracked(Array, data.copy(), 0, None))


def make_leaf(x: Array) -> Array:
    """Make an untracked array a leaf, in place."""
    if x.slot > 0:
        raise errors.computed_leaf(x)
    if not is_inexact(x.raw.dtype):
        raise errors.integer_input("requires_grad", "the array", x.raw.dtype)
    if not x.slot:
        x.slot = -tick()
        x.tape = local.root
        set_grad(x, None)
        leaves[x.slot] = x
        shared.imperative = True
        shared.interrupt()
    return x


def freeze(x: Array) -> Array:
    """Make a leaf an untracked array again, in place."""
    if x.slot > 0:
        raise errors.computed_leaf(x)
    leaves.pop(x.slot, None)
    x.slot = 0
    x.tape = None
    return x


def is_leaf(x: Array) -> bool:
    """Whether `x` was not computed from tracked values."""
    return x.slot <= 0


def detach(x: Array) -> Array:
    """The same data as a constant."""
    return tracked(type(x), x.raw, 0, None)


def accumulate(x: Array, before: Array | None, g: Any) -> None:
    """Add a raw cotangent, in the convention of the face of `x`, to its `grad`, so far `before`."""
    if before is None:
        set_grad(x, tracked(x.untraced, g, 0, None))
    elif before.shares and type(before.raw) is ndarray and before.raw.flags.writeable:
        before.raw += g
        stamp(before.raw, "the accumulation of a gradient")
    else:
        before.raw = before.raw + g  # the old data may have been saved somewhere


def retain_grad(x: Array) -> None:
    """Have `backward` fill the `grad` of a computed value too."""
    check_on_graph("retain_grad", x)
    if x.slot > 0 and x.slot not in retained:
        set_grad(x, None)
        retained[x.slot] = x


def add_hook(x: Array, hook: Hook) -> Callable[[], None]:
    """Have `hook` called with the cotangent of `x` in each sweep; what it returns takes its place.

    It runs before the cotangent goes on to what `x` was computed from. Gives a function that
    removes it.
    """
    check_on_graph("a hook", x)
    if x.slot < 0:
        return enter(leaf_hooks(x)[0], (hook, sample(x)))
    slot = int(str(x.slot))  # not the same object, which would keep the entry from compaction
    return enter(hooks.setdefault(slot, []), (hook, sample(x)))


def sample(x: Array) -> Array:
    """An array of the class of `x` without its data, to tell how hooks want cotangents."""
    return tracked(x.untraced, None, 0, None)


def add_hook_after(leaf: Array, hook: Callable[[Array], None]) -> Callable[[], None]:
    """Have `hook(leaf)` called whenever `backward` has added to the leaf's `grad`."""
    if leaf.slot >= 0:
        raise errors.not_on_graph("a hook on the accumulated gradient", leaf)
    return enter(leaf_hooks(leaf)[1], hook)


def leaf_hooks(leaf: Array) -> tuple[list[Any], list[Any]]:
    """A leaf's hooks on its cotangent, and those that follow the accumulation.

    They are kept on the leaf, so that hooks which refer to it are collected with it.
    """
    try:
        return leaf.hooks
    except AttributeError:
        leaf.hooks = [], []
        return leaf.hooks


def enter(own: list[Any], hook: Any) -> Callable[[], None]:
    """Add a hook to a list, and give a function to take it out again."""
    own.append(hook)

    def remove() -> None:
        if hook in own:
            own.remove(hook)

    return remove


def check_on_graph(what: str, x: Array) -> None:
    """Raise unless `x` is an imperative leaf, or was computed on a differentiation tape."""
    if not x.slot or isinstance(x, Traced):
        raise errors.not_on_graph(what, x)
