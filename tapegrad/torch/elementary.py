"""Elementary functions of tensors beside arithmetic: rounding, signs, angles, bits, tests."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy

from ..core.array import Array
from ..core.op import table
from ..ops.linear import broadcast_to
from . import errors
from .calls import attach, cast, on_arrays, operand, promoted, raw_of
from .dtypes import common, of_numpy
from .inplace import in_place, store
from .pointwise import Function, binary, unary
from .tensor import Tensor, wrap

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "addcdiv",
    "addcmul",
    "allclose",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "conj",
    "conj_physical",
    "cos",
    "cosh",
    "deg2rad",
    "equal",
    "fix",
    "float_power",
    "floor",
    "frac",
    "frexp",
    "gcd",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_neg",
    "is_nonzero",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "lcm",
    "ldexp",
    "lerp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "nextafter",
    "positive",
    "rad2deg",
    "relu",
    "resolve_conj",
    "resolve_neg",
    "round",
    "rsqrt",
    "sgn",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "tan",
    "tanh",
    "trunc",
    "view_as_complex",
    "view_as_real",
]

sin = unary("sin")
cos = unary("cos")
tan = unary("tan")
asin = arcsin = unary("asin")
acos = arccos = unary("acos")
atan = arctan = unary("atan")
sinh = unary("sinh")
cosh = unary("cosh")
tanh = unary("tanh")
asinh = arcsinh = unary("asinh")
acosh = arccosh = unary("acosh")
atanh = arctanh = unary("atanh")
deg2rad = unary("deg2rad", "radians")
rad2deg = unary("rad2deg", "degrees")
atan2 = arctan2 = binary("atan2", to_float=True)


def without_slope(function: Function) -> Function:
    """A function that is constant but for jumps: its gradient is zero, as PyTorch gives it."""

    def stepped(*inputs: Any, **params: Any) -> Any:
        result = function(*inputs, **params)
        x = inputs[0]
        if isinstance(x, Array) and x.slot and raw_of(result).dtype.kind in "fcV":
            if raw_of(x).shape != raw_of(result).shape:
                x = broadcast_to(x, to=raw_of(result).shape)
            return table["held"].function(x, raw_of(result))
        return result

    return stepped


def steps(name: str, function: Function, doc: str) -> Function:
    """`torch.<name>(input, *, out=None)` of a function that keeps integers."""
    stepped = without_slope(function)

    @on_arrays
    def public(input: Any) -> Any:
        if input.dtype.kind in "iub":
            return table["identity"].function(input)
        return stepped(input)

    public.__name__ = name
    public.__doc__ = doc
    return public


floor = steps("floor", table["floor"].function, "The largest integers not above the elements.")
ceil = steps("ceil", table["ceil"].function, "The smallest integers not below the elements.")
trunc = fix = steps("trunc", table["trunc"].function, "The elements without their fractions.")


@on_arrays
def round(input: Any, *, decimals: int = 0) -> Any:
    """The elements rounded to a number of decimals, halves to the even neighbour."""
    if input.dtype.kind in "iub":
        if decimals >= 0:
            return table["identity"].function(input)
        return table["round"].function(input, decimals=decimals)
    return without_slope(table["round"].function)(input, decimals=decimals)


@on_arrays
def sign(input: Any) -> Any:
    """-1, 0 or 1."""
    if input.dtype.kind == "c":
        raise RuntimeError("Unlike NumPy, torch.sign doesn't support complex numbers. Use sgn.")
    if input.dtype.kind == "b":
        return table["identity"].function(input)
    return without_slope(table["sign"].function)(input)


@on_arrays
def sgn(input: Any) -> Any:
    """-1, 0 or 1; of a complex number, the number of its angle and of size 1."""
    if input.dtype.kind != "c":
        return sign_of(input)
    return table["phase"].function(input)


def sign_of(x: Any) -> Any:
    """The sign of real numbers."""
    if x.dtype.kind == "b":
        return table["identity"].function(x)
    return without_slope(table["sign"].function)(x)


@on_arrays
def frac(input: Any) -> Any:
    """The fractions, with the elements' signs."""
    return input - raw_of(table["trunc"].function(input))


@on_arrays
def abs(input: Any) -> Any:
    """The absolute values."""
    if input.dtype.kind == "b":
        return table["identity"].function(input)
    return table["abs"].function(input)


absolute = abs


@on_arrays
def angle(input: Any) -> Any:
    """The angles of complex numbers; 0 or pi for real ones."""
    if input.dtype.kind == "c":
        parts = (table[name].function(input) for name in ("imag", "real"))
        return table["atan2"].function(*parts)
    (x,) = promoted(input, to_float=True)

    def turned(x: Any) -> Any:
        raw = raw_of(x)
        out = numpy.where(raw < 0, math.pi, 0.0).astype(raw.dtype)
        return numpy.where(numpy.isnan(raw), raw, out)[()]

    return without_slope(turned)(x)


