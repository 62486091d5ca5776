"""What a function can do, found by running it: a row of the page on coverage.

Wrong numbers raise an AssertionError. A row says what works and what is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Array, Traced
from tapegrad.core.record import raw

from .probe import Probe

Function = Callable[..., Any]
Inputs = tuple[Any, ...]

ARRAYS = (Array, Traced, np.ndarray, np.generic)
DTYPES = ("float16", "float32", "float64", "complex64", "complex128")
TOLERANCES = {"float16": 0.06, "float32": 2e-3, "complex64": 2e-3}


class Row(NamedTuple):
    """What works: `plain` is the call of NumPy's or SciPy's own function, on recorded arrays."""

    plain: bool
    reverse: bool
    forward: bool
    second: bool
    vmap: bool
    dtypes: tuple[str, ...]


class Constant(NamedTuple):
    """A function of which nothing is differentiated, because it gives `kind`."""

    plain: bool
    vmap: bool
    kind: str


def measure(probe: Probe, ours: Any, original: Any) -> Row | Constant:
    """The row of a function that `ours` has, `original`'s namesake."""
    with quiet():
        if not results(probe.call(original, *probe.inputs)):
            return _constant(probe, ours, original)
        check_value(probe, ours, original)
        return Row(
            plain=refuses(lambda: check_first(probe, original, original)) is None,
            **check_first(probe, ours, original),
            second=check_second(probe, ours),
            vmap=check_lanes(probe, ours),
            dtypes=tuple(d for d in DTYPES if check_dtype(probe, ours, original, d)),
        )


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings: what warns is NumPy's and SciPy's to say."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def refuses(call: Function) -> BaseException | None:
    """The error by which this package refuses a call, if it does."""
    try:
        call()
    except (TypeError, tg.errors.TapegradError) as error:
        if not _is_advice(error):
            raise
        return error
    return None


def _is_advice(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, says what to do with a traced array."""
    while error is not None:
        if isinstance(error, tg.errors.TapegradError) or "traced" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def leaves(out: Any) -> list[Any]:
    """The parts of what a function returned."""
    return [r for part in out for r in leaves(part)] if isinstance(out, tuple | list) else [out]


def results(out: Any) -> list[Any]:
    """The arrays of floating point among them."""
    return [r for r in leaves(out) if isinstance(r, ARRAYS) and r.dtype.kind in "fc"]


def loss_of(probe: Probe, module: Any) -> Function:
    """A real number that all results of a probe enter, each element with another weight."""

    def loss(*inputs: Any) -> Any:
        total = 0.0
        for r in results(probe.call(module, *inputs)):
            places = np.arange(r.size).reshape(r.shape)
            weights = np.cos(1.0 + places)
            if r.dtype.kind == "c":
                total = total + tnp.sum(tnp.real(r) * weights)
                total = total + tnp.sum(tnp.imag(r) * np.sin(2.0 + places))
            else:
                total = total + tnp.sum(r * weights)
        return total

    return loss


def directions(inputs: Inputs) -> Inputs:
    """A direction for each input: none where it is NaN."""
    rng = np.random.default_rng(5)
    found = []
    for x in inputs:
        t = np.asarray(rng.standard_normal(x.shape))
        if x.dtype.kind == "c":
            t = t + 1j * rng.standard_normal(x.shape)
        found.append(np.where(np.isnan(x), 0.0, t)[()])
    return tuple(found)


def difference(f: Function, xs: Inputs, ts: Inputs) -> Any:
    h = 1e-6
    above = f(*(x + h * t for x, t in zip(xs, ts, strict=True)))
    below = f(*(x - h * t for x, t in zip(xs, ts, strict=True)))
    if isinstance(above, tuple):
        return tuple((a - b) / (2 * h) for a, b in zip(above, below, strict=True))
    return (above - below) / (2 * h)


def dot(gs: Inputs, ts: Inputs) -> float:
    return float(sum(np.sum(g * t).real for g, t in zip(gs, ts, strict=True)))


def every(inputs: Inputs) -> tuple[int, ...]:
    return tuple(range(len(inputs)))


def check_value(probe: Probe, ours: Any, original: Any) -> None:
    """On plain arrays the values and dtypes are the original's."""
    found = results(probe.call(ours, *probe.inputs))
    expected = results(probe.call(original, *probe.inputs))
    for a, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-10, atol=1e-12)
        assert a.dtype == e.dtype


