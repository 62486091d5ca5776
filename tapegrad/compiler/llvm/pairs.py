"""Sums and products of floats without loss: as a rounded result and what it lacks."""

from __future__ import annotations

from .vector import Number, Value, fma, select, square_root

Pair = tuple[Value, Value]


def exact_sum(x: Value, y: Value) -> Pair:
    """x + y (Knuth's)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def ordered_sum(x: Value, y: Value) -> Pair:
    """x + y where y is not larger than x (Dekker's)."""
    total = x + y
    return total, y - (total - x)


def exact_product(x: Value, y: Value | Number) -> Pair:
    """x * y."""
    product = x * y
    return product, fma(x, y, -product)


def quotient(top: Pair, bottom: Pair) -> Value:
    """The quotient of two pairs, rounded about once."""
    inverse = 1.0 / bottom[0]
    ratio = top[0] * inverse
    rest = fma(-ratio, bottom[0], top[0]) + fma(-ratio, bottom[1], top[1])
    return fma(rest, inverse, ratio)


def root(square: Pair) -> Pair:
    """The square root of a pair that is not negative, as a pair."""
    near = square_root(square[0])
    rest = fma(-near, near, square[0]) + square[1]
    return near, select(near > 0.0, rest / (near + near), 0.0)
