"""Copies from one device to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import HOST, place_of, put
from ..core.array import Array
from ..core.op import Op
from .define import Function, define
from .samples import Sample, normal


def _transfer_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((), (2, 3)):
        x = normal(rng, shape)
        yield (x,), {"to": place_of(x), "source": place_of(x)}


transfer: Function = define(
    Op(
        "transfer",
        forward=lambda _xp, x, *, to, source: put(x, to),
        vjp=(lambda g, _out, _x, *, to, source: transfer(g, to=source, source=to),),
        jvp="linear",
        batch=lambda function, _mapped, x, *, to, source: function(x, to=to, source=source),
        samples=_transfer_samples,
        doc="`x`, which is in the place `source`, in the place `to`: a copy if that is another.",
    ),
    structural=True,
)


def to_place(x: Any, to: tuple[str, int]) -> Any:
    """An array in a place (see `backend.place_of`): itself if it is there."""
    source = place_of(x.raw if isinstance(x, Array) else x)
    return x if source == to else transfer(x, to=to, source=source)


def beside(x: Any, other: Any) -> Any:
    """An array where another is."""
    return to_place(x, place_of(other.raw if isinstance(other, Array) else other))


def to_host(x: Any) -> Any:
    """An array on the host: itself if it is there."""
    return to_place(x, HOST)