@on_arrays
def conj_physical(input: Any) -> Any:
    """The complex conjugates."""
    return table["conj" if input.dtype.kind == "c" else "identity"].function(input)


def conj(input: Tensor) -> Tensor:
    """The complex conjugates; a real tensor as it is."""
    return conj_physical(input) if input.raw.dtype.kind == "c" else input


def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: conjugation is never left for later."""
    return input


resolve_neg = resolve_conj


def is_conj(input: Tensor) -> bool:
    """Whether conjugation was left for later: never."""
    return False


is_neg = is_conj


@on_arrays
def view_as_real(input: Any) -> Any:
    """Real and imaginary parts along a new last axis."""
    if input.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    parts = (table[name].function(input) for name in ("real", "imag"))
    return table["stack"].function(*parts, axis=input.ndim)


@on_arrays
def view_as_complex(input: Any) -> Any:
    """Complex numbers of the pairs along the last axis."""
    if not input.ndim or input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    take = table["getitem"].function
    return table["from_parts"].function(*(take(input, key=(Ellipsis, i)) for i in (0, 1)))


@on_arrays
def rsqrt(input: Any) -> Any:
    """One over the square root."""
    (x,) = promoted(input, to_float=True)
    return table["reciprocal"].function(table["sqrt"].function(x))


@on_arrays
def sinc(input: Any) -> Any:
    """``sin(pi x) / (pi x)``."""
    (x,) = promoted(input, to_float=True)
    return table["sinc"].function(x, order=0)


@on_arrays
def positive(input: Any) -> Any:
    """The tensor itself; booleans raise."""
    if input.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return table["identity"].function(input)


@on_arrays
def relu(input: Any) -> Any:
    """The elements that are positive, and 0 for the others; the derivative at 0 is 0."""
    if input.dtype.kind in "iu":
        return table["maximum"].function(input, input.dtype.type(0))
    return table["keep"].function(input, ~(raw_of(input) <= 0))


@on_arrays
def float_power(input: Any, exponent: Any) -> Any:
    """A power computed in double precision."""
    d = common(raw_of(input), raw_of(exponent))
    assert d is not None
    to = numpy.complex128 if d.is_complex else numpy.float64
    return table["pow"].function(cast(input, numpy.dtype(to)), cast(exponent, numpy.dtype(to)))


@on_arrays
def ldexp(input: Any, other: Any) -> Any:
    """``input * 2 ** other``."""
    x, y = promoted(input, other, to_float=True)
    return x * table["exp2"].function(y)


@on_arrays
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """The point that is `weight` of the way from `input` to `end`."""
    if input.dtype != end.dtype:
        raise errors.different_dtypes(of_numpy(input.dtype), of_numpy(end.dtype))
    return input + cast(weight, input.dtype) * (end - input)


@on_arrays
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """``input + value * tensor1 * tensor2``."""
    x, a, b = promoted(input, tensor1, tensor2)
    product = a * b
    return x + (product if value == 1 else cast(value, product.dtype) * product)


@on_arrays
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """``input + value * tensor1 / tensor2``."""
    x, a, b = promoted(input, tensor1, tensor2)
    if x.dtype.kind in "iub":
        raise errors.integer_division("addcdiv")
    quotient = a / b
    return x + (quotient if value == 1 else cast(value, quotient.dtype) * quotient)


@on_arrays
def nextafter(input: Any, other: Any) -> Any:
    """The next number after `input` towards `other`."""
    x, y = promoted(input, other)
    return table["nextafter"].function(x, y)


class Mantissas(NamedTuple):
    """Mantissas between 1/2 and 1, and exponents."""

    mantissa: Any
    exponent: Any


@on_arrays
def frexp(input: Any) -> Any:
    """Mantissas and exponents: ``input == mantissa * 2 ** exponent``."""
    if input.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    exponent = table["exponent_of"].function(input)
    return Mantissas(table["mantissa_of"].function(input), cast(exponent, numpy.dtype("int32")))


def tests(name: str, doc: str) -> Function:
    """A test of each element, false for dtypes without such numbers."""
    op = table[name]

    @on_arrays
    def public(input: Any) -> Any:
        return op.function(input)

    public.__name__ = name
    public.__doc__ = doc
    return public


isnan = tests("isnan", "Whether elements are NaN.")
isfinite = tests("isfinite", "Whether elements are neither infinite nor NaN.")
isinf = tests("isinf", "Whether elements are infinite.")


@on_arrays
def signbit(input: Any) -> Any:
    """Whether elements are negative, the zero -0.0 among them."""
    if input.dtype.kind in "bu":
        return input != input
    return table["signbit"].function(input) if input.dtype.kind == "f" else input < 0


@on_arrays
def isposinf(input: Any) -> Any:
    """Whether elements are positive infinity."""
    return input != input if input.dtype.kind in "biu" else input == numpy.inf


@on_arrays
def isneginf(input: Any) -> Any:
    """Whether elements are negative infinity."""
    return input != input if input.dtype.kind in "biu" else input == -numpy.inf


@on_arrays
def isreal(input: Any) -> Any:
    """Whether elements have no imaginary part."""
    if input.dtype.kind != "c":
        return table["isfinite"].function(input) | True
    return table["imag"].function(input) == 0


@on_arrays
def isclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether elements differ by no more than ``atol + rtol * abs(other)``."""
    if input.dtype != other.dtype:
        raise RuntimeError(f"{input.dtype} did not match {other.dtype}")
    return numpy.isclose(raw_of(input), raw_of(other), rtol, atol, equal_nan)


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are close, as `isclose` says."""
    return bool(isclose(input, other, rtol, atol, equal_nan).raw.all())


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    a, b = input.raw, other.raw
    return a.shape == b.shape and bool(numpy.all(a == b))


def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex."""
    return bool(input.raw.dtype.kind == "c")


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is real floating point."""
    return input.dtype.is_floating_point


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero."""
    if input.raw.size != 1:
        raise errors.ambiguous(input.raw.size)
    return bool(input.raw.item())


