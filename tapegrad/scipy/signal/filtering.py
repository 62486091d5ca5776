"""Linear recursive filters, forwards and there and back."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.signal
from numpy.lib.array_utils import normalize_axis_index

from ... import errors
from ...backend import is_inexact
from ...core.array import is_mapped
from ...core.record import raw
from ...numpy.dispatch import np
from ...ops.extend import extend
from ...ops.fft import resized
from ...ops.filter import linear_filter, linear_filter_from
from ...ops.index import getitem
from ...ops.linear import broadcast_to, cast, reshape
from ..dispatch import implements
from .convolution import signal

ONE = numpy.ones(1)


def common(*arrays: Any) -> list[Any]:
    """The arrays in their common dtype, which is of floating point."""
    dtype = numpy.result_type(*(x.dtype for x in arrays))
    if not is_inexact(dtype):
        dtype = numpy.dtype(float)
    return [cast(x, dtype) for x in arrays]


def vector(name: str, x: Any) -> Any:
    """Coefficients of a filter."""
    x = signal(x)
    x = reshape(x, to=(1,)) if x.ndim == 0 else x
    if x.ndim != 1 or x.shape[0] == 0:
        raise ValueError(f"Parameter {name} is not a non-empty 1d array, since shape={x.shape}!")
    return x


def last(x: Any, start: int, stop: int | None = None) -> Any:
    """A part of the last axis."""
    return getitem(x, key=(Ellipsis, slice(start, stop)))


@implements(scipy.signal.lfilter)
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    b, a, x = vector("b", b), vector("a", a), signal(x)
    axis = normalize_axis_index(axis, x.ndim)
    if zi is None:
        b, a, x = common(b, a, x)
        return np.moveaxis(linear_filter(b, a, np.moveaxis(x, axis, -1)), -1, axis)
    zi = signal(zi)
    b, a, x, zi = common(b, a, x, zi)
    memory = max(b.shape[0], a.shape[0]) - 1
    expected = tuple(memory if i == axis else n for i, n in enumerate(x.shape))
    if zi.ndim != x.ndim or any(
        n != m and (n != 1 or i == axis)
        for i, (n, m) in enumerate(zip(zi.shape, expected, strict=True))
    ):
        raise ValueError(
            f"Unexpected shape for parameter zi: expected {expected}, found {tuple(zi.shape)}."
        )
    state = np.moveaxis(broadcast_to(zi, to=expected), axis, -1)
    y, rest = filtered_from(b, a, np.moveaxis(x, axis, -1), state)
    return np.moveaxis(y, -1, axis), np.moveaxis(rest, -1, axis)


def filtered_from(b: Any, a: Any, x: Any, state: Any) -> tuple[Any, Any]:
    """The filtered last axis, from a state of the filter on, and the state at the end."""
    n, memory = x.shape[-1], state.shape[-1]
    y = linear_filter_from(b, a, x, state)
    end = (after(b, x, memory) - after(a, y, memory)) / getitem(a, key=(0,))
    if n < memory:
        end = end + extend(last(state, n), axis=x.ndim - 1, before=0, after=n, mode="constant")
    return y, end


def after(b: Any, x: Any, memory: int) -> Any:
    """What a convolution with `b` gives in the `memory` places after the end of `x`."""
    kept = last(x, max(0, x.shape[-1] - memory))
    before = memory - kept.shape[-1]
    kept = extend(kept, axis=x.ndim - 1, before=before, after=memory, mode="constant")
    one = ONE.astype(x.dtype)
    return last(linear_filter(b, one, kept), memory)


@implements(scipy.signal.lfilter_zi)
def lfilter_zi(b: Any, a: Any) -> Any:
    b, a = common(vector("b", b), vector("a", a))
    if not is_mapped(a):
        nonzero = numpy.flatnonzero(raw(a))
        if not nonzero.size:
            raise ValueError("There must be at least one nonzero `a` coefficient.")
        a = last(a, int(nonzero[0]))
    scale = getitem(a, key=(0,))
    n = max(a.shape[0], b.shape[0])
    b, a = (resized(p / scale, to=(n,)) for p in (b, a))
    shift = numpy.eye(n - 1, k=1, dtype=a.dtype)
    first = numpy.eye(1, n - 1, dtype=a.dtype)  # the companion matrix has -a in one row
    matrix = numpy.eye(n - 1, dtype=a.dtype) - shift + reshape(last(a, 1), to=(n - 1, 1)) * first
    return np.linalg.solve(matrix, last(b, 1) - last(a, 1) * getitem(b, key=(0,)))


def turned(x: Any) -> Any:
    """The last axis reversed."""
    return getitem(x, key=(Ellipsis, slice(None, None, -1)))


def padded(x: Any, padtype: str | None, padlen: int | None, taps: int) -> tuple[int, Any]:
    """The last axis continued at both ends, and by how much."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', "
            "'constant', or None."
        )
    edge = 0 if padtype is None else taps * 3 if padlen is None else int(padlen)
    if x.shape[-1] <= edge:
        raise ValueError(
            f"The length of the input vector x must be greater than padlen, which is {edge}."
        )
    return edge, continued(x, edge, padtype)


