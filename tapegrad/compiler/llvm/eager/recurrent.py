"""The elementwise part of a step of a recurrent network, forwards and backwards.

Each kernel works on what is one row to it: a gate of all states and sequences.
"""

from __future__ import annotations

from collections.abc import Callable

from ..mathematics.activations import sigmoid
from ..mathematics.arithmetic import maximum
from ..mathematics.exponential import tanh
from ..vector import Value, fma, select
from .rows import Row, Rows


def elementwise(body: Callable[[Row], None]) -> Callable[[Rows], None]:
    """What writes a kernel from what it does to vectors of the row."""

    def write(rows: Rows) -> None:
        def vectors(row: Row) -> None:
            def element() -> list[Value]:
                body(row)
                return []

            row.pass_([], element)

        rows.each(vectors)

    return write


def lstm(row: Row) -> None:
    """(gates i, f, j, o; tanh of cell; shares of states in the gates; cell, cell after; state)."""
    i, f, o = (sigmoid(row.load(k) + row.load(5 + k)) for k in (0, 1, 3))
    j = tanh(row.load(2) + row.load(7))
    cell = fma(f, row.load(9), i * j)
    bent = tanh(cell)
    for k, value in enumerate((i, f, j, o, bent)):
        row.store(k, value)
    row.store(10, cell)
    row.store(11, o * bent)


def lstm_back(row: Row) -> None:
    """(i, f, j, o; tanh of cell; cell; g of output, cells; g of state, cell; g of i, f, j, o)."""
    i, f, j, o, bent, cell, of_output, of_cells, of_state, of_cell = map(row.load, range(10))
    g = of_state + of_output
    g_cell = of_cell + of_cells + g * o * (1.0 - bent * bent)
    row.store(10, g_cell * j * i * (1.0 - i))
    row.store(11, g_cell * cell * f * (1.0 - f))
    row.store(12, g_cell * i * (1.0 - j * j))
    row.store(13, g * bent * o * (1.0 - o))
    row.store(9, g_cell * f)


def gru(row: Row) -> None:
    """(gates r, z, m; own part of m; shares of the state in r, z, m; state, state after)."""
    r, z = (sigmoid(row.load(k) + row.load(4 + k)) for k in (0, 1))
    own = row.load(3) + row.load(6)
    m = tanh(fma(r, own, row.load(2)))
    for k, value in enumerate((r, z, m, own)):
        row.store(k, value)
    row.store(8, fma(z, row.load(7) - m, m))


def gru_back(row: Row) -> None:
    """(r, z, m; own part; state; g of output; g of state by the gates, past them; g of r, z, own,
    m)."""
    r, z, m, own, state, of_output, of_gates, past = map(row.load, range(8))
    g = of_output + of_gates + past
    g_m = g * (1.0 - z) * (1.0 - m * m)
    row.store(8, g_m * own * r * (1.0 - r))
    row.store(9, g * (state - m) * z * (1.0 - z))
    row.store(10, g_m * r)
    row.store(11, g_m)
    row.store(7, g * z)


def rnn_tanh(row: Row) -> None:
    """(share of the input, share of the state, state after)."""
    row.store(2, tanh(row.load(0) + row.load(1)))


def rnn_tanh_back(row: Row) -> None:
    """(state after; g of output, of state; g of the share)."""
    out = row.load(0)
    row.store(3, (row.load(1) + row.load(2)) * (1.0 - out * out))


def rnn_relu(row: Row) -> None:
    """(share of the input, share of the state, state after)."""
    row.store(2, maximum(row.load(0) + row.load(1), row.number_of(0.0)))


def rnn_relu_back(row: Row) -> None:
    """(state after; g of output, of state; g of the share)."""
    row.store(3, select(row.load(0) > 0.0, row.load(1) + row.load(2), 0.0))


STEPS: dict[str, tuple[Callable[[Rows], None], int]] = {
    "lstm": (elementwise(lstm), 12),
    "lstm_back": (elementwise(lstm_back), 14),
    "gru": (elementwise(gru), 9),
    "gru_back": (elementwise(gru_back), 12),
    "rnn_tanh": (elementwise(rnn_tanh), 3),
    "rnn_tanh_back": (elementwise(rnn_tanh_back), 4),
    "rnn_relu": (elementwise(rnn_relu), 3),
    "rnn_relu_back": (elementwise(rnn_relu_back), 4),
}
"""By name: what writes a kernel, and how many arrays it takes."""
