"""Several quotients of one divisor, at the cost of one division, to the last bit.

A division keeps the processor's divider for as long as a dozen products take. With ``y``, the
rounded inverse of a divisor b,

    q = a * y,    q' = q - (b * q - a) * y,    q'' = q' - (b * q' - a) * y

in fused products, the last is ``a / b`` rounded correctly, and has its sign if it is zero: q' is
less than one unit in the last place away, what stands beside it in brackets is exact, and so the
theorem of Markstein holds ("Computation of elementary functions on the IBM RISC System/6000
processor", 1990). In single precision q' is right already: all quotients that lie near enough to
the middle of two floats were tried. This takes that nothing is lost to underflow or overflow on
the way, and that b is positive. Where that may not be so, the processor divides.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy

from ..graph import Node
from ..loops.access import Access
from ..loops.groups import Group, constant, number_of
from ..loops.stages import Stage
from ..loops.views import View
from .host import Host
from .text import Function, Kind


class Layout(NamedTuple):
    """How floats are laid out, and which are far enough from the ends of their range.

    Divisors lie from ``2 ** low`` to ``2 ** high``; exponents of quotients from `lowest` on, and
    are half as many as there are. `steps` are taken from ``a * y`` on. `mask` and `float` are
    suffixes of instructions.
    """

    integer: Any
    fraction: int
    bias: int
    low: int
    high: int
    lowest: int
    steps: int
    mask: str
    float: str

    @property
    def code(self) -> str:
        """Divide a vector anew if a mask has lanes: a branch of LLVM's would keep apart, and so
        from being computed in turns, what comes before and after."""
        lines = (f"kortest{self.mask} $3, $3", "je 1f", f"vdivp{self.float} $2, $1, $0", "1:")
        return r"\0A".join(lines)

    @property
    def top(self) -> int:
        """The number of the exponent's highest bit."""
        return int(self.integer.itemsize) * 8 - 2

    def pattern(self, exponent: int) -> int:
        """The bits of a power of two."""
        return (exponent + self.bias) << self.fraction


# b * q - a has no digits below 2 ** (lowest + low - 2 * fraction), where floats still have theirs
LAYOUTS = {
    4: Layout(numpy.dtype("i4"), 23, 127, -22, 60, lowest=-80, steps=1, mask="w", float="s"),
    8: Layout(numpy.dtype("i8"), 52, 1023, -400, 400, lowest=-511, steps=2, mask="b", float="d"),
}


class Divisor(NamedTuple):
    """What divides several vectors, and its inverse.

    Lanes within the bounds have the top bit of an exponent in `within`, and zero in `zero`; others
    nothing, and NaN, which is equal to nothing.
    """

    value: str
    inverse: str
    within: str
    zero: str


def worthwhile(kind: Kind, host: Host) -> bool:
    """Whether a division of vectors takes longer than all this."""
    return kind.is_float and host.avx512 and kind.width * kind.dtype.itemsize == 64


def divisor(function: Function, kind: Kind, value: str) -> Divisor:
    f, layout = function, LAYOUTS[kind.dtype.itemsize]
    inverse = f.let(f"fdiv {kind.text} {kind.constant(1)}, {value}")
    whole = kind.of(layout.integer)
    low, high = layout.pattern(layout.low), layout.pattern(layout.high)
    bits = f.let(f"bitcast {kind.text} {value} to {whole.text}")
    above = f.let(f"sub {whole.text} {bits}, {whole.constant(low)}")
    fits = f.let(f"icmp ult {whole.text} {above}, {whole.constant(high - low)}")
    top, none = whole.constant(1 << layout.top), whole.constant(0)
    within = f.let(f"select {kind.mask} {fits}, {whole.text} {top}, {whole.text} {none}")
    zero, nan = kind.constant(0), kind.constant(numpy.nan)
    zero = f.let(f"select {kind.mask} {fits}, {kind.text} {zero}, {kind.text} {nan}")
    return Divisor(value, inverse, within, zero)


