"""LSTM over all steps, as one entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ...core.op import Op
from ..contract import matmul, transpose
from ..define import define
from ..samples import Sample, normal
from .sequences import (
    all_raw,
    along_time,
    before,
    beginning,
    block,
    columns,
    flat,
    lanes,
    logistic,
    moved_product,
    moved_shares,
    of_bias,
    of_inputs,
    of_weight,
    shares,
    step_of,
    stepper,
    turned,
)
from .steps import added, lstm_jvp, lstm_rule


def _advance(xp: Any, *arrays: Any) -> None:
    """A step forwards; the arrays are those of the kernel."""
    i, f, j, o, bent, *shares, cell, after, state = arrays
    for gate, share in zip((i, f, j, o), shares, strict=True):
        gate += share
    for gate in (i, f, o):
        logistic(xp, gate)
    xp.tanh(j, out=j)
    xp.multiply(f, cell, out=after)
    xp.multiply(i, j, out=bent)
    after += bent
    xp.tanh(after, out=bent)
    xp.multiply(o, bent, out=state)


def _retreat(xp: Any, *arrays: Any) -> None:
    """A step backwards; the arrays are those of the kernel."""
    i, f, j, o, bent, cell, of_output, of_cells, of_state, of_cell, *gs = arrays
    g = of_state + of_output
    of_cell += of_cells + g * o * (1 - bent * bent)
    factors = (j, cell, i, bent)
    slopes = (i * (1 - i), f * (1 - f), 1 - j * j, o * (1 - o))
    for k, (factor, slope) in enumerate(zip(factors, slopes, strict=True)):
        xp.multiply(g if k == 3 else of_cell, factor, out=gs[k])
        gs[k] *= slope
    of_cell *= f


def _forward(
    xp: Any, x: Any, hidden: Any, cell: Any, w_ih: Any, w_hh: Any, bias: Any
) -> tuple[Any, Any, Any]:
    size, n = hidden.shape[-2:]
    lead = x.shape[:-2]
    active = xp.empty((*lead, 5 * n, size), dtype=x.dtype)
    shares(xp, x, w_ih, bias, block(active, n, 0, 4))
    states, cells = beginning(xp, x, hidden), beginning(xp, x, cell)
    product = xp.empty((*lead[:-1], 4 * n, size), dtype=x.dtype)
    arrays = [block(active, n, k) for k in range(5)] + [block(product, n, k) for k in range(4)]
    arrays += [cells[..., :-1, :, :], cells[..., 1:, :, :], states[..., 1:, :, :]]
    step = stepper(xp, "lstm", _advance, arrays)
    for t in range(lead[-1]):
        xp.matmul(w_hh, states[..., t, :, :], out=product)
        step(t)
    return xp.matrix_transpose(states[..., 1:, :, :]).copy(), cells, active


def _swept(g_out: Any, g_cells: Any, cells: Any, active: Any, w_hh: Any) -> tuple[Any, Any, Any]:
    """The cotangents of the gates (..., T, 4 n, B) and of the first states, on raw arrays."""
    *lead, rows, size = active.shape
    n = rows // 5
    d = numpy.empty((*lead, 4 * n, size), active.dtype)
    of_state, of_cell, zeros = numpy.zeros((3, *lead[:-1], n, size), active.dtype)
    weight = numpy.matrix_transpose(w_hh).copy()
    arrays = [block(active, n, k) for k in range(5)] + [cells[..., :-1, :, :]]
    of_cells = zeros if g_cells is None else g_cells[..., 1:, :, :]
    arrays += [columns(g_out, zeros), of_cells, of_state, of_cell]
    arrays += [block(d, n, k) for k in range(4)]
    step = stepper(numpy, "lstm_back", _retreat, arrays)
    for t in reversed(range(lead[-1])):
        step(t)
        numpy.matmul(weight, d[..., t, :, :], out=of_state)
    if g_cells is not None:
        of_cell += g_cells[..., 0, :, :]
    return d, numpy.matrix_transpose(of_state), numpy.matrix_transpose(of_cell)


def _walked(g: tuple[Any, ...], cells: Any, active: Any, w_hh: Any) -> tuple[Any, Any, Any]:
    """As `_swept`, by recorded steps."""
    g_out, g_cells, g_active = g
    g_hidden = g_cell = None
    found = []
    for t in reversed(range(active.shape[-3])):
        own = (
            added(g_hidden, step_of(g_out, t)),
            added(g_cell, turned(g_cells, t + 1)),
            turned(g_active, t),
        )
        after = None, None, turned(active, t)
        d, g_cell = lstm_rule(own, after, None, turned(cells, t), wanted=(True, True))
        g_hidden = matmul(d, w_hh)
        found.append(transpose(d))
    return along_time(found[::-1]), g_hidden, added(g_cell, turned(g_cells, 0))


def _rule(
    g: tuple[Any, ...],
    out: tuple[Any, ...],
    x: Any,
    hidden: Any,
    _cell: Any,
    w_ih: Any,
    w_hh: Any,
    _bias: Any,
    *,
    wanted: tuple[bool, ...],
) -> list[Any]:
    hs, cells, active = out
    if g[2] is None and all_raw((*g, *out, x, hidden, w_ih, w_hh)):
        d, g_hidden, g_cell = _swept(g[0], g[1], cells, active, w_hh)
    else:
        d, g_hidden, g_cell = _walked(g, cells, active, w_hh)
    d = flat(d)
    return [
        of_inputs(d, w_ih, x.shape) if wanted[0] else None,
        g_hidden,
        g_cell,
        of_weight(d, x) if wanted[3] else None,
        of_weight(d, before(hidden, hs)) if wanted[4] else None,
        of_bias(d) if wanted[5] else None,
    ]


def _jvp(
    tangents: tuple[Any, ...],
    out: tuple[Any, ...],
    x: Any,
    hidden: Any,
    _cell: Any,
    w_ih: Any,
    w_hh: Any,
    _bias: Any,
) -> tuple[Any, ...]:
    tx, th, tc, t_ih, t_hh, tb = tangents
    hs, cells, active = out
    given = moved_shares(tx, t_ih, tb, x, w_ih)
    first = turned(cells, 0)
    moved = [[], [transpose(0 * first if tc is None else tc)], []]
    for t in range(active.shape[-3]):
        state = step_of(hs, t - 1) if t else hidden
        share = added(step_of(given, t), moved_product(th, t_hh, state, w_hh))
        th, tc, ta = lstm_jvp((share, tc), (None, None, turned(active, t)), None, turned(cells, t))
        for values, value in zip(moved, (th, transpose(tc), transpose(ta)), strict=True):
            values.append(value)
    return tuple(map(along_time, moved))


def _samples(rng: Any) -> Iterator[Sample]:
    for lead, count, size, width, n in (((), 3, 2, 2, 2), ((), 1, 1, 3, 1), ((2,), 2, 2, 1, 2)):
        shapes = (count, size, width), (size, n), (size, n), (4 * n, width), (4 * n, n), (4 * n,)
        yield tuple(normal(rng, (*lead, *shape)) for shape in shapes), {}


lstm = define(
    Op(
        "lstm",
        forward=_forward,
        vjp=_rule,
        jvp=_jvp,
        batch=lanes(2),
        joint=True,
        outputs=3,
        promote=True,
        samples=_samples,
        doc="The hidden states (..., T, B, n) of an LSTM after all steps; its cell states (..., "
        "T + 1, n, B), the first among them; and for the rules its active gates, with the tanh of "
        "the cell states below them. Gates are in PyTorch's order, with one bias; see `sequences`.",
    )
)
