"""`vmap`: axes, trees, chunks, random numbers, and what it refuses."""

import functools
import threading
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local
from tapegrad.errors import ConcretizationError, EscapedValueError, TapegradError
from tapegrad.transforms.plain_random import drew_nothing

X = np.arange(6.0).reshape(3, 2)


def test_axes_of_arguments():
    y = np.array([1.0, 10.0, 100.0])
    expected = X * y[:, None]
    assert_allclose(tg.vmap(lambda x, y: x * y)(X, y), expected)
    assert_allclose(tg.vmap(lambda x, y: x * y, in_axes=(1, 0))(X.T, y), expected)
    assert_allclose(tg.vmap(lambda x, y: x * y, in_axes=(-1, -1))(X.T, y), expected)
    assert_allclose(tg.vmap(lambda x, y: x * y, in_axes=[0, None])(X, 2.0), 2 * X)
    assert_allclose(tg.vmap(lambda x, y: x * y, in_axes=(np.int64(0), None))(X, 2.0), 2 * X)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_axes_of_results(axis):
    x = np.arange(24.0).reshape(3, 2, 4)
    result = tg.vmap(lambda x: x + 1, out_axes=axis)(x)
    assert_array_equal(result, np.moveaxis(x + 1, 0, axis))


def test_trees_of_axes():
    def f(d, pair):
        return {"product": d["a"] * d["b"], "pair": (pair[0], pair[1][0])}

    result = tg.vmap(
        f, in_axes=({"a": 0, "b": None}, (1, [None])), out_axes={"product": 1, "pair": (0, None)}
    )({"a": X, "b": 2.0}, (X.T, [np.array([5.0])]))
    assert_array_equal(result["product"], 2 * X.T)
    assert_array_equal(result["pair"][0], X)
    assert_array_equal(result["pair"][1], [5.0])


class Pair(NamedTuple):
    left: object
    right: object


@dataclass
class Box:
    item: object
    scale: object


def test_named_tuples_dataclasses_and_none():
    result = tg.vmap(lambda p: Pair(p.left * p.right, None), in_axes=(Pair(0, None),))(Pair(X, 3.0))
    assert isinstance(result, Pair)
    assert_array_equal(result.left, 3 * X)
    assert result.right is None
    boxed = tg.vmap(lambda b: Box(b.item * b.scale, b.scale))(Box(X, np.arange(3.0)))
    assert_array_equal(boxed.item, X * np.arange(3.0)[:, None])
    assert_array_equal(tg.vmap(lambda x, nothing: x, in_axes=(0, 0))(X, None), X)
    assert_array_equal(tg.vmap(lambda d: d["x"])({"x": X, "empty": {}, "none": None}), X)


def test_keyword_arguments():
    result = tg.vmap(lambda x, *, k, power: (x * k) ** power)(X, k=np.arange(3.0), power=2)
    assert_array_equal(result, (X * np.arange(3.0)[:, None]) ** 2)


def test_arguments_that_are_no_arrays():
    def f(kind, x, n):
        return x * n if kind == "times" else x

    assert_array_equal(tg.vmap(f, in_axes=(None, 0, None))("times", X, 3), 3 * X)
    # a Python number that all lanes share does not decide the dtype
    single = tg.vmap(lambda x, s: x * s, in_axes=(0, None))(X.astype(np.float32), 2.0)
    assert single.dtype == np.float32


@pytest.mark.parametrize("inner", [0, 1])
@pytest.mark.parametrize("outer", [0, 1])
def test_lanes_in_lanes(inner, outer):
    x = np.arange(24.0).reshape(2, 3, 4)
    f = tg.vmap(tg.vmap(lambda v: v.sum() * v, in_axes=inner, out_axes=inner), outer, outer)
    at_inner = np.stack(
        [
            np.stack([v.sum() * v for v in np.moveaxis(m, inner, 0)], axis=inner)
            for m in np.moveaxis(x, outer, 0)
        ],
        axis=outer,
    )
    assert_allclose(f(x), at_inner)


