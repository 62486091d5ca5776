"""Arithmetic and comparison of tensors."""

from __future__ import annotations

from typing import Any

import numpy

from ..core.array import Array, Traced
from ..core.modes import is_grad_enabled
from ..core.op import table
from ..ops.complex import real
from ..ops.elementary import exp as exp_of
from ..ops.elementary import log1p as log1p_of
from ..ops.selection import where
from . import errors
from .calls import NUMBERS, attach, cast, on_arrays, operand, promoted, raw_of
from .dtypes import common, of_numpy
from .inplace import in_place
from .pointwise import binary, comparison, fast, unary
from .refusals import refuse
from .tensor import Tensor

__all__ = [
    "add",
    "copysign",
    "div",
    "divide",
    "eq",
    "exp",
    "exp2",
    "expm1",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "hypot",
    "le",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "ne",
    "neg",
    "negative",
    "not_equal",
    "pow",
    "reciprocal",
    "remainder",
    "rsub",
    "sqrt",
    "square",
    "sub",
    "subtract",
    "true_divide",
]


def integral_power(x: Any, y: Any) -> Any:
    """The power; of integers, the quotient cut to an integer where the exponent is negative."""
    function = table["pow"].function
    if raw_of(y).dtype.kind != "i":
        return function(x, y)
    negative = y < 0
    if not isinstance(y, Array):  # it was a Python number
        if negative:
            raise errors.negative_power()
        return function(x, y)
    vanishes = negative & (x != 1) & (x != -1)
    return function(where(vanishes, 0, x), table["abs"].function(y))


def square_of(x: Any) -> Any:
    """The square; of truth values as integers."""
    return table["square"].function(cast(x, INTEGER) if raw_of(x).dtype.kind == "b" else x)


INTEGER = numpy.dtype(numpy.int64)


def log_sum(x: Any, y: Any) -> Any:
    """``log(exp(x) + exp(y))``; of complex numbers by what the other adds to the larger one."""
    if "c" not in (raw_of(x).dtype.kind, raw_of(y).dtype.kind):
        return table["logaddexp"].function(x, y)
    less = real(x) < real(y)
    top, other = where(less, y, x), where(less, x, y)
    return top + log1p_of(exp_of(other - top))


def kind_of(x: Any) -> str:
    """The kind of NumPy's dtype of an operand."""
    return numpy.dtype(type(x)).kind if type(x) in NUMBERS else raw_of(x).dtype.kind


def no_bools(x: Any, y: Any) -> None:
    """Raise if an operand of a difference is of truth values."""
    kinds = kind_of(x), kind_of(y)
    if "b" in kinds:
        raise errors.subtraction_of_bools(kinds == ("b", "b"))


def no_zero_divisor(x: Any, y: Any) -> None:
    """Raise if integers are to be divided by zero; what differs between lanes is not known."""
    if kind_of(x) not in "biu" or kind_of(y) not in "biu" or isinstance(y, Traced):
        return
    if not numpy.all(raw_of(y)):
        raise errors.zero_divisor()


def check_remainder(x: Any, y: Any) -> None:
    """Raise if operands have no remainder, or if one is an integer divided by zero."""
    d = common(raw_of(x), raw_of(y))
    if d is not None and (d.is_complex or d.name == "bool"):
        raise errors.not_for("remainder_cpu", d)
    no_zero_divisor(x, y)


def ordered(name: str) -> Any:
    """A check that operands have an order."""

    def check(x: Any, y: Any) -> None:
        for z in (x, y):
            if kind_of(z) == "c":
                d = numpy.complex64 if type(z) in NUMBERS else raw_of(z).dtype
                raise errors.no_order(name, of_numpy(d))

    return check


def negative_of(x: Any) -> Any:
    """The elements with the opposite sign."""
    if x.dtype.kind == "b":
        raise errors.negation_of_bools()
    return table["negative"].function(x)


quick_add = binary("add", operator="add")
quick_sub = binary("sub", "subtract", operator="sub", check=no_bools)
mul = multiply = binary("mul", "multiply", operator="mul")
true_divide = binary("true_divide", "divide", to_float=True, operator="truediv")
quick_pow = binary("pow", operator="pow", otherwise=integral_power)
remainder = binary("remainder", operator="mod", check=check_remainder)
fmod = binary("fmod", check=no_zero_divisor)
maximum = binary("maximum", check=ordered("maximum"))
minimum = binary("minimum", check=ordered("minimum"))
fmax = binary("fmax", check=ordered("fmax"))
fmin = binary("fmin", check=ordered("fmin"))
hypot = binary("hypot", to_float=True)
logaddexp = binary("logaddexp", to_float=True, otherwise=log_sum)
logaddexp2 = binary("logaddexp2", to_float=True)
copysign = binary("copysign", to_float=True)

exp = unary("exp")
exp2 = unary("exp2")
expm1 = unary("expm1")
log = unary("log")
log2 = unary("log2")
log10 = unary("log10")
log1p = unary("log1p")
sqrt = unary("sqrt")
reciprocal = unary("reciprocal")
square = unary("square", to_float=False, otherwise=square_of)
neg = negative = unary("neg", "negative", to_float=False, operator="neg", otherwise=negative_of)

