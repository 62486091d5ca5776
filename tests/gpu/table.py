"""Every sample of every operation on a device, beside the same on the host.

The device is the stand-in's, or a true one (`check.py`): `Place` says how data get there and back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tapegrad as tg
from tapegrad.core.op import Op

from ..ops import check


@dataclass(frozen=True)
class Place:
    """A device: `put` copies trees of arrays to it; `take` copies them back, and only from it."""

    put: Callable[[Any], Any]
    take: Callable[[Any], Any]


def same(place: Place, actual: Any, expected: Any, tolerance: float, what: str) -> None:
    """Results of the device are those of the host: values, shapes, dtypes."""
    if isinstance(expected, tuple | list):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            same(place, a, e, tolerance, what)
        return
    found = place.take(actual)
    assert found.shape == expected.shape, f"{what}: {found.shape} for {expected.shape}"
    assert found.dtype == expected.dtype, f"{what}: {found.dtype} for {expected.dtype}"
    finite = np.abs(expected[np.isfinite(expected)]) if expected.dtype.kind in "fc" else ()
    scale = max(1.0, float(np.max(finite, initial=0.0)))
    np.testing.assert_allclose(
        found, expected, rtol=tolerance, atol=tolerance * scale, err_msg=what
    )


def forward(op: Op, inputs: Any, params: Any, place: Place, tolerance: float) -> None:
    """The operation itself."""
    expected = op.function(*inputs, **params)
    same(place, op.function(*place.put(inputs), **params), expected, tolerance, op.name)


def derivatives(op: Op, inputs: Any, params: Any, place: Place, tolerance: float) -> None:
    """Cotangents and tangents, and those of the cotangents."""
    chosen = check.active(op, inputs)
    f = check.function_of(op, inputs, params, chosen)
    xs = [inputs[i] for i in chosen]
    if not chosen or not f(*xs):
        return
    on_device = check.function_of(op, place.put(inputs), params, chosen)
    there = place.put(xs)
    rng = np.random.default_rng(1)
    gs = tuple(check.random_like(rng, y) for y in f(*xs))
    ts = [check.random_like(rng, x) for x in xs]
    gs_there, ts_there = place.put(gs), place.put(ts)

    pulled = tg.vjp(on_device, *there)[1](gs_there)
    same(place, pulled, tg.vjp(f, *xs)[1](gs), tolerance, f"{op.name}: vjp")
    pushed = tg.jvp(on_device, there, ts_there)
    same(place, pushed, tg.jvp(f, xs, ts), tolerance, f"{op.name}: jvp")
    pushed = tg.jvp(check.pulled(on_device, gs_there), there, ts_there)
    expected = tg.jvp(check.pulled(f, gs), xs, ts)
    same(place, pushed, expected, tolerance, f"{op.name}: jvp of vjp")


def batch(op: Op, inputs: Any, params: Any, place: Place, tolerance: float) -> None:
    """The batch rule, for all arrays mapped, and for each alone."""
    arrays = [i for i, x in enumerate(inputs) if hasattr(x, "shape")]
    for mapped in [arrays] + ([[i] for i in arrays] if len(arrays) > 1 else []):
        stacked = [
            np.stack([check.vary(x, lane) for lane in range(3)]) if i in mapped else x
            for i, x in enumerate(inputs)
        ]
        axes = tuple(0 if i in mapped else None for i in range(len(inputs)))

        def apply(*xs: Any) -> Any:
            return op.function(*xs, **params)

        expected = tg.vmap(apply, in_axes=axes)(*stacked)
        actual = tg.vmap(apply, in_axes=axes)(*place.put(stacked))
        same(place, actual, expected, tolerance, f"{op.name}: vmap over {mapped}")