def bits(name: str, op: str, operator: str | None = None) -> Function:
    """A function of the bits of integers and booleans."""
    record = table[op]

    def general(x: Any, y: Any) -> Any:
        x, y = operand(x), operand(y)
        if x is NotImplemented or y is NotImplemented:
            return NotImplemented
        x, y = promoted(x, y)
        return wrap(record.function(x, y))

    def public(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
        result = general(input, other)
        if result is NotImplemented:
            raise errors.not_tensor(name, "other", other)
        return result if out is None else store(out, result, name)

    public.__name__ = name
    public.__doc__ = f"The {record.name} of integers, bit by bit, or of booleans."
    setattr(Tensor, name, general)
    setattr(Tensor, f"{name}_", in_place(general, f"{name}_"))
    if operator is not None:
        setattr(Tensor, f"__{operator}__", general)
        setattr(Tensor, f"__r{operator}__", lambda self, other: general(other, self))
        setattr(Tensor, f"__i{operator}__", in_place(general, f"{name}_"))
    return public


bitwise_and = bits("bitwise_and", "bitwise_and", "and")
bitwise_or = bits("bitwise_or", "bitwise_or", "or")
bitwise_xor = bits("bitwise_xor", "bitwise_xor", "xor")
bitwise_left_shift = bits("bitwise_left_shift", "bitwise_left_shift", "lshift")
bitwise_right_shift = bits("bitwise_right_shift", "bitwise_right_shift", "rshift")


@on_arrays
def bitwise_not(input: Any) -> Any:
    """The integers with all bits turned, or the booleans."""
    return table["bitwise_invert"].function(input)


def common_multiples(name: str) -> Function:
    """`gcd` or `lcm`."""

    @on_arrays
    def public(input: Any, other: Any) -> Any:
        x, y = promoted(input, other)
        if x.dtype.kind not in "iu":
            raise errors.not_for(name, of_numpy(x.dtype))
        return table[name].function(x, y)

    public.__name__ = name
    return public


gcd = common_multiples("gcd")
lcm = common_multiples("lcm")


def logical(name: str) -> Function:
    """A function of truth values."""
    op = table[name]

    @on_arrays
    def public(input: Any, other: Any) -> Any:
        return op.function(input != 0, other != 0)

    public.__name__ = name
    return public


logical_and = logical("logical_and")
logical_or = logical("logical_or")
logical_xor = logical("logical_xor")


@on_arrays
def logical_not(input: Any) -> Any:
    """Whether elements are zero."""
    return input == 0


attach(
    "abs absolute addcdiv addcmul allclose angle arccos arccosh arcsin arcsinh arctan arctan2 "
    "arctanh bitwise_not ceil conj conj_physical equal fix float_power floor frac frexp gcd "
    "is_conj is_neg is_nonzero isclose isfinite isinf isnan isneginf isposinf isreal lcm ldexp "
    "lerp logical_and logical_not logical_or logical_xor nextafter positive relu resolve_conj "
    "resolve_neg round rsqrt sgn sign signbit sinc trunc",
    globals(),
    "abs absolute addcdiv addcmul arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_not "
    "ceil conj_physical fix float_power floor frac gcd lcm ldexp lerp logical_and logical_not "
    "logical_or logical_xor nextafter relu round rsqrt sgn sign sinc trunc",
)
for _name, _method in (
    ("__abs__", abs),
    ("__invert__", bitwise_not),
    ("__pos__", positive),
):
    setattr(Tensor, _name, _method)
