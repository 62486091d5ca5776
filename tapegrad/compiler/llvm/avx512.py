"""Instructions of AVX-512 that have no counterpart elsewhere, on one register or two."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from .vector import Value, call, fma


def applies(x: Value) -> bool:
    """Whether `x` is a whole register of a processor with AVX-512, or two."""
    return x.host.avx512 and x.lanes is not None and x.lanes * x.format.bits in (512, 1024)


def instruction(x: Value, name: str, operands: Sequence[ir.Value]) -> Value:
    """One of its instructions on whole registers, with further operands."""
    kind, mask = ("ps", ir.IntType(16)) if x.format.bits == 32 else ("pd", ir.IntType(8))
    end = [ir.Constant(mask, -1)]
    if name != "rcp14":
        end.append(ir.Constant(ir.IntType(32), 4))  # rounding as always
    name = f"llvm.x86.avx512.{'' if name == 'rcp14' else 'mask.'}{name}.{kind}.512"
    count = 512 // x.format.bits
    if x.lanes == count:
        return call(x, name, x.type, [x.ir, *operands, x.ir, *end])
    halves = []
    for i in range(2):
        part, *others = [
            half(x, y, i) if isinstance(y.type, ir.VectorType) else y for y in (x.ir, *operands)
        ]
        halves.append(call(x, name, part.type, [part, *others, part, *end]).ir)
    return x.new(x.builder.shuffle_vector(*halves, lanes_from(0, 2 * count)))


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
