"""What eager code computes in one pass where NumPy needs many: rows of matrices of any size.

Each function writes one kernel, whose arrays it names in its docstring. A matrix is in one piece,
"column" means one number a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..mathematics.activations import CUBIC, SLOPE, bent, normal_integral, sigmoid, softplus_of
from ..mathematics.arithmetic import maximum
from ..mathematics.exponential import exp
from ..mathematics.logarithm import log
from ..mathematics.registry import COMPOSITES, FORMULAS
from ..vector import Value, absolute, fma, select, square_root
from .rows import INDEX, Row, Rows, across

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


def softmax_gradient(rows: Rows) -> None:
    """(matrix g, matrix out, matrix result): ``out * (g - sum(g * out))``."""

    def body(row: Row) -> None:
        def products(total: Value) -> list[Value]:
            return [fma(row.load(0), row.load(1), total)]

        total = sum_of(*row.pass_([row.number_of(0.0)], products))

        def results() -> list[Value]:
            row.store(2, row.load(1) * (row.load(0) - total))
            return []

        row.pass_([], results)

    rows.each(body)


def log_softmax_gradient(rows: Rows) -> None:
    """(matrix g, matrix out, matrix result): ``g - exp(out) * sum(g)``."""

    def body(row: Row) -> None:
        total = sum_of(*row.pass_([row.number_of(0.0)], lambda total: [total + row.load(0)]))

        def results() -> list[Value]:
            row.store(2, row.load(0) - exp(row.load(1)) * total)
            return []

        row.pass_([], results)

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


def standard(row: Row, matrix: int, epsilon: int) -> tuple[Value, Value, Value]:
    """The mean of a row, the inverse of its deviation, and that of its length."""
    inverse = 1.0 / row.length()
    number = row.builder.load(row.place(epsilon, INDEX(0)), typ=row.of.element)
    zero = [row.number_of(0.0)]
    (total,) = row.pass_(zero, lambda total: [total + row.load(matrix)])
    mean = sum_of(total) * inverse

    def squares(total: Value) -> list[Value]:
        x = row.load(matrix) - mean
        return [fma(x, x, total)]

    (total,) = row.pass_(zero, squares)
    variance = fma(sum_of(total), inverse, row.in_all_lanes(number))
    return mean, 1.0 / square_root(variance), inverse


def layer_norm(rows: Rows) -> None:
    """(matrix x, row weight, row bias, one epsilon, matrix out)."""

    def body(row: Row) -> None:
        mean, scale, _ = standard(row, 0, 3)

        def normalise() -> list[Value]:
            x = (row.load(0) - mean) * scale
            row.store(4, fma(x, row.load(1, along=True), row.load(2, along=True)))
            return []

        row.pass_([], normalise)

    rows.each(body)


def layer_norm_gradient(rows: Rows) -> None:
    """(matrix x, row weight, matrix g, one epsilon, matrix and two rows of gradients).

    To the rows, those of weight and bias, is added.
    """

    def body(row: Row) -> None:
        mean, scale, inverse = standard(row, 0, 3)
        zero = row.number_of(0.0)

        def sums(of_g: Value, of_products: Value) -> list[Value]:
            x, g = (row.load(0) - mean) * scale, row.load(2)
            row.store(5, fma(g, x, row.load(5, along=True)), along=True)
            row.store(6, row.load(6, along=True) + g, along=True)
            weighted = g * row.load(1, along=True)
            return [of_g + weighted, fma(weighted, x, of_products)]

        of_g, of_products = row.pass_([zero, zero], sums)
        level, slope = sum_of(of_g) * inverse, sum_of(of_products) * inverse

        def gradient() -> list[Value]:
            x = (row.load(0) - mean) * scale
            weighted = row.load(2) * row.load(1, along=True)
            row.store(4, (weighted - fma(x, slope, level)) * scale)
            return []

        row.pass_([], gradient)

    rows.each(body)


def gelu_gradient(g: Value, x: Value) -> Value:
    density = exp(x * x * -0.5) * INVERSE_ROOT
    return g * fma(x, density, normal_integral(x))


def silu_gradient(g: Value, x: Value) -> Value:
    s = sigmoid(x)
    return g * fma(x, s - s * s, s)


def gelu_tanh_gradient(g: Value, x: Value) -> Value:
    s = sigmoid(bent(x))
    slope = fma(x * x, 6 * SLOPE * CUBIC, x.number(2 * SLOPE))
    return g * fma(x * slope, s - s * s, s)


def softplus_above(x: Value) -> Value:
    """log(1 + exp(x)), x itself above 20."""
    return select(x > 20.0, x, softplus_of(x))


def softplus_above_gradient(g: Value, x: Value) -> Value:
    return select(x > 20.0, g, g * sigmoid(x))


ROWS: dict[str, tuple[Callable[[Rows], None], int]] = {
    "softmax": (softmax, 2),
    "log_softmax": (log_softmax, 2),
    "cross_entropy": (cross_entropy, 3),
    "cross_entropy_gradient": (cross_entropy_gradient, 5),
    "softmax_gradient": (softmax_gradient, 3),
    "log_softmax_gradient": (log_softmax_gradient, 3),
    "layer_norm": (layer_norm, 5),
    "layer_norm_gradient": (layer_norm_gradient, 7),
}
"""By name: what writes a kernel for rows, and how many arrays it takes."""

ELEMENTS: dict[str, Callable[..., Value]] = {
    **FORMULAS,
    **COMPOSITES,
    "gelu_gradient": gelu_gradient,
    "gelu_tanh_gradient": gelu_tanh_gradient,
    "silu_gradient": silu_gradient,
    "softplus_above": softplus_above,
    "softplus_above_gradient": softplus_above_gradient,
}
"""By name: functions of elements."""
