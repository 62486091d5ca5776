"""The elementwise parts of a step of a recurrent network, one entry each."""

from __future__ import annotations

from typing import Any

from ...core.op import Op
from ..define import define
from ..join import concat
from ..linear import broadcast_to
from ..samples import each


def parts(x: Any, n: int) -> list[Any]:
    """An array in pieces of length `n` along the last axis."""
    return [x[..., at : at + n] for at in range(0, x.shape[-1], n)]


def added(x: Any, y: Any) -> Any:
    """The sum of two arrays, either of which may be None for zero."""
    if x is None:
        return y
    return x if y is None else x + y


def joined(pieces: list[Any]) -> Any:
    """Arrays one after the other along the last axis."""
    return concat(*pieces, axis=pieces[0].ndim - 1)


def _lstm_forward(xp: Any, gates: Any, cell: Any) -> tuple[Any, Any, Any]:
    n = cell.shape[-1]
    active = xp.empty((*gates.shape[:-1], 5 * n), dtype=gates.dtype)
    active[..., : 4 * n] = gates
    active[..., : 2 * n] *= 0.5  # the logistic function of x is that of tanh(x / 2)
    active[..., 3 * n : 4 * n] *= 0.5
    active[..., : 4 * n] = xp.tanh(active[..., : 4 * n])
    for at in (slice(2 * n), slice(3 * n, 4 * n)):
        active[..., at] *= 0.5
        active[..., at] += 0.5
    i, f, j, o, _ = parts(active, n)
    after = f * cell + i * j
    active[..., 4 * n :] = xp.tanh(after)
    return o * active[..., 4 * n :], after, active


def lstm_rule(
    g: tuple[Any, ...], out: tuple[Any, ...], _gates: Any, cell: Any, *, wanted: tuple[bool, ...]
) -> list[Any]:
    g_hidden, g_cell, g_active = g
    n = cell.shape[-1]
    i, f, j, o, t = parts(out[2], n)
    gi = gf = gj = go = gt = None
    if g_active is not None:
        gi, gf, gj, go, gt = parts(g_active, n)
    if g_hidden is not None:
        go = added(g_hidden * t, go)
        gt = added(g_hidden * o, gt)
    d = added(None if gt is None else gt * (1 - t * t), g_cell)
    if not wanted[0]:
        return [None, d * f]
    gates = [
        added(d * j, gi) * (i * (1 - i)),
        added(d * cell, gf) * (f * (1 - f)),
        added(d * i, gj) * (1 - j * j),
        0 * o if go is None else go * (o * (1 - o)),
    ]
    return [joined(gates), d * f if wanted[1] else None]


def lstm_jvp(
    tangents: tuple[Any, ...], out: tuple[Any, ...], _gates: Any, cell: Any
) -> tuple[Any, ...]:
    t_gates, t_cell = tangents
    i, f, j, o, t = parts(out[2], cell.shape[-1])
    change = None if t_cell is None else f * t_cell
    if t_gates is None:
        di = df = dj = do = 0 * i
    else:
        di, df, dj, do = parts(t_gates, cell.shape[-1])
        di = di * (i * (1 - i))
        df = df * (f * (1 - f))
        dj = dj * (1 - j * j)
        do = do * (o * (1 - o))
        change = added(di * j + i * dj + df * cell, change)
    dt = change * (1 - t * t)
    return do * t + o * dt, change, joined([di, df, dj, do, dt])


def lanes_in_front(function: Any, mapped: tuple[bool, ...], *xs: Any) -> Any:
    """The batch rule of operations along the last axis: all inputs get lanes."""
    (lanes,) = {x.shape[0] for x, has in zip(xs, mapped, strict=True) if has}
    return function(
        *(
            x if has else broadcast_to(x, to=(lanes, *x.shape))
            for x, has in zip(xs, mapped, strict=True)
        )
    )


