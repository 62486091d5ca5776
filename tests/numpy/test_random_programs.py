"""Random programs that view, index, write and overwrite arrays, against NumPy running the same.

A program's steps follow from its number and the arrays' shapes alone. After every step all arrays
must be NumPy's; the derivative must be the one that a complex step gives, in both modes; second
derivatives must be differences; and vmap must be a loop.
"""

from __future__ import annotations

import functools
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Array

STEPS = 12


def basic_key(draw: random.Random, shape: tuple[int, ...]) -> Any:
    """Integers and slices, with an ellipsis or a new axis among them."""
    key: list[Any] = []
    for n in shape[: draw.randint(1, len(shape))]:
        if n and draw.random() < 0.3:
            key.append(draw.randrange(-n, n))
        else:
            bounds = [draw.choice([None, draw.randint(-n - 1, n + 1)]) for _ in "ab"]
            key.append(slice(*bounds, draw.choice([None, 1, 2, -1, -2])))
    if draw.random() < 0.2:
        key.insert(0 if len(key) == len(shape) else len(key), Ellipsis)
    if draw.random() < 0.15:
        key.insert(draw.randint(0, len(key)), None)
    return tuple(key)


def any_key(draw: random.Random, shape: tuple[int, ...]) -> Any:
    """A basic key, a mask, or one with an integer array in it."""
    kind = draw.random()
    if kind < 0.15:
        depth = draw.choice([1, len(shape)])
        return np.random.default_rng(draw.randint(0, 999)).random(shape[:depth]) > 0.5
    if kind < 0.4 and shape[0]:
        places = np.array([draw.randrange(-shape[0], shape[0]) for _ in range(3)])
        return (places, *basic_key(draw, shape[1:])) if len(shape) > 1 else places
    return basic_key(draw, shape)


