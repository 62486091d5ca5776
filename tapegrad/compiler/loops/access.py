"""Where a group's operands are, in terms of the group's own loops."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph import Node, Shape
from .views import Strides, View, Window, restrided


@dataclass(frozen=True)
class Access:
    """Where a view is: a stride, and perhaps a window, for each loop of a group."""

    base: Node
    offset: int
    strides: Strides
    windows: tuple[Window | None, ...]

    @property
    def inner(self) -> int:
        return self.strides[-1]


def access(view: View, lengths: Shape, by_row: bool) -> Access:
    """A view in the lengths of the loops; `by_row` of a view that has an element a row."""
    loops = lengths[:-1] if by_row else lengths
    strides = restrided(view.shape, view.strides, loops)
    assert strides is not None, "the group was cut for all its views"
    windows: list[Window | None] = [None] * len(lengths)
    size = 1
    for n, window in zip(reversed(view.shape), reversed(view.windows), strict=True):
        if window:
            windows[place(size, n, loops)] = window
        size *= n
    return Access(view.base, view.offset, (*strides, 0) if by_row else strides, tuple(windows))


def place(inner: int, length: int, lengths: Shape) -> int:
    """The loop of an axis with so many elements behind it."""
    size = 1
    for i in reversed(range(len(lengths))):
        if size == inner and lengths[i] == length:
            return i
        size *= lengths[i]
    raise AssertionError("a window is not on an axis of its own")
