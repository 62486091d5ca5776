"""A program written with plain NumPy, checked against itself: on ndarrays, and differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapegrad as tg


def weighted(f: Callable[..., Any]) -> Callable[..., Any]:
    """The weighted sum of all results of `f` and of their squares, so that nothing hides."""

    def scalar(*xs: Any) -> Any:
        total = 0.0
        for out in parts(f(*xs)):
            weights = np.cos(np.arange(out.size, dtype=float).reshape(out.shape))
            total = total + np.sum(out * weights + out * out * 0.5)
        return total

    return scalar


def parts(result: Any) -> list[Any]:
    """The arrays of a result that may be a tuple or list of them."""
    return [p for r in result for p in parts(r)] if isinstance(result, tuple | list) else [result]


def difference(f: Callable[..., Any], x: Any, h: float = 1e-6) -> Any:
    """The gradient of a scalar function of an array by central differences."""
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = h
        g[i] = (f(x + step) - f(x - step)) / (2 * h)
    return g


def check(f: Callable[..., Any], x: Any, lanes: bool = True, exact: bool = True) -> None:
    """The values, shapes and dtypes of `f` are NumPy's; gradients of both orders are differences;
    vmap is a loop; `x` stays as it is."""
    kept = x.copy()
    expected = parts(f(x.copy()))
    seen: list[Any] = []

    def program(x: Any) -> Any:
        results = parts(f(x))
        seen[:] = [r.data if hasattr(r, "data") and hasattr(r, "slot") else r for r in results]
        return tuple(results)

    tg.vjp(program, x)
    assert len(seen) == len(expected)
    for actual, e in zip(seen, expected, strict=True):
        assert actual.shape == e.shape
        assert actual.dtype == e.dtype
        if exact:
            np.testing.assert_array_equal(actual, e)
        else:
            assert_rounded(actual, e, 1e-14)
    loss = weighted(f)
    gradient = tg.grad(loss)
    np.testing.assert_allclose(
        gradient(x), difference(lambda x: loss(x.copy()), x), atol=1e-7, rtol=1e-6
    )
    direction = np.sin(1 + np.arange(x.size, dtype=float)).reshape(x.shape)
    second = tg.grad(lambda x: np.sum(gradient(x) * direction))
    along = (gradient(x + 1e-6 * direction) - gradient(x - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(second(x), along, atol=1e-7, rtol=1e-6)
    _, tangent = tg.jvp(gradient, (x,), (direction,))
    np.testing.assert_allclose(tangent, along, atol=1e-7, rtol=1e-6)
    if lanes:
        xs = np.stack([x, x * x - 1, -x])
        rows = [parts(f(row.copy())) for row in xs]
        many = tg.vmap(lambda x: tuple(parts(f(x))))(xs)
        for k, actual in enumerate(many):
            assert_rounded(actual, np.stack([row[k] for row in rows]), 1e-12)
        np.testing.assert_allclose(
            tg.vmap(gradient)(xs), np.stack([gradient(row) for row in xs]), rtol=1e-12, atol=1e-12
        )
    np.testing.assert_array_equal(x, kept)


def assert_rounded(actual: Any, expected: Any, rtol: float) -> None:
    """The values are the same, computed another way: small ones are rounded as large ones are."""
    atol = 1e-15 * float(np.max(np.abs(expected), initial=0))
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)