def fits(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether an array broadcasts to a shape."""
    pairs = zip(value.shape[::-1], shape[::-1], strict=False)
    return value.ndim <= len(shape) and all(m in (1, n) for m, n in pairs)


def view(xp: Any, draw: random.Random, a: Any, b: Any) -> Any:
    views: list[Callable[[], Any]] = [
        lambda: a[basic_key(draw, a.shape)],
        lambda: a.T,
        lambda: a.reshape(-1),
        lambda: xp.reshape(a, (a.size, 1)),
        lambda: a.ravel(),
        lambda: a.swapaxes(0, -1),
        lambda: a.squeeze(),
        lambda: xp.expand_dims(a, draw.randint(0, a.ndim)),
        lambda: xp.flip(a),
        lambda: xp.atleast_2d(a),
        lambda: xp.real(a) if not np.iscomplexobj(a) else a[...],
        lambda: a[any_key(draw, a.shape)],
    ]
    return draw.choice(views)()


def fresh(xp: Any, draw: random.Random, a: Any, b: Any) -> Any:
    kind = draw.randrange(5)
    if kind == 0:
        return a * 2.0
    if kind == 1:
        return xp.sin(a)
    if kind == 2:
        return a.copy()
    return xp.zeros_like(a) if kind == 3 else xp.concatenate([a.ravel(), b.ravel()])


def write(xp: Any, draw: random.Random, a: Any, b: Any) -> None:
    key = any_key(draw, a.shape)
    shape = np.empty(a.shape)[key].shape
    value = b * 0.5 + 0.1 if draw.random() < 0.4 else b
    a[key] = value if fits(b, shape) else draw.choice([0.25, xp.sum(b) * 0.3])


def update(xp: Any, draw: random.Random, a: Any, b: Any) -> None:
    value = b if fits(b, a.shape) else xp.sum(b) * 0.1
    kind = draw.randrange(4)
    if kind == 0:
        a += value
    elif kind == 1:
        a *= value
    elif kind == 2:
        a[any_key(draw, a.shape)] += xp.sum(b) * 0.2
    else:
        a[any_key(draw, a.shape)] *= 1.5


def overlap(xp: Any, draw: random.Random, a: Any, b: Any) -> None:
    if a.shape[0] < 2:
        return
    kind = draw.randrange(7)
    if kind == 0:
        a[1:] += a[:-1]
    elif kind == 1:
        a[:-1] = a[1:]
    elif kind == 2:
        a[:] = a[::-1]
    elif kind == 3 and a.shape == a.T.shape:
        a += a.T
    elif kind == 4:
        a[[0, 1]] = a[[1, 0]]
    elif kind == 5:
        np.add(a[1:], a[:-1], out=a[1:])
    else:
        a[0], a[1] = a[1], a[0]  # views: both rows end up the same, as in NumPy


def in_place(xp: Any, draw: random.Random, a: Any, b: Any) -> None:
    mask = np.random.default_rng(draw.randint(0, 999)).random(a.shape) > 0.5
    kind = draw.randrange(9)
    if kind == 0:
        np.multiply(a, b if fits(b, a.shape) else 0.5, out=a)
    elif kind == 1:
        np.sin(a, out=a, where=mask)
    elif kind == 2 and a.shape[0]:
        places = np.array([draw.randrange(a.shape[0]) for _ in range(3)])
        np.add.at(a, places, xp.sum(b) * 0.1)
    elif kind == 3:
        a[np.real(a) > 0] = 0.0
    elif kind == 4 and b.size:
        np.putmask(a, mask, b.ravel()[:3])
    elif kind == 5:
        np.copyto(a, 0.5, where=mask)
    elif kind == 6 and a.size:
        a.flat[0] = xp.sum(b)
    elif kind == 7 and a.size:
        a.put([0, -1], [0.3, 0.7])
    else:
        a[...] = xp.sum(b) * 0.1


MAKING, CHANGING = (view, view, view, fresh), (write, write, update, update, overlap, in_place)


def run(number: int, xp: Any, x: Any, seen: list[Any] | None = None) -> Any:
    """Run a program; gives a number that all its arrays enter."""
    draw = random.Random(number)
    start = np.random.default_rng(number).standard_normal((3, 4)).astype(x.dtype)
    arrays = [xp.copy(x), xp.array(start), x * 1.0]
    for _ in range(STEPS):
        a, b = draw.choice(arrays), draw.choice(arrays)
        if draw.random() < 0.4:
            new = draw.choice(MAKING)(xp, draw, a, b)
            if new.ndim:
                arrays.append(new)
        else:
            draw.choice(CHANGING)(xp, draw, a, b)
        if len(arrays) > 8:
            del arrays[draw.randrange(3, len(arrays))]
        if seen is not None:
            seen.append([np.array(v.data if isinstance(v, Array) else v) for v in arrays])
    total = 0.0
    for j, v in enumerate(arrays):
        weights = np.cos(np.arange(v.size) + j).reshape(v.shape)
        total = total + xp.sum(xp.tanh(v * 0.1) * weights)
    return total


PLAIN = types.SimpleNamespace(**{**vars(np), "array": tnp.array})
"""Plain NumPy, but for the function that does not ask its arguments."""


@pytest.mark.parametrize("xp", [PLAIN, tnp], ids=["numpy", "tapegrad.numpy"])
@pytest.mark.parametrize("first", range(0, 120, 20))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_programs(xp, first):
    for number in range(first, first + 20):
        rng = np.random.default_rng(number + 1)
        x, t = rng.standard_normal((2, 3, 4))
        kept = x.copy()
        expected: list[Any] = []
        value = run(number, np, x.copy(), expected)
        step = run(number, np, x + 1e-40j * t).imag * 1e40

        seen: list[Any] = []
        program = functools.partial(run, number, xp)
        result, gradient = tg.value_and_grad(program)(x, seen)
        np.testing.assert_array_equal(x, kept)
        np.testing.assert_allclose(result, value, rtol=1e-13)
        for actual, right in zip(seen, expected, strict=True):
            for v, w in zip(actual, right, strict=True):
                assert (v.dtype, v.shape) == (w.dtype, w.shape)
                np.testing.assert_allclose(v, w, rtol=1e-13, atol=1e-15)

        tangent = tg.jvp(program, (x,), (t,))[1]
        np.testing.assert_allclose(np.sum(gradient * t), step, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(tangent, step, rtol=1e-9, atol=1e-11)


def test_random_programs_in_lanes():
    checked = 0
    for number in range(60):
        xs = np.random.default_rng(number).standard_normal((3, 3, 4))
        f = functools.partial(run, number, tnp)
        try:
            actual = tg.vmap(tg.value_and_grad(f))(xs)
        except tg.errors.ConcretizationError:  # a mask of values chose elements
            continue
        checked += 1
        for k, x in enumerate(xs):
            for many, one in zip(actual, tg.value_and_grad(f)(x), strict=True):
                np.testing.assert_allclose(many[k], one, rtol=1e-10, atol=1e-12)
    assert checked > 40


def test_second_derivatives_of_random_programs():
    for number in range(0, 120, 4):
        x, t = np.random.default_rng(number + 1).standard_normal((2, 3, 4))
        slope = tg.grad(functools.partial(run, number, tnp))

        def along(x, slope=slope, t=t):
            return np.sum(slope(x) * t)

        second = tg.grad(along)(x)
        np.testing.assert_allclose(tg.jvp(slope, (x,), (t,))[1], second, rtol=1e-8, atol=1e-10)
        difference = (along(x + 1e-5 * t) - along(x - 1e-5 * t)) / 2e-5
        np.testing.assert_allclose(np.sum(second * t), difference, rtol=1e-4, atol=1e-5)
