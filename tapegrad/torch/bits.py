"""Functions of the bits of integers, and of their divisors."""

from __future__ import annotations

from typing import Any

from ..core.op import table
from . import errors
from .calls import attach, on_arrays, operand, promoted
from .dtypes import of_numpy
from .inplace import in_place, store
from .pointwise import Function
from .tensor import Tensor, wrap

__all__ = [
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "gcd",
    "lcm",
]


SHIFTS = ("lshift", "rshift")


def bits(name: str, op: str, operator: str | None = None) -> Function:
    """A function of the bits of integers and booleans."""
    record = table[op]
    kernel = f"{operator if operator in SHIFTS else name}_cpu"

    def general(x: Any, y: Any) -> Any:
        x, y = operand(x), operand(y)
        if x is NotImplemented or y is NotImplemented:
            return NotImplemented
        x, y = promoted(x, y)
        if x.dtype.kind not in ("iu" if operator in SHIFTS else "biu"):
            raise errors.not_for(kernel, of_numpy(x.dtype))
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
    if input.dtype.kind not in "biu":
        raise errors.no_bits()
    return table["bitwise_invert"].function(input)


def common_multiples(name: str) -> Function:
    """`gcd` or `lcm`."""

    @on_arrays
    def public(input: Any, other: Any) -> Any:
        x, y = promoted(input, other)
        if x.dtype.kind not in "iu":
            raise errors.not_for(f"{name}_cpu", of_numpy(x.dtype))
        return table[name].function(x, y)

    public.__name__ = name
    return public


gcd = common_multiples("gcd")
lcm = common_multiples("lcm")


attach("bitwise_not gcd lcm", globals(), "bitwise_not gcd lcm")
