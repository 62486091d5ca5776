"""What eager code computes in one pass where NumPy needs many: rows of matrices of any size.

Each function writes one kernel, whose arrays it names in its docstring. A matrix is in one piece,
"column" means one number a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..mathematics.arithmetic import maximum
from ..mathematics.exponential import exp
from ..mathematics.gauss import erf
from ..mathematics.logarithm import log
from ..mathematics.registry import FORMULAS
from ..vector import Value, absolute, fma, select, square_root
from .rows import INDEX, Row, Rows, across

SQRT_HALF = math.sqrt(0.5)
INVERSE_ROOT = 1 / math.sqrt(2 * math.pi)


def top_of(row: Row, matrix: int) -> Value:
    """The largest number of a row; NaN if there is one."""
    start = row.number_of(float("-inf"))
    (top,) = row.pass_([start], lambda top: [maximum(top, row.load(matrix))])
    return across(top, maximum)


def sum_of(value: Value) -> Value:
    return across(value, lambda x, y: x + y)


def finite_or_zero(x: Value) -> Value:
    return select(absolute(x) < float("inf"), x, 0.0)


def softmax(rows: Rows) -> None:
    """(matrix x, matrix out): exponentials divided by their sum."""

    def body(row: Row) -> None:
        top = top_of(row, 0)

        def exponentials(total: Value) -> list[Value]:
            e = exp(row.load(0) - top)
            row.store(1, e)
            return [total + e]

        (total,) = row.pass_([row.number_of(0.0)], exponentials)
        inverse = 1.0 / sum_of(total)

        def divide() -> list[Value]:
            row.store(1, row.load(1) * inverse)
            return []

        row.pass_([], divide)

    rows.each(body)


def log_of_sum(row: Row, matrix: int) -> tuple[Value, Value]:
    """The shift of a row, its top if that is finite, and the logarithm of the sum that remains."""
    shift = finite_or_zero(top_of(row, matrix))
    start = [row.number_of(0.0)]
    (total,) = row.pass_(start, lambda total: [total + exp(row.load(matrix) - shift)])
    return shift, log(sum_of(total))


def log_softmax(rows: Rows) -> None:
    """(matrix x, matrix out): the logarithm of softmax."""

    def body(row: Row) -> None:
        shift, rest = log_of_sum(row, 0)

        def subtract() -> list[Value]:
            row.store(1, (row.load(0) - shift) - rest)
            return []

        row.pass_([], subtract)

    rows.each(body)


def cross_entropy(rows: Rows) -> None:
    """(matrix logits, column of integers labels, column out): -log_softmax at the label."""

    def body(row: Row) -> None:
        shift, rest = log_of_sum(row, 0)
        _, chosen = row.element(0, row.integer(1))
        row.put(2, rest - (chosen - shift))

    rows.each(body)


def cross_entropy_gradient(rows: Rows) -> None:
    """(matrix logits, labels, column out, column g, matrix gradient)."""

    def body(row: Row) -> None:
        label, g = row.integer(1), row.value(3)
        _, chosen = row.element(0, label)
        total = row.value(2) + chosen

        def probabilities() -> list[Value]:
            row.store(4, exp(row.load(0) - total) * g)
            return []

        row.pass_([], probabilities)
        place, there = row.element(4, label)
        rest = row.builder.extract_element((there - g).ir, INDEX(0))
        row.builder.store(rest, place)

    rows.each(body)


def layer_norm(rows: Rows) -> None:
    """(matrix x, row weight, row bias, one epsilon, matrix out, columns mean and scale)."""

    def body(row: Row) -> None:
        inverse = 1.0 / row.length()
        epsilon = row.in_all_lanes(row.builder.load(row.place(3, INDEX(0)), typ=row.of.element))
        zero = [row.number_of(0.0)]
        (total,) = row.pass_(zero, lambda total: [total + row.load(0)])
        mean = sum_of(total) * inverse

        def squares(total: Value) -> list[Value]:
            x = row.load(0) - mean
            return [fma(x, x, total)]

        (total,) = row.pass_(zero, squares)
        scale = 1.0 / square_root(fma(sum_of(total), inverse, epsilon))

        def normalise() -> list[Value]:
            x = (row.load(0) - mean) * scale
            row.store(4, fma(x, row.load(1, along=True), row.load(2, along=True)))
            return []

        row.pass_([], normalise)
        row.put(5, mean)
        row.put(6, scale)

    rows.each(body)


def layer_norm_gradient(rows: Rows) -> None:
    """(matrix x, row weight, matrix g, columns mean and scale, matrix and two rows of gradients).

    To the rows, those of weight and bias, is added.
    """

    def body(row: Row) -> None:
        mean, scale, inverse = row.value(3), row.value(4), 1.0 / row.length()
        zero = row.number_of(0.0)

        def sums(of_g: Value, of_products: Value) -> list[Value]:
            x, g = (row.load(0) - mean) * scale, row.load(2)
            row.store(6, fma(g, x, row.load(6, along=True)), along=True)
            row.store(7, row.load(7, along=True) + g, along=True)
            weighted = g * row.load(1, along=True)
            return [of_g + weighted, fma(weighted, x, of_products)]

        of_g, of_products = row.pass_([zero, zero], sums)
        level, slope = sum_of(of_g) * inverse, sum_of(of_products) * inverse

        def gradient() -> list[Value]:
            x = (row.load(0) - mean) * scale
            weighted = row.load(2) * row.load(1, along=True)
            row.store(5, (weighted - fma(x, slope, level)) * scale)
            return []

        row.pass_([], gradient)

    rows.each(body)


def normal_distribution(x: Value) -> Value:
    return fma(erf(x * SQRT_HALF), 0.5, x.number(0.5))


def gelu(x: Value) -> Value:
    """x times the normal distribution's function."""
    return x * normal_distribution(x)


def gelu_gradient(x: Value, g: Value) -> Value:
    density = exp(x * x * -0.5) * INVERSE_ROOT
    return g * fma(x, density, normal_distribution(x))


ROWS: dict[str, tuple[Callable[[Rows], None], int]] = {
    "softmax": (softmax, 2),
    "log_softmax": (log_softmax, 2),
    "cross_entropy": (cross_entropy, 3),
    "cross_entropy_gradient": (cross_entropy_gradient, 5),
    "layer_norm": (layer_norm, 7),
    "layer_norm_gradient": (layer_norm_gradient, 8),
}
"""By name: what writes a kernel for rows, and how many arrays it takes."""

ELEMENTS: dict[str, Callable[..., Value]] = {
    **FORMULAS,
    "gelu": gelu,
    "gelu_gradient": gelu_gradient,
}
"""By name: functions of elements."""