def test_outer_product_by_two_levels():
    f = tg.vmap(tg.vmap(lambda x, y: x * y, in_axes=(None, 0)), in_axes=(0, None))
    assert_array_equal(f(np.arange(3.0), np.arange(4.0)), np.outer(np.arange(3.0), np.arange(4.0)))


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 7])
def test_chunks(chunk_size):
    calls = []

    def f(x, y):
        calls.append(1)
        return x.sum() * y, {"shared": y, "matrix": tnp.outer(x, x)}

    total, aux = tg.vmap(
        f, in_axes=(0, None), out_axes=(0, {"shared": None, "matrix": 2}), chunk_size=chunk_size
    )(X, 2.0)
    assert_array_equal(total, 2 * X.sum(1))
    assert aux["shared"] == 2.0
    assert_array_equal(aux["matrix"], np.einsum("ni,nj->ijn", X, X))
    assert len(calls) == 1


def test_chunks_inside_other_transforms():
    def f(x):
        return tnp.sum(tg.vmap(lambda v: tnp.sin(v).sum(), chunk_size=2)(x) ** 2)

    def plain(x):
        return tnp.sum(tnp.sin(x).sum(1) ** 2)

    assert_allclose(tg.grad(f)(X), tg.grad(plain)(X))
    assert_allclose(tg.jvp(f, (X,), (X,))[1], tg.jvp(plain, (X,), (X,))[1])
    assert_allclose(tg.vmap(tg.grad(f))(np.stack([X, -X]))[1], tg.grad(plain)(-X))


def test_axis_size():
    assert_array_equal(tg.vmap(lambda: 2.0, axis_size=3)(), [2.0, 2.0, 2.0])
    assert_array_equal(tg.vmap(lambda x: x, in_axes=None, axis_size=2)(X), np.stack([X, X]))
    with pytest.raises(ValueError, match=r"number of lanes: 3 .* 4 \(of axis_size\)"):
        tg.vmap(lambda x: x, axis_size=4)(X)


def test_results_that_do_not_differ_between_lanes():
    constant = np.array([1.0, 2.0])
    a, b, c = tg.vmap(lambda x: (3, constant, x.shape[0]), out_axes=(0, None, None))(X)
    assert_array_equal(a, [3, 3, 3])
    assert_array_equal(b, constant)
    assert b is not constant
    assert c == 2
    with pytest.raises(ValueError, match="out_axes=None, but it differs between the lanes"):
        tg.vmap(lambda x: x, out_axes=None)(X)


def test_no_lanes():
    assert tg.vmap(lambda x: x.sum())(np.zeros((0, 3))).shape == (0,)
    result = tg.vmap(tg.grad(lambda x: (x * x).sum()))(np.zeros((0, 3), np.float32))
    assert (result.shape, result.dtype) == ((0, 3), np.float32)
    assert tg.vmap(tg.jacobian(tnp.sin))(np.zeros((0, 3))).shape == (0, 3, 3)
    assert tg.vmap(lambda x: x / 0, chunk_size=2)(np.zeros((0, 2))).shape == (0, 2)


def test_integers_booleans_and_indices():
    i = np.array([1, 0, 1])
    assert_array_equal(tg.vmap(lambda x, i: x[i])(X, i), X[np.arange(3), i])
    assert_array_equal(tg.vmap(lambda i: tnp.array([10, 20])[i])(i), [20, 10, 20])
    counts = tg.vmap(lambda i: i * 2 + 1)(i)
    assert_array_equal(counts, i * 2 + 1)
    assert counts.dtype == i.dtype
    flags = tg.vmap(lambda x: (x > 2) & (x < 5))(X)
    assert_array_equal(flags, (X > 2) & (X < 5))
    assert_array_equal(tg.vmap(lambda x: tnp.argmax(x))(-X), [0, 0, 0])
    gradient = tg.vmap(tg.grad(lambda x, i: x[i] ** 2 + x[tnp.argmax(x)]))(X, i)
    assert_allclose(gradient, [[0, 2 * 1 + 1], [2 * 2, 1], [0, 2 * 5 + 1]])


@pytest.mark.parametrize(
    "read", [bool, float, int, lambda v: v.item(), lambda v: "yes" if v > 1 else "no"]
)
def test_reading_a_value_raises(read):
    with pytest.raises(ConcretizationError, match="differs between the lanes of vmap"):
        tg.vmap(lambda x: read(x.sum()))(X)


