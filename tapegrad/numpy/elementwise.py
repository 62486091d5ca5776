"""NumPy's elementwise functions: the ufuncs, and those that are composed of them."""

from __future__ import annotations

import operator
from typing import Any

import numpy

from .. import ops
from ..backend import is_complex
from ..core.array import Array
from ..ops.linear import cast
from .dispatch import implements, implements_ufunc
from .lists import without_lists
from .operands import operand
from .ufuncs import store

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "around",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "i0",
    "invert",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isnat",
    "isneginf",
    "isposinf",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]

# Ufuncs that are operations

add = implements_ufunc(numpy.add, ops.arithmetic.add)
subtract = implements_ufunc(numpy.subtract, ops.arithmetic.subtract)
multiply = implements_ufunc(numpy.multiply, ops.arithmetic.multiply)
divide = true_divide = implements_ufunc(numpy.divide, ops.arithmetic.divide)
floor_divide = implements_ufunc(numpy.floor_divide, ops.rounding.floor_divide)
remainder = mod = implements_ufunc(numpy.remainder, ops.arithmetic.remainder)
fmod = implements_ufunc(numpy.fmod, ops.arithmetic.fmod)
divmod = implements_ufunc(numpy.divmod, ops.operators.divmod)
positive = implements_ufunc(numpy.positive, ops.arithmetic.positive)
negative = implements_ufunc(numpy.negative, ops.arithmetic.negative)
reciprocal = implements_ufunc(numpy.reciprocal, ops.arithmetic.reciprocal)
square = implements_ufunc(numpy.square, ops.arithmetic.square)
copysign = implements_ufunc(numpy.copysign, ops.arithmetic.copysign)
heaviside = implements_ufunc(numpy.heaviside, ops.arithmetic.heaviside)

exp = implements_ufunc(numpy.exp, ops.elementary.exp)
exp2 = implements_ufunc(numpy.exp2, ops.elementary.exp2)
expm1 = implements_ufunc(numpy.expm1, ops.elementary.expm1)
log = implements_ufunc(numpy.log, ops.elementary.log)
log2 = implements_ufunc(numpy.log2, ops.elementary.log2)
log10 = implements_ufunc(numpy.log10, ops.elementary.log10)
log1p = implements_ufunc(numpy.log1p, ops.elementary.log1p)
sqrt = implements_ufunc(numpy.sqrt, ops.elementary.sqrt)
cbrt = implements_ufunc(numpy.cbrt, ops.elementary.cbrt)
sin = implements_ufunc(numpy.sin, ops.elementary.sin)
cos = implements_ufunc(numpy.cos, ops.elementary.cos)
tan = implements_ufunc(numpy.tan, ops.elementary.tan)
asin = arcsin = implements_ufunc(numpy.arcsin, ops.elementary.asin)
acos = arccos = implements_ufunc(numpy.arccos, ops.elementary.acos)
atan = arctan = implements_ufunc(numpy.arctan, ops.elementary.atan)
atan2 = arctan2 = implements_ufunc(numpy.arctan2, ops.elementary.atan2)
sinh = implements_ufunc(numpy.sinh, ops.elementary.sinh)
cosh = implements_ufunc(numpy.cosh, ops.elementary.cosh)
tanh = implements_ufunc(numpy.tanh, ops.elementary.tanh)
asinh = arcsinh = implements_ufunc(numpy.arcsinh, ops.elementary.asinh)
acosh = arccosh = implements_ufunc(numpy.arccosh, ops.elementary.acosh)
atanh = arctanh = implements_ufunc(numpy.arctanh, ops.elementary.atanh)
degrees = implements_ufunc(numpy.degrees, ops.elementary.degrees)
radians = implements_ufunc(numpy.radians, ops.elementary.radians)
hypot = implements_ufunc(numpy.hypot, ops.elementary.hypot)
logaddexp = implements_ufunc(numpy.logaddexp, ops.elementary.logaddexp)
logaddexp2 = implements_ufunc(numpy.logaddexp2, ops.elementary.logaddexp2)
rad2deg = implements_ufunc(numpy.rad2deg, ops.elementary.degrees)
deg2rad = implements_ufunc(numpy.deg2rad, ops.elementary.radians)

conj = conjugate = implements_ufunc(numpy.conjugate, ops.complex.conj)
abs = absolute = implements_ufunc(numpy.absolute, ops.complex.abs)
fabs = implements_ufunc(numpy.fabs, ops.complex.fabs)

maximum = implements_ufunc(numpy.maximum, ops.selection.maximum)
minimum = implements_ufunc(numpy.minimum, ops.selection.minimum)
fmax = implements_ufunc(numpy.fmax, ops.selection.fmax)
fmin = implements_ufunc(numpy.fmin, ops.selection.fmin)

