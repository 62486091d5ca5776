"""Reductions: products, means, spreads, extremes and the logarithm of a sum of exponentials."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from ..backend import is_complex, numpy_function, surely
from ..core.array import Traced
from ..core.op import Op
from ..core.record import raw
from .complex import conj, real
from .define import Function, batch_axis, define
from .elementary import exp
from .linear import broadcast_to, cast, in_single, permute_dims, reshape, spreading, sum
from .samples import Sample, complex_normal, normal
from .scan import cumprod, divides, shift
from .selection import where

Axes = tuple[int, ...]

INFINITY = float("inf")


def restored(y: Any, shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Any:
    """A reduction's result such that it broadcasts against the array it came from."""
    if keepdims or not axis or len(axis) == len(shape):
        return y
    return reshape(y, to=tuple(1 if i in axis else n for i, n in enumerate(shape)))


def count(shape: tuple[int, ...], axis: Axes) -> int:
    """How many elements each result of a reduction comes from."""
    return math.prod(map(shape.__getitem__, axis))


def merge_axes(x: Any, axis: Axes) -> Any:
    """`x` with the axes `axis` as a single one, its last."""
    rest = tuple(i for i in range(x.ndim) if i not in axis)
    order = (*rest, *axis)
    if order != tuple(range(x.ndim)):
        x = permute_dims(x, axes=order)
    return (
        x
        if len(axis) == 1
        else reshape(
            x, to=(*x.shape[: len(rest)], count(x.shape[len(rest) :], tuple(range(len(axis)))))
        )
    )


def split_axes(y: Any, shape: tuple[int, ...], axis: Axes) -> Any:
    """The inverse of `merge_axes` for an array of `shape`."""
    rest = tuple(i for i in range(len(shape)) if i not in axis)
    order = (*rest, *axis)
    y = y if len(axis) == 1 else reshape(y, to=tuple(shape[i] for i in order))
    if order == tuple(range(len(shape))):
        return y
    return permute_dims(y, axes=tuple(order.index(i) for i in range(len(shape))))


def reduction_samples(*domains: Any) -> Callable[[Any], Iterator[Sample]]:
    """Samples of a reduction over any axes, of normal numbers and of other domains."""

    def samples(rng: Any) -> Iterator[Sample]:
        for domain in (normal, *domains):
            yield (domain(rng, ()),), {"axis": (), "keepdims": False}
            yield (domain(rng, (4,)),), {"axis": (0,), "keepdims": False}
            yield (domain(rng, (2, 3, 2)),), {"axis": (1,), "keepdims": False}
            yield (domain(rng, (2, 3, 2)),), {"axis": (0, 2), "keepdims": True}
            yield (domain(rng, (2, 3)),), {"axis": (0, 1), "keepdims": False}

    return samples


def _others(x: Any, axis: Axes) -> Any:
    """For each element, the product of all others along `axis`."""
    if not axis:
        return x * 0 + 1
    line = merge_axes(x, axis)
    last = line.ndim - 1
    before = cumprod(shift(line, axis=last, by=1, fill=1), axis=last, reverse=False)
    after = cumprod(shift(line, axis=last, by=-1, fill=1), axis=last, reverse=True)
    return split_axes(before * after, x.shape, axis)


def _prod_rule(g: Any, out: Any, x: Any, *, axis: Axes, keepdims: bool) -> Any:
    if divides(x, out):
        return restored(g * out, x.shape, axis, keepdims) / x
    return restored(g, x.shape, axis, keepdims) * _others(x, axis)


def _prod_jvp(tangents: tuple[Any], out: Any, x: Any, *, axis: Axes, keepdims: bool) -> Any:
    (t,) = tangents
    if divides(x, out):
        return out * sum(t / x, axis=axis, keepdims=keepdims)
    return sum(t * _others(x, axis), axis=axis, keepdims=keepdims)


def _prod_samples(rng: Any) -> Iterator[Sample]:
    yield from reduction_samples(complex_normal)(rng)
    for zeros in (1, 2):
        x = normal(rng, (2, 4))
        x[0, :zeros] = 0.0
        yield (x,), {"axis": (1,), "keepdims": False}
        yield (x,), {"axis": (0, 1), "keepdims": False}


prod = define(
    Op(
        "prod",
        forward=lambda xp, x, *, axis, keepdims: xp.prod(x, axis=axis, keepdims=keepdims),
        vjp=(_prod_rule,),
        jvp=_prod_jvp,
        batch=batch_axis,
        operator=lambda x, *, axis, keepdims: x.prod(axis, keepdims=keepdims),
        steep=True,
        samples=_prod_samples,
        doc="The product over the axes `axis`. Derivatives of every order are exact at zeros.",
    ),
    structural=True,
)


def _mean_rule(g: Any, _out: Any, shape: Any, *, axis: Axes, keepdims: bool) -> Any:
    g = g / max(count(shape, axis), 1)
    return broadcast_to(restored(g, shape, axis, keepdims), to=shape)


