"""Runs: steps that are done part by part along their first axis, all of them in each part.

A convolution and the loop that follows it go over the same images, a matrix product and its bias
and activation over the same rows. So a part of the one is followed by the same part of the other,
while that is in the cache; and several threads share the parts.

Where something is summed over the axis, each part has a sum of its own. How many parts there are
then depends on the steps alone, so that results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from ..graph import Node
from ..loops.access import access
from ..loops.groups import ROW, Group, Schedule, Step, constant
from ..loops.parts import loops_of, reduced_apart, work_of
from ..loops.views import View
from ..report import operations_of
from .convolving import convolution_of
from .gemm import PANEL
from .pooling import native_pool
from .products import (
    batch_of,
    batch_strides,
    by_blas,
    in_panels,
    matrix_strides,
    native_product,
    sizes,
)

LARGE = 1 << 19
"""Operations on elements from which on a run has parts: some thirty microseconds."""

MOST = 16
"""Parts, where the number of threads does not decide."""

QUICK = 25
"""Operations of a product or a convolution that take as long as one on elements of a group."""

ROWS = 48
"""Rows that a part of a product has at least: each part packs the other factor anew."""

CACHE = 1 << 18
"""Bytes that a part of a product's result has at most, where a loop reads it again."""

SMALL, PLACES = 1 << 16, 1 << 10
"""Bytes of a gradient of weights that may be summed in `MOST` parts. Of larger ones, whose sums
take their time too, there is a part for so many places of the results."""


