"""Sorting and searching: positions, which have no derivative, and what takes elements by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import on_device
from ..core.op import Op
from .add_at import add_at
from .define import Function, define, looped
from .linear import broadcast_to, in_single
from .samples import Sample, complex_normal, each, normal


def _take_forward(xp: Any, x: Any, positions: Any, *, axis: int, once: bool) -> Any:
    return x[positions] if x.ndim == 1 else xp.take_along_axis(x, positions, axis=axis)


def _take_rule(g: Any, _out: Any, shape: Any, positions: Any, *, axis: int, once: bool) -> Any:
    return put_along(g, positions, axis=axis, once=once, to=shape)


@in_single
def _put_forward(
    xp: Any, g: Any, positions: Any, *, axis: int, once: bool, to: tuple[int, ...]
) -> Any:
    out = xp.zeros(to, dtype=g.dtype)
    if once and len(to) == 1:
        out[positions] = g
    elif once:
        xp.put_along_axis(out, positions, g, axis=axis)
    else:
        grid = [
            xp.reshape(xp.arange(n), (*(1,) * i, n, *(1,) * (len(to) - i - 1)))
            for i, n in enumerate(to)
        ]
        add_at(out, (*grid[:axis], positions, *grid[axis + 1 :]), g)
    return out


def _put_rule(g: Any, _out: Any, _g: Any, positions: Any, *, axis: int, once: bool, to: Any) -> Any:
    return take_along(g, positions, axis=axis, once=once)


def everywhere(mapped: tuple[bool, ...], arrays: tuple[Any, ...]) -> list[Any]:
    """The arrays, all with a leading lane axis."""
    lanes = next(x.shape[0] for x, has in zip(arrays, mapped, strict=True) if has)
    return [
        x if has else broadcast_to(x, to=(lanes, *x.shape))
        for x, has in zip(arrays, mapped, strict=True)
    ]


def _take_batch(
    function: Function, mapped: tuple[bool, ...], x: Any, positions: Any, *, axis: int, once: bool
) -> Any:
    x, positions = everywhere(mapped, (x, positions))
    return function(x, positions, axis=axis + 1, once=once)


def _put_batch(
    function: Function,
    mapped: tuple[bool, ...],
    g: Any,
    positions: Any,
    *,
    axis: int,
    once: bool,
    to: Any,
) -> Any:
    g, positions = everywhere(mapped, (g, positions))
    return function(g, positions, axis=axis + 1, once=once, to=(g.shape[0], *to))


def _take_samples(rng: Any) -> Iterator[Sample]:
    x = normal(rng, (3, 4))
    order = x.argsort(axis=1)
    yield (x[0], order[0]), {"axis": 0, "once": True}
    yield (x, order), {"axis": 1, "once": True}
    yield (complex_normal(rng, (3, 4)), order[:, :3] % 3), {"axis": 1, "once": False}
    yield (x, order[:2] % 3), {"axis": 0, "once": False}


def _put_samples(rng: Any) -> Iterator[Sample]:
    for (x, positions), params in _take_samples(rng):
        g = normal(rng, positions.shape)
        yield (g, positions), {**params, "to": x.shape}


_take_along = define(
    Op(
        "take_along",
        forward=_take_forward,
        vjp=(_take_rule, None),
        jvp="linear",
        batch=_take_batch,
        samples=_take_samples,
        doc="""Elements of `x` by their positions along `axis`; the other axes agree.

        `once` promises that no element is taken twice, which makes the transpose cheap.""",
    )
)

put_along = define(
    Op(
        "put_along",
        forward=_put_forward,
        vjp=(_put_rule, None),
        jvp="linear",
        batch=_put_batch,
        samples=_put_samples,
        doc="Zeros of shape `to` with `g` added at positions along `axis`.",
    )
)


def take_along(x: Any, positions: Any, *, axis: int, once: bool = False) -> Any:
    """Elements of `x` by their positions along `axis` (see the operation)."""
    return _take_along(x, positions, axis=axis, once=once)


def _argsort_forward(xp: Any, x: Any, *, axis: int, stable: bool) -> Any:
    if stable and hasattr(xp, "lexsort"):  # NumPy and CuPy; the standard's is stable as it is
        return xp.argsort(x, axis=axis, kind="stable")
    return xp.argsort(x, axis=axis)


argsort = define(
    Op(
        "argsort",
        forward=_argsort_forward,
        vjp=None,
        jvp=None,
        batch=lambda function, mapped, x, *, axis, stable: function(
            x, axis=axis + 1, stable=stable
        ),
        samples=each(
            (((5,),), {"axis": 0, "stable": True}), (((2, 4, 3),), {"axis": 1, "stable": False})
        ),
        doc="The positions that sort `x` along `axis`; if `stable`, of equals the first one first.",
    )
)

argpartition = define(
    Op(
        "argpartition",
        forward=lambda xp, x, *, axis, kth: xp.argpartition(x, kth, axis=axis),
        vjp=None,
        jvp=None,
        batch=lambda function, mapped, x, *, axis, kth: function(x, axis=axis + 1, kth=kth),
        samples=each((((5,),), {"axis": 0, "kth": (2,)}), (((2, 5),), {"axis": 1, "kth": (1, 3)})),
        doc="Positions that put the elements `kth` of `x` along `axis` where sorting would.",
    )
)


def sort(x: Any, *, axis: int, stable: bool = False) -> Any:
    """`x` sorted along `axis`. If `stable`, equal elements keep their order, and so do cotangents.

    Without that any order of equal elements may come out, several times as fast.
    """
    return take_along(x, argsort(x, axis=axis, stable=stable), axis=axis, once=True)


def partition(x: Any, *, axis: int, kth: tuple[int, ...]) -> Any:
    """`x` with the elements `kth` along `axis` where sorting would put them."""
    return take_along(x, argpartition(x, axis=axis, kth=kth), axis=axis, once=True)


def _lexsort_batch(function: Function, mapped: tuple[bool, ...], *keys: Any, axis: int) -> Any:
    return function(*everywhere(mapped, keys), axis=axis + 1)


def _lexsort_samples(rng: Any) -> Iterator[Sample]:
    yield (rng.integers(0, 3, 6), rng.integers(0, 3, 6)), {"axis": 0}
    yield (normal(rng, (2, 4)), rng.integers(0, 2, (2, 4))), {"axis": 1}


def _lexsort_forward(xp: Any, *keys: Any, axis: int) -> Any:
    if not on_device(keys[0]):
        return xp.lexsort(keys, axis=axis)
    order = xp.argsort(keys[0], axis=axis)  # all sorts of the devices' library are stable
    for key in keys[1:]:
        sorted_so_far = xp.take_along_axis(key, order, axis)
        order = xp.take_along_axis(order, xp.argsort(sorted_so_far, axis=axis), axis)
    return order


lexsort = define(
    Op(
        "lexsort",
        forward=_lexsort_forward,
        vjp=None,
        jvp=None,
        batch=_lexsort_batch,
        samples=_lexsort_samples,
        doc="The positions that sort by several keys of one shape, the last one first.",
    )
)


def _searchsorted_batch(
    function: Function, mapped: tuple[bool, ...], x: Any, values: Any, *, side: str
) -> Any:
    if not mapped[0]:
        return function(x, values, side=side)
    return looped(function, mapped, x, values, side=side)


def _searchsorted_samples(rng: Any) -> Iterator[Sample]:
    import numpy as np

    x = np.sort(normal(rng, (5,)))
    yield (np.stack([x, x]).mean(axis=0), normal(rng, (2, 3))), {"side": "left"}


searchsorted = define(
    Op(
        "searchsorted",
        forward=lambda xp, x, values, *, side: xp.searchsorted(x, values, side=side),
        vjp=None,
        jvp=None,
        batch=_searchsorted_batch,
        samples=_searchsorted_samples,
        doc="Where to insert `values` into the sorted vector `x`, before or after equal elements.",
    )
)


def _isin_samples(rng: Any) -> Iterator[Sample]:
    yield (rng.integers(0, 9, (3, 4)), rng.integers(0, 9, 4)), {"invert": False}
    yield (rng.integers(0, 9, 5), rng.integers(0, 9, 4)), {"invert": True}


isin = define(
    Op(
        "isin",
        forward=lambda xp, x, values, *, invert: xp.isin(x, values, invert=invert),
        vjp=None,
        jvp=None,
        batch=lambda function, mapped, x, values, *, invert: (
            looped(function, mapped, x, values, invert=invert)
            if mapped[1]
            else function(x, values, invert=invert)
        ),
        samples=_isin_samples,
        doc="Which elements of `x` are among `values`; if `invert`, which are not.",
    )
)
