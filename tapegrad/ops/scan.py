"""Scans: running sums, products and extremes, and the recurrence that differentiates them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..backend import namespace, on_device
from ..core.array import Array, Traced
from ..core.op import Op
from ..core.record import raw
from .define import Function, define
from .linear import broadcast_to
from .samples import Sample, away_from_zero, complex_normal, each, normal
from .sort import take_along


def known(test: Callable[[Any], Any], x: Any) -> bool:
    """Whether `test` is known to hold for all elements of `x`: of traced ones, nothing is known.

    A device is waited for: where this is asked, the way that always works takes far longer.
    """
    if isinstance(x, Traced):
        return False
    data = raw(x)
    return bool(namespace(data).all(test(data)))


def is_invertible(x: Any) -> Any:
    return (x != 0) & (abs(x) < float("inf"))


def divides(x: Any, product: Any) -> bool:
    """Whether a rule may divide products by their factors `x`: not by zero.

    And not where the quotient is differentiated again: there, large terms cancel if a factor is
    small, and leave their rounding.
    """
    return not isinstance(x, Array) and known(is_invertible, product)


def along(axis: int, part: slice) -> tuple[slice, ...]:
    """The key of a part of an axis."""
    return (*(slice(None),) * axis, part)


def backwards(axis: int) -> tuple[slice, ...]:
    """The key that reverses an axis."""
    return along(axis, slice(None, None, -1))


def batch_scan(
    function: Function, mapped: tuple[bool, ...], x: Any, *, axis: int, **params: Any
) -> Any:
    """The batch rule of an operation of one array along one axis."""
    return function(x, axis=axis + 1, **params)


def accumulator(name: str, standard: str) -> Callable[..., Any]:
    """The forward of a scan by its name in NumPy and in the array API standard."""

    def forward(xp: Any, x: Any, *, axis: int, reverse: bool) -> Any:
        scan = getattr(xp, name, None) or getattr(xp, standard)
        if not reverse:
            return scan(x, axis=axis)
        key = (*backwards(axis), Ellipsis)
        return scan(x[key], axis=axis)[key]

    return forward


def _scan_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (5,)),), {"axis": 0, "reverse": False}
    yield (complex_normal(rng, (2, 3)),), {"axis": 1, "reverse": True}
    yield (away_from_zero(rng, (2, 4, 3)),), {"axis": 1, "reverse": False}


cumsum: Function = define(
    Op(
        "cumsum",
        forward=accumulator("cumsum", "cumulative_sum"),
        vjp=(lambda g, _out, _x, *, axis, reverse: cumsum(g, axis=axis, reverse=not reverse),),
        jvp="linear",
        batch=batch_scan,
        samples=_scan_samples,
        doc="The running sum along `axis`, from its end if `reverse`.",
    ),
    structural=True,
)


def _shift_forward(xp: Any, x: Any, *, axis: int, by: int, fill: int) -> Any:
    out = xp.full(x.shape, fill, dtype=x.dtype)
    if x.shape[axis]:
        target, source = (slice(1, None), slice(None, -1))[::by]
        out[(*along(axis, target), Ellipsis)] = x[(*along(axis, source), Ellipsis)]
    return out


shift: Function = define(
    Op(
        "shift",
        forward=_shift_forward,
        vjp=(lambda g, _out, _x, *, axis, by, fill: shift(g, axis=axis, by=-by, fill=0),),
        jvp=lambda tangents, _out, _x, *, axis, by, fill: shift(
            tangents[0], axis=axis, by=by, fill=0
        ),
        batch=batch_scan,
        samples=each(
            (((4,),), {"axis": 0, "by": 1, "fill": 1}),
            (((2, 3),), {"axis": 1, "by": -1, "fill": 0}),
        ),
        doc="`x` moved one step along `axis`, up (`by` 1) or down (-1), with `fill` where it left.",
    ),
    structural=True,
)


def _recurrence_forward(xp: Any, a: Any, b: Any, *, axis: int, reverse: bool) -> Any:
    # doubling: after k rounds, out holds the last 2**k terms, and a the product of as many factors
    if reverse:
        a, b = a[(*backwards(axis), Ellipsis)], b[(*backwards(axis), Ellipsis)]
    dtype = xp.result_type(a, b)
    a, out = xp.astype(a, dtype, copy=True), xp.astype(b, dtype, copy=True)
    step = 1
    while step < b.shape[axis]:
        late = (*along(axis, slice(step, None)), Ellipsis)
        early = (*along(axis, slice(None, -step)), Ellipsis)
        out[late] += a[late] * out[early]
        a[late] = a[late] * a[early]
        step *= 2
    return out[(*backwards(axis), Ellipsis)] if reverse else out


def _adjoint(g: Any, a: Any, axis: int, reverse: bool) -> Any:
    """The cotangent of `b`: again a recurrence, run the other way."""
    by = 1 if reverse else -1
    return recurrence(shift(a, axis=axis, by=by, fill=0), g, axis=axis, reverse=not reverse)


def _recurrence_rule_a(g: Any, out: Any, a: Any, _b: Any, *, axis: int, reverse: bool) -> Any:
    before = shift(out, axis=axis, by=-1 if reverse else 1, fill=0)
    return _adjoint(g, a, axis, reverse) * before


def _recurrence_rule_b(g: Any, _out: Any, a: Any, _b: Any, *, axis: int, reverse: bool) -> Any:
    return _adjoint(g, a, axis, reverse)


def _recurrence_jvp(
    tangents: tuple[Any, Any], out: Any, a: Any, _b: Any, *, axis: int, reverse: bool
) -> Any:
    ta, tb = tangents
    if ta is not None:
        drive = ta * shift(out, axis=axis, by=-1 if reverse else 1, fill=0)
        tb = drive if tb is None else tb + drive
    return recurrence(a, tb, axis=axis, reverse=reverse)


def _recurrence_batch(
    function: Function, mapped: tuple[bool, ...], a: Any, b: Any, *, axis: int, reverse: bool
) -> Any:
    if not mapped[0]:
        a = broadcast_to(a, to=b.shape)
    if not mapped[1]:
        b = broadcast_to(b, to=a.shape)
    return function(a, b, axis=axis + 1, reverse=reverse)


def _recurrence_samples(rng: Any) -> Iterator[Sample]:
    yield (normal(rng, (5,)), normal(rng, (5,))), {"axis": 0, "reverse": False}
    yield (normal(rng, (2, 4)), normal(rng, (2, 4))), {"axis": 1, "reverse": True}
    z = complex_normal(rng, (3, 2))
    yield (z, complex_normal(rng, (3, 2))), {"axis": 0, "reverse": False}


recurrence = define(
    Op(
        "recurrence",
        forward=_recurrence_forward,
        vjp=(_recurrence_rule_a, _recurrence_rule_b),
        jvp=_recurrence_jvp,
        batch=_recurrence_batch,
        promote=True,
        samples=_recurrence_samples,
        doc="The s with s[k] = a[k] s[k-1] + b[k] along `axis`, from its end if `reverse`.",
    )
)


def _cumprod_rule(g: Any, out: Any, x: Any, *, axis: int, reverse: bool) -> Any:
    if divides(x, out):
        return cumsum(g * out, axis=axis, reverse=not reverse) / x
    by = -1 if reverse else 1
    earlier = cumprod(shift(x, axis=axis, by=by, fill=1), axis=axis, reverse=reverse)
    later = shift(x, axis=axis, by=-by, fill=0)
    return earlier * recurrence(later, g, axis=axis, reverse=not reverse)


def _cumprod_jvp(tangents: tuple[Any], out: Any, x: Any, *, axis: int, reverse: bool) -> Any:
    (t,) = tangents
    if divides(x, out):
        return out * cumsum(t / x, axis=axis, reverse=reverse)
    before = shift(out, axis=axis, by=-1 if reverse else 1, fill=1)
    return recurrence(x, t * before, axis=axis, reverse=reverse)


def _cumprod_samples(rng: Any) -> Iterator[Sample]:
    yield from _scan_samples(rng)
    x = normal(rng, (2, 5))
    x[0, 2] = x[1, 0] = x[1, 3] = 0.0
    yield (x,), {"axis": 1, "reverse": False}
    yield (x,), {"axis": 1, "reverse": True}


cumprod = define(
    Op(
        "cumprod",
        forward=accumulator("cumprod", "cumulative_prod"),
        vjp=(_cumprod_rule,),
        jvp=_cumprod_jvp,
        batch=batch_scan,
        steep=True,
        samples=_cumprod_samples,
        doc="The running product along `axis`. Derivatives of every order are exact at zeros.",
    ),
    structural=True,
)


def accumulated(xp: Any, ufunc: Any, x: Any, axis: int) -> Any:
    """What `ufunc.accumulate` gives; on a device in steps that reach twice as far each time.

    CuPy's ufuncs accumulate sums and products alone.
    """
    if not on_device(x):
        return ufunc.accumulate(x, axis=axis)
    rows = xp.moveaxis(x, axis, 0)
    reach = 1
    while reach < x.shape[axis]:
        rows = xp.concat([rows[:reach, ...], ufunc(rows[:-reach, ...], rows[reach:, ...])])
        reach *= 2
    return xp.moveaxis(rows, 0, axis)


def _extreme_forward(xp: Any, x: Any, *, axis: int, largest: bool) -> Any:
    extremes = accumulated(xp, xp.maximum if largest else xp.minimum, x, axis)
    attained = (x == extremes) | (x != x)  # a NaN stays the extreme
    n = x.shape[axis]
    place = xp.reshape(xp.arange(n), (n, *(1,) * (x.ndim - axis - 1)))
    return accumulated(xp, xp.maximum, xp.where(attained, place, 0), axis)


running_extreme = define(
    Op(
        "running_extreme",
        forward=_extreme_forward,
        vjp=None,
        jvp=None,
        batch=batch_scan,
        samples=each(
            (((6,),), {"axis": 0, "largest": True}),
            (((2, 4, 3),), {"axis": 1, "largest": False}),
        ),
        doc="Where along `axis` the largest or smallest element so far is: of equals, the last.",
    )
)


def cummax(x: Any, *, axis: int) -> Any:
    """The running maximum. Of equal elements, the last so far gets the cotangent, as in PyTorch."""
    return take_along(x, running_extreme(x, axis=axis, largest=True), axis=axis)


def cummin(x: Any, *, axis: int) -> Any:
    """The running minimum. Of equal elements, the last so far gets the cotangent, as in PyTorch."""
    return take_along(x, running_extreme(x, axis=axis, largest=False), axis=axis)