def check_first(probe: Probe, module: Any, original: Any) -> dict[str, bool]:
    """Values are the original's, gradients and tangents its differences."""
    xs, ts = probe.inputs, directions(probe.inputs)
    plain, loss = loss_of(probe, original), loss_of(probe, module)
    expected = difference(plain, xs, ts)
    scale = max(1.0, abs(float(expected)))
    value, gradient = tg.value_and_grad(loss, every(xs))(*xs)
    np.testing.assert_allclose(value, plain(*xs), rtol=1e-10)
    for x, g in zip(xs, gradient, strict=True):
        assert g.shape == x.shape
        assert g.dtype == x.dtype
        assert np.all(np.isfinite(g))
    np.testing.assert_allclose(dot(gradient, ts), expected, rtol=0, atol=5e-7 * scale)
    value, tangent = tg.jvp(loss, xs, ts)
    np.testing.assert_allclose(value, plain(*xs), rtol=1e-10)
    np.testing.assert_allclose(tangent, expected, rtol=0, atol=5e-7 * scale)
    return {"reverse": True, "forward": True}


def check_second(probe: Probe, module: Any) -> bool:
    """The tangents of the gradient are its differences, and so is its gradient."""
    xs, ts = probe.inputs, directions(probe.inputs)
    gradient = tg.grad(loss_of(probe, module), every(xs))
    expected = difference(gradient, xs, ts)
    out, tangents = tg.jvp(gradient, xs, ts)
    along = 0.0
    for g, t, e in zip(out, tangents, expected, strict=True):
        assert t.shape == g.shape
        scale = max(1.0, float(np.max(np.abs(e), initial=0.0)))
        np.testing.assert_allclose(t, e, rtol=0, atol=1e-6 * scale)
        along += float(np.sum(t * np.cos(np.arange(t.size)).reshape(t.shape)).real)

    def reverse(*xs: Any) -> Any:
        return sum(
            tnp.sum(tnp.real(g) * np.cos(np.arange(g.size)).reshape(g.shape)) for g in gradient(*xs)
        )

    found = dot(tg.grad(reverse, every(xs))(*xs), ts)
    np.testing.assert_allclose(found, along, rtol=1e-8, atol=1e-8)
    return True


def lanes(x: Any) -> Any:
    """Three inputs like `x`, its elements in other orders: away from kinks all the same."""
    if x.ndim == 0:
        return np.stack([x, 1.0625 * x, 0.875 * x])
    return np.stack([x, np.flip(x).copy(), np.roll(x, 1)])


def check_lanes(probe: Probe, module: Any) -> bool:
    """`vmap` of the call and of its gradient is a loop."""
    axes = tuple(None if i in probe.fixed else 0 for i in every(probe.inputs))
    stacked = [x if i in probe.fixed else lanes(x) for i, x in enumerate(probe.inputs)]

    def call(*xs: Any) -> Any:
        out = results(probe.call(module, *xs))
        return out, tg.grad(loss_of(probe, module), every(xs))(*xs)

    try:
        out, gradients = tg.vmap(call, in_axes=axes)(*stacked)
    except tg.errors.ConcretizationError:
        return False
    for lane in range(3):
        xs = [x if i in probe.fixed else x[lane] for i, x in enumerate(stacked)]
        expected, expected_gradients = call(*xs)
        for a, e in zip((*out, *gradients), (*expected, *expected_gradients), strict=True):
            np.testing.assert_allclose(a[lane], e, rtol=1e-8, atol=1e-8)
    return True


def converted(x: Any, dtype: str) -> Any:
    """An input in another dtype; a real one gets an imaginary part."""
    if np.dtype(dtype).kind == "f":
        return x.real.astype(dtype)[()]
    imaginary = 0 if x.dtype.kind == "c" else 0.125j * np.flip(np.nan_to_num(x.real))
    return np.asarray(x + imaginary).astype(dtype)[()]


