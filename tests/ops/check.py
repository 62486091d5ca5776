"""What every operation must satisfy on every one of its samples."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

import tapegrad as tg
from tapegrad.core.op import Op, table

Inputs = tuple[Any, ...]


def cases() -> Iterator[tuple[str, Op, Inputs, dict[str, Any]]]:
    """Every sample of every operation, with a name."""
    for name, op in sorted(table.items()):
        if op.samples is not None:
            for i, (inputs, params) in enumerate(op.samples(np.random.default_rng(0))):
                yield f"{name}-{i}", op, inputs, params


@cache
def base() -> frozenset[str]:
    """The names of the operations that `import tapegrad` alone defines."""
    program = "import tapegrad; from tapegrad.core.op import table; print(*table)"
    names = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    return frozenset(names.stdout.decode().split())


def base_cases() -> Iterator[tuple[str, Op, Inputs, dict[str, Any]]]:
    """As `cases`, of these operations, whatever else other tests have loaded."""
    return (case for case in cases() if case[1].name in base())


def inexact(x: Any) -> bool:
    return hasattr(x, "dtype") and x.dtype.kind in "fc"


def active(op: Op, inputs: Inputs) -> list[int]:
    """The inputs that a sample can be differentiated with respect to."""
    return [i for i, x in enumerate(inputs) if op.differentiable(i) and inexact(x)]


def function_of(op: Op, inputs: Inputs, params: dict[str, Any], chosen: list[int]) -> Callable:
    """The operation as a function of the chosen inputs, giving a tuple of inexact results."""

    def function(*xs: Any) -> tuple[Any, ...]:
        filled = list(inputs)
        for i, x in zip(chosen, xs, strict=True):
            filled[i] = x
        out = op.function(*filled, **params)
        return tuple(o for o in (out if op.outputs else (out,)) if o.dtype.kind in "fc")

    return function


def random_like(rng: np.random.Generator, x: Any) -> Any:
    values = rng.standard_normal(x.shape)
    if x.dtype.kind == "c":
        values = values + 1j * rng.standard_normal(x.shape)
    return np.asarray(values).astype(x.dtype)[()]


def real_dot(xs: Any, ys: Any) -> float:
    """The real part of the (unconjugated) inner product of two lists of arrays."""
    return float(
        sum(np.sum(np.asarray(x) * np.asarray(y)).real for x, y in zip(xs, ys, strict=True))
    )


def close(actual: Any, expected: Any, rtol: float, what: str) -> None:
    for a, e in zip(actual, expected, strict=True):
        scale = max(1.0, float(np.max(np.abs(e), initial=0.0)))
        np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * scale, err_msg=what)


def difference(f: Callable, xs: list[Any], ts: list[Any], h: float = 1e-6) -> list[Any]:
    """The central difference of `f` along `ts`."""
    above = f(*(x + h * t for x, t in zip(xs, ts, strict=True)))
    below = f(*(x - h * t for x, t in zip(xs, ts, strict=True)))
    return [(a - b) / (2 * h) for a, b in zip(above, below, strict=True)]


def check_derivatives(op: Op, inputs: Inputs, params: dict[str, Any], order: int = 2) -> None:
    """Tangents are differences, cotangents are transposed tangents; again for the vjp itself."""
    chosen = active(op, inputs)
    if not chosen:
        return
    f = function_of(op, inputs, params, chosen)
    xs = [inputs[i] for i in chosen]
    rng = np.random.default_rng(1)
    for level in range(order):
        ys = f(*xs)
        ts = [random_like(rng, x) for x in xs]
        gs = tuple(random_like(rng, y) for y in ys)
        out, tangents = tg.jvp(f, xs, ts)
        close(out, ys, 1e-12, f"{op.name}: value under jvp, order {level + 1}")
        close(tangents, difference(f, xs, ts), 2e-5, f"{op.name}: jvp, order {level + 1}")
        out, pullback = tg.vjp(f, *xs)
        close(out, ys, 1e-12, f"{op.name}: value under vjp, order {level + 1}")
        cotangents = pullback(gs)
        for x, c in zip(xs, cotangents, strict=True):
            assert c.shape == x.shape, f"{op.name}: cotangent of shape {c.shape} for {x.shape}"
            assert c.dtype == x.dtype, f"{op.name}: cotangent of dtype {c.dtype} for {x.dtype}"
        np.testing.assert_allclose(
            real_dot(gs, tangents),
            real_dot(cotangents, ts),
            rtol=1e-8,
            atol=1e-8 * max(1.0, abs(real_dot(gs, tangents))),
            err_msg=f"{op.name}: vjp is not the transposed jvp, order {level + 1}",
        )
        f = pulled(f, gs)


def pulled(f: Callable, gs: tuple[Any, ...]) -> Callable:
    """The cotangents of `f` for fixed `gs`, as a function of its inputs."""
    return lambda *xs: tg.vjp(f, *xs)[1](gs)


def check_batch(op: Op, inputs: Inputs, params: dict[str, Any]) -> None:
    """vmap is a loop, with all arrays mapped and with each alone; so it is for the vjp."""
    arrays = [i for i, x in enumerate(inputs) if hasattr(x, "shape")]
    choices = [arrays] + ([[i] for i in arrays] if len(arrays) > 1 else [])
    for mapped in choices:
        lanes = [
            tuple(vary(x, lane) if i in mapped else x for i, x in enumerate(inputs))
            for lane in range(3)
        ]
        stacked = [
            np.stack([lane[i] for lane in lanes]) if i in mapped else x
            for i, x in enumerate(inputs)
        ]
        axes = tuple(0 if i in mapped else None for i in range(len(inputs)))

        def apply(*xs: Any) -> Any:
            return op.function(*xs, **params)

        out = tg.vmap(apply, in_axes=axes)(*stacked)
        expected = [apply(*lane) for lane in lanes]
        compare_lanes(op, out, expected)
        chosen = active(op, inputs)
        if chosen and set(chosen) & set(mapped):
            gradients = partial(pulled_ones, op, params, chosen)
            out = tg.vmap(gradients, in_axes=axes)(*stacked)
            expected = [gradients(*lane) for lane in lanes]
            compare_lanes(op, out, expected)


def pulled_ones(op: Op, params: dict[str, Any], chosen: list[int], *xs: Any) -> Any:
    """The cotangents of the chosen inputs for ones."""
    f = function_of(op, xs, params, chosen)
    ys, pullback = tg.vjp(f, *(xs[i] for i in chosen))
    return pullback(tuple(np.ones(y.shape, y.dtype)[()] for y in ys))


def compare_lanes(op: Op, out: Any, expected: list[Any]) -> None:
    out = out if isinstance(out, tuple) else (out,)
    for k, o in enumerate(out):
        rows = [e[k] if isinstance(e, tuple) else e for e in expected]
        assert o.shape == (3, *np.shape(rows[0])), f"{op.name}: vmap gave shape {o.shape}"
        assert o.dtype == rows[0].dtype, f"{op.name}: vmap gave {o.dtype}, the loop {rows[0].dtype}"
        np.testing.assert_allclose(
            o, np.stack(rows), rtol=1e-9, atol=1e-9, err_msg=f"{op.name}: vmap is not the loop"
        )


def vary(x: Any, lane: int) -> Any:
    """Another input of the same kind: the elements in another order (so that domains are kept)."""
    if x.ndim == 0 or x.shape[0] < 2:
        return x.copy()
    return np.roll(x, lane, axis=0)


def check_float32(op: Op, inputs: Inputs, params: dict[str, Any]) -> None:
    """Single precision in, single precision out, forward and backward."""
    if any(isinstance(p, np.dtype) for p in params.values()):
        return  # the parameters decide the dtype
    narrow = {"float64": np.float32, "complex128": np.complex64}
    single = tuple(
        x.astype(narrow[x.dtype.name]) if inexact(x) and x.dtype.name in narrow else x
        for x in inputs
    )
    chosen = active(op, single)
    if not chosen or any(single[i].dtype.name not in ("float32", "complex64") for i in chosen):
        return
    f = function_of(op, single, params, chosen)
    xs = [single[i] for i in chosen]
    out, pullback = tg.vjp(f, *xs)
    for y in out:
        assert y.dtype.name in ("float32", "complex64"), f"{op.name}: {y.dtype} from float32"
    gs = tuple(np.ones(y.shape, y.dtype)[()] for y in out)
    for x, c in zip(xs, pullback(gs), strict=True):
        assert c.dtype == x.dtype, f"{op.name}: cotangent {c.dtype} for {x.dtype}"
    _, tangents = tg.jvp(f, xs, xs)
    for y, t in zip(out, tangents, strict=True):
        assert t.dtype == y.dtype, f"{op.name}: tangent {t.dtype} for {y.dtype}"
