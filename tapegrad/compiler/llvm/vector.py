"""Arithmetic on LLVM values, written as formulas: `Value` has Python's operators.

A `Value` is a float, a double, an integer of one of their sizes or a truth value, or a vector of
one of these; all functions here work on scalars and on vectors of any width alike. Numbers in a
formula become constants of the type of the value they meet. Nothing is contracted, reassociated
or otherwise improved by LLVM: a formula means what it says, rounding by rounding. Comparisons
are false where one side is NaN.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir

from .host import Host

SINGLE, DOUBLE, TRUTH = ir.FloatType(), ir.DoubleType(), ir.IntType(1)


@dataclass(frozen=True)
class Format:
    """A floating point type: how its bits are laid out."""

    type: ir.Type
    bits: int
    fraction: int
    """Bits after the leading one."""

    @property
    def integer(self) -> ir.IntType:
        return ir.IntType(self.bits)

    @property
    def bias(self) -> int:
        return (1 << (self.bits - self.fraction - 2)) - 1

    @property
    def one(self) -> int:
        """The bits of 1.0."""
        return self.bias << self.fraction

    @property
    def magic(self) -> float:
        """Added to a small whole number, it brings that number into the lowest bits."""
        return 1.5 * 2.0**self.fraction


FORMATS = {SINGLE: Format(SINGLE, 32, 23), DOUBLE: Format(DOUBLE, 64, 52)}
Number = int | float


class Value:
    """A value in the code that `builder` builds, with operators that build more of it."""

    __slots__ = ("builder", "host", "ir")

    def __init__(self, builder: ir.IRBuilder, host: Host, value: ir.Value) -> None:
        self.builder = builder
        self.host = host
        self.ir = value

    @property
    def type(self) -> ir.Type:
        return self.ir.type

    @property
    def element(self) -> ir.Type:
        return element_of(self.type)

    @property
    def lanes(self) -> int | None:
        """The width of a vector, None for a scalar."""
        return self.type.count if isinstance(self.type, ir.VectorType) else None

    @property
    def format(self) -> Format:
        return FORMATS[self.element]

    def number(self, number: Number) -> Value:
        """A constant of this value's type."""
        return self.new(constant(self.type, number))

    def new(self, value: ir.Value) -> Value:
        return Value(self.builder, self.host, value)

    def as_type(self, element: ir.Type) -> ir.Type:
        """The type of this value's width with other elements."""
        return like(self.type, element)

    def _binary(
        self, floats: str, integers: str, other: Value | Number, swap: bool = False
    ) -> Value:
        name = floats if self.element in FORMATS else integers
        right = other if isinstance(other, Value) else self.number(other)
        pair = (right.ir, self.ir) if swap else (self.ir, right.ir)
        return self.new(getattr(self.builder, name)(*pair))

    def __add__(self, other: Value | Number) -> Value:
        return self._binary("fadd", "add", other)

    def __radd__(self, other: Number) -> Value:
        return self._binary("fadd", "add", other)

    def __sub__(self, other: Value | Number) -> Value:
        return self._binary("fsub", "sub", other)

    def __rsub__(self, other: Number) -> Value:
        return self._binary("fsub", "sub", other, swap=True)

    def __mul__(self, other: Value | Number) -> Value:
        return self._binary("fmul", "mul", other)

    def __rmul__(self, other: Number) -> Value:
        return self._binary("fmul", "mul", other)

    def __truediv__(self, other: Value | Number) -> Value:
        return self._binary("fdiv", "", other)

    def __rtruediv__(self, other: Number) -> Value:
        return self._binary("fdiv", "", other, swap=True)

    def __neg__(self) -> Value:
        return self.new(self.builder.fneg(self.ir))

    def __and__(self, other: Value | int) -> Value:
        return self._binary("", "and_", other)

    def __or__(self, other: Value | int) -> Value:
        return self._binary("", "or_", other)

    def __xor__(self, other: Value | int) -> Value:
        return self._binary("", "xor", other)

    def __invert__(self) -> Value:
        return self ^ -1

    def __lshift__(self, other: Value | int) -> Value:
        return self._binary("", "shl", other)

    def __rshift__(self, other: Value | int) -> Value:
        """The logical shift; `arithmetic_shift` keeps the sign."""
        return self._binary("", "lshr", other)

    def _compare(self, sign: str, other: Value | Number) -> Value:
        right = other if isinstance(other, Value) else self.number(other)
        floats = self.element in FORMATS
        compare = self.builder.fcmp_ordered if floats else self.builder.icmp_signed
        return self.new(compare(sign, self.ir, right.ir))

    def __lt__(self, other: Value | Number) -> Value:
        return self._compare("<", other)

    def __le__(self, other: Value | Number) -> Value:
        return self._compare("<=", other)

    def __gt__(self, other: Value | Number) -> Value:
        return self._compare(">", other)

    def __ge__(self, other: Value | Number) -> Value:
        return self._compare(">=", other)

    def equals(self, other: Value | Number) -> Value:
        return self._compare("==", other)

    def differs(self, other: Value | Number) -> Value:
        """Whether they are known to differ: false for NaN too."""
        if self.element in FORMATS:
            right = other if isinstance(other, Value) else self.number(other)
            return self.new(self.builder.fcmp_ordered("!=", self.ir, right.ir))
        return self._compare("!=", other)


