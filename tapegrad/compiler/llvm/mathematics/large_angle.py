"""The rest of a large number on division by pi / 2, exact enough for every double.

Multiples of four drop out of ``x * 2 / pi``, so of the bits of 2 / pi only a window matters, which
begins where the exponent of x says: 192 bits of it, times the 53 of x, leave more than 60 bits even
for the double that comes nearest to a multiple of pi / 2. (Payne and Hanek, 1983.)

Numbers so large are rare, so this is done by a loop over the lanes of a vector, out of line, and
only if one of the lanes needs it.
"""

from __future__ import annotations

import functools
from itertools import pairwise

from llvmlite import ir

from ..host import Host
from ..pairs import Pair, exact_product, exact_sum, ordered_sum
from ..vector import (
    DOUBLE,
    FORMATS,
    SINGLE,
    Value,
    absolute,
    any_lane,
    bits,
    element_of,
    fma,
    from_integer,
    is_negative,
    like,
    select,
    to_double,
    to_single,
)
from .registry import suffix

WORD, WIDE, INDEX = ir.IntType(64), ir.IntType(128), ir.IntType(32)
LEADING = 2  # words of zeros before the point, for windows that begin there
WORDS = LEADING + 20

HALF_PI = {  # as a sum of three floats
    DOUBLE: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    SINGLE: (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
}
Reduced = tuple[Value, Value, Value]


@functools.cache
def inverse_words() -> tuple[int, ...]:
    """The bits of 2 / pi in words, the most significant first, after the leading zeros."""
    count = 64 * (WORDS - LEADING)
    one = 1 << (count + 64)

    def atan_of_inverse(n: int) -> int:
        total, power, k = 0, one // n, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power //= n * n
            k += 2
        return total

    pi = 16 * atan_of_inverse(5) - 4 * atan_of_inverse(239)  # Machin's formula
    inverse = (2 * one << count) // pi
    digits = [(inverse >> (count - 64 * (i + 1))) & (2**64 - 1) for i in range(WORDS - LEADING)]
    return (*[0] * LEADING, *digits)


def reduce_large(x: Value, large: Value, quick: Reduced) -> Reduced:
    """For the lanes that are large, m, r and its rest in place of the quick ones."""
    builder, before = x.builder, x.builder.block
    with builder.if_then(any_lane(large), likely=False):
        large = large & (absolute(x) < float("inf"))
        safe = select(large, x, 1.0)
        parts = builder.call(vector_function(builder.module, x.host, x.type), [safe.ir])
        found = (x.new(builder.extract_value(parts, i)) for i in range(3))
        exact = [select(large, new, old) for new, old in zip(found, quick, strict=True)]
        within = builder.block
    merged = []
    for old, new in zip(quick, exact, strict=True):
        phi = builder.phi(old.type)
        phi.add_incoming(old.ir, before)
        phi.add_incoming(new.ir, within)
        merged.append(x.new(phi))
    return merged[0], merged[1], merged[2]


def half_pi(x: Value) -> Pair:
    first, second, _ = HALF_PI[x.element]
    return x.number(first), x.number(second)


def vector_function(module: ir.Module, host: Host, type: ir.Type) -> ir.Function:
    """``x -> (m, r, rest)``, by a loop over lanes."""
    name = f"tapegrad.large_angle.{suffix(type)}"
    if name in module.globals:
        return module.globals[name]
    integer = ir.IntType(FORMATS[element_of(type)].bits)
    results = ir.LiteralStructType([like(type, integer), type, type])
    function = ir.Function(module, ir.FunctionType(results, [type]), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    parts = ir.Constant(results, ir.Undefined)
    if not isinstance(type, ir.VectorType):
        for i, part in enumerate(reduced(Value(builder, host, function.args[0]))):
            parts = builder.insert_value(parts, part.ir, i)
        builder.ret(parts)
        return function
    entry, body, after = builder.block, *(function.append_basic_block() for _ in range(2))
    builder.branch(body)
    builder.position_at_end(body)
    lane = builder.phi(INDEX)
    lane.add_incoming(INDEX(0), entry)
    so_far = [builder.phi(result) for result in results.elements]
    found = reduced(Value(builder, host, builder.extract_element(function.args[0], lane)))
    for i, (part, phi) in enumerate(zip(found, so_far, strict=True)):
        filled = builder.insert_element(phi, part.ir, lane)
        phi.add_incoming(ir.Constant(phi.type, ir.Undefined), entry)
        phi.add_incoming(filled, body)
        parts = builder.insert_value(parts, filled, i)
    following = builder.add(lane, INDEX(1))
    lane.add_incoming(following, body)
    builder.cbranch(builder.icmp_unsigned("<", following, INDEX(type.count)), body, after)
    builder.position_at_end(after)
    builder.ret(parts)
    return function


def window(x: Value, position: Value) -> tuple[Value, Value, Value]:
    """Three words of the bits of 2 / pi, from a bit onwards."""
    builder, module = x.builder, x.builder.module
    type = ir.ArrayType(WORD, WORDS)
    name = "tapegrad.two_over_pi"
    if name not in module.globals:
        table = ir.GlobalVariable(module, type, name)
        table.linkage, table.global_constant = "internal", True
        table.initializer = ir.Constant(type, list(inverse_words()))
    table = module.globals[name]
    first, shift = position >> 6, position & 63
    places = [builder.gep(table, [WORD(0), (first + i).ir]) for i in range(4)]
    words = [x.new(builder.load(place)) for place in places]
    # shifted by one more in a second step, since a shift by 64 is not defined
    joined = [(a << shift) | ((b >> 1) >> (shift ^ 63)) for a, b in pairwise(words)]
    return joined[0], joined[1], joined[2]


def reduced(x: Value) -> Reduced:
    """m, r and its rest for a scalar of at least 2 ** -20 in size."""
    if x.element == DOUBLE:
        return reduced_double(x)
    m, r, rest = reduced_double(to_double(x))
    single = to_single(r)
    low = to_single((r - to_double(single)) + rest)
    return m.new(m.builder.trunc(m.ir, INDEX)), single, low


def reduced_double(x: Value) -> Reduced:
    builder, format = x.builder, x.format

    def wide(value: Value) -> Value:
        return value.new(builder.zext(value.ir, WIDE))

    def narrow(value: Value) -> Value:
        return value.new(builder.trunc(value.ir, WORD))

    pattern = bits(absolute(x))
    mantissa = (pattern & (2**format.fraction - 1)) | 2**format.fraction
    exponent = (pattern >> format.fraction) - (format.bias + format.fraction)
    high, middle, low = window(x, exponent + (64 * LEADING - 2))
    # x * 2 / pi modulo 4, in units of 2 ** -190
    lowest = wide(mantissa) * wide(low)
    central = wide(mantissa) * wide(middle) + (lowest >> 64)
    top = mantissa * high + narrow(central >> 64)
    # the nearest whole number, and what remains as a signed number in units of 2 ** -128
    m = (top + 2**61) >> 62
    first = (top << 2) | (narrow(central) >> 62)
    second = (narrow(central) << 2) | (narrow(lowest) >> 62)
    part = from_integer(first & -(2**11), DOUBLE) * 2.0**-64
    other = from_integer(first & (2**11 - 1), DOUBLE) * 2.0**-64
    last = from_integer(second >> 1, DOUBLE) * 2.0**-127
    turn, turn_rest = exact_sum(part, other + last)
    factor, factor_low = half_pi(x)
    r, missing = exact_product(turn, factor)
    rest = fma(turn, factor_low, fma(turn_rest, factor, missing))
    r, rest = ordered_sum(r, rest)
    negative = is_negative(x)
    return select(negative, 0 - m, m), select(negative, -r, r), select(negative, -rest, rest)
