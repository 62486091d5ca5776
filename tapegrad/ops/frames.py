"""Overlapping runs of an array's last axis, and their sum where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.op import Op
from .define import Function, define
from .samples import Sample, complex_normal, normal


def _frames_forward(xp: Any, x: Any, *, length: int, step: int, count: int) -> Any:
    windows = xp.lib.stride_tricks.sliding_window_view(x, length, axis=-1)
    return windows[..., : (count - 1) * step + 1 : step, :]


def _frames_rule(g: Any, _out: Any, shape: Any, *, length: int, step: int, count: int) -> Any:
    return overlap_add(g, step=step, size=shape[-1])


def _overlap_forward(xp: Any, x: Any, *, step: int, size: int) -> Any:
    *outer, count, length = x.shape
    out = xp.zeros((*outer, size), dtype=x.dtype)
    for start in range(0, length, step):  # what is `start` after the beginnings does not overlap
        part = x[..., start : start + step]
        width = part.shape[-1]
        whole = count - (start + count * step > size)
        target = out[..., start : start + whole * step].reshape((*outer, whole, step))
        target[..., :width] += part[..., :whole, :]
        if whole < count:
            last = start + whole * step
            out[..., last : last + width] += part[..., whole, :]
    return out


def _overlap_rule(g: Any, _out: Any, shape: Any, *, step: int, size: int) -> Any:
    return frames(g, length=shape[-1], step=step, count=shape[-2])


def _frames_samples(rng: Any) -> Iterator[Sample]:
    for domain, shape, length, step, count in (
        (normal, (9,), 4, 2, 3),
        (complex_normal, (2, 8), 3, 2, 3),
        (normal, (2, 7), 2, 3, 2),
        (normal, (6,), 3, 1, 4),
        (normal, (7,), 5, 2, 2),
    ):
        yield (domain(rng, shape),), {"length": length, "step": step, "count": count}


def _overlap_samples(rng: Any) -> Iterator[Sample]:
    for (x,), params in _frames_samples(rng):
        frame = normal(rng, (*x.shape[:-1], params["count"], params["length"]))
        yield (frame + x.dtype.type(0),), {"step": params["step"], "size": x.shape[-1]}


frames: Function = define(
    Op(
        "frames",
        forward=_frames_forward,
        vjp=(_frames_rule,),
        jvp="linear",
        batch=lambda function, mapped, x, **params: function(x, **params),
        samples=_frames_samples,
        doc="`count` runs of `length` elements along the last axis, each `step` after the one "
        "before, as the last of two axes.",
    ),
    structural=True,
)

overlap_add: Function = define(
    Op(
        "overlap_add",
        forward=_overlap_forward,
        vjp=(_overlap_rule,),
        jvp="linear",
        batch=lambda function, mapped, x, **params: function(x, **params),
        samples=_overlap_samples,
        doc="The sum of runs, each `step` after the one before, in an axis of `size` elements.",
    ),
    structural=True,
)