class Literal(ir.Constant):
    """A constant by its text: `ir.Constant` would write a number once for each lane."""

    def __init__(self, type: ir.Type, text: str) -> None:
        self.type = type
        self.constant = text

    def _get_reference(self) -> str:
        return self.constant


def element_of(type: ir.Type) -> ir.Type:
    return type.element if isinstance(type, ir.VectorType) else type


def like(type: ir.Type, element: ir.Type) -> ir.Type:
    """A type of the same width with other elements."""
    return ir.VectorType(element, type.count) if isinstance(type, ir.VectorType) else element


def constant(type: ir.Type, number: Number) -> ir.Constant:
    """A number in every element; floats are rounded to the type."""
    element = element_of(type)
    if element in FORMATS:
        value = float(number)
        if element == SINGLE:
            value = rounded_to_single(value)
        text = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    else:
        text = str(int(number))
    if isinstance(type, ir.VectorType):
        text = f"splat ({element} {text})"
    return Literal(type, text)


def several(type: ir.Type, numbers: Sequence[float]) -> ir.Constant:
    """A constant vector of floats that differ."""
    parts = (constant(type.element, number).get_reference() for number in numbers)
    return Literal(type, f"<{', '.join(f'{type.element} {part}' for part in parts)}>")


def rounded_to_single(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def intrinsic(name: str, result: ir.Type, *values: Value, suffix: ir.Type | None = None) -> Value:
    """Call an intrinsic of LLVM; `suffix` is the type in its name, the first value's if None."""
    first = values[0]
    of = first.type if suffix is None else suffix
    element = element_of(of)
    mangled = f"f{FORMATS[element].bits}" if element in FORMATS else f"i{element.width}"
    if isinstance(of, ir.VectorType):
        mangled = f"v{of.count}{mangled}"
    return call(first, f"llvm.{name}.{mangled}", result, [value.ir for value in values])


def call(at: Value, name: str, result: ir.Type, arguments: Sequence[ir.Value]) -> Value:
    """Call a function by its full name, which is declared if it is not."""
    module = at.builder.module
    function = module.globals.get(name)
    if function is None:
        types = [argument.type for argument in arguments]
        function = ir.Function(module, ir.FunctionType(result, types), name)
    return at.new(at.builder.call(function, arguments))


def fma(x: Value, y: Value | Number, z: Value | Number) -> Value:
    """``x * y + z``, rounded once."""
    y = y if isinstance(y, Value) else x.number(y)
    z = z if isinstance(z, Value) else x.number(z)
    return intrinsic("fma", x.type, x, y, z)


def select(mask: Value, x: Value | Number, y: Value | Number) -> Value:
    """`x` where the mask is true, else `y`; one of them must be a Value."""
    if not isinstance(x, Value):
        assert isinstance(y, Value)
        x = y.number(x)
    y = y if isinstance(y, Value) else x.number(y)
    return mask.new(mask.builder.select(mask.ir, x.ir, y.ir))


def is_nan(x: Value) -> Value:
    return x.new(x.builder.fcmp_unordered("uno", x.ir, x.ir))


def absolute(x: Value) -> Value:
    return intrinsic("fabs", x.type, x)


def copy_sign(x: Value, sign: Value) -> Value:
    return intrinsic("copysign", x.type, x, sign)


def square_root(x: Value) -> Value:
    return intrinsic("sqrt", x.type, x)


def nearest(x: Value) -> Value:
    """The nearest whole number, the even one if there are two."""
    return intrinsic("rint", x.type, x)


def nearest_of_product(x: Value, factor: float) -> tuple[Value, Value]:
    """The whole number nearest to ``x * factor``, and an integer that has its lowest bits.

    For products of less than 2 ** 22, or 2 ** 51 in double precision.
    """
    magic = x.format.magic
    moved = fma(x, factor, magic)
    return moved - magic, bits(moved)


def truncated(x: Value) -> Value:
    return intrinsic("trunc", x.type, x)


def is_negative(x: Value) -> Value:
    """Whether the sign is set: true of -0 too."""
    return bits(x) < 0


def larger(x: Value, y: Value | Number) -> Value:
    """The larger one, and `y` where one is NaN."""
    return select(x > y, x, y)


def smaller(x: Value, y: Value | Number) -> Value:
    """The smaller one, and `y` where one is NaN."""
    return select(x < y, x, y)


def bits(x: Value) -> Value:
    """The bits of a float as a whole number."""
    return x.new(x.builder.bitcast(x.ir, x.as_type(x.format.integer)))


def from_bits(x: Value) -> Value:
    """The float that has these bits."""
    type = DOUBLE if x.element.width == 64 else SINGLE
    return x.new(x.builder.bitcast(x.ir, x.as_type(type)))


def arithmetic_shift(x: Value, count: int) -> Value:
    """Shift to the right, keeping the sign."""
    return x.new(x.builder.ashr(x.ir, x.number(count).ir))


def to_double(x: Value) -> Value:
    return x.new(x.builder.fpext(x.ir, x.as_type(DOUBLE)))


def to_single(x: Value) -> Value:
    return x.new(x.builder.fptrunc(x.ir, x.as_type(SINGLE)))


def whole_bits(x: Value) -> Value:
    """An integer whose lowest bits are those of the whole number `x`, of less than 2 ** 22.

    The bits above are not those of `x`. Unlike a conversion it is defined for every `x`.
    """
    return bits(x + x.format.magic)


def from_integer(x: Value, element: ir.Type) -> Value:
    """A signed integer as a float."""
    return x.new(x.builder.sitofp(x.ir, x.as_type(element)))


def horner(x: Value, coefficients: Sequence[float]) -> Value:
    """A polynomial by its coefficients from the constant one up, in as few operations as can be."""
    total = x.number(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = fma(total, x, coefficient)
    return total


def polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    """The same, even and odd powers apart where there are many: fewer wait for each other."""
    if len(coefficients) <= 5:
        return horner(x, coefficients)
    square = x * x
    return fma(horner(square, coefficients[1::2]), x, horner(square, coefficients[::2]))


def any_lane(mask: Value) -> ir.Value:
    """Whether a truth value, or one in a vector of them, is true."""
    if mask.lanes is None:
        return mask.ir
    as_integer = mask.builder.bitcast(mask.ir, ir.IntType(mask.lanes))
    return mask.builder.icmp_unsigned("!=", as_integer, ir.Constant(as_integer.type, 0))
