"""Maxima over windows, and what hands their cotangents back, in machine code.

That is `max_pool`, and `spread_max` for windows that do not overlap, of floats without padding:
places of the results side by side in vectors, elements of the windows one after the other.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod

from ..graph import Node
from ..loops.groups import Step
from ..loops.views import c_strides
from .arguments import BYTE, PART, Pointer
from .convolution.panels import clear, nest
from .elements import native_dtype, table_of
from .host import Host
from .lanes import first_lanes
from .text import Function, Index, Kind

LARGEST = 64
"""Elements of a window up to which there is code."""


def native_pool(node: Node) -> bool:
    """Whether an operation is a maximum over windows, or its transpose, that has code."""
    if node.op not in ("max_pool", "spread_max") or not native_dtype(node.dtype):
        return False
    kernel, stride, dilation = (node.params[name] for name in ("kernel", "stride", "dilation"))
    apart = all(s > d * (k - 1) for k, s, d in zip(kernel, stride, dilation, strict=True))
    return (
        node.dtype.kind == "f"
        and all(x.dtype == node.dtype and x.size for x in node.inputs)
        and node.size > 0
        and not any(node.params["padding"])
        and prod(kernel) <= LARGEST
        and (node.op == "max_pool" or apart)
    )


def write_pool(
    step: Step, name: str, pointer: Pointer, machine: Host, by_parts: bool = False
) -> Function:
    """The function of such an operation, which takes the table of pointers."""
    f = Function(f"define internal i32 @{name}({PART if by_parts else 'ptr %table'})")
    Pool(f, step, pointer, machine).write(by_parts)
    f.do("ret i32 0")
    return f


class Pool:
    """Writes one: loops over the results, whose last axis is in vectors."""

    def __init__(self, function: Function, step: Step, pointer: Pointer, machine: Host) -> None:
        self.function = f = function
        node = self.node = step.node
        one = Kind(node.dtype, 1)
        self.given = [f.at(one, pointer(f, x.base), x.offset) for x in step.operands]
        self.out = pointer(f, node)
        self.kernel, self.stride = node.params["kernel"], node.params["stride"]
        self.dilation, self.to = node.params["dilation"], node.params["to"]
        axes = len(self.kernel)
        image = step.node.inputs[-1 if node.op == "max_pool" else 1]
        self.size = prod(image.shape[-axes:])
        self.count = image.size // self.size
        self.steps = c_strides(image.shape[-axes:])
        self.own = c_strides(self.to)
        self.width = 1
        while self.width < min(machine.lanes(node.dtype.itemsize), self.to[-1]):
            self.width *= 2

    def write(self, by_parts: bool) -> None:
        """All of it, or what the part of the first axis has from ``%low`` to ``%high``."""
        f, node, columns = self.function, self.node, self.to[-1]
        write = self.largest if node.op == "max_pool" else self.spread
        low: Index = 0
        high: Index = self.count
        if by_parts:
            each = self.count // node.shape[0]
            low, high = f.times("%low", each), f.times("%high", each)
        if node.op == "spread_max" and node.size != self.count * self.covered:
            own = self.size * node.dtype.itemsize
            number = f.let(f"sub i64 {high}, {low}") if by_parts else self.count
            clear(f, f.at(BYTE, self.out, f.times(low, own)), f.times(number, own))

        def row(*places: Index) -> None:
            whole = columns // self.width * self.width
            f.loop(0, whole, self.width, lambda j: write((*places, j), None))
            if columns > whole:
                write((*places, whole), first_lanes(self.width, columns - whole))

        f.loop(low, high, 1, lambda i: nest(f, self.to[:-1], partial(row, i)))

    @property
    def covered(self) -> int:
        """How many elements of an image are in windows."""
        return prod(self.kernel) * prod(self.to)

    @property
    def kind(self) -> Kind:
        return Kind(self.node.dtype, self.width)

    def window(self, places: tuple[Index, ...], spot: tuple[int, ...]) -> Index:
        """The place in the images of one element of the first window of a vector."""
        f = self.function
        total: Index = f.times(places[0], self.size)
        for i, j, s, d, step in zip(
            places[1:], spot, self.stride, self.dilation, self.steps, strict=True
        ):
            total = f.plus(f.plus(f.times(i, s * step), j * d * step), total)
        return total

    def result(self, places: tuple[Index, ...]) -> Index:
        """The place of a vector among the results."""
        f = self.function
        total: Index = f.times(places[0], prod(self.to))
        for i, step in zip(places[1:], self.own, strict=True):
            total = f.plus(f.times(i, step), total)
        return total

    def elements(self, base: str, at: Index, mask: str | None) -> str:
        """One element of each window of a vector."""
        f, kind = self.function, self.kind
        address = f.at(kind, base, at)
        if self.stride[-1] == 1:
            return f.load(kind, address, mask)
        return f.gather(kind, address, self.stride[-1], mask)

    def largest(self, places: tuple[Index, ...], mask: str | None) -> None:
        f, kind = self.function, self.kind
        first, *others = [
            self.elements(self.given[0], self.window(places, spot), mask)
            for spot in product(*map(range, self.kernel))
        ]
        for other in others:
            first = table_of("f")["maximum"](f, kind, [first, other])
        f.store(kind, first, f.at(kind, self.out, self.result(places)), mask)

    def spread(self, places: tuple[Index, ...], mask: str | None) -> None:
        """The cotangent where the maximum is met first, the last one where it is not met."""
        f, kind = self.function, self.kind
        at = self.result(places)
        given, x, out = self.given
        g = f.load(kind, f.at(kind, given, at), mask)
        none = f.let(f"fmul {kind.text} {g}, {kind.constant(0)}")  # NaN of an infinite one
        top = f.load(kind, f.at(kind, out, at), mask)
        free = None
        spots = [*product(*map(range, self.kernel))]
        for spot in spots:
            place = self.window(places, spot)
            if spot != spots[-1]:
                value = self.elements(x, place, mask)
                hit = f.let(f"fcmp oeq {kind.text} {value}, {top}")
            else:
                hit = kind.of(bool).constant(True)
            if free is not None:
                hit = f.let(f"and {kind.mask} {hit}, {free}")
            share = f.let(f"select {kind.mask} {hit}, {kind.text} {g}, {kind.text} {none}")
            f.scatter(kind, share, f.at(kind, self.out, place), self.stride[-1], mask)
            before = kind.of(bool).constant(True) if free is None else free
            free = f.let(f"xor {kind.mask} {before}, {hit}")
