"""LSTM and GRU over all steps at once, as one entry: for graphs that `backward` sweeps.

The forward and its rule run on raw data, step by step, with the products of weights and gradients
over all steps together. Where the sweep is recorded, the rule is that of the single steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy import ndarray

from ....core.array import Array
from ....core.tape import Paused, Tape, current
from ....transforms.custom_vjp import Rule, run
from ....transforms.rules import pull_function

Flat = Callable[..., list[Any]]


def suits(arrays: Sequence[Any]) -> bool:
    """Whether a graph of these is none that a transform looks at."""
    tape = current()
    if type(tape) is Paused:
        tape = tape.tape
    return (
        type(tape) is Tape
        and not tape.marks
        and all(type(x.raw if isinstance(x, Array) else x) is ndarray for x in arrays)
        and all(x.tape is tape for x in arrays if isinstance(x, Array) and x.slot > 0)
    )


def entry(
    name: str, forward: Callable[..., Any], backward: Callable[..., Any], steps: Flat, xs: list[Any]
) -> list[Any]:
    """The results of `forward`, recorded with `backward` for a rule; `steps` computes the same."""

    def primal(*arrays: Any) -> list[Any]:
        return forward(*arrays)[0]

    def full(*arrays: Any) -> tuple[list[Any], list[Any], Any]:
        results, saved = forward(*arrays)
        return results, [*arrays, *results], saved

    def pull(saved: Any, residuals: list[Any], gs: list[Any]) -> list[Any]:
        inputs = residuals[: len(xs)]
        if any(isinstance(x, Array) for x in (*residuals, *gs)):
            wanted = (True,) * len(inputs)
            return list(pull_function(name, steps, inputs, wanted, tuple(gs)))
        return backward(saved, residuals, gs)

    return run(Rule(name, primal, full, pull), xs)


def lstm_forward(
    given: Any, hidden: Any, cell: Any, weight: Any
) -> tuple[list[Any], tuple[Any, Any]]:
    """The hidden states (T, B, n) and the last cell state, and what the rule needs.

    `given` (T, B, 4 n) are the inputs' shares in the gates, `weight` (4 n, n) is of the states.
    """
    steps = given.shape[0]
    batch, n = hidden.shape
    out = numpy.empty((steps, batch, n), given.dtype)
    active = numpy.empty((steps, batch, 5 * n), given.dtype)
    cells = numpy.empty((steps + 1, batch, n), given.dtype)
    cells[0] = cell
    scale = numpy.full(4 * n, 0.5, given.dtype)
    scale[2 * n : 3 * n] = 1
    shift = 1 - scale
    turned = weight.T
    for t in range(steps):
        gates = hidden @ turned
        gates += given[t]
        gates *= scale  # the logistic function of x is 1/2 + tanh(x / 2) / 2
        numpy.tanh(gates, out=gates)
        gates *= scale
        gates += shift
        a = active[t]
        a[:, : 4 * n] = gates
        after = cells[t + 1]
        numpy.multiply(gates[:, n : 2 * n], cells[t], out=after)
        after += gates[:, :n] * gates[:, 2 * n : 3 * n]
        bent = numpy.tanh(after, out=a[:, 4 * n :])
        hidden = numpy.multiply(gates[:, 3 * n :], bent, out=out[t])
    return [out, cells[-1].copy()], (active, cells)


def lstm_backward(saved: tuple[Any, Any], residuals: list[Any], gs: list[Any]) -> list[Any]:
    """The cotangents of the inputs of `lstm_forward`."""
    active, cells = saved
    given, hidden, _, weight, out, _ = residuals
    g_out, g_cell = gs
    steps, _, n = out.shape
    pulled = numpy.empty_like(given)
    g_hidden = numpy.zeros_like(hidden)
    for t in reversed(range(steps)):
        a = active[t]
        i, f, j, o, bent = (a[:, k * n : k * n + n] for k in range(5))
        g_hidden = g_hidden + g_out[t]
        g_cell = g_cell + g_hidden * o * (1 - bent * bent)
        d = pulled[t]
        numpy.multiply(g_cell * j, i * (1 - i), out=d[:, :n])
        numpy.multiply(g_cell * cells[t], f * (1 - f), out=d[:, n : 2 * n])
        numpy.multiply(g_cell * i, 1 - j * j, out=d[:, 2 * n : 3 * n])
        numpy.multiply(g_hidden * bent, o * (1 - o), out=d[:, 3 * n :])
        g_cell = g_cell * f
        g_hidden = d @ weight
    before = numpy.concatenate([hidden[None], out[:-1]]).reshape(-1, n)
    g_weight = pulled.reshape(-1, 4 * n).T @ before
    return [pulled, g_hidden, g_cell, g_weight]


def gru_forward(given: Any, hidden: Any, weight: Any, bias: Any) -> tuple[list[Any], Any]:
    """The hidden states (T, B, n), and what the rule needs; `bias` is that of the states."""
    steps = given.shape[0]
    batch, n = hidden.shape
    out = numpy.empty((steps, batch, n), given.dtype)
    active = numpy.empty((steps, batch, 4 * n), given.dtype)
    turned = weight.T
    for t in range(steps):
        own = hidden @ turned
        own += bias
        a = active[t]
        two = given[t, :, : 2 * n] + own[:, : 2 * n]
        two *= 0.5
        numpy.tanh(two, out=two)
        two *= 0.5
        two += 0.5
        a[:, : 2 * n] = two
        a[:, 3 * n :] = own[:, 2 * n :]
        new = two[:, :n] * own[:, 2 * n :]
        new += given[t, :, 2 * n :]
        numpy.tanh(new, out=new)
        a[:, 2 * n : 3 * n] = new
        after = numpy.subtract(hidden, new, out=out[t])
        after *= two[:, n:]
        after += new
        hidden = after
    return [out], active


def gru_backward(active: Any, residuals: list[Any], gs: list[Any]) -> list[Any]:
    """The cotangents of the inputs of `gru_forward`."""
    given, hidden, weight, _, out = residuals
    (g_out,) = gs
    steps, _, n = out.shape
    pulled = numpy.empty_like(given)
    own = numpy.empty_like(given)
    g_hidden = numpy.zeros_like(hidden)
    for t in reversed(range(steps)):
        a = active[t]
        r, z, m, inner = (a[:, k * n : k * n + n] for k in range(4))
        g_hidden = g_hidden + g_out[t]
        d = pulled[t]
        dm = numpy.multiply(g_hidden * (1 - z), 1 - m * m, out=d[:, 2 * n :])
        numpy.multiply(dm * inner, r * (1 - r), out=d[:, :n])
        before = out[t - 1] if t else hidden
        numpy.multiply(g_hidden * (before - m), z * (1 - z), out=d[:, n : 2 * n])
        e = own[t]
        e[:, : 2 * n] = d[:, : 2 * n]
        numpy.multiply(dm, r, out=e[:, 2 * n :])
        g_hidden = g_hidden * z + e @ weight
    states = numpy.concatenate([hidden[None], out[:-1]]).reshape(-1, n)
    flat = own.reshape(-1, 3 * n)
    return [pulled, g_hidden, flat.T @ states, flat.sum(0)]