def _fast_mean(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    if x.dtype.char in "dfDF" and x.size:  # in half precision, and of integers, NumPy sums wider
        return x.sum(axis, keepdims=keepdims) / count(x.shape, axis)
    if x.dtype.kind == "V":
        return x.astype("float32").mean(axis, keepdims=keepdims).astype(x.dtype)
    return x.mean(axis, keepdims=keepdims)


mean = define(
    Op(
        "mean",
        forward=in_single(
            lambda xp, x, *, axis, keepdims: xp.mean(x, axis=axis, keepdims=keepdims)
        ),
        vjp=(_mean_rule,),
        jvp="linear",
        batch=batch_axis,
        operator=_fast_mean,
        step=spreading(divide=True),
        samples=reduction_samples(complex_normal),
        doc="The mean over the axes `axis`.",
    ),
    structural=True,
)


@in_single
def _var_forward(xp: Any, x: Any, *, axis: Axes, keepdims: bool, correction: float) -> Any:
    d = x - xp.mean(x, axis=axis, keepdims=True)
    squares = xp.real(d * xp.conj(d)) if is_complex(x.dtype) else d * d
    return xp.sum(squares, axis=axis, keepdims=keepdims) / max(count(x.shape, axis) - correction, 0)


def _std_forward(xp: Any, x: Any, **params: Any) -> Any:
    return xp.sqrt(_var_forward(xp, x, **params))


def _fast_var(x: Any, *, axis: Axes, keepdims: bool, correction: float) -> Any:
    if x.dtype.kind == "V":
        return _var_forward(numpy, x, axis=axis, keepdims=keepdims, correction=correction)
    d = x - _fast_mean(x, axis=axis, keepdims=True)
    squares = (d * d.conj()).real if is_complex(x.dtype) else d * d
    return squares.sum(axis, keepdims=keepdims) / max(count(x.shape, axis) - correction, 0)


_root = numpy_function("sqrt")


def _fast_std(x: Any, **params: Any) -> Any:
    return _root(_fast_var(x, **params))


def _weight(shape: tuple[int, ...], axis: Axes, correction: float) -> float:
    """What a squared deviation counts in the variance."""
    freedom = count(shape, axis) - correction
    return 1 / freedom if freedom > 0 else float("nan")


def _centred(x: Any, axis: Axes) -> Any:
    """The deviations from the mean, conjugate."""
    d = x - mean(x, axis=axis, keepdims=True)
    return conj(d) if is_complex(x.dtype) else d


def _spread(t: Any, x: Any, axis: Axes, keepdims: bool) -> Any:
    """The sum of the deviations times tangents."""
    total = sum(_centred(x, axis) * t, axis=axis, keepdims=keepdims)
    return real(total) if is_complex(x.dtype) else total


def _var_rule(g: Any, _out: Any, x: Any, *, axis: Axes, keepdims: bool, correction: float) -> Any:
    g = g * (2 * _weight(x.shape, axis, correction))
    return restored(g, x.shape, axis, keepdims) * _centred(x, axis)


def _var_jvp(
    tangents: tuple[Any], _out: Any, x: Any, *, axis: Axes, keepdims: bool, correction: float
) -> Any:
    return _spread(tangents[0], x, axis, keepdims) * (2 * _weight(x.shape, axis, correction))


def _std_rule(g: Any, out: Any, x: Any, *, axis: Axes, keepdims: bool, correction: float) -> Any:
    g = g * _weight(x.shape, axis, correction) / where(out == 0, 1, out)
    return restored(g, x.shape, axis, keepdims) * _centred(x, axis)


def _std_jvp(
    tangents: tuple[Any], out: Any, x: Any, *, axis: Axes, keepdims: bool, correction: float
) -> Any:
    weight = _weight(x.shape, axis, correction)
    return _spread(tangents[0], x, axis, keepdims) * weight / where(out == 0, 1, out)


def _spread_samples(rng: Any) -> Iterator[Sample]:
    for domain in (normal, complex_normal):
        yield (domain(rng, (4,)),), {"axis": (0,), "keepdims": False, "correction": 0}
        yield (domain(rng, (2, 3, 2)),), {"axis": (1,), "keepdims": False, "correction": 1}
        yield (domain(rng, (2, 3, 2)),), {"axis": (0, 2), "keepdims": True, "correction": 0.5}


var = define(
    Op(
        "var",
        forward=_var_forward,
        operator=_fast_var,
        vjp=(_var_rule,),
        jvp=_var_jvp,
        batch=batch_axis,
        samples=_spread_samples,
        doc="The variance over the axes `axis`; the divisor is their size less `correction`.",
    ),
    structural=True,
)

std = define(
    Op(
        "std",
        forward=_std_forward,
        operator=_fast_std,
        vjp=(_std_rule,),
        jvp=_std_jvp,
        batch=batch_axis,
        steep=True,
        samples=_spread_samples,
        doc="The square root of the variance. Of constant data, the gradient is zero.",
    ),
    structural=True,
)


def _attained(x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    """Where the extreme is; where it is NaN, the NaNs."""
    return (x == restored(out, x.shape, axis, keepdims)) | (x != x)


def _attained_not_nan(x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    return x == restored(out, x.shape, axis, keepdims)


def extreme(
    name: str, attained: Callable[..., Any], doc: str, operator: Callable[..., Any] | None = None
) -> Function:
    """A reduction to the largest or smallest element, whose cotangent equal ones share equally."""

    def rule(g: Any, out: Any, x: Any, *, axis: Axes, keepdims: bool) -> Any:
        chosen = attained(x, out, axis, keepdims)
        ties = sum(cast(chosen, g.dtype), axis=axis, keepdims=keepdims)
        share = g / where(ties == 0, 1, ties)
        return where(chosen, restored(share, x.shape, axis, keepdims), 0)

    def jvp(tangents: tuple[Any], out: Any, x: Any, *, axis: Axes, keepdims: bool) -> Any:
        (t,) = tangents
        chosen = attained(x, out, axis, keepdims)
        ties = sum(cast(chosen, t.dtype), axis=axis, keepdims=keepdims)
        total = sum(where(chosen, t, 0), axis=axis, keepdims=keepdims)
        return total / where(ties == 0, 1, ties)

    return define(
        Op(
            name,
            forward=lambda xp, x, *, axis, keepdims: getattr(xp, name)(
                x, axis=axis, keepdims=keepdims
            ),
            operator=operator,
            vjp=(rule,),
            jvp=jvp,
            batch=batch_axis,
            samples=reduction_samples(),
            doc=doc,
        ),
        structural=True,
    )


amax = extreme(
    "max",
    _attained,
    "The largest element over the axes `axis`.",
    operator=lambda x, *, axis, keepdims: x.max(axis, keepdims=keepdims),
)
amin = extreme(
    "min",
    _attained,
    "The smallest element over the axes `axis`.",
    operator=lambda x, *, axis, keepdims: x.min(axis, keepdims=keepdims),
)
nanmax = extreme("nanmax", _attained_not_nan, "The largest element that is not NaN.")
nanmin = extreme("nanmin", _attained_not_nan, "The smallest element that is not NaN.")


@in_single
def _logsumexp_forward(xp: Any, x: Any, *, axis: Axes, keepdims: bool) -> Any:
    top = xp.max(xp.real(x) if is_complex(x.dtype) else x, axis=axis, keepdims=True)
    finite = abs(top) < INFINITY
    shifted = x - xp.where(finite, top, xp.zeros_like(top))
    if not surely(finite):  # there, the elements at the top count and nothing else
        at_top = (x == top) | (top != top)
        nothing = xp.asarray(-INFINITY, dtype=x.dtype)
        shifted = xp.where(finite, shifted, xp.where(at_top, xp.zeros_like(x), nothing))
    out = xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True)) + top
    return out if keepdims else xp.reshape(out, kept_out(x.shape, axis))


def kept_out(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """The shape of a reduction's result without the reduced axes."""
    return tuple(n for i, n in enumerate(shape) if i not in axis)


def _softmax(x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    """What each element contributes to the sum; at an infinite one, the limit (0 if it is -inf)."""
    top = restored(out, x.shape, axis, keepdims)
    if not isinstance(out, Traced) and surely(abs(raw(out)) < INFINITY):
        return exp(x - top)
    infinite = abs(top) == INFINITY
    finite = where(infinite, -INFINITY, x - where(infinite, 0, top))
    chosen = (x == top) & (top == INFINITY)
    ties = sum(cast(chosen, x.dtype), axis=axis, keepdims=True)
    return where(chosen, 1 / where(ties == 0, 1, ties), exp(finite))


def _logsumexp_rule(g: Any, out: Any, x: Any, *, axis: Axes, keepdims: bool) -> Any:
    return restored(g, x.shape, axis, keepdims) * _softmax(x, out, axis, keepdims)


def _logsumexp_jvp(tangents: tuple[Any], out: Any, x: Any, *, axis: Axes, keepdims: bool) -> Any:
    return sum(tangents[0] * _softmax(x, out, axis, keepdims), axis=axis, keepdims=keepdims)


logsumexp = define(
    Op(
        "logsumexp",
        forward=_logsumexp_forward,
        vjp=(_logsumexp_rule,),
        jvp=_logsumexp_jvp,
        batch=batch_axis,
        steep=True,
        samples=reduction_samples(),
        doc="""The logarithm of the sum of exponentials over the axes `axis`, without overflow.

        Elements of -inf get no cotangent, also where all are; infinite ones share it equally.""",
    ),
    structural=True,
)