@dataclass(frozen=True)
class Run:
    """Steps, the length of the axis that they share, and how much of it a part has."""

    steps: tuple[Group | Step, ...]
    units: int
    size: int

    @property
    def parts(self) -> int:
        return -(-self.units // self.size)

    def share(self, step: Group | Step) -> int:
        """How much of a step's own first axis a part has."""
        return self.size * (length(step) // self.units)


class Runs:
    """The runs of a plan, as they are for a number of threads."""

    def __init__(self, plan: Schedule, threads: int) -> None:
        self.plan = plan
        self.threads = threads
        self.all: list[Run] = []
        waiting: list[Group | Step] = []
        for step in plan.steps:
            if waiting and not self.joins(step, waiting):
                self.close(waiting)
                waiting = []
            if length(step) > 1:
                waiting.append(step)
        self.close(waiting)
        self.of = {step.index: run for run in self.all for step in run.steps}

    def span(self, index: int) -> tuple[int, int]:
        """The first and the last of the steps that one is done together with."""
        run = self.of.get(index)
        return (index, index) if run is None else (run.steps[0].index, run.steps[-1].index)

    def begins(self, step: Group | Step) -> bool:
        """Whether a step is the first of those that are done together."""
        return self.span(step.index)[0] == step.index

    def joins(self, step: Group | Step, others: Sequence[Group | Step]) -> bool:
        """Whether a step can be done part by part together with those before it."""
        if length(step) < 2 or is_product(step) or uneven(step) or uneven(others[0]):
            return False
        units = units_of(others)
        if gcd(units, length(step)) < min(MOST, units):
            return False
        if is_product(others[0]) and summed(step):
            return False
        late = {node for other in others for node in summed(other)}
        return all(
            self.plan.made_in.get(base, -1) < others[0].index or (by_parts and base not in late)
            for base, by_parts in read(step)
        )

    def close(self, steps: Sequence[Group | Step]) -> None:
        """Make a run of some steps, if that is worth it."""
        if sum(map(cost, steps)) < LARGE:
            return
        if self.threads == 1 and len(steps) == 1 and not (summed(steps[0]) or panels(steps[0]) > 1):
            return
        units = units_of(steps)
        if is_product(steps[0]):
            size = self.rows(steps, units)
        else:
            size = -(-units // min(MOST, units, *map(most_parts, steps)))
        if size < units:
            self.all.append(Run(tuple(steps), units, size))

    def rows(self, steps: Sequence[Group | Step], units: int) -> int:
        """How much of a product, and of what follows it, a part has."""
        (made,) = (step.node for step in steps[:1] if isinstance(step, Step))
        most = max(1, sizes(made)[0] // ROWS)
        parts = panels(steps[0])
        if len(steps) > 1:
            parts = max(parts, -(-made.nbytes // CACHE))
        if self.threads > 1:
            parts = -(-max(parts, self.threads) // self.threads) * self.threads
        return -(-units // min(parts, most, units))


def is_product(step: Group | Step) -> bool:
    """Whether a step is a single matrix product, whose rows are its first axis."""
    return isinstance(step, Step) and step.node.op == "matmul" and not batch_of(step)


def panels(step: Group | Step) -> int:
    """How many panels of rows a step has that is a large product, one in other cases."""
    if isinstance(step, Step) and is_product(step) and in_panels(step):
        return -(-sizes(step.node)[0] // PANEL)
    return 1


def length(step: Group | Step) -> int:
    """The length of the axis along which a step can be divided, 1 where there is none."""
    if isinstance(step, Group):
        lengths, _ = loops_of(step)
        return lengths[0] if len(lengths) > 1 else 1
    if not step.native:
        return 1
    node = step.node
    if native_product(node):
        return 1 if by_blas(step) else (batch_of(step) or sizes(node))[0]
    conv = convolution_of(node)
    if conv is not None:
        return conv.batch if most_parts(step) > 1 else 1
    if native_pool(node) and len(node.shape) > len(node.params["kernel"]):
        return node.shape[0]
    return 1


def units_of(steps: Sequence[Group | Step]) -> int:
    """The parts that the first axes of some steps can have in common."""
    return gcd(*map(length, steps))


def uneven(step: Group | Step) -> bool:
    """Whether the last part of a step has more than its share."""
    return isinstance(step, Group) and loops_of(step)[1] != 0


def summed(step: Group | Step) -> list[Node]:
    """What a step sums over its first axis, so that it is not known before the last part."""
    if isinstance(step, Group):
        return reduced_apart(step)
    return [step.node] if step.node.op == "convolve_kernel" else []


def most_parts(step: Group | Step) -> int:
    """Into how many parts it is worth to divide a step."""
    if isinstance(step, Group) or step.node.op != "convolve_kernel" or step.node.nbytes <= SMALL:
        return MOST
    conv = convolution_of(step.node)
    assert conv is not None, "others are not divided"
    return conv.batch * conv.area // PLACES


def cost(step: Group | Step) -> int:
    """What a step takes, in operations on elements of a group."""
    if isinstance(step, Group):
        return work_of(step)
    return max(step.node.size, operations_of(step.node) // QUICK)


def read(step: Group | Step) -> Iterator[tuple[Node, bool]]:
    """What a step reads, and whether each of its parts reads only that part of it."""
    if isinstance(step, Group):
        for node, operands in step.operands.items():
            for x in operands:
                if isinstance(x, View) and not constant(x):
                    yield x.base, read_by_parts(x, step, step.role[node] == ROW)
        return
    a, *others = step.operands
    if step.node.op != "matmul":
        weights = others if step.node.op in ("convolve", "convolve_transposed") else []
        for x in step.operands:
            yield x.base, x not in weights and x.base.size == size_of(x) and not x.offset
        return
    batch, (m, n, k) = batch_of(step), sizes(step.node)
    (b,) = others
    if not batch:
        yield a.base, inside(a.base, a.offset, (m, k), matrix_strides(a, first=True))
        yield b.base, False
        return
    for x, matrix, first in ((a, (m, k), True), (b, (k, n), False)):
        strides = (*batch_strides(x, batch), *matrix_strides(x, first=first))
        yield x.base, inside(x.base, x.offset, (*batch, *matrix), strides)


def read_by_parts(view: View, group: Group, by_row: bool) -> bool:
    """Whether each part of a group's outermost loop reads only that part of an array."""
    lengths, _ = loops_of(group)
    found = access(view, group.lengths, by_row)
    strides = found.strides
    if len(strides) == 1:  # a single loop, which is cut
        strides = (lengths[1] * strides[0], strides[0])
    elif found.windows[0] is not None:
        return False
    return inside(view.base, found.offset, lengths, strides)


def inside(base: Node, offset: int, lengths: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether what is read at each place of the first axis is in that place's part of an array."""
    own = strides[0]
    if own * lengths[0] != base.size:
        return False
    reach = [(n - 1) * s for n, s in zip(lengths[1:], strides[1:], strict=True)]
    low = offset + sum(min(0, r) for r in reach)
    return low >= 0 and offset + sum(max(0, r) for r in reach) < own


def size_of(view: View) -> int:
    size = 1
    for n in view.shape:
        size *= n
    return size