def test_reading_a_value_captured_from_outer_lanes_raises():
    def f(x):
        return tg.vmap(lambda y: 1.0 if x * y > 0 else 2.0, in_axes=None, axis_size=2)(3.0)

    with pytest.raises(ConcretizationError, match="differs between the lanes of vmap"):
        tg.vmap(f)(np.array([-1.0, 1.0]))


def test_mistakes_in_axes():
    with pytest.raises(ValueError, match=r"of shape \(3, 2\) has no axis 2. Use None in in_axes"):
        tg.vmap(lambda x: x, in_axes=2)(X)
    with pytest.raises(ValueError, match=r"of shape \(\) has no axis 0"):
        tg.vmap(lambda x, y: x * y)(X, 2.0)
    with pytest.raises(ValueError, match=r"in_axes has length 1, but .* called with 2 positional"):
        tg.vmap(lambda x, y: x * y, in_axes=(0,))(X, X)
    with pytest.raises(ValueError, match=r"disagree on the number of lanes: 3 \(of \(3, 2\)\), 2"):
        tg.vmap(lambda x, y: x)(X, X.T)
    with pytest.raises(ValueError, match="no argument of <lambda> has lanes"):
        tg.vmap(lambda x: x, in_axes=None)(X)
    with pytest.raises(ValueError, match=r"in_axes=.* does not fit"):
        tg.vmap(lambda d: d["a"], in_axes=({"b": 0},))({"a": X})
    with pytest.raises(ValueError, match=r"in_axes=.* does not fit"):
        tg.vmap(lambda x: x, in_axes="0")(X)
    with pytest.raises(ValueError, match=r"out_axes=.* does not fit"):
        tg.vmap(lambda x: x, out_axes=(0, 0))(X)
    with pytest.raises(ValueError, match=r"shape \(2,\) has no place for lanes at out_axes=2"):
        tg.vmap(lambda x: x, out_axes=2)(X)
    with pytest.raises(ValueError, match="chunk_size must be at least 1, not 0"):
        tg.vmap(lambda x: x, chunk_size=0)
    with pytest.raises(ValueError, match="randomness must be 'error', 'different' or 'same'"):
        tg.vmap(lambda x: x, randomness="any")


def test_random_numbers():
    rng = tnp.random.default_rng(0)

    def f(x):
        return x * 0 + rng.standard_normal(2)

    with pytest.raises(TapegradError, match="random numbers were drawn inside vmap"):
        tg.vmap(f)(X)
    same = tg.vmap(f, randomness="same")(X)
    assert_array_equal(same[0], same[2])
    same = tg.vmap(f, randomness="same", chunk_size=1)(X)
    assert_array_equal(same[0], same[2])
    for chunk_size in (None, 2):
        different = tg.vmap(f, randomness="different", chunk_size=chunk_size)(X)
        assert len(np.unique(different)) == 6


def test_results_share_memory_with_nothing():
    x = X.copy()
    a, b = tg.vmap(lambda v: (v, v))(x)
    assert not np.shares_memory(a, x)
    assert not np.shares_memory(a, b)
    assert tg.vmap(lambda v: 1.0)(x).flags.writeable
    a[...] = 7
    assert_array_equal(x, X)
    assert_array_equal(b, X)


def test_values_of_lanes_do_not_escape():
    kept = []

    def f(x):
        kept.append(x * 2)
        return x

    tg.vmap(f)(X)
    with pytest.raises(EscapedValueError, match="after the transform that made it had ended"):
        kept[0] + 1


def test_a_raise_leaves_the_tapes():
    def f(x):
        raise RuntimeError("inside")

    before, tape = len(local.root), local.tape
    with pytest.raises(RuntimeError, match="inside"):
        tg.vmap(tg.grad(f))(X)
    with pytest.raises(RuntimeError, match="inside"):
        tg.grad(lambda x: tg.vmap(f)(x).sum())(X)
    assert (len(local.root), local.tape) == (before, tape)