ceil = implements_ufunc(numpy.ceil, ops.rounding.ceil)
floor = implements_ufunc(numpy.floor, ops.rounding.floor)
trunc = implements_ufunc(numpy.trunc, ops.rounding.trunc)
rint = implements_ufunc(numpy.rint, ops.rounding.rint)
spacing = implements_ufunc(numpy.spacing, ops.rounding.spacing)
nextafter = implements_ufunc(numpy.nextafter, ops.rounding.nextafter)
ldexp = implements_ufunc(numpy.ldexp, ops.rounding.ldexp)

equal = implements_ufunc(numpy.equal, ops.comparison.equal)
not_equal = implements_ufunc(numpy.not_equal, ops.comparison.not_equal)
less = implements_ufunc(numpy.less, ops.comparison.less)
less_equal = implements_ufunc(numpy.less_equal, ops.comparison.less_equal)
greater = implements_ufunc(numpy.greater, ops.comparison.greater)
greater_equal = implements_ufunc(numpy.greater_equal, ops.comparison.greater_equal)
logical_and = implements_ufunc(numpy.logical_and, ops.comparison.logical_and)
logical_or = implements_ufunc(numpy.logical_or, ops.comparison.logical_or)
logical_xor = implements_ufunc(numpy.logical_xor, ops.comparison.logical_xor)
logical_not = implements_ufunc(numpy.logical_not, ops.comparison.logical_not)
bitwise_and = implements_ufunc(numpy.bitwise_and, ops.comparison.bitwise_and)
bitwise_or = implements_ufunc(numpy.bitwise_or, ops.comparison.bitwise_or)
bitwise_xor = implements_ufunc(numpy.bitwise_xor, ops.comparison.bitwise_xor)
bitwise_count = implements_ufunc(numpy.bitwise_count, ops.comparison.bitwise_count)
gcd = implements_ufunc(numpy.gcd, ops.comparison.gcd)
lcm = implements_ufunc(numpy.lcm, ops.comparison.lcm)
isnan = implements_ufunc(numpy.isnan, ops.comparison.isnan)
isinf = implements_ufunc(numpy.isinf, ops.comparison.isinf)
isfinite = implements_ufunc(numpy.isfinite, ops.comparison.isfinite)
isnat = implements_ufunc(numpy.isnat, ops.comparison.isnat)
signbit = implements_ufunc(numpy.signbit, ops.comparison.signbit)
bitwise_invert = bitwise_not = invert = implements_ufunc(
    numpy.invert, ops.comparison.bitwise_invert
)
bitwise_left_shift = left_shift = implements_ufunc(
    numpy.left_shift, ops.comparison.bitwise_left_shift
)
bitwise_right_shift = right_shift = implements_ufunc(
    numpy.right_shift, ops.comparison.bitwise_right_shift
)

# Ufuncs that are composed


def _sign(x: Any) -> Any:
    x = operand(x)
    return ops.complex.phase(x) if is_complex(x.dtype) else ops.rounding.sign(x)


def _modf(x: Any) -> tuple[Any, Any]:
    return ops.rounding.fraction_of(x), ops.rounding.whole_of(x)


def _frexp(x: Any) -> tuple[Any, Any]:
    return ops.rounding.mantissa_of(x), ops.rounding.exponent_of(x)


def _double(x: Any) -> Any:
    """`x` in double precision at least."""
    x = x if isinstance(x, Array) else numpy.asarray(x)[()]
    return cast(x, numpy.result_type(x.dtype, numpy.float64))


def _float_power(x: Any, y: Any) -> Any:
    return ops.power.pow(_double(x), _double(y))


def _power(x: Any, y: Any) -> Any:
    if type(y) is int and isinstance(x, Array) and x.dtype == bool:
        y = numpy.int64(y)  # where `**` gives int8
    return ops.power.pow(x, y)


sign = implements_ufunc(numpy.sign, _sign)
modf = implements_ufunc(numpy.modf, _modf)
frexp = implements_ufunc(numpy.frexp, _frexp)
float_power = implements_ufunc(numpy.float_power, _float_power)
pow = power = implements_ufunc(numpy.power, _power)

# Other functions


@implements(numpy.isposinf)
def isposinf(x: Any, out: Any = None) -> Any:
    return store("isposinf", ops.comparison.isposinf(operand(x)), out)


@implements(numpy.isneginf)
def isneginf(x: Any, out: Any = None) -> Any:
    return store("isneginf", ops.comparison.isneginf(operand(x)), out)


@implements(numpy.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    return ops.comparison.isclose(*without_lists((a, b)), rtol, atol, equal_nan=bool(equal_nan))


@implements(numpy.sinc)
def sinc(x: Any) -> Any:
    return ops.special.sinc(operand(x), order=0)


@implements(numpy.i0)
def i0(x: Any) -> Any:
    return ops.special.i0(operand(x))


@implements(numpy.round, numpy.around)
def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    return store("round", ops.rounding.round(operand(a), decimals=operator.index(decimals)), out)


around = round


@implements(numpy.fix)
def fix(x: Any, out: Any = None) -> Any:
    return store("fix", ops.rounding.trunc(operand(x)), out)