def continued(x: Any, edge: int, way: str | None) -> Any:
    """The last axis with `edge` more elements at both ends."""
    if way is None or edge < 1:
        return x
    axis, mode = x.ndim - 1, {"constant": "nearest", "zeros": "constant"}.get(way, "mirror")
    if mode == "mirror" and edge > x.shape[-1] - 1:
        raise ValueError(
            f"The extension length n ({edge}) is too big. It must not exceed x.shape[axis]-1, "
            f"which is {x.shape[-1] - 1}."
        )
    out = extend(x, axis=axis, before=edge, after=edge, mode=mode)
    if way != "odd":
        return out
    ends = last(x, 0, 1), last(x, x.shape[-1] - 1)
    left = 2 * ends[0] - last(out, 0, edge)
    right = 2 * ends[1] - last(out, edge + x.shape[-1])
    return np.concatenate([left, x, right], axis=-1)


def there_and_back(run: Any, x: Any, edge: int) -> Any:
    """A filter that begins in the steady state, applied forwards and then backwards."""
    y = run(x, last(x, 0, 1))
    y = turned(run(turned(y), last(y, y.shape[-1] - 1)))
    return last(y, edge, y.shape[-1] - edge) if edge else y


@implements(scipy.signal.filtfilt)
def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> Any:
    if method == "gust":
        raise errors.not_in_scipy_face(
            "signal.filtfilt", 'method="gust"', 'Use method="pad", the default.'
        )
    if method != "pad":
        raise ValueError("method must be 'pad' or 'gust'.")
    b, a, x = common(vector("b", b), vector("a", a), signal(x))
    axis = normalize_axis_index(axis, x.ndim)
    taps = max(a.shape[0], b.shape[0])
    edge, whole = padded(np.moveaxis(x, axis, -1), padtype, padlen, taps)
    steady = lfilter_zi(b, a)
    out = there_and_back(lambda x, start: linear_filter_from(b, a, x, steady * start), whole, edge)
    return np.moveaxis(out, -1, axis)


def sections(sos: Any) -> Any:
    """The coefficients of second-order sections."""
    sos = signal(sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not is_mapped(sos) and not numpy.all(raw(sos)[:, 3] == 1):
        raise ValueError("sos[:, 3] should be all ones")
    return sos


def section(sos: Any, i: int) -> tuple[Any, Any]:
    return getitem(sos, key=(i, slice(3))), getitem(sos, key=(i, slice(3, 6)))


@implements(scipy.signal.sosfilt)
def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    sos, x = sections(sos), signal(x)
    axis = normalize_axis_index(axis, x.ndim)
    if zi is None:
        sos, x = common(sos, x)
        y = np.moveaxis(x, axis, -1)
        for i in range(sos.shape[0]):
            y = linear_filter(*section(sos, i), y)
        return np.moveaxis(y, -1, axis)
    sos, x, zi = common(sos, x, signal(zi))
    expected = (sos.shape[0], *(2 if i == axis else n for i, n in enumerate(x.shape)))
    if zi.shape != expected:
        raise ValueError(
            f"Invalid zi shape. With axis={axis!r}, an input with shape {x.shape!r}, and an sos "
            f"array with {sos.shape[0]} sections, zi must have shape {expected!r}, got "
            f"{zi.shape!r}."
        )
    states = np.moveaxis(zi, axis + 1, -1)
    y, ends = cascade(sos, np.moveaxis(x, axis, -1), [states[i] for i in range(sos.shape[0])])
    return np.moveaxis(y, -1, axis), np.moveaxis(np.stack(ends), -1, axis + 1)


def cascade(sos: Any, x: Any, states: list[Any]) -> tuple[Any, list[Any]]:
    """The last axis through all sections, each from its state on, and the states at the end."""
    ends = []
    for i, state in enumerate(states):
        x, end = filtered_from(*section(sos, i), x, state)
        ends.append(end)
    return x, ends


@implements(scipy.signal.sosfilt_zi)
def sosfilt_zi(sos: Any) -> Any:
    (sos,) = common(signal(sos))
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos must be shape (n_sections, 6)")
    states = []
    scale: Any = 1.0
    for i in range(sos.shape[0]):
        b, a = section(sos, i)
        states.append(scale * lfilter_zi(b, a))
        scale = scale * np.sum(b) / np.sum(a)
    return np.stack(states)


@implements(scipy.signal.sosfiltfilt)
def sosfiltfilt(
    sos: Any,
    x: Any,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
) -> Any:
    sos, x = common(sections(sos), signal(x))
    axis = normalize_axis_index(axis, x.ndim)
    n = sos.shape[0]
    values = raw(sos)
    taps = 2 * n + 1 - min((values[:, 2] == 0).sum(), (values[:, 5] == 0).sum())
    edge, whole = padded(np.moveaxis(x, axis, -1), padtype, padlen, int(taps))
    steady = sosfilt_zi(sos)

    def run(x: Any, start: Any) -> Any:
        for i in range(n):
            x = linear_filter_from(*section(sos, i), x, steady[i] * start)
        return x

    return np.moveaxis(there_and_back(run, whole, edge), -1, axis)
