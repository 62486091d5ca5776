"""Sums and maxima over windows of the last axes, one axis after the other.

Of equal elements of a window, the first one (in C order) is the maximum that gets the cotangent.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy

from ...backend import is_inexact
from ...core.op import Op
from ..define import Function, define
from ..linear import broadcast_to, in_single
from ..samples import Sample, normal

Ints = tuple[int, ...]
Spans = list[list[slice]]


def spans(kernel: Ints, stride: Ints, dilation: Ints, to: Ints) -> Spans:
    """For each axis and each place of a window along it, the padded elements that stand there."""
    return [
        [slice(j * d, j * d + s * (m - 1) + 1, s) for j in range(k)]
        for k, s, d, m in zip(kernel, stride, dilation, to, strict=True)
    ]


def reach(kernel: Ints, stride: Ints, dilation: Ints, to: Ints) -> Ints:
    """The lengths of the axes that windows reach over."""
    axes = zip(kernel, stride, dilation, to, strict=True)
    return tuple(s * (m - 1) + d * (k - 1) + 1 for k, s, d, m in axes)


def padded(xp: Any, x: Any, low: Ints, lengths: Ints, value: Any) -> Any:
    """`x` with its last axes begun by `low` more elements, and as long as given, or longer."""
    image = x.shape[x.ndim - len(low) :]
    whole = tuple(max(p + n, m) for p, n, m in zip(low, image, lengths, strict=True))
    if whole == image:
        return x
    out = xp.full((*x.shape[: x.ndim - len(low)], *whole), value, dtype=x.dtype)
    out[(Ellipsis, *inside(low, image))] = x
    return out


def inside(low: Ints, image: Ints) -> tuple[slice, ...]:
    """Where the elements are after padding."""
    return tuple(slice(p, p + n) for p, n in zip(low, image, strict=True))


def along(axis: int, axes: int, span: slice) -> tuple[Any, ...]:
    """The key of a span of one of the last `axes` axes."""
    return (Ellipsis, span, *(slice(None),) * (axes - axis - 1))


def lowest(xp: Any, dtype: Any) -> Any:
    """What is below every element."""
    if is_inexact(dtype):
        return -float("inf")
    return xp.iinfo(dtype).min


def _max_forward(
    xp: Any, x: Any, *, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, to: Ints
) -> Any:
    lengths = reach(kernel, stride, dilation, to)
    whole = padded(xp, x, padding, lengths, lowest(xp, x.dtype))
    places = spans(kernel, stride, dilation, to)
    out = whole
    for axis in reversed(range(len(kernel))):
        first, *rest = (out[along(axis, len(kernel), span)] for span in places[axis])
        out = xp.maximum(first, rest[0]) if rest else first
        for part in rest[1:]:
            out = xp.maximum(out, part)
    return xp.asarray(out, copy=True) if all(k == 1 for k in kernel) else out


def _spread_forward(
    xp: Any,
    g: Any,
    x: Any,
    out: Any,
    *,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    to: Ints,
) -> Any:
    lengths = reach(kernel, stride, dilation, to)
    whole = padded(xp, x, padding, lengths, lowest(xp, x.dtype))
    places = spans(kernel, stride, dilation, to)
    spread = xp.zeros(whole.shape, dtype=g.dtype)
    disjoint = all(s >= d * (k - 1) + 1 for k, s, d in zip(kernel, stride, dilation, strict=True))
    spots = [*product(*places)]
    free = None  # the windows whose maximum was not met yet
    for spot in spots[:-1]:
        key = (Ellipsis, *spot)
        hit = whole[key] == out
        if free is None:
            free = ~hit
        else:
            hit &= free
            free ^= hit
        if disjoint:
            spread[key] = g * hit
        else:
            spread[key] += g * hit
    key = (Ellipsis, *spots[-1])  # where no other was it, the last one is
    spread[key] += g if free is None else g * free
    image = x.shape[x.ndim - len(kernel) :]
    return spread if spread.shape == x.shape else spread[(Ellipsis, *inside(padding, image))]


def _index_forward(
    xp: Any, x: Any, *, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, to: Ints
) -> Any:
    n = len(kernel)
    image = x.shape[x.ndim - n :]
    lengths = reach(kernel, stride, dilation, to)
    whole = padded(xp, x, padding, lengths, lowest(xp, x.dtype))
    places = spans(kernel, stride, dilation, to)
    best: Any = None
    index: Any = None
    for spot in product(*map(range, kernel)):
        part = whole[(Ellipsis, *(places[a][j] for a, j in enumerate(spot)))]
        here, valid = _flat_index(xp, spot, stride, padding, dilation, to, image)
        if best is None:
            best, index = part, xp.where(valid, here, -1) + xp.zeros(part.shape, dtype=xp.int64)
            continue
        better = (part > best) | (part != part) | ((index < 0) & valid)
        index = xp.where(better, here, index)
        best = xp.where(better, part, best)
    return index


def _flat_index(
    xp: Any, spot: Ints, stride: Ints, padding: Ints, dilation: Ints, to: Ints, image: Ints
) -> tuple[Any, Any]:
    """Where the place `spot` of each window is in the image, and whether it is inside."""
    index: Any = 0
    valid: Any = xp.asarray(True)
    for a, j in enumerate(spot):
        at = xp.arange(to[a], dtype=xp.int64) * stride[a] + (j * dilation[a] - padding[a])
        at = xp.reshape(at, (-1, *(1,) * (len(spot) - a - 1)))
        index = index * image[a] + at
        valid = valid & (at >= 0) & (at < image[a])
    return index, valid


def _max_rule(g: Any, out: Any, x: Any, **params: Any) -> Any:
    return spread_max(g, x, out, **params)


def _gather_forward(xp: Any, t: Any, x: Any, _out: Any, **params: Any) -> Any:
    index = _index_forward(xp, x, **params)
    n = len(params["kernel"])
    lead = x.shape[: x.ndim - n]
    flat = xp.reshape(t, (*lead, -1))
    taken = xp.take_along_axis(flat, xp.reshape(index, (*lead, -1)), axis=-1)
    return xp.reshape(taken, (*lead, *params["to"]))


def _spread_rule(g: Any, _out: Any, _g: Any, x: Any, out: Any, **params: Any) -> Any:
    return gather_max(g, x, out, **params)


def _gather_rule(g: Any, _out: Any, _t: Any, x: Any, out: Any, **params: Any) -> Any:
    return spread_max(g, x, out, **params)


def _lanes_lead(function: Function, mapped: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
    """The batch rule of what works on the last axes: lanes are more images."""
    lanes = next(x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has)
    inputs = tuple(
        x if has else broadcast_to(x, to=(lanes, *x.shape))
        for x, has in zip(inputs, mapped, strict=True)
    )
    return function(*inputs, **params)


@in_single
def _sum_forward(xp: Any, x: Any, *, kernel: Ints, stride: Ints, padding: Ints, to: Ints) -> Any:
    ones = (1,) * len(kernel)
    total = padded(xp, x, padding, reach(kernel, stride, ones, to), 0)
    places = spans(kernel, stride, ones, to)
    for axis in reversed(range(len(kernel))):
        first, *rest = (total[along(axis, len(kernel), span)] for span in places[axis])
        total = first + rest[0] if rest else first
        for part in rest[1:]:
            total += part
    return xp.asarray(total, copy=True) if all(k == 1 for k in kernel) else total


@in_single
def _spread_sum_forward(
    xp: Any, g: Any, *, kernel: Ints, stride: Ints, padding: Ints, to: Ints
) -> Any:
    n = len(kernel)
    ones = (1,) * n
    result = g.shape[g.ndim - n :]
    lengths = reach(kernel, stride, ones, result)
    whole = tuple(max(p + m, r) for p, m, r in zip(padding, to, lengths, strict=True))
    places = spans(kernel, stride, ones, result)
    disjoint = all(s >= k for k, s in zip(kernel, stride, strict=True))
    for axis in range(n):
        shape = list(g.shape)
        shape[g.ndim - n + axis] = whole[axis]
        spread = xp.zeros(tuple(shape), dtype=g.dtype)
        for span in places[axis]:
            key = along(axis, n, span)
            if disjoint:
                spread[key] = g
            else:
                spread[key] += g
        g = spread
    return g if whole == to else g[(Ellipsis, *inside(padding, to))]


def _sum_rule(g: Any, _out: Any, shape: Any, *, to: Ints, kernel: Ints, **params: Any) -> Any:
    return spread_sum(g, to=shape[len(shape) - len(kernel) :], kernel=kernel, **params)


def _spread_sum_rule(
    g: Any, _out: Any, shape: Any, *, to: Ints, kernel: Ints, **params: Any
) -> Any:
    return sum_pool(g, to=shape[len(shape) - len(kernel) :], kernel=kernel, **params)


def _one_batch(function: Function, _mapped: tuple[bool, ...], x: Any, **params: Any) -> Any:
    return function(x, **params)


CASES: tuple[tuple[Ints, dict[str, Any]], ...] = (
    ((2, 6), {"kernel": (2,), "stride": (2,), "padding": (0,), "dilation": (1,), "to": (3,)}),
    ((1, 2, 5), {"kernel": (3,), "stride": (1,), "padding": (1,), "dilation": (2,), "to": (3,)}),
    (
        (2, 4, 5),
        {
            "kernel": (2, 3),
            "stride": (2, 1),
            "padding": (0, 1),
            "dilation": (1, 1),
            "to": (2, 5),
        },
    ),
    (
        (1, 5, 4, 3),
        {
            "kernel": (3, 2, 1),
            "stride": (2, 2, 1),
            "padding": (1, 0, 0),
            "dilation": (1, 1, 1),
            "to": (3, 2, 3),
        },
    ),
)


def _max_samples(rng: Any) -> Iterator[Sample]:
    for shape, params in CASES:
        yield (rng.permutation(numpy.prod(shape)).reshape(shape) * 0.3,), params


def _spread_samples(rng: Any) -> Iterator[Sample]:
    for (x,), params in _max_samples(rng):
        out = _max_forward(numpy, x, **params)
        yield (normal(rng, out.shape), x, out), params


def _gather_samples(rng: Any) -> Iterator[Sample]:
    for (x,), params in _max_samples(rng):
        yield (normal(rng, x.shape), x, _max_forward(numpy, x, **params)), params


def _sum_samples(rng: Any) -> Iterator[Sample]:
    for shape, params in CASES:
        if set(params["dilation"]) == {1}:
            yield (normal(rng, shape),), {k: v for k, v in params.items() if k != "dilation"}


def _spread_sum_samples(rng: Any) -> Iterator[Sample]:
    for (x,), params in _sum_samples(rng):
        out = _sum_forward(numpy, x, **params)
        image = x.shape[x.ndim - len(params["kernel"]) :]
        yield (normal(rng, out.shape),), {**params, "to": image}


max_pool = define(
    Op(
        "max_pool",
        forward=_max_forward,
        vjp=(_max_rule,),
        jvp=lambda tangents, out, x, **params: gather_max(tangents[0], x, out, **params),
        batch=_one_batch,
        samples=_max_samples,
        doc="The maxima of windows of the last axes; `to` says how many there are along each.",
    ),
    structural=True,
)
spread_max: Function = define(
    Op(
        "spread_max",
        forward=_spread_forward,
        vjp=(_spread_rule, None, None),
        jvp=lambda tangents, _out, _g, x, out, **params: spread_max(tangents[0], x, out, **params),
        batch=_lanes_lead,
        samples=_spread_samples,
        doc="The transpose of `gather_max`.",
    )
)
gather_max: Function = define(
    Op(
        "gather_max",
        forward=_gather_forward,
        vjp=(_gather_rule, None, None),
        jvp=lambda tangents, _out, _t, x, out, **params: gather_max(tangents[0], x, out, **params),
        batch=_lanes_lead,
        samples=_gather_samples,
        doc="The elements of `t` where those of `x` are the maxima `out` of windows.",
    )
)
max_pool_index = define(
    Op(
        "max_pool_index",
        forward=_index_forward,
        vjp=None,
        jvp=None,
        batch=_one_batch,
        samples=_max_samples,
        doc="Where the maxima of windows are in the last axes, taken as one.",
    )
)
sum_pool: Function = define(
    Op(
        "sum_pool",
        forward=_sum_forward,
        vjp=(_sum_rule,),
        jvp="linear",
        batch=_one_batch,
        samples=_sum_samples,
        doc="The sums of windows of the last axes; `to` says how many there are along each.",
    ),
    structural=True,
)
spread_sum: Function = define(
    Op(
        "spread_sum",
        forward=_spread_sum_forward,
        vjp=(_spread_sum_rule,),
        jvp="linear",
        batch=_one_batch,
        samples=_spread_sum_samples,
        doc="The transpose of `sum_pool`; the last axes of the result have the lengths `to`.",
    ),
    structural=True,
)