def check_dtype(probe: Probe, module: Any, original: Any, dtype: str) -> bool:
    """Whether inputs of a dtype can be differentiated; the gradient then has that dtype.

    Where the original takes the dtype, this package must, or say what to do instead.
    """
    xs = tuple(converted(x, dtype) for x in probe.inputs)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            expected = results(probe.call(original, *xs))
    except (TypeError, ValueError, RuntimeError, np.exceptions.ComplexWarning):
        return False
    seen: list[Any] = []

    def loss(*xs: Any) -> Any:
        seen[:] = results(probe.call(module, *xs))
        return loss_of(Probe(lambda _: seen, ()), module)()

    gradient: Inputs = ()

    def differentiate() -> None:
        nonlocal gradient
        gradient = tg.grad(loss, every(xs))(*xs)

    if refuses(differentiate) is not None:
        return False
    tolerance = TOLERANCES.get(dtype, 1e-10)
    for a, e in zip(seen, expected, strict=True):
        assert a.dtype == e.dtype or _kept(a.dtype, e.dtype, original, dtype), (
            f"{dtype} gives {a.dtype}, not {e.dtype}"
        )
        scale = max(1.0, float(np.max(np.abs(e), initial=0.0)))
        np.testing.assert_allclose(raw(a), e, rtol=0, atol=tolerance * scale)
    wide = tuple(x.astype(np.result_type(x.dtype, np.float64)) for x in xs)
    right = tg.grad(loss_of(probe, module), every(wide))(*wide)
    for x, g, r in zip(xs, gradient, right, strict=True):
        assert g.dtype == x.dtype, f"the gradient of {x.dtype} is {g.dtype}"
        scale = max(1.0, float(np.max(np.abs(r), initial=0.0)))
        np.testing.assert_allclose(g, r, rtol=0, atol=tolerance * scale)
    if dtype == "complex128":
        ts = directions(xs)
        slope = difference(loss_of(probe, original), xs, ts)
        scale = max(1.0, abs(float(slope)))
        np.testing.assert_allclose(dot(gradient, ts), slope, rtol=0, atol=5e-7 * scale)
    return True


def _kept(found: Any, expected: Any, original: Any, dtype: str) -> bool:
    """Whether an input's precision is kept where SciPy, unlike NumPy, widens half and single."""
    if "scipy" not in original.__name__ or np.finfo(found).eps > np.finfo(dtype).eps:
        return False
    return dtype == "float16" or np.can_cast(found, expected)


def _constant(probe: Probe, ours: Any, original: Any) -> Constant:
    expected = leaves(probe.call(original, *probe.inputs))

    def check(module: Any) -> None:
        def program(*xs: Any) -> Any:
            for a, e in zip(leaves(probe.call(module, *xs)), expected, strict=True):
                np.testing.assert_array_equal(raw(a), e)
            return sum(tnp.sum(tnp.real(x)) for x in xs)

        tg.grad(program, every(probe.inputs))(*probe.inputs)

    check(ours)
    return Constant(
        plain=refuses(lambda: check(original)) is None,
        vmap=_constant_lanes(probe, ours, original),
        kind=kind_of(expected),
    )


def _constant_lanes(probe: Probe, ours: Any, original: Any) -> bool:
    stacked = [lanes(x) for x in probe.inputs]
    seen: list[Any] = []

    def program(*xs: Any) -> Any:
        seen[:] = leaves(probe.call(ours, *xs))
        return [x for x in seen if isinstance(x, ARRAYS)]

    try:
        out = tg.vmap(program)(*stacked)
    except tg.errors.ConcretizationError:
        return False
    rows = [leaves(probe.call(original, *(x[k] for x in stacked))) for k in range(3)]
    for lane, row in enumerate(rows):
        arrays = [e for s, e in zip(seen, row, strict=True) if isinstance(s, ARRAYS)]
        for a, e in zip(out, arrays, strict=True):
            np.testing.assert_array_equal(a[lane], e)
    return True


KINDS = {"b": "booleans", "i": "integers", "u": "integers", "U": "text"}


def kind_of(parts: list[Any]) -> str:
    """In a word, what a function gives."""
    found = {
        KINDS[np.asarray(p).dtype.kind] if not isinstance(p, type | np.dtype) else "a dtype"
        for p in parts
        if p is not None
    }
    return " and ".join(sorted(found)) or "nothing"
