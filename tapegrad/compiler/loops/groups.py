"""Grouping: which operations share one loop over rows and columns.

A group's domain is a number of rows and a number of columns. Each of its nodes has a role in it:

- FULL: an element for each place of the domain;
- ROW: an element for each row, computed from other such;
- PER_ROW: a reduction of each row, known when the row has been seen once;
- COLUMN: a reduction over rows that keeps columns, added up in memory;
- TOTAL: a reduction of everything, in registers to the end;
- MIXED: a reduction over columns and some rows, added up in memory.

The last three are known when the group has ended. A node joins the first group in which each of its
operands is either in a register (the same element, or the row's) or was in memory before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..graph import LEAVES, Node, Shape
from .prepare import REDUCTIONS, Prepared
from .views import View, broadcast, c_strides, restrided

FULL, ROW, PER_ROW, COLUMN, TOTAL, MIXED = "full", "row", "per row", "column", "total", "mixed"

LOOK_BACK = 48
"""How many steps are looked at for one to join: more would make the time quadratic."""

SHORT_ROW = 1 << 15
"""Elements up to which a single row is reduced within its group, in one pass for each stage."""

Domain = tuple[int, int]


@dataclass(eq=False)
class Group:
    """Operations in one loop. `operands` has for each node what it reads: a node of the group that
    is in a register, or a view of memory, broadcast to the node's own (or reduced) shape."""

    index: int
    domain: Domain
    nodes: list[Node] = field(default_factory=list)
    role: dict[Node, str] = field(default_factory=dict)
    operands: dict[Node, tuple[Node | View, ...]] = field(default_factory=dict)
    cuts: set[int] = field(default_factory=set)
    solid: set[tuple[int, int]] = field(default_factory=set)

    @property
    def has_rows(self) -> bool:
        """Whether a value of each row is kept while the row is seen."""
        return ROW in self.role.values() or PER_ROW in self.role.values()

    @property
    def lengths(self) -> Shape:
        """The lengths of the loops, outermost first: the domain, cut."""
        lengths: list[int] = []
        inner = 1
        for cut in sorted({*self.cuts, self.domain[0] * self.domain[1]}):
            if cut != inner:
                lengths.insert(0, cut // inner)
                inner = cut
        if self.has_rows and self.domain[1] == 1:
            lengths.append(1)
        elif self.has_rows and self.domain[0] == 1:
            lengths.insert(0, 1)
        return tuple(lengths or [1])


@dataclass(eq=False)
class Step:
    """A matrix product, or an operation that NumPy runs; `operands` are views of memory."""

    index: int
    node: Node
    operands: tuple[View, ...]
    native: bool


@dataclass
class Schedule:
    """Steps in order; `stored` are the nodes whose elements go to memory, with their steps."""

    graph: Prepared
    steps: list[Group | Step] = field(default_factory=list)
    made_in: dict[Node, int] = field(default_factory=dict)
    stored: set[Node] = field(default_factory=set)

    @property
    def views(self) -> dict[Node, View]:
        """What each node is a view of."""
        return self.graph.views


Predicate = Callable[[Node], bool]


def schedule(graph: Prepared, in_loops: Predicate, native_step: Predicate) -> Schedule:
    """The steps of a prepared graph.

    `in_loops` says of an elementwise operation or a reduction whether loops can compute it,
    `native_step` of another operation whether it is run without NumPy.
    """
    return Grouping(graph, in_loops, native_step).run()


class Grouping:
    """Puts the nodes of a graph into steps, one after the other."""

    def __init__(self, graph: Prepared, in_loops: Predicate, native_step: Predicate) -> None:
        self.plan = Schedule(graph)
        self.in_loops = in_loops
        self.native_step = native_step

    def run(self) -> Schedule:
        plan = self.plan
        for node in plan.graph.order():
            if node.op in LEAVES or plan.views[node].base is not node:
                continue
            if self.in_loops(node):
                self.join(node)
            else:
                self.alone(node)
        self.find_stored()
        return plan

    def alone(self, node: Node) -> None:
        plan = self.plan
        operands = tuple(plan.views[x] for x in node.inputs)
        step = Step(len(plan.steps), node, operands, self.native_step(node))
        plan.made_in[node] = step.index
        plan.steps.append(step)

    def join(self, node: Node) -> None:
        """Put a node into the first group that can take it, or into a new one."""
        plan = self.plan
        shape = node.inputs[0].shape if node.op in REDUCTIONS else node.shape
        views = [plan.views[x] for x in node.inputs]
        views = [v if constant(v) else broadcast(v, shape) for v in views]
        options = roles(node)
        latest = max((plan.made_in.get(v.base, -1) for v in views), default=-1)
        for step in plan.steps[max(latest, len(plan.steps) - LOOK_BACK, 0) :]:
            if isinstance(step, Group) and step.index >= latest:
                for role, domain in options:
                    if self.try_place(node, views, step, role, domain):
                        return
        for role, domain in options:
            if domain is not None:
                group = Group(len(plan.steps), domain)
                if self.try_place(node, views, group, role, domain):
                    plan.steps.append(group)
                    return

    def try_place(
        self, node: Node, views: list[View], group: Group, role: str, domain: Domain | None
    ) -> bool:
        """Put a node into a group, if its operands are where they must be."""
        if domain is None:  # the group's rows
            if group.domain[0] != node.size or not any(v.base in group.role for v in views):
                return False
        elif group.domain != domain:
            return False
        columns = group.domain[1]
        operands: list[Node | View] = []
        cuts, solid = set(group.cuts), set(group.solid)
        if role in (PER_ROW, ROW) or group.has_rows:
            cuts.add(columns)
        for view in views:
            base = view.base
            if base in group.role:
                if not in_register(view, base, role, group):
                    return False
                operands.append(base)
                continue
            if self.plan.made_in.get(base, -1) >= group.index:
                return False
            operands.append(view)
            if not constant(view):
                add_cuts(view, columns if role == ROW else 1, cuts, solid)
        if role in (COLUMN, MIXED):
            add_cuts(accumulator(node), 1, cuts, solid)
        if not consistent(cuts, solid):
            return False
        rows_matter = group.has_rows or role in (PER_ROW, ROW)
        if rows_matter and any(cut < columns for cut in cuts):
            return False
        group.cuts, group.solid = cuts, solid
        group.nodes.append(node)
        group.role[node] = role
        group.operands[node] = tuple(operands)
        self.plan.made_in[node] = group.index
        return True

    def find_stored(self) -> None:
        """Note which nodes of groups are read outside of them."""
        plan = self.plan
        plan.stored.update(x for x in plan.graph.outputs if x in plan.made_in)
        for step in plan.steps:
            if isinstance(step, Step):
                plan.stored.add(step.node)
                plan.stored.update(v.base for v in step.operands)
                continue
            for operands in step.operands.values():
                plan.stored.update(x.base for x in operands if isinstance(x, View))
        plan.stored &= plan.made_in.keys()


def constant(view: View) -> bool:
    """Whether a view is a number that stands in the code: the same everywhere."""
    return view.base.op == "constant" and view.base.size == 1 and not view.windowed


def number_of(view: View) -> Any:
    """The number that a constant view stands for."""
    return view.base.params["value"].reshape(())[()]


def natural(shape: Shape) -> Domain:
    """An array as rows and columns: the last axis that is not of length 1 has the columns."""
    long = [n for n in shape if n != 1]
    if not long:
        return 1, 1
    rows = 1
    for n in long[:-1]:
        rows *= n
    return rows, long[-1]


def roles(node: Node) -> list[tuple[str, Domain | None]]:
    """The roles that a node may have, with their domains, the best first; None is a group's own."""
    if node.op not in REDUCTIONS:
        return [(ROW, None), (FULL, natural(node.shape))]
    shape, axis = node.inputs[0].shape, node.params["axis"]
    reduced = [a in axis for a, n in enumerate(shape) if n != 1]
    long = [n for n in shape if n != 1]
    whole_domain = natural(shape)
    if all(reduced):
        if len(long) == 1 and long[0] <= SHORT_ROW:
            return [(PER_ROW, whole_domain), (TOTAL, whole_domain)]
        return [(TOTAL, whole_domain)]
    if not reduced[-1]:
        return [(COLUMN, whole_domain)]
    kept = len(reduced)
    while reduced[kept - 1]:
        kept -= 1
    if any(reduced[:kept]):
        return [(MIXED, whole_domain)]
    if kept == len(reduced) - 1:
        return [(PER_ROW, whole_domain), (MIXED, whole_domain)]
    rows = node.size
    by_rows = rows, node.inputs[0].size // rows
    return [(PER_ROW, by_rows), (MIXED, whole_domain)]


def accumulator(node: Node) -> View:
    """What a reduction adds to, seen from the elements that are added."""
    (x,) = node.inputs
    axis = node.params["axis"]
    rest = iter(c_strides(tuple(n for a, n in enumerate(x.shape) if a not in axis)))
    strides = [0 if a in axis else next(rest) for a in range(len(x.shape))]
    return View(node, x.shape, tuple(strides), 0, (None,) * len(x.shape))


def in_register(view: View, base: Node, role: str, group: Group) -> bool:
    """Whether an operand that the group computes is there where a node with a role reads it."""
    if view.offset or view.windowed:
        return False
    rows, columns = group.domain
    own = group.role[base]
    if own == FULL:
        return role != ROW and in_order(view, group.domain)
    if own in (ROW, PER_ROW):
        per_row = 0 if rows == 1 else 1
        if role == ROW:
            return restrided(view.shape, view.strides, (rows,)) == (per_row,)
        return restrided(view.shape, view.strides, (rows, columns)) == (per_row, 0)
    return False


def in_order(view: View, domain: Domain) -> bool:
    """Whether a view has its base's elements in their order, one for each place of a domain."""
    if view.offset or view.windowed:
        return False
    return restrided(view.shape, view.strides, domain) == c_strides(domain)


def add_cuts(view: View, inner: int, cuts: set[int], solid: set[tuple[int, int]]) -> None:
    """Note where the domain must be cut for a view to have strides.

    A cut is the number of elements that lie behind it, `inner` times the view's own. Between the
    two ends of an axis with a window there must be none.
    """
    size = inner
    before: tuple[int, int] | None = None  # the length and stride of the axis behind
    for n, stride, window in zip(
        reversed(view.shape), reversed(view.strides), reversed(view.windows), strict=True
    ):
        if n == 1 and not window:
            continue
        if window or before is None or stride != before[0] * before[1]:
            cuts.add(size)
        size *= n
        if window:
            cuts.add(size)
            solid.add((size // n, size))
            before = None
        else:
            before = n, stride
    cuts.discard(1)


def consistent(cuts: set[int], solid: set[tuple[int, int]]) -> bool:
    """Whether all cuts can be made at once."""
    inner = 1
    for cut in sorted(cuts):
        if cut % inner:
            return False
        inner = cut
    return not any(low < cut < high for low, high in solid for cut in cuts)