def quotient(function: Function, kind: Kind, top: str, by: Divisor) -> str:
    """A vector over a divisor."""
    f, t, layout = function, kind.text, LAYOUTS[kind.dtype.itemsize]
    value = f.let(f"fmul {t} {top}, {by.inverse}")
    for _ in range(layout.steps):
        excess = fused(f, kind, by.value, value, f.let(f"fneg {t} {top}"))
        value = fused(f, kind, f.let(f"fneg {t} {excess}"), by.inverse, value)
    whole = kind.of(layout.integer)
    bits = f.let(f"bitcast {t} {value} to {whole.text}")
    # moved so that exponents within their bounds have the top bit set
    move = (1 << layout.top) - layout.pattern(layout.lowest)
    moved = f.let(f"add {whole.text} {bits}, {whole.constant(move)}")
    both = f.let(f"and {whole.text} {moved}, {by.within}")
    outside = f.let(f"icmp eq {whole.text} {both}, {whole.constant(0)}")
    some = f.let(f"fcmp une {t} {top}, {by.zero}")
    odd = f.let(f"and {kind.mask} {outside}, {some}")
    lanes = f.let(f"bitcast {kind.mask} {odd} to i{kind.width}")
    return f.let(
        f'call {t} asm "{layout.code}", "=v,v,v,^Yk,0,~{{flags}}"'
        f"({t} {top}, {t} {by.value}, i{kind.width} {lanes}, {t} {value})"
    )


def fused(function: Function, kind: Kind, x: str, y: str, z: str) -> str:
    """x * y + z, rounded once."""
    t = kind.text
    return function.call(t, f"llvm.fma.{kind.suffix}", (t, x), (t, y), (t, z))


class Divisions:
    """The divisions of one pass over a row; `shared` are those that share their divisor."""

    def __init__(self, function: Function, group: Group, stage: Stage) -> None:
        self.function = function
        self.group = group
        self.divisions = [n for n in stage.elements if n.op == "divide" and n not in stage.load]
        self.shared: set[Node] = set()
        self.divisors: dict[str, Divisor] = {}  # by their values

    def find(
        self,
        accesses: dict[tuple[Node, int], Access],
        repeated: dict[Node | Access, str],
        vectors: int,
        host: Host,
        width: int,
    ) -> None:
        """Find divisors that are divided by several times: by more quotients, or, if they are the
        same in the whole row, in more of its `vectors`. `repeated` are the latter's values."""
        by: dict[Node | View | Access, list[Node]] = {}
        for node in self.divisions:
            if worthwhile(Kind(node.dtype, width), host):
                x = self.group.operands[node][1]
                read = isinstance(x, View) and not constant(x)
                by.setdefault(accesses[node, 1] if read else x, []).append(node)
        for divided_by, nodes in by.items():
            kind = Kind(nodes[0].dtype, width)
            if isinstance(divided_by, View):
                number = number_of(divided_by)
                if abs(math.frexp(number)[0]) == 0.5:
                    continue  # a power of two, for which LLVM makes a product
                value = kind.constant(number)
            elif divided_by in repeated:
                value = repeated[divided_by]
            else:
                self.shared.update(nodes if len(nodes) > 1 else [])
                continue
            if vectors * len(nodes) > 2:
                self.shared.update(nodes)
                self.divisors[value] = divisor(self.function, kind, value)

    def write(self, node: Node, kind: Kind, args: list[list[str]]) -> list[str]:
        """The quotients of a shared divisor in some places."""
        for _, y in args:
            if y not in self.divisors:
                self.divisors[y] = divisor(self.function, kind, y)
        top = self.group.operands[node][0]
        if isinstance(top, View) and constant(top) and number_of(top) == 1:
            return [self.divisors[y].inverse for _, y in args]
        return [quotient(self.function, kind, x, self.divisors[y]) for x, y in args]
