"""Python's operators on `Array`: the operations themselves, with nothing in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend import is_inexact
from ..core.array import Array
from . import arithmetic as a
from . import comparison as c
from .complex import abs as absolute
from .contract import matmul
from .elementary import sqrt
from .power import pow as power
from .rounding import floor_divide


def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    """The operator for an `Array` on the right of something that is none."""
    return lambda self, other: function(other, self)


def to_the(x: Any, y: Any) -> Any:
    """``x ** y``, with the short ways that NumPy takes."""
    if type(y) is int and y == 2 and type(x) is Array:  # by far the commonest
        return a.square(x)
    if (
        type(y) in SHORT
        and isinstance(x, Array)
        and x.slot
        and y in SHORT_POWERS
        and (type(x) is Array or is_inexact(x.dtype))  # a differentiation tape has no integers
    ):
        return SHORT_POWERS[y](x)
    return power(x, y)


SHORT = {int, float}

SHORT_POWERS: dict[float, Any] = {0.5: sqrt, 2: a.square, 3: a.cube}


def divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """The quotient rounded down and the remainder."""
    return floor_divide(x, y), a.remainder(x, y)


OPERATORS: dict[str, Any] = {
    "add": a.add,
    "radd": a.add,  # commutes
    "sub": a.subtract,
    "rsub": reflected(a.subtract),
    "mul": a.multiply,
    "rmul": a.multiply,
    "truediv": a.divide,
    "rtruediv": reflected(a.divide),
    "floordiv": floor_divide,
    "rfloordiv": reflected(floor_divide),
    "mod": a.remainder,
    "rmod": reflected(a.remainder),
    "divmod": divmod,
    "rdivmod": reflected(divmod),
    "pow": to_the,
    "rpow": reflected(power),
    "matmul": matmul,
    "rmatmul": reflected(matmul),
    "neg": a.negative,
    "pos": a.positive,
    "abs": absolute,
    "eq": c.equal,
    "ne": c.not_equal,
    "lt": c.less,
    "le": c.less_equal,
    "gt": c.greater,
    "ge": c.greater_equal,
    "and": c.bitwise_and,
    "rand": c.bitwise_and,
    "or": c.bitwise_or,
    "ror": c.bitwise_or,
    "xor": c.bitwise_xor,
    "rxor": c.bitwise_xor,
    "lshift": c.bitwise_left_shift,
    "rlshift": reflected(c.bitwise_left_shift),
    "rshift": c.bitwise_right_shift,
    "rrshift": reflected(c.bitwise_right_shift),
    "invert": c.bitwise_invert,
    "hash": None,  # == compares element by element
}

for _name, _function in OPERATORS.items():
    setattr(Array, f"__{_name}__", _function)
