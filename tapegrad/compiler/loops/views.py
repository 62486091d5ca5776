"""Views: an array as offset and strides into another, so that moving elements costs nothing.

A view may have a window: outside of it, in the places where `scatter_add` writes nothing, there are
zeros, and nothing is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..graph import Node, Shape

Strides = tuple[int, ...]
Window = tuple[int, int]


@dataclass(frozen=True)
class View:
    """Element `i` is ``base[offset + sum(stride * i)]`` inside the window, else 0.

    `base` is laid out in C order; offset and strides count its elements. `windows` has for each
    axis the range ``low <= i < high`` that exists, None where all does.
    """

    base: Node
    shape: Shape
    strides: Strides
    offset: int = 0
    windows: tuple[Window | None, ...] = ()

    @property
    def windowed(self) -> bool:
        return any(self.windows)


def c_strides(shape: Shape) -> Strides:
    """The strides of an array in C order, 0 for axes of length 1."""
    strides = []
    size = 1
    for n in reversed(shape):
        strides.append(size if n != 1 else 0)
        size *= n
    return tuple(reversed(strides))


def whole(base: Node) -> View:
    """An array as it is."""
    return View(base, base.shape, c_strides(base.shape), 0, (None,) * len(base.shape))


def view_of(node: Node, x: View) -> View | None:
    """A node that moves elements, as a view of what its input is a view of; None if it is none."""
    if node.size == 0 or x.base.size == 0:
        return None
    if node.op == "reshape":
        return reshaped(x, node.shape)
    if node.op == "permute_dims":
        return permuted(x, node.params["axes"])
    if node.op == "broadcast_to":
        return broadcast(x, node.shape)
    if node.op == "getitem" and len(node.inputs) == 1:
        return indexed(x, node.params["key"])
    if node.op == "scatter_add" and len(node.inputs) == 1:
        return scattered(x, node.params["key"], node.params["to"])
    return None


def broadcast(x: View, to: Shape) -> View:
    """Repeated up to a shape."""
    extra = len(to) - len(x.shape)
    strides = [0] * extra
    windows: list[Window | None] = [None] * extra
    windows += x.windows
    strides += [0 if n == 1 else stride for n, stride in zip(x.shape, x.strides, strict=True)]
    return View(x.base, to, tuple(strides), x.offset, tuple(windows))


def permuted(x: View, axes: tuple[int, ...]) -> View:
    return View(
        x.base,
        tuple(x.shape[a] for a in axes),
        tuple(x.strides[a] for a in axes),
        x.offset,
        tuple(x.windows[a] for a in axes),
    )


def reshaped(x: View, to: Shape) -> View | None:
    """In another shape, if that can be had by strides."""
    if not x.windowed:
        strides = restrided(x.shape, x.strides, to)
        return None if strides is None else View(x.base, to, strides, x.offset, (None,) * len(to))
    kept = [i for i, n in enumerate(x.shape) if n != 1]
    if [x.shape[i] for i in kept] != [n for n in to if n != 1]:
        return None
    rest = iter(kept)
    places = [next(rest) if n != 1 else None for n in to]
    return View(
        x.base,
        to,
        tuple(0 if i is None else x.strides[i] for i in places),
        x.offset,
        tuple(None if i is None else x.windows[i] for i in places),
    )


def restrided(shape: Shape, strides: Strides, to: Shape) -> Strides | None:
    """The strides with which the same elements, in C order, have the shape `to`; None if none do.

    Axes of length 1 get the stride 0.
    """
    old = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    new = [n for n in to if n != 1]
    found: list[int] = []
    i = j = 0
    while i < len(old) and j < len(new):
        first = i
        have, want = old[i][0], new[j]
        end = j + 1
        while have != want:
            if have < want:
                i += 1
                if i == len(old):
                    return None
                have *= old[i][0]
            else:
                if end == len(new):
                    return None
                want *= new[end]
                end += 1
        for k in range(first, i):
            if old[k][1] != old[k + 1][0] * old[k + 1][1]:
                return None
        stride = old[i][1]
        run = []
        for n in reversed(new[j:end]):
            run.append(stride)
            stride *= n
        found += reversed(run)
        i, j = i + 1, end
    if i != len(old) or j != len(new):
        return None
    rest = iter(found)
    return tuple(0 if n == 1 else next(rest) for n in to)


def indexed(x: View, key: tuple[Any, ...]) -> View | None:
    """A static index."""
    shape: list[int] = []
    strides: list[int] = []
    windows: list[Window | None] = []
    offset = x.offset
    axis = 0
    for part in expanded(key, len(x.shape)):
        if part is None:
            shape.append(1)
            strides.append(0)
            windows.append(None)
            continue
        n, stride, window = x.shape[axis], x.strides[axis], x.windows[axis]
        axis += 1
        if isinstance(part, slice):
            start, stop, step = part.indices(n)
            count = len(range(start, stop, step))
            if window:
                if step != 1:
                    return None
                low, high = max(window[0] - start, 0), min(window[1] - start, count)
                window = None if (low, high) == (0, count) else (low, max(low, high))
                if window and count == 1:
                    return None
            shape.append(count)
            strides.append(stride * step if count != 1 else 0)
            windows.append(window)
            offset += start * stride
            continue
        i = part + n if part < 0 else part
        if window:
            return None
        offset += i * stride
    return View(x.base, tuple(shape), tuple(strides), offset, tuple(windows))


def expanded(key: tuple[Any, ...], ndim: int) -> list[Any]:
    """A static index with a slice for every axis that it leaves out."""
    used = sum(part is not None and part is not Ellipsis for part in key)
    rest = [slice(None)] * (ndim - used)
    at = next((i for i, part in enumerate(key) if part is Ellipsis), None)
    if at is None:
        return [*key, *rest]
    return [*key[:at], *rest, *key[at + 1 :]]


def scattered(x: View, key: tuple[Any, ...], to: Shape) -> View | None:
    """The transpose of a static index: zeros of the shape `to` but for the elements of `x`."""
    strides: list[int] = []
    windows: list[Window | None] = []
    offset = x.offset
    axis = own = 0
    for part in expanded(key, len(to)):
        if part is None:
            if x.windows[own]:
                return None
            own += 1
            continue
        n = to[axis]
        axis += 1
        if isinstance(part, slice):
            start, stop, step = part.indices(n)
            count = len(range(start, stop, step))
            if step != 1 and count != 1:
                return None
            stride, window = x.strides[own], x.windows[own] or (0, count)
            own += 1
            low, high = start + window[0], start + window[1]
            offset -= start * stride
        else:
            stride = 0
            low = part + n if part < 0 else part
            high = low + 1
        strides.append(stride)
        if n == 1 and (low, high) != (0, 1):
            return None
        windows.append(None if (low, high) == (0, n) else (low, high))
    return View(x.base, to, tuple(strides), offset, tuple(windows))