eq = comparison("eq", "equal", operator="eq")
ne = not_equal = comparison("ne", "not_equal", operator="ne")
lt = less = comparison("lt", "less", "lt", ordered("lt"))
le = less_equal = comparison("le", "less_equal", "le", ordered("le"))
gt = greater = comparison("gt", "greater", "gt", ordered("gt"))
ge = greater_equal = comparison("ge", "greater_equal", "ge", ordered("ge"))


def scaled(other: Any, alpha: Any) -> Any:
    """`alpha * other`."""
    return other if alpha == 1 and type(alpha) is int else fast["mul"](other, alpha)


def add(input: Any, other: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """``input + alpha * other``."""
    return quick_add(input, scaled(other, alpha), out=out)


def sub(input: Any, other: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """``input - alpha * other``."""
    return quick_sub(input, scaled(other, alpha), out=out)


subtract = sub


def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """``other - alpha * input``."""
    return quick_sub(other, scaled(input, alpha))


ROUNDINGS = {"floor": "floor_divide", "trunc": "trunc"}


def div(
    input: Any, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """The quotient; if `rounding_mode` is `"floor"` or `"trunc"`, rounded, in the common dtype."""
    if rounding_mode is None:
        return true_divide(input, other, out=out)
    if rounding_mode not in ROUNDINGS:
        raise errors.bad_rounding(rounding_mode)
    return rounded_quotient(input, other, rounding_mode, out=out)


def check_divisible(name: str, x: Any) -> None:
    """Raise if an operand of a common dtype is of one without remainders."""
    dtype = raw_of(x).dtype
    if dtype.kind in "bc":
        raise errors.not_for(name, of_numpy(dtype))


@on_arrays
def rounded_quotient(input: Any, other: Any, mode: str) -> Any:
    """The quotient rounded down or towards zero; its derivative is zero."""
    x, y = operand(input), operand(other)
    if x is NotImplemented or y is NotImplemented:
        raise errors.not_tensor("floor_divide", "other", other)
    no_zero_divisor(x, y)
    x, y = promoted(x, y)
    check_divisible(f"div_{mode}_cpu", x)
    result = integral_quotient(raw_of(x), raw_of(y), mode)
    if result.dtype.kind in "iu":
        return result
    for z in (x, y):
        if isinstance(z, Array) and z.slot:
            if z.shape != raw_of(result).shape:
                z = table["broadcast_to"].function(z, to=raw_of(result).shape)
            result = table["held"].function(z, result)
    return result


def integral_quotient(x: Any, y: Any, mode: str) -> Any:
    """The rounded quotient of raw operands."""
    if mode == "floor":
        return table["floor_divide"].function(x, y)
    dtype = x.dtype
    if dtype.kind in "iu":
        rest = table["fmod"].function(x, y)
        return table["floor_divide"].function(x - rest, y)
    return cast(table["trunc"].function(table["divide"].function(x, y)), dtype)


def floor_divide(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The quotient rounded down."""
    return div(input, other, rounding_mode="floor", out=out)


divide = div


def pow(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """`input` to the power `exponent`."""
    return quick_pow(input, exponent, out=out)


def changed_by_multiple(name: str) -> Any:
    """`add_` or `sub_`, with `alpha`."""
    quick, slow = getattr(Tensor, f"{name}_"), in_place(globals()[name], f"{name}_")

    def method(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
        if type(alpha) is int and alpha == 1:
            return quick(self, other)
        if not is_grad_enabled() and type(other) is Tensor and type(alpha) is float:
            return quick(self, fast["mul"](other, alpha))
        return slow(self, other, alpha=alpha)

    method.__name__ = f"{name}_"
    return method


quick_changes = {f"{name}_": changed_by_multiple(name) for name in ("add", "sub")}
attach(
    "add sub subtract div divide multiply negative not_equal less less_equal greater greater_equal "
    "floor_divide pow",
    globals(),
    "add sub subtract div divide multiply negative floor_divide pow not_equal less less_equal "
    "greater greater_equal",
)
for _name, _method in (
    *quick_changes.items(),
    ("__floordiv__", floor_divide),
    ("__rdiv__", lambda self, other: true_divide(other, self)),
    ("__rfloordiv__", lambda self, other: floor_divide(other, self)),
    ("__ifloordiv__", in_place(floor_divide, "floor_divide_")),
):
    setattr(Tensor, _name, _method)

refuse(globals(), "pow", "bool", "quick_pow")
refuse(globals(), "{name}_cpu", "bool", "fmod")
refuse(globals(), "{name}_cpu", "complex", "copysign fmod")
refuse(globals(), "{name}_cpu", "bool integer complex", "hypot logaddexp2")
refuse(globals(), "{name}_cpu", "bool integer", "logaddexp")
refuse(
    globals(), "{name} not implemented for complex tensors.", "complex", "fmax fmin maximum minimum"
)
