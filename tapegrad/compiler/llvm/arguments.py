"""What functions of steps are given: arrays of the plan, and memory beside them, by places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy

from ..graph import Node
from .text import Function, Kind

BYTE = Kind(numpy.dtype("i1"), 1)

PART = "ptr %table, i64 %low, i64 %high, i64 %part, i64 %thread"
"""The arguments of a function that does a part of a step: the range of its first axis, the number
of the part, and that of the thread."""


@dataclass(frozen=True)
class Beside:
    """Memory that the making of a node needs: what it is for is said in a word.

    "part" has what a part makes of a node, for each thread, "partial" what each part makes of a
    sum, "scratch" is what each thread works in, "turned" has weights turned round.
    """

    node: Node
    what: str


Place = Node | Beside

Pointer = Callable[[Function, Place], str]
"""Puts the address of a node's elements, or of memory, into a function."""
