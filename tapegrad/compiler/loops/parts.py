"""Parts: how the outermost loop of a group is cut, and what is added up in each part by itself."""

from __future__ import annotations

import functools

from ..graph import Node, Shape
from .access import access
from .groups import COLUMN, FULL, MIXED, TOTAL, Group, accumulator
from .memory import aligned

BLOCK = 4096
"""The columns of a row that a single long loop is cut into: sums are added up block by block."""

SHORTEST, WHOLE = 1024, 64
"""Rows of that many columns or more, and a multiple of these, are taken where none is left over."""


def loops_of(group: Group) -> tuple[Shape, int]:
    """The lengths of a group's loops, and the columns of a last, shorter row (0 for none)."""
    lengths = group.lengths
    if len(lengths) == 1 and lengths[0] > 2 * BLOCK and not group.solid:
        columns = columns_of(lengths[0])
        rows, rest = divmod(lengths[0], columns)
        return (rows, columns), rest
    return lengths, 0


@functools.cache
def columns_of(length: int) -> int:
    """The columns of the rows that a loop is cut into."""
    for columns in range(BLOCK, SHORTEST - 1, -WHOLE):
        if length % columns == 0:
            return columns
    return BLOCK


def work_of(group: Group) -> int:
    """The operations on elements of a group."""
    full = sum(role == FULL for role in group.role.values())
    return group.domain[0] * group.domain[1] * max(full, 1)


def reduced_apart(group: Group) -> list[Node]:
    """The reductions of a group to which all its parts contribute."""
    return [node for node in group.nodes if is_apart(group, node)]


def is_apart(group: Group, node: Node) -> bool:
    role = group.role[node]
    if role in (COLUMN, MIXED):
        return access(accumulator(node), group.lengths, False).strides[0] == 0
    return role == TOTAL


def partial_bytes(node: Node) -> int:
    """The memory of what one part makes of a reduction; totals may be in double precision."""
    return aligned(max(node.nbytes, 8))
