"""A recurrent network of one activation over all steps, as one entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from ...core.op import Op
from ..contract import matmul, transpose
from ..define import define
from ..samples import Sample, normal
from ..selection import keep
from .sequences import (
    all_raw,
    along_time,
    before,
    beginning,
    columns,
    flat,
    lanes,
    moved_product,
    moved_shares,
    of_bias,
    of_inputs,
    of_weight,
    shares,
    step_of,
    stepper,
)
from .steps import added


def _advance_tanh(xp: Any, given: Any, share: Any, after: Any) -> None:
    """A step forwards; the arrays are those of the kernel."""
    xp.add(given, share, out=after)
    xp.tanh(after, out=after)


def _advance_relu(xp: Any, given: Any, share: Any, after: Any) -> None:
    xp.add(given, share, out=after)
    xp.maximum(after, xp.zeros_like(after), out=after)


def _retreat_tanh(xp: Any, after: Any, of_output: Any, of_state: Any, d: Any) -> None:
    """A step backwards; the arrays are those of the kernel."""
    xp.multiply(of_output + of_state, 1 - after * after, out=d)


def _retreat_relu(xp: Any, after: Any, of_output: Any, of_state: Any, d: Any) -> None:
    d[...] = xp.where(after > 0, of_output + of_state, 0)


FORWARDS = {"tanh": _advance_tanh, "relu": _advance_relu}
BACKWARDS = {"tanh": _retreat_tanh, "relu": _retreat_relu}


def _forward(
    xp: Any, x: Any, hidden: Any, w_ih: Any, w_hh: Any, bias: Any, *, activation: str
) -> Any:
    size, n = hidden.shape[-2:]
    lead = x.shape[:-2]
    given = xp.empty((*lead, n, size), dtype=x.dtype)
    shares(xp, x, w_ih, bias, given)
    states = beginning(xp, x, hidden)
    product = xp.empty((*lead[:-1], n, size), dtype=x.dtype)
    arrays = [given, product, states[..., 1:, :, :]]
    step = stepper(xp, f"rnn_{activation}", FORWARDS[activation], arrays)
    for t in range(lead[-1]):
        xp.matmul(w_hh, states[..., t, :, :], out=product)
        step(t)
    return xp.matrix_transpose(states[..., 1:, :, :]).copy()


def _swept(g: Any, out: Any, w_hh: Any, activation: str) -> tuple[Any, Any]:
    """The cotangents of the activation's argument (..., T, n, B), and of the first state, on raw
    arrays."""
    states = numpy.matrix_transpose(out).copy()
    d = numpy.empty_like(states)
    of_state = numpy.zeros_like(d[..., 0, :, :])
    weight = numpy.matrix_transpose(w_hh).copy()
    arrays = [states, columns(g, of_state), of_state, d]
    step = stepper(numpy, f"rnn_{activation}_back", BACKWARDS[activation], arrays)
    for t in reversed(range(out.shape[-3])):
        step(t)
        numpy.matmul(weight, d[..., t, :, :], out=of_state)
    return d, numpy.matrix_transpose(of_state)


def slope(g: Any, out: Any, activation: str) -> Any:
    """A change through the activation, whose result is `out`."""
    return g * (1 - out * out) if activation == "tanh" else keep(g, out > 0)


def _walked(g: Any, out: Any, w_hh: Any, activation: str) -> tuple[Any, Any]:
    """As `_swept`, by recorded steps."""
    g_hidden = None
    found = []
    for t in reversed(range(out.shape[-3])):
        d = slope(added(g_hidden, step_of(g, t)), step_of(out, t), activation)
        g_hidden = matmul(d, w_hh)
        found.append(transpose(d))
    return along_time(found[::-1]), g_hidden


def _rule(
    g: Any,
    out: Any,
    x: Any,
    hidden: Any,
    w_ih: Any,
    w_hh: Any,
    _bias: Any,
    *,
    wanted: tuple[bool, ...],
    activation: str,
) -> list[Any]:
    sweep = _swept if all_raw((g, out, x, hidden, w_ih, w_hh)) else _walked
    d, g_hidden = sweep(g, out, w_hh, activation)
    d = flat(d)
    return [
        of_inputs(d, w_ih, x.shape) if wanted[0] else None,
        g_hidden,
        of_weight(d, x) if wanted[2] else None,
        of_weight(d, before(hidden, out)) if wanted[3] else None,
        of_bias(d) if wanted[4] else None,
    ]


def _jvp(
    tangents: tuple[Any, ...],
    out: Any,
    x: Any,
    hidden: Any,
    w_ih: Any,
    w_hh: Any,
    _bias: Any,
    *,
    activation: str,
) -> Any:
    tx, th, t_ih, t_hh, tb = tangents
    given = moved_shares(tx, t_ih, tb, x, w_ih)
    moved = []
    for t in range(out.shape[-3]):
        state = step_of(out, t - 1) if t else hidden
        share = added(step_of(given, t), moved_product(th, t_hh, state, w_hh))
        th = slope(share, step_of(out, t), activation)
        moved.append(th)
    return along_time(moved)


def _samples(rng: Any) -> Iterator[Sample]:
    for lead, count, size, width, n in (((), 3, 2, 2, 2), ((), 1, 1, 3, 1), ((2,), 2, 2, 1, 2)):
        shapes = (count, size, width), (size, n), (n, width), (n, n), (n,)
        for activation in FORWARDS:
            inputs = tuple(normal(rng, (*lead, *shape)) for shape in shapes)
            yield inputs, {"activation": activation}


rnn = define(
    Op(
        "rnn",
        forward=_forward,
        vjp=_rule,
        jvp=_jvp,
        batch=lanes(1),
        joint=True,
        promote=True,
        samples=_samples,
        doc="The hidden states (..., T, B, n) after all steps of a network with the activation "
        "`tanh` or `relu`, whose slope at 0 is 0; see `sequences`.",
    )
)
