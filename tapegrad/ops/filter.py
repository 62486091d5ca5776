"""Linear recurrences with constant coefficients: the filters of `scipy.signal`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import namespace, scipy_module
from ..core.op import Op
from ..core.record import raw
from .convolve import flip
from .define import Function, define, looped
from .fft import resized
from .index import getitem
from .linear import broadcast_to, reshape
from .samples import Sample, complex_normal, normal


def _one(like: Any) -> Any:
    data = raw(like)
    return namespace(data).ones((1,), dtype=data.dtype)


def _forward(xp: Any, b: Any, a: Any, x: Any) -> Any:
    return scipy_module(xp, "signal").lfilter(b, a, x)


def _adjoint(g: Any, a: Any) -> Any:
    """The cotangent of the right-hand side of ``a * y = b * x``."""
    return flip(linear_filter(_one(a), a, flip(g)))


def _rule_b(g: Any, _out: Any, b: Any, a: Any, x: Any) -> Any:
    return lagged(_adjoint(g, a), x, count=b.shape[0])


def _rule_a(g: Any, out: Any, _b: Any, a: Any, _x: Any) -> Any:
    return -lagged(_adjoint(g, a), out, count=a.shape[0])


def _rule_x(g: Any, _out: Any, b: Any, a: Any, _x: Any) -> Any:
    return flip(linear_filter(b, a, flip(g)))


def _jvp(tangents: tuple[Any, ...], out: Any, b: Any, a: Any, x: Any) -> Any:
    t_b, t_a, t_x = tangents
    total = None if t_x is None else linear_filter(b, a, t_x)
    if t_b is not None:
        part = linear_filter(t_b, a, x)
        total = part if total is None else total + part
    if t_a is not None:
        part = linear_filter(t_a, a, out)
        total = -part if total is None else total - part
    return total


def _batch(function: Function, mapped: tuple[bool, ...], b: Any, a: Any, x: Any) -> Any:
    if mapped == (False, False, True):
        return function(b, a, x)
    return looped(function, mapped, b, a, x)


def _samples(rng: Any) -> Iterator[Sample]:
    for domain in (normal, complex_normal):
        for n, m, shape in ((3, 3, (6,)), (2, 1, (2, 4)), (1, 4, (2, 1, 5)), (4, 2, (2,))):
            a = domain(rng, (m,)) * 0.3
            a[0] = a[0] * 0.1 + 1.5
            yield (domain(rng, (n,)), a, domain(rng, shape)), {}


linear_filter: Function = define(
    Op(
        "linear_filter",
        forward=_forward,
        vjp=(_rule_b, _rule_a, _rule_x),
        jvp=_jvp,
        batch=_batch,
        steep=True,
        samples=_samples,
        promote=True,
        doc="The solution y of ``sum_k a[k] y[n-k] = sum_k b[k] x[n-k]`` along the last axis of "
        "`x`, where what comes before the first element is zero.",
    )
)


def _begun_forward(xp: Any, b: Any, a: Any, x: Any, z: Any) -> Any:
    return scipy_module(xp, "signal").lfilter(b, a, x, zi=z)[0]


def _begin(z: Any, n: int) -> Any:
    """A state as what comes in beside the first of n elements."""
    return z if z.shape[-1] == n else resized(z, to=(*z.shape[:-1], n))


def _begun_rule_b(g: Any, _out: Any, b: Any, a: Any, x: Any, _z: Any) -> Any:
    return lagged(_adjoint(g, a), x, count=b.shape[0])


def _begun_rule_a(g: Any, out: Any, _b: Any, a: Any, _x: Any, z: Any) -> Any:
    h = _adjoint(g, a)
    count = a.shape[0]
    of_state = reshape(lagged(h, _begin(z, h.shape[-1]), count=1), to=(1,))
    return resized(of_state, to=(count,)) - lagged(h, out, count=count)


def _begun_rule_x(g: Any, _out: Any, b: Any, a: Any, _x: Any, _z: Any) -> Any:
    return flip(linear_filter(b, a, flip(g)))


def _begun_rule_z(g: Any, _out: Any, _b: Any, a: Any, _x: Any, z: Any) -> Any:
    first = getitem(a, key=(0,))
    return _begin(first * _adjoint(g, a), z.shape[-1])


def _begun_jvp(tangents: tuple[Any, ...], out: Any, b: Any, a: Any, x: Any, z: Any) -> Any:
    t_b, t_a, t_x, t_z = tangents
    parts = []
    if t_z is not None:
        parts.append(linear_filter_from(b, a, x * 0 if t_x is None else t_x, t_z))
    elif t_x is not None:
        parts.append(linear_filter(b, a, t_x))
    if t_b is not None:
        parts.append(linear_filter(t_b, a, x))
    if t_a is not None:
        state = linear_filter(getitem(t_a, key=(slice(1),)), a, _begin(z, x.shape[-1]))
        parts.append(state - linear_filter(t_a, a, out))
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _begun_batch(
    function: Function, mapped: tuple[bool, ...], b: Any, a: Any, x: Any, z: Any
) -> Any:
    if mapped[0] or mapped[1]:
        return looped(function, mapped, b, a, x, z)
    if not mapped[2]:
        x = broadcast_to(x, to=(z.shape[0], *x.shape))
    elif not mapped[3]:
        z = broadcast_to(z, to=(x.shape[0], *z.shape))
    return function(b, a, x, z)


def _begun_samples(rng: Any) -> Iterator[Sample]:
    for (b, a, x), params in _samples(rng):
        memory = max(b.size, a.size) - 1
        yield (b, a, x, normal(rng, (*x.shape[:-1], memory)) + x.dtype.type(0)), params


linear_filter_from: Function = define(
    Op(
        "linear_filter_from",
        forward=_begun_forward,
        vjp=(_begun_rule_b, _begun_rule_a, _begun_rule_x, _begun_rule_z),
        jvp=_begun_jvp,
        batch=_begun_batch,
        steep=True,
        samples=_begun_samples,
        promote=True,
        doc="As `linear_filter`, from the state `z` on, which adds ``a[0] * z`` to the first "
        "elements of the right-hand side.",
    )
)


def _lagged_forward(xp: Any, x: Any, y: Any, *, count: int) -> Any:
    n = x.shape[-1]
    columns = [
        xp.sum(x[..., k:] * y[..., : n - k]) if k < n else xp.zeros((), dtype=x.dtype)
        for k in range(count)
    ]
    return xp.stack(columns)


def _lagged_rule_x(g: Any, _out: Any, _x: Any, y: Any, *, count: int) -> Any:
    return linear_filter(g, _one(g), y)


def _lagged_rule_y(g: Any, _out: Any, x: Any, _y: Any, *, count: int) -> Any:
    return flip(linear_filter(g, _one(g), flip(x)))


def _lagged_samples(rng: Any) -> Iterator[Sample]:
    for domain, shape, count in (
        (normal, (5,), 3),
        (complex_normal, (2, 3), 2),
        (normal, (2, 2), 4),
    ):
        yield (domain(rng, shape), domain(rng, shape)), {"count": count}


lagged: Function = define(
    Op(
        "lagged",
        forward=_lagged_forward,
        vjp=(_lagged_rule_x, _lagged_rule_y),
        jvp="multilinear",
        batch=looped,
        samples=_lagged_samples,
        promote=True,
        doc="The sums ``sum_n x[n] y[n-k]`` over all axes, for the lags k below `count` along the "
        "last.",
    )
)
