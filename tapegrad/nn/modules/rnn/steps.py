"""One layer of a recurrent network over time, on the core's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy import zeros

from ....ops.affine import affine
from ....ops.contract import matmul, transpose
from ....ops.elementary import tanh
from ....ops.join import concat
from ....ops.linear import reshape
from ....ops.recurrent import gru, gru_step, lstm, lstm_step, rnn
from ....ops.selection import maximum
from ....torch.calls import on_arrays

__all__ = ["cell", "layer"]

Weights = Sequence[Any]


def shares(x: Any, weight: Any, bias: Any) -> Any:
    """What vectors along the last axis give to the gates."""
    return matmul(x, transpose(weight)) if bias is None else affine(x, weight, bias)


def step(mode: str, given: Any, hidden: Any, state: Any, weight: Any, bias: Any) -> tuple[Any, Any]:
    """The new hidden state and cell state, from the input's shares in the gates and the old ones.

    `weight` is that of the hidden state, transposed.
    """
    own = matmul(hidden, weight)
    if mode == "GRU":
        return gru_step(given, own if bias is None else own + bias, hidden)[0], None
    gates = given + own
    if mode == "LSTM":
        hidden, state, _ = lstm_step(gates, state)
        return hidden, state
    return (tanh(gates) if mode == "RNN_TANH" else maximum(gates, 0.0)), None


def split_bias(mode: str, ih: Any, hh: Any) -> tuple[Any, Any]:
    """The biases to add once for all steps, and at each step."""
    if ih is None or mode == "GRU":
        return ih, hh
    return ih + hh, None


@on_arrays
def layer(
    mode: str,
    data: Any,
    sizes: Sequence[int],
    hidden: Any,
    state: Any,
    weights: Weights,
    reverse: bool,
) -> tuple[Any, ...]:
    """The outputs of a layer in one direction, the last hidden state and the last cell state.

    `data` are the inputs of all steps one after the other, ``sizes[t]`` of them at step t; the
    sequences are sorted by length. `weights` are those of input and hidden state, their biases (or
    None), and that of a projection (or None).
    """
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    if w_hr is None and sizes[0] == sizes[-1]:
        return at_once(mode, data, sizes, hidden, state, weights, reverse)
    once, always = split_bias(mode, b_ih, b_hh)
    given = shares(data, w_ih, once)
    return step_by_step(mode, given, sizes, hidden, state, w_hh, always, w_hr, reverse)


def step_by_step(
    mode: str,
    given: Any,
    sizes: Sequence[int],
    hidden: Any,
    state: Any,
    w_hh: Any,
    always: Any,
    w_hr: Any,
    reverse: bool,
) -> tuple[Any, ...]:
    """`layer`, after the inputs' shares in the gates, with entries for each step."""
    weight = transpose(w_hh)
    project = None if w_hr is None else transpose(w_hr)
    ends = [0]
    for size in sizes:
        ends.append(ends[-1] + size)
    outputs: list[Any] = [None] * len(sizes)
    finished: list[tuple[Any, Any]] = []  # the states of sequences that have ended, shortest first
    first = (hidden, state)
    size = sizes[-1] if reverse else sizes[0]
    if reverse:
        hidden, state = head(hidden, size), head(state, size)
    for t in reversed(range(len(sizes))) if reverse else range(len(sizes)):
        count = sizes[t]
        if count > size:  # backwards in time: more sequences begin
            hidden = concat(hidden, first[0][size:count], axis=0)
            state = None if state is None else concat(state, first[1][size:count], axis=0)
        elif count < size:
            finished.append((hidden[count:], None if state is None else state[count:]))
            hidden, state = head(hidden, count), head(state, count)
        size = count
        part = given if len(sizes) == 1 else given[ends[t] : ends[t + 1]]
        hidden, state = step(mode, part, hidden, state, weight, always)
        if project is not None:
            hidden = matmul(hidden, project)
        outputs[t] = hidden
    finished.append((hidden, state))
    last = [x for x, _ in reversed(finished)]
    cells = [x for _, x in reversed(finished)]
    return (
        concat(*outputs, axis=0),
        last[0] if len(last) == 1 else concat(*last, axis=0),
        cells[0] if len(cells) == 1 or cells[0] is None else concat(*cells, axis=0),
    )


def at_once(
    mode: str,
    data: Any,
    sizes: Sequence[int],
    hidden: Any,
    state: Any,
    weights: Weights,
    reverse: bool,
) -> tuple[Any, ...]:
    """`layer` for sequences of one length, as one entry."""
    w_ih, w_hh, b_ih, b_hh, _ = weights
    count, size = len(sizes), sizes[0]
    x = reshape(data, to=(count, size, data.shape[1]))
    if reverse:
        x = x[::-1]
    if b_ih is None:
        b_ih = b_hh = zeros(w_ih.shape[0], w_ih.dtype)
    if mode == "LSTM":
        out, cells, _ = lstm(x, hidden, state, w_ih, w_hh, b_ih + b_hh)
        state = transpose(cells[count])
    elif mode == "GRU":
        out, _ = gru(x, hidden, w_ih, w_hh, b_ih, b_hh)
    else:
        out = rnn(x, hidden, w_ih, w_hh, b_ih + b_hh, activation=mode[4:].lower())
    last = out[count - 1]
    if reverse:
        out = out[::-1]
    return reshape(out, to=(count * size, out.shape[2])), last, state


def head(x: Any, count: int) -> Any:
    """The first `count` rows."""
    return x if x is None or x.shape[0] == count else x[:count]


@on_arrays
def cell(mode: str, input: Any, hidden: Any, state: Any, weights: Weights) -> tuple[Any, Any]:
    """One step of a cell: the new hidden state, and the new cell state or None."""
    w_ih, w_hh, b_ih, b_hh = weights
    once, always = split_bias(mode, b_ih, b_hh)
    return step(mode, shares(input, w_ih, once), hidden, state, transpose(w_hh), always)
