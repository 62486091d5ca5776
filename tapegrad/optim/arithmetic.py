"""The arithmetic that update rules are written in, in PyTorch's words, and two ways to do it.

A name that ends in an underscore gives its first operand up: `InPlace` writes the result there,
`Pure` makes a new array. Every function gives its result and a rule goes on with that, so one text
of a rule updates buffers in place, and is a pure function of what is recorded, mapped or compiled.
"""

from __future__ import annotations

import math
from typing import Any

import numpy
from numpy import ndarray

from ..core.op import table

BLOCK = 1 << 14
"""How many elements are updated at a time: all that an update reads and writes stays in cache."""


class Pure:
    """On arrays of any kind; nothing is changed. On numbers too, for a rule's coefficients."""

    abs = staticmethod(table["abs"].function)
    greater = staticmethod(table["greater"].function)
    less = staticmethod(table["less"].function)
    maximum = maximum_ = staticmethod(table["maximum"].function)
    sign = staticmethod(table["sign"].function)
    sqrt = staticmethod(table["sqrt"].function)

    @staticmethod
    def where(mask: Any, x: Any, y: Any) -> Any:
        if type(mask) is bool:
            return x if mask else y
        return table["where"].function(mask, x, y)

    @staticmethod
    def neg(x: Any) -> Any:
        return -x

    @staticmethod
    def add(x: Any, y: Any, alpha: Any = None) -> Any:
        return x + y if alpha is None else x + alpha * y

    @staticmethod
    def mul(x: Any, y: Any) -> Any:
        return x * y

    @staticmethod
    def div(x: Any, y: Any) -> Any:
        return x / y

    add_ = add
    mul_ = mul
    div_ = div

    @staticmethod
    def lerp_(x: Any, y: Any, weight: Any) -> Any:
        return x + weight * (y - x)

    @staticmethod
    def addcmul_(x: Any, y: Any, z: Any, value: Any = None) -> Any:
        product = y * z
        return x + product if value is None else x + value * product

    @staticmethod
    def addcdiv_(x: Any, y: Any, z: Any, value: Any = None) -> Any:
        quotient = y / z
        return x + quotient if value is None else x + value * quotient

    @staticmethod
    def clamp_(x: Any, low: Any, high: Any) -> Any:
        return table["clip"].function(x, low, high)

    @staticmethod
    def copy_(x: Any, y: Any) -> Any:
        return y


class Numbers:
    """On Python's numbers, for a rule's coefficients."""

    sqrt = staticmethod(math.sqrt)
    maximum = staticmethod(max)

    @staticmethod
    def greater(x: float, y: float) -> bool:
        return x > y

    @staticmethod
    def where(mask: bool, x: float, y: float) -> float:
        return x if mask else y


class InPlace:
    """On blocks of buffers of one dtype, along one axis, with scratch memory of its own.

    A result without an underscore is in scratch memory, which `begin` takes back.
    """

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.pool: list[ndarray] = []
        self.used = 0
        self.length = BLOCK

    def begin(self, length: int) -> None:
        """Start with other blocks, of so many elements."""
        self.length = length
        self.used = 0

    def scratch(self) -> ndarray:
        """Memory for a result."""
        if self.used == len(self.pool):
            self.pool.append(numpy.empty(BLOCK, self.dtype))
        memory = self.pool[self.used]
        self.used += 1
        return memory if self.length == BLOCK else memory[: self.length]

    def neg(self, x: Any) -> Any:
        return numpy.negative(x, self.scratch())

    def abs(self, x: Any) -> Any:
        return numpy.absolute(x, self.scratch())

    def sign(self, x: Any) -> Any:
        return numpy.sign(x, self.scratch())

    def sqrt(self, x: Any) -> Any:
        return numpy.sqrt(x, self.scratch())

    def greater(self, x: Any, y: Any) -> Any:
        return numpy.greater(x, y)

    def less(self, x: Any, y: Any) -> Any:
        return numpy.less(x, y)

    def where(self, mask: Any, x: Any, y: Any) -> Any:
        if type(mask) is bool:
            return x if mask else y
        out = self.scratch()
        out[...] = y
        numpy.copyto(out, x, where=mask)
        return out

    def add(self, x: Any, y: Any, alpha: Any = None) -> Any:
        out = self.scratch()
        if alpha is None:
            return numpy.add(x, y, out)
        numpy.multiply(y, alpha, out)
        return numpy.add(x, out, out)

    def mul(self, x: Any, y: Any) -> Any:
        return numpy.multiply(x, y, self.scratch())

    def div(self, x: Any, y: Any) -> Any:
        return numpy.divide(x, y, self.scratch())

    def add_(self, x: Any, y: Any, alpha: Any = None) -> Any:
        return numpy.add(x, y if alpha is None else self.passing(numpy.multiply, y, alpha), x)

    def mul_(self, x: Any, y: Any) -> Any:
        return numpy.multiply(x, y, x)

    def div_(self, x: Any, y: Any) -> Any:
        return numpy.divide(x, y, x)

    def maximum_(self, x: Any, y: Any) -> Any:
        return numpy.maximum(x, y, out=x)

    def lerp_(self, x: Any, y: Any, weight: Any) -> Any:
        step = self.passing(numpy.subtract, y, x)
        step *= weight
        return numpy.add(x, step, x)

    def addcmul_(self, x: Any, y: Any, z: Any, value: Any = None) -> Any:
        product = self.passing(numpy.multiply, y, z)
        if value is not None:
            product *= value
        return numpy.add(x, product, x)

    def addcdiv_(self, x: Any, y: Any, z: Any, value: Any = None) -> Any:
        quotient = self.passing(numpy.divide, y, z)
        if value is not None:
            quotient *= value
        return numpy.add(x, quotient, x)

    def clamp_(self, x: Any, low: Any, high: Any) -> Any:
        return numpy.clip(x, low, high, x)

    def copy_(self, x: Any, y: Any) -> Any:
        x[...] = y
        return x

    def passing(self, ufunc: Any, x: Any, y: Any) -> Any:
        """A result that is used up before the next one is asked for."""
        out = ufunc(x, y, self.scratch())
        self.used -= 1
        return out