lstm_step = define(
    Op(
        "lstm_step",
        forward=_lstm_forward,
        vjp=lstm_rule,
        jvp=lstm_jvp,
        batch=lanes_in_front,
        joint=True,
        outputs=3,
        samples=each((((3, 8), (3, 2)), {}), (((4,), (1,)), {}), (((2, 2, 12), (2, 2, 3)), {})),
        doc="From the gates (..., 4 n) of an LSTM, in PyTorch's order, and the cell state "
        "(..., n): the new hidden state, the new cell state, and what the rules need: the active "
        "gates and the tanh of the new cell state.",
    )
)


def _gru_forward(xp: Any, given: Any, own: Any, hidden: Any) -> tuple[Any, Any]:
    n = hidden.shape[-1]
    active = xp.empty(given.shape, dtype=given.dtype)
    two = slice(2 * n)
    active[..., two] = 0.5 + 0.5 * xp.tanh(0.5 * (given[..., two] + own[..., two]))
    r, z, _ = parts(active, n)
    active[..., 2 * n :] = xp.tanh(given[..., 2 * n :] + r * own[..., 2 * n :])
    m = active[..., 2 * n :]
    return m + z * (hidden - m), active


def gru_rule(
    g: tuple[Any, ...],
    out: tuple[Any, ...],
    _given: Any,
    own: Any,
    hidden: Any,
    *,
    wanted: tuple[bool, ...],
) -> list[Any]:
    g_hidden, g_active = g
    n = hidden.shape[-1]
    r, z, m = parts(out[1], n)
    gr = gz = gm = back = None
    if g_active is not None:
        gr, gz, gm = parts(g_active, n)
    if g_hidden is not None:
        gz = added(g_hidden * (hidden - m), gz)
        gm = added(g_hidden * (1 - z), gm)
        back = g_hidden * z
    dm = gm * (1 - m * m)
    dr = added(dm * parts(own, n)[-1], gr) * (r * (1 - r))
    dz = gz * (z * (1 - z))
    return [
        joined([dr, dz, dm]) if wanted[0] else None,
        joined([dr, dz, dm * r]) if wanted[1] else None,
        (0 * z if back is None else back) if wanted[2] else None,
    ]


def gru_jvp(
    tangents: tuple[Any, ...], out: tuple[Any, ...], _given: Any, own: Any, hidden: Any
) -> tuple[Any, ...]:
    t_given, t_own, t_hidden = tangents
    n = hidden.shape[-1]
    r, z, m = parts(out[1], n)
    dr = dz = dm = None
    for t in (t_given, t_own):
        if t is not None:
            dr = added(dr, parts(t, n)[0])
            dz = added(dz, parts(t, n)[1])
    if t_given is not None:
        dm = parts(t_given, n)[2]
    if dr is None:
        dr = dz = dm = 0 * r
    else:
        dr = dr * (r * (1 - r))
        dz = dz * (z * (1 - z))
        dm = added(dm, dr * parts(own, n)[-1])
        if t_own is not None:
            dm = dm + r * parts(t_own, n)[2]
        dm = dm * (1 - m * m)
    change = dm * (1 - z) + dz * (hidden - m)
    return added(change, None if t_hidden is None else z * t_hidden), joined([dr, dz, dm])


gru_step = define(
    Op(
        "gru_step",
        forward=_gru_forward,
        vjp=gru_rule,
        jvp=gru_jvp,
        batch=lanes_in_front,
        joint=True,
        outputs=2,
        samples=each(
            (((3, 6), (3, 6), (3, 2)), {}),
            (((3,), (3,), (1,)), {}),
            (((2, 2, 9),) * 2 + ((2, 2, 3),), {}),
        ),
        doc="From the shares (..., 3 n) of the input and of the hidden state in the gates of a "
        "GRU, in PyTorch's order, and the hidden state (..., n): the new hidden state, and the "
        "active gates, which the rules need.",
    )
)
