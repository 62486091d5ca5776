"""Instructions of AVX-512 that have no counterpart elsewhere, on one register or two."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from .vector import SINGLE, Value, call, fma, several


def applies(x: Value) -> bool:
    """Whether `x` is a whole register of a processor with AVX-512, or two."""
    return x.host.avx512 and x.lanes is not None and x.lanes * x.format.bits in (512, 1024)


def instruction(
    x: Value, name: str, operands: Sequence[ir.Value], where: Value | None = None
) -> Value:
    """One of its instructions on whole registers, with further operands; zero where a mask is
    false."""
    kind, mask = ("ps", ir.IntType(16)) if x.format.bits == 32 else ("pd", ir.IntType(8))
    rounding = [] if name == "rcp14" else [ir.Constant(ir.IntType(32), 4)]  # as always
    name = f"llvm.x86.avx512.{'' if name == 'rcp14' else 'mask.'}{name}.{kind}.512"
    builder, count = x.builder, 512 // x.format.bits

    def one(first: ir.Value, *others: ir.Value) -> ir.Value:
        values, end = [first, *others], [first, ir.Constant(mask, -1)]
        if where is not None:
            end = [ir.Constant(first.type, None), builder.bitcast(values.pop(), mask)]
        return call(x, name, first.type, [*values, *end, *rounding]).ir

    given = [x.ir, *operands, *([] if where is None else [where.ir])]
    if x.lanes == count:
        return x.new(one(*given))
    halves = [
        one(*(half(x, y, i) if isinstance(y.type, ir.VectorType) else y for y in given))
        for i in range(2)
    ]
    return x.new(builder.shuffle_vector(*halves, lanes_from(0, 2 * count)))


ENTRIES = 32
"""How many numbers of single precision `looked_up` chooses from."""


def looked_up(place: Value, table: Sequence[float]) -> Value:
    """For each lane of an integer, the number in the place that its lowest bits tell."""
    builder, type = place.builder, ir.VectorType(SINGLE, ENTRIES // 2)
    tables = [several(type, table[i : i + type.count]) for i in (0, type.count)]
    name = "llvm.x86.avx512.vpermi2var.ps.512"
    count = place.type.count // type.count
    parts = [place.ir] if count == 1 else [half(place, place.ir, i) for i in range(count)]
    found = [call(place, name, type, [tables[0], part, tables[1]]).ir for part in parts]
    if count == 1:
        return place.new(found[0])
    return place.new(builder.shuffle_vector(*found, lanes_from(0, place.type.count)))


def half(at: Value, x: ir.Value, number: int) -> ir.Value:
    """The first or the second half of a vector."""
    count = x.type.count // 2
    return at.builder.shuffle_vector(x, x, lanes_from(number * count, count))


def lanes_from(first: int, count: int) -> ir.Constant:
    """Numbers of lanes that follow each other."""
    type = ir.VectorType(ir.IntType(32), count)
    return ir.Constant(type, [ir.IntType(32)(first + i) for i in range(count)])


def inverse(x: Value) -> Value:
    """1 / x within one unit in the last place, where both are normal numbers."""
    if not applies(x):
        return 1.0 / x
    near = instruction(x, "rcp14", [])  # 14 bits
    for _ in range(x.format.bits // 32):  # Newton's way: each step doubles them
        near = fma(near, fma(-near, x, 1.0), near)
    return near
