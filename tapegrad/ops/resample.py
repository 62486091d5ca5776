"""Values between the elements of an array, by B-splines: what `scipy.ndimage` interpolates with.

`spline_filter` gives the coefficients, `sample` the spline's values and derivatives at coordinates,
and `spread` is the transpose of `sample`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import comb, factorial
from typing import Any

import numpy

from ..backend import is_complex, namespace, on_device, scipy_module, surely
from ..core.op import Op
from ..core.record import raw
from .add_at import add_at
from .complex import real
from .contract import matmul
from .define import Function, define, looped, size_of
from .index import getitem
from .join import stack
from .linear import permute_dims, reshape, sum
from .samples import Sample, complex_normal, normal

MIRRORED = ("mirror", "constant", "wrap", "grid-constant")
"""The modes whose coefficients are those of an array mirrored at its first and last element."""

SHORT = 24
"""Up to this length, the filters of some releases of SciPy differ from the inverse of the spline in
the modes "reflect" and "nearest" (by the poles' powers, the largest of which is 0.43 ** 47)."""


def _filter_forward(xp: Any, x: Any, *, axis: int, order: int, mode: str) -> Any:
    ndimage = scipy_module(xp, "ndimage")
    return ndimage.spline_filter1d(x, order=order, axis=axis, output=x.dtype, mode=mode)


def _filter_rule(g: Any, _out: Any, _x: Any, *, axis: int, order: int, mode: str) -> Any:
    n = g.shape[axis]
    xp = namespace(raw(g))
    if mode not in (*MIRRORED, "grid-wrap") and n < SHORT:
        matrix = _filter_forward(xp, xp.eye(n, dtype=g.dtype), axis=0, order=order, mode=mode)
        last = (*(a for a in range(g.ndim) if a != axis), axis)
        out = matmul(permute_dims(g, axes=last), matrix)
        return permute_dims(out, axes=tuple(sorted(range(g.ndim), key=last.__getitem__)))
    if mode not in MIRRORED or n < 3:  # a symmetric matrix
        return spline_filter(g, axis=axis, order=order, mode=mode)
    counts = xp.asarray([1.0, *(2.0,) * (n - 2), 1.0], dtype=raw(g).real.dtype)
    counts = xp.reshape(counts, (n, *(1,) * (g.ndim - axis - 1)))
    return counts * spline_filter(g / counts, axis=axis, order=order, mode=mode)


def _filter_samples(rng: Any) -> Iterator[Sample]:
    for mode in ("mirror", "reflect", "grid-wrap", "nearest", "wrap"):
        for order in (2, 3, 4, 5):
            yield (normal(rng, (6,)),), {"axis": 0, "order": order, "mode": mode}
        yield (normal(rng, (2, 3, 2)),), {"axis": 1, "order": 3, "mode": mode}
    yield (complex_normal(rng, (2, 4)),), {"axis": 1, "order": 3, "mode": "mirror"}
    yield (normal(rng, (2, 1)),), {"axis": 1, "order": 3, "mode": "mirror"}
    yield (normal(rng, (2,)),), {"axis": 0, "order": 3, "mode": "mirror"}


spline_filter: Function = define(
    Op(
        "spline_filter",
        forward=_filter_forward,
        vjp=(_filter_rule,),
        jvp="linear",
        batch=lambda function, mapped, x, *, axis, **params: function(x, axis=axis + 1, **params),
        samples=_filter_samples,
        doc="The coefficients along `axis` of the B-spline of an order that passes through `x`.",
    ),
    structural=True,
)


@lru_cache(maxsize=32)
def weight_polynomials(order: int, nu: int) -> Any:
    """The weights of the `order + 1` coefficients around a coordinate, differentiated `nu` times.

    Row j has the polynomial, its constant first, in the distance of the coordinate from the
    element before it (for even orders, from half an element before).
    """
    rows = []
    for j in range(order + 1):
        row = [0] * (order + 1)
        for k in range(order - j + 1):
            for p in range(order + 1):
                row[p] += (
                    (-1) ** k * comb(order + 1, k) * comb(order, p) * (order - j - k) ** (order - p)
                )
        for _ in range(nu):
            row = [*(p * row[p] for p in range(1, order + 1)), 0]
        rows.append([c / factorial(order) for c in row])
    return numpy.array(rows)


def folded(xp: Any, c: Any, n: int, mode: str) -> tuple[Any, Any]:
    """Coordinates moved into the array of `n` elements, and by how much they move when `c` does.

    For "constant", elements outside have NaN for a coordinate. None stands for a movement like that
    of `c`.
    """
    if mode in ("nearest", "grid-constant"):
        return c, None  # the elements around are moved instead
    if n <= 1 and mode != "constant":
        return xp.zeros_like(c), 0.0
    outside = (c < 0) | (c > n - 1)
    if surely(~outside):
        return c, None
    if mode == "constant":
        return xp.where(outside, xp.nan, c), None
    if mode == "wrap":
        return xp.where(outside, c % (n - 1), c), None
    if mode == "grid-wrap":
        moved = c % n
        return xp.where(outside, xp.where(c < 0, moved - n * (moved > n - 1), moved), c), None
    if mode == "mirror":
        moved = c % (2 * n - 2)
        back = outside & (moved > n - 1)
        return xp.where(back, 2 * n - 2 - moved, xp.where(outside, moved, c)), 1.0 - 2 * back
    moved = c % (2 * n)
    back = outside & (moved >= n - 0.5)
    moved = xp.where(back, 2 * n - 1 - moved, xp.where(outside, moved, c))
    return moved, 1.0 - 2 * back


def folded_places(xp: Any, i: Any, n: int, mode: str) -> Any:
    """The indices of elements, those beyond the edges moved to where their values come from."""
    if mode in ("nearest", "grid-constant") or n <= 1:
        return xp.clip(i, 0, n - 1)
    if mode == "grid-wrap":
        return i % n
    if mode in ("reflect", "grid-mirror"):
        i = i % (2 * n)
        return xp.minimum(i, 2 * n - 1 - i)
    i = i % (2 * n - 2)
    return xp.minimum(i, 2 * n - 2 - i)


def neighbours(xp: Any, c: Any, n: int, order: int, mode: str, nu: int) -> tuple[Any, Any]:
    """The elements around coordinates of one axis, and their weights: leading axis `order + 1`."""
    moved, slope = folded(xp, c, n, mode)
    valid = moved == moved
    valid = True if surely(valid) else valid
    if valid is not True:
        moved = xp.where(valid, moved, 0)
    base = xp.floor(moved if order % 2 else moved + 0.5)
    v = moved - base if order % 2 else moved + 0.5 - base
    steps = xp.reshape(xp.arange(order + 1), (-1, *(1,) * c.ndim))
    places = base.astype(int) - order // 2 + steps
    columns = xp.asarray(weight_polynomials(order, nu).T, dtype=c.dtype)
    weights = xp.zeros(places.shape, dtype=c.dtype)
    for column in columns[: order + 1 - nu][::-1]:
        weights *= v
        weights += xp.reshape(column, steps.shape)
    if nu and slope is not None:
        weights *= slope**nu
    if valid is not True:
        weights *= valid
    if mode == "grid-constant":
        weights = weights * ((places >= 0) & (places < n))
    if not surely((places >= 0) & (places < n)):
        places = folded_places(xp, places, n, mode)
    return places, weights


def taps(
    xp: Any, shape: tuple[int, ...], coordinates: Any, order: int, mode: str, nu: tuple[int, ...]
) -> Iterator[tuple[Any, Any]]:
    """The places in the flattened array, with their weights, that make up each value."""
    axes = [
        neighbours(xp, c, n, order, mode, k) for c, n, k in zip(coordinates, shape, nu, strict=True)
    ]
    for chosen in product(range(order + 1), repeat=len(axes)):
        place: Any = 0
        weight: Any = 1.0
        for (places, weights), n, j in zip(axes, shape, chosen, strict=True):
            place = place * n + places[j]
            weight = weight * weights[j]
        yield place, weight


def _sample_forward(
    xp: Any, x: Any, coordinates: Any, *, order: int, mode: str, nu: tuple[int, ...]
) -> Any:
    if not any(nu):
        out = scipy_module(xp, "ndimage").map_coordinates(
            x, coordinates, output=x.dtype, order=order, mode=mode, prefilter=False
        )
        return out if out.ndim else out[()]
    flat = xp.reshape(x, (-1,))
    total = xp.zeros(coordinates.shape[1:], dtype=x.dtype)
    if max(nu) <= order:
        for place, weight in taps(xp, x.shape, coordinates, order, mode, nu):
            total = total + flat[place] * weight
    return total.astype(x.dtype)


def raised(nu: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """The orders of derivatives with one more along an axis."""
    return tuple(k + (i == axis) for i, k in enumerate(nu))


def along_each_axis(x: Any, coordinates: Any, *, order: int, mode: str, nu: tuple[int, ...]) -> Any:
    """The derivatives of the values by the coordinates."""
    return stack(
        *(sample(x, coordinates, order=order, mode=mode, nu=raised(nu, i)) for i in range(len(nu))),
        axis=0,
    )


def _real(x: Any) -> Any:
    return real(x) if is_complex(x.dtype) else x


def _sample_rule_x(g: Any, _out: Any, x: Any, coordinates: Any, **params: Any) -> Any:
    return spread(g, coordinates, to=x.shape, **params)


def _sample_rule_coordinates(g: Any, _out: Any, x: Any, coordinates: Any, **params: Any) -> Any:
    return _real(g * along_each_axis(x, coordinates, **params))


def _sample_jvp(
    tangents: tuple[Any, ...], _out: Any, x: Any, coordinates: Any, **params: Any
) -> Any:
    t_x, t_c = tangents
    total = None if t_x is None else sample(t_x, coordinates, **params)
    if t_c is not None:
        moved = sum(t_c * along_each_axis(x, coordinates, **params), axis=(0,), keepdims=False)
        total = moved if total is None else total + moved
    return total


def _sample_batch(
    function: Function, mapped: tuple[bool, ...], x: Any, coordinates: Any, **params: Any
) -> Any:
    if mapped[0]:
        return looped(function, mapped, x, coordinates, **params)
    lanes, ndim, *shape = coordinates.shape
    whole = permute_dims(coordinates, axes=(1, 0, *range(2, coordinates.ndim)))
    flat = function(x, reshape(whole, to=(ndim, lanes * size_of(tuple(shape)))), **params)
    return reshape(flat, to=(lanes, *shape))


def _sample_samples(rng: Any) -> Iterator[Sample]:
    def coordinates(*shape: int) -> Any:
        c = rng.uniform(-3, 6, shape)  # away from where weights have kinks
        return numpy.floor(c * 2) / 2 + 0.2 + 0.1 * rng.uniform(0, 1, shape)

    for mode in ("mirror", "reflect", "grid-wrap", "wrap", "nearest", "constant", "grid-constant"):
        for order in (1, 3) if mode != "mirror" else (0, 1, 2, 3, 4, 5):
            params = {"order": order, "mode": mode}
            yield (normal(rng, (4,)), coordinates(1, 5)), {**params, "nu": (0,)}
        yield (normal(rng, (3, 4)), coordinates(2, 2, 3)), {"order": 3, "mode": mode, "nu": (0, 0)}
        yield (normal(rng, (3, 4)), coordinates(2, 3)), {"order": 3, "mode": mode, "nu": (1, 0)}
    yield (complex_normal(rng, (4,)), coordinates(1, 3)), {"order": 3, "mode": "mirror", "nu": (0,)}


sample: Function = define(
    Op(
        "sample",
        forward=_sample_forward,
        vjp=(_sample_rule_x, _sample_rule_coordinates),
        jvp=_sample_jvp,
        batch=_sample_batch,
        samples=_sample_samples,
        doc="The values at `coordinates`, or the derivatives of orders `nu`, of the spline with "
        "the coefficients `x`; zero is what there is outside in the modes that have a constant. "
        "Where pieces of it meet, the derivative is that of the piece to the right.",
    )
)


def _spread_forward(
    xp: Any,
    g: Any,
    coordinates: Any,
    *,
    to: tuple[int, ...],
    order: int,
    mode: str,
    nu: tuple[int, ...],
) -> Any:
    size = size_of(to)
    total = xp.zeros((size,), dtype=g.dtype)
    if max(nu) <= order:
        for place, weight in taps(xp, to, coordinates, order, mode, nu):
            place = xp.reshape(place, (-1,))
            part = xp.reshape(g * weight, (-1,))
            if on_device(part):  # where bincount waits, to look at all places first
                add_at(total, (place,), part)
            elif is_complex(g.dtype):
                total = total + xp.bincount(place, part.real, size)
                total = total + 1j * xp.bincount(place, part.imag, size)
            else:
                total = total + xp.bincount(place, part, size)
    return xp.reshape(total, to).astype(g.dtype)


def _spread_rule_g(
    h: Any, _out: Any, _g: Any, coordinates: Any, *, to: tuple[int, ...], **params: Any
) -> Any:
    return sample(h, coordinates, **params)


def _spread_rule_coordinates(
    h: Any, _out: Any, g: Any, coordinates: Any, *, to: tuple[int, ...], **params: Any
) -> Any:
    return _real(g * along_each_axis(h, coordinates, **params))


def _spread_jvp(
    tangents: tuple[Any, ...],
    _out: Any,
    g: Any,
    coordinates: Any,
    *,
    to: tuple[int, ...],
    nu: tuple[int, ...],
    **params: Any,
) -> Any:
    t_g, t_c = tangents
    total = None if t_g is None else spread(t_g, coordinates, to=to, nu=nu, **params)
    if t_c is not None:
        for i in range(len(to)):
            moved = g * getitem(t_c, key=(i,))
            part = spread(moved, coordinates, to=to, nu=raised(nu, i), **params)
            total = part if total is None else total + part
    return total


def _spread_samples(rng: Any) -> Iterator[Sample]:
    for (x, coordinates), params in _sample_samples(rng):
        g = normal(rng, coordinates.shape[1:]) + x.dtype.type(0)
        yield (g, coordinates), {"to": x.shape, **params}


spread: Function = define(
    Op(
        "spread_samples",
        forward=_spread_forward,
        vjp=(_spread_rule_g, _spread_rule_coordinates),
        jvp=_spread_jvp,
        batch=looped,
        samples=_spread_samples,
        doc="The transpose of `sample` in its coefficients, which have the shape `to`.",
    )
)