def test_mixes_with_derivatives():
    def f(x):
        return tnp.sum(tnp.exp(x) * x**2)

    def gradient(x):
        return np.exp(x) * (x**2 + 2 * x)

    def second(x):
        return np.exp(x) * (x**2 + 4 * x + 2)

    assert_allclose(tg.vmap(tg.grad(f))(X), gradient(X))
    assert_allclose(tg.grad(lambda x: tg.vmap(f)(x).sum())(X), gradient(X))
    assert_allclose(tg.vmap(tg.hessian(f))(X), [np.diag(d) for d in second(X)])
    assert_allclose(tg.vmap(lambda x, v: tg.hvp(f, x, v))(X, X + 1), second(X) * (X + 1))
    assert_allclose(tg.jvp(tg.vmap(f), (X,), (X,))[1], (gradient(X) * X).sum(1))
    assert_allclose(tg.vmap(lambda x: tg.jvp(f, (x,), (x,))[1])(X), (gradient(X) * X).sum(1))
    inner = tg.vmap(tg.vmap(tg.grad(lambda v: tnp.exp(v) * v**2)))
    assert_allclose(inner(X), gradient(X))
    assert_allclose(
        tg.jacobian(tg.vmap(f))(X), np.einsum("ni,nm->nmi", gradient(X), np.eye(3)), atol=1e-15
    )


def test_a_pullback_over_lanes_of_cotangents():
    _, pullback = tg.vjp(lambda x: tnp.sin(x) * x[0], X[1])
    rows = tg.vmap(pullback)(np.eye(2))[0]
    assert_allclose(rows, tg.jacobian(lambda x: tnp.sin(x) * x[0])(X[1]))
    _, push = tg.linearize(lambda x: tnp.sin(x) * x[0], X[1])
    assert_allclose(tg.vmap(push)(np.eye(2)).T, rows)


class Noisy:
    def __init__(self, rng):
        self.rng = rng

    def __call__(self, x):
        return x + self.rng.normal()

    def method(self, x):
        return self(x)


GLOBAL = np.random.RandomState(0)


def draws_by_generators():
    rng = np.random.default_rng(0)
    yield lambda x: x + np.random.normal()
    yield lambda x: x + np.random.randn()  # the second of two numbers that were made together
    yield lambda x: x + rng.normal(size=2)
    yield lambda x: x + GLOBAL.normal()
    yield Noisy(rng)
    yield Noisy(GLOBAL).method
    yield tg.grad(lambda x: tnp.sum(x * rng.normal()))
    yield functools.partial(lambda scale, x: x + scale * rng.normal(), 2.0)


@pytest.mark.parametrize("randomness", ["error", "different"])
@pytest.mark.parametrize("fun", [*draws_by_generators()])
def test_generators_of_numpy_are_told_of(fun, randomness, monkeypatch):
    monkeypatch.setattr(threading, "active_count", lambda: 1)  # whatever other tests left running
    for _ in range(2):
        with pytest.raises(TapegradError, match=r"drew from a generator of NumPy inside vmap"):
            tg.vmap(fun, randomness=randomness)(X)
    same = tg.vmap(fun, randomness="same")(X)
    assert same.shape == X.shape


def test_generators_among_the_arguments_are_told_of():
    f = tg.vmap(lambda rng, x: x + rng.normal(), in_axes=(None, 0))
    with pytest.raises(TapegradError, match="pass randomness='same'"):
        f(np.random.default_rng(0), X)


def test_generators_that_are_not_drawn_from():
    rng, own = np.random.default_rng(0), tnp.random.default_rng(0)
    tg.vmap(lambda x: x * (rng is not None))(X)
    noise = tg.vmap(lambda x: x + own.normal() * (rng is not None), randomness="different")(X) - X
    assert len(np.unique(noise.round(12))) == 3


def test_functions_that_drew_nothing_are_not_looked_at_again():
    def f(x):
        return x * 2

    tg.vmap(f)(X)
    assert f.__code__ in drew_nothing


def test_other_threads_may_draw():
    def f(x):
        thread = threading.Thread(target=np.random.normal)
        thread.start()
        thread.join()
        return x * 2

    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    try:
        with pytest.warns(RuntimeWarning, match="drew from a generator of NumPy") as told:
            assert_allclose(tg.vmap(f)(X), 2 * X)
    finally:
        stop.set()
        other.join()
    assert told[0].filename == __file__
