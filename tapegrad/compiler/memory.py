"""The memory of results: large arrays are used again once the caller has dropped them."""

from __future__ import annotations

import weakref
from sys import getrefcount
from typing import Any

import numpy
from numpy import ndarray

from .graph import Node

LARGE = 1 << 16
"""Bytes from which on new memory costs more than looking for old."""

KEPT = 2
"""How many arrays of each result are remembered."""


def _references_of_a_dropped_array() -> int:
    count = 0
    for x in [ndarray((1,))]:
        count = getrefcount(x)
    return count


DROPPED = _references_of_a_dropped_array()


class Results:
    """Hands out arrays for results.

    An array is handed out again only when nothing refers to it any more: no variable, no view, no
    weak reference. Two threads that look at one array at once both see that it is referred to.
    """

    def __init__(self) -> None:
        self.given: dict[Node, list[ndarray]] = {}

    def array(self, node: Node) -> Any:
        """An array for the result of a node, with any contents."""
        if node.nbytes < LARGE:
            return numpy.empty(node.shape, node.dtype)
        given = self.given.setdefault(node, [])
        for x in given:
            if getrefcount(x) == DROPPED and unchanged(x, node):
                return x
        x = numpy.empty(node.shape, node.dtype)
        self.given[node] = [*given[1 - KEPT :], x]
        return x


def unchanged(x: ndarray, node: Node) -> bool:
    """Whether an array is still as it was handed out, but for its contents."""
    return (
        x.shape == node.shape
        and x.dtype is node.dtype
        and x.flags.carray
        and x.flags.owndata
        and not weakref.getweakrefcount(x)
    )
