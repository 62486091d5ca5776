"""What kernels do with the lanes of vectors: masks, sums, squares that are turned; and branches."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from .text import Function, Index, Kind


def lanes_below(function: Function, width: int, limit: str) -> str:
    """A mask of the first lanes."""
    if width == 1:
        return function.let(f"icmp ult i64 0, {limit}")
    lanes = ", ".join(f"i64 {lane}" for lane in range(width))
    splat = function.splat(Kind(numpy.dtype("i8"), width), limit)
    return function.let(f"icmp ult <{width} x i64> <{lanes}>, {splat}")


def first_lanes(width: int, count: int) -> str | None:
    """The mask of so many lanes as a constant; None if that is all."""
    if count >= width:
        return None
    return f"<{', '.join(f'i1 {int(lane < count)}' for lane in range(width))}>"


def lanes_within(f: Function, width: int, j: Index, low: int, high: int) -> str:
    """The mask of the lanes of a vector from column `j` on that are in a window of columns."""
    wide = Kind(numpy.dtype("i8"), width)
    first = f.splat(wide, str(f.plus(j, -low)))
    if width > 1:
        steps = ", ".join(f"i64 {k}" for k in range(width))
        first = f.let(f"add {wide.text} {first}, <{steps}>")
    return f.let(f"icmp ult {wide.text} {first}, {wide.constant(high - low)}")


def lanes_of_all(f: Function, width: int, masks: list[str]) -> str | None:
    """The mask of the lanes that are in each of some masks; None for all lanes."""
    if not masks:
        return None
    kind = Kind(numpy.dtype(bool), width)
    total, *others = masks
    for mask in others:
        total = f.let(f"and {kind.text} {total}, {mask}")
    return total


def with_branch(function: Function, condition: str, body: Callable[[], None]) -> None:
    """``if condition: body()``."""
    function.count += 1
    inside, after = f"if{function.count}", f"then{function.count}"
    function.do(f"br i1 {condition}, label %{inside}, label %{after}")
    function.lines.append(f"{inside}:")
    body()
    function.do(f"br label %{after}")
    function.lines.append(f"{after}:")


def sum_of_lanes(function: Function, kind: Kind, value: str) -> str:
    """The sum of the elements of a vector, pair by pair."""
    if kind.width == 1:
        return value
    width = kind.width
    while width > 1:
        width //= 2
        picks = ", ".join(f"i32 {i + width if i < width else i}" for i in range(kind.width))
        moved = function.let(
            f"shufflevector {kind.text} {value}, {kind.text} poison, <{kind.width} x i32> <{picks}>"
        )
        value = function.let(f"fadd {kind.text} {value}, {moved}")
    return function.let(f"extractelement {kind.text} {value}, i64 0")


def turned(function: Function, kind: Kind, lines: list[str]) -> list[str]:
    """The transpose of a square, a vector a line: halves change places, then quarters, ..."""
    width, step = kind.width, kind.width // 2
    lines = list(lines)
    while step:
        for i in (i for i in range(width) if not i & step):
            pair = f"{kind.text} {lines[i]}, {kind.text} {lines[i + step]}"
            for line, first in ((i, 0), (i + step, step)):
                picks = (
                    lane + first if not lane & step else width + lane - step + first
                    for lane in range(width)
                )
                mask = ", ".join(f"i32 {pick}" for pick in picks)
                lines[line] = function.let(f"shufflevector {pair}, <{width} x i32> <{mask}>")
        step //= 2
    return lines
