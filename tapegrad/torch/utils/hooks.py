"""Tables of hooks, of modules and optimisers: functions called at certain moments, in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

__all__ = ["RemovableHandle"]

Hooks = dict[int, Any]
"""Hooks by the numbers of their handles, in the order in which they are called."""

numbers = count()


class RemovableHandle:
    """What takes a hook out again: `remove()`, or the end of a `with` block."""

    def __init__(self, hooks: Hooks, *, extra: Sequence[dict[int, Any]] = ()) -> None:
        self.hooks = hooks
        self.extra = tuple(extra)
        self.id = next(numbers)

    def remove(self) -> None:
        """Take the hook out; nothing happens if it is out already."""
        for hooks in (self.hooks, *self.extra):
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def add(
    hooks: Hooks,
    hook: Any,
    prepend: bool = False,
    marks: Sequence[tuple[dict[int, bool], bool]] = (),
) -> RemovableHandle:
    """Enter a hook in a table, last or first, and in those of `marks` whose flag is set."""
    handle = RemovableHandle(hooks, extra=[marked for marked, _ in marks])
    hooks[handle.id] = hook
    for marked, flag in marks:
        if flag:
            marked[handle.id] = True
    if prepend:
        for key in [*hooks][:-1]:
            hooks[key] = hooks.pop(key)
    return handle
