"""Cotangents as people see them: in the class of their array, its own memory, or in its `grad`."""

from __future__ import annotations

from typing import Any

from .array import Array, grad_of, set_grad, tracked
from .face import bare, conjugated, dressed, face_of
from .leaf import accumulate
from .op import table
from .tape import local, shared


def present(g: Any, x: Array) -> Array:
    """A cotangent of `x` as an array of its face, for people to see."""
    g = conjugated(g, face_of(x))
    if isinstance(g, Array):
        return dressed(g, face_of(x))
    return tracked(x.untraced, g, 0, None)


def own(g: Any, x: Array) -> Array:
    """A cotangent of `x` as an array that shares its memory with nothing."""
    dtype = x.raw.dtype
    if g.dtype != dtype:
        g = table["astype"].function(g, to=dtype, source=g.dtype)
    return present(g if isinstance(g, Array) else g.copy(), x)


def add_to_grad(x: Array, g: Any, create_graph: bool) -> None:
    """Add a cotangent to the `grad` of `x`, which is a leaf or retained."""
    dtype = x.raw.dtype
    if g.dtype != dtype:
        g = table["astype"].function(g, to=dtype, source=g.dtype)
    g = conjugated(g, face_of(x))
    with shared.lock:
        before = grad_of(x)
        marks = local.root.marks
        if isinstance(g, Array) or (before is not None and before.slot):
            if isinstance(g, Array) and not g.slot:
                g = g.raw
            total = g if before is None else bare(before) + g
            if isinstance(total, Array):
                set_grad(x, dressed(total, face_of(x)))
            else:
                set_grad(x, tracked(x.untraced, total, 0, None))
            if marks:
                written = marks[-1].written
                marks[-1].written = [*(written or ()), (x, create_graph)]
        else:
            accumulate(x, before, g)
