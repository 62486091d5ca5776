"""Complex numbers by their parts, and what is one."""

from __future__ import annotations

from typing import Any

import numpy

from .. import ops
from ..backend import is_complex
from ..core.array import Array
from ..core.mutation import view_of
from .dispatch import implements
from .operands import operand
from .reading import known

__all__ = ["angle", "imag", "iscomplex", "isreal", "real", "real_if_close"]


@implements(numpy.real)
def real(val: Any) -> Any:
    val = operand(val)
    return part(val, ops.complex.real) if is_complex(val.dtype) else val


@implements(numpy.imag)
def imag(val: Any) -> Any:
    return part(operand(val), ops.complex.imag)


def part(val: Any, operation: Any) -> Any:
    """The real or imaginary part; of a recorded array, a view."""
    result = operation(val)
    return view_of(val, operation.op, {}, result) if isinstance(val, Array) else result


@implements(numpy.angle)
def angle(z: Any, deg: bool = False) -> Any:
    z = operand(z)
    if is_complex(z.dtype):
        result = ops.elementary.atan2(ops.complex.imag(z), ops.complex.real(z))
    else:
        result = ops.elementary.atan2(0, z)
    return result * (180 / numpy.pi) if deg else result


@implements(numpy.real_if_close)
def real_if_close(a: Any, tol: float = 100) -> Any:
    a = operand(a)
    if not is_complex(a.dtype):
        return a
    data = known(a, "whether the imaginary parts are small, in numpy.real_if_close,")
    return ops.complex.real(a) if numpy.isrealobj(numpy.real_if_close(data, tol)) else a


@implements(numpy.isreal)
def isreal(x: Any) -> Any:
    return ops.comparison.equal(ops.complex.imag(operand(x)), 0)


@implements(numpy.iscomplex)
def iscomplex(x: Any) -> Any:
    return ops.comparison.not_equal(ops.complex.imag(operand(x)), 0)
