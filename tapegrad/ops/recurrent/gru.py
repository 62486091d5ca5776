"""GRU over all steps, as one entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ...core.op import Op
from ..contract import matmul, transpose
from ..define import define
from ..join import concat
from ..linear import broadcast_to
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
from .steps import added, gru_jvp, gru_rule


def _advance(xp: Any, *arrays: Any) -> None:
    """A step forwards; the arrays are those of the kernel."""
    r, z, m, own, *shares, state, after = arrays
    for gate, share in zip((r, z, own), shares, strict=True):
        gate += share
    logistic(xp, r)
    logistic(xp, z)
    m += r * own
    xp.tanh(m, out=m)
    xp.subtract(state, m, out=after)
    after *= z
    after += m


def _retreat(xp: Any, *arrays: Any) -> None:
    """A step backwards; the arrays are those of the kernel."""
    r, z, m, own, state, of_output, of_gates, past, g_r, g_z, g_own, g_m = arrays
    g = of_output + of_gates + past
    xp.multiply(g * (1 - z), 1 - m * m, out=g_m)
    xp.multiply(g_m * own, r * (1 - r), out=g_r)
    xp.multiply(g * (state - m), z * (1 - z), out=g_z)
    xp.multiply(g_m, r, out=g_own)
    xp.multiply(g, z, out=past)


def _forward(
    xp: Any, x: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any
) -> tuple[Any, Any]:
    size, n = hidden.shape[-2:]
    lead = x.shape[:-2]
    active = xp.empty((*lead, 4 * n, size), dtype=x.dtype)
    shares(xp, x, w_ih, b_ih, block(active, n, 0, 3))
    gates = block(active, n, 0, 2)
    gates += b_hh[..., None, : 2 * n, None]
    block(active, n, 3)[...] = b_hh[..., None, 2 * n :, None]
    states = beginning(xp, x, hidden)
    product = xp.empty((*lead[:-1], 3 * n, size), dtype=x.dtype)
    arrays = [block(active, n, k) for k in range(4)] + [block(product, n, k) for k in range(3)]
    arrays += [states[..., :-1, :, :], states[..., 1:, :, :]]
    step = stepper(xp, "gru", _advance, arrays)
    for t in range(lead[-1]):
        xp.matmul(w_hh, states[..., t, :, :], out=product)
        step(t)
    return xp.matrix_transpose(states[..., 1:, :, :]).copy(), active


def _swept(g_out: Any, hs: Any, active: Any, hidden: Any, w_hh: Any) -> tuple[Any, Any]:
    """The cotangents of r, z, the own part of m, and m (..., T, 4 n, B), and of the first state,
    on raw arrays."""
    d = numpy.empty_like(active)
    *lead, size, n = hidden.shape
    of_gates, past, zeros = numpy.zeros((3, *lead, n, size), active.dtype)
    weight = numpy.matrix_transpose(w_hh).copy()
    states = numpy.matrix_transpose(before(hidden, hs)).copy()
    arrays = [*(block(active, n, k) for k in range(4)), states, columns(g_out, zeros)]
    arrays += [of_gates, past, *(block(d, n, k) for k in range(4))]
    step = stepper(numpy, "gru_back", _retreat, arrays)
    for t in reversed(range(active.shape[-3])):
        step(t)
        numpy.matmul(weight, block(d[..., t, :, :], n, 0, 3), out=of_gates)
    return d, numpy.matrix_transpose(of_gates + past)


def _walked(g: tuple[Any, ...], hs: Any, active: Any, hidden: Any, w_hh: Any) -> tuple[Any, Any]:
    """As `_swept`, by recorded steps."""
    g_out, g_active = g
    n = hidden.shape[-1]
    g_hidden = None
    found = []
    for t in reversed(range(active.shape[-3])):
        gates, own = parted(turned(active, t), n)
        g_gates, g_own = parted(turned(g_active, t), n)
        state = step_of(hs, t - 1) if t else hidden
        given = added(g_hidden, step_of(g_out, t)), g_gates
        d, e, past = gru_rule(given, (None, gates), None, own, state, wanted=(True,) * 3)
        if g_own is not None:
            e = concat(e[..., : 2 * n], e[..., 2 * n :] + g_own, axis=e.ndim - 1)
        g_hidden = past + matmul(e, w_hh)
        found.append(transpose(concat(e, d[..., 2 * n :], axis=e.ndim - 1)))
    return along_time(found[::-1]), g_hidden


def parted(x: Any, n: int) -> tuple[Any, Any]:
    """What there is of r, z, m, and the own part of m."""
    return (None, None) if x is None else (x[..., : 3 * n], x[..., 3 * n :])


def _rule(
    g: tuple[Any, ...],
    out: tuple[Any, ...],
    x: Any,
    hidden: Any,
    w_ih: Any,
    w_hh: Any,
    _b_ih: Any,
    _b_hh: Any,
    *,
    wanted: tuple[bool, ...],
) -> list[Any]:
    hs, active = out
    n = hidden.shape[-1]
    if g[1] is None and all_raw((*g, *out, x, hidden, w_ih, w_hh)):
        d, g_hidden = _swept(g[0], hs, active, hidden, w_hh)
    else:
        d, g_hidden = _walked(g, hs, active, hidden, w_hh)
    d = flat(d)
    e = d[..., : 3 * n, :]  # of the state's share in r, z, m
    d = concat(d[..., : 2 * n, :], d[..., 3 * n :, :], axis=d.ndim - 2)  # of the input's
    return [
        of_inputs(d, w_ih, x.shape) if wanted[0] else None,
        g_hidden,
        of_weight(d, x) if wanted[2] else None,
        of_weight(e, before(hidden, hs)) if wanted[3] else None,
        of_bias(d) if wanted[4] else None,
        of_bias(e) if wanted[5] else None,
    ]


def _jvp(
    tangents: tuple[Any, ...],
    out: tuple[Any, ...],
    x: Any,
    hidden: Any,
    w_ih: Any,
    w_hh: Any,
    _b_ih: Any,
    _b_hh: Any,
) -> tuple[Any, ...]:
    tx, th, t_ih, t_hh, tb, tb_hh = tangents
    hs, active = out
    n = hidden.shape[-1]
    given = moved_shares(tx, t_ih, tb, x, w_ih)
    always = None if tb_hh is None else tb_hh[..., None, :]
    moved: list[list[Any]] = [[], []]
    for t in range(active.shape[-3]):
        gates, own = parted(turned(active, t), n)
        state = step_of(hs, t - 1) if t else hidden
        share = added(moved_product(th, t_hh, state, w_hh), always)
        if share is not None and share.shape[-2] != state.shape[-2]:
            share = broadcast_to(share, to=(*state.shape[:-1], 3 * n))
        th, t_gates = gru_jvp((step_of(given, t), share, th), (None, gates), None, own, state)
        t_own = 0 * own if share is None else share[..., 2 * n :]
        moved[0].append(th)
        moved[1].append(transpose(concat(t_gates, t_own, axis=t_gates.ndim - 1)))
    return tuple(map(along_time, moved))


def _samples(rng: Any) -> Iterator[Sample]:
    for lead, count, size, width, n in (((), 3, 2, 2, 2), ((), 1, 1, 3, 1), ((2,), 2, 2, 1, 2)):
        shapes = (count, size, width), (size, n), (3 * n, width), (3 * n, n), (3 * n,), (3 * n,)
        yield tuple(normal(rng, (*lead, *shape)) for shape in shapes), {}


gru = define(
    Op(
        "gru",
        forward=_forward,
        vjp=_rule,
        jvp=_jvp,
        batch=lanes(1),
        joint=True,
        outputs=2,
        promote=True,
        samples=_samples,
        doc="The hidden states (..., T, B, n) of a GRU after all steps; and for the rules its "
        "active gates (..., T, 4 n, B), below them the own part of the last gate, before it is "
        "reset. Gates are in PyTorch's order; see `sequences`.",
    )
)
