"""Python's operators on `Array`."""

from __future__ import annotations

from ..core.array import Array
from .arithmetic import add, divide, greater, multiply, negative, subtract


def attach() -> None:
    Array.__add__ = add
    Array.__radd__ = lambda self, other: add(other, self)
    Array.__sub__ = subtract
    Array.__rsub__ = lambda self, other: subtract(other, self)
    Array.__mul__ = multiply
    Array.__rmul__ = lambda self, other: multiply(other, self)
    Array.__truediv__ = divide
    Array.__rtruediv__ = lambda self, other: divide(other, self)
    Array.__neg__ = negative
    Array.__gt__ = greater


attach()
