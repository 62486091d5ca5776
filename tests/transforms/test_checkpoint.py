"""`checkpoint`: the same numbers, less memory, and Python that runs once."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.op import Op
from tapegrad.core.record import apply
from tapegrad.core.tape import local

X = np.array([0.1, 0.5, -0.4])


def block(x):
    return tnp.sin(x) * tnp.exp(x * x) + x**3


def plain(x):
    return tnp.sum(block(block(0.3 * x)))


def checkpointed(x):
    return tnp.sum(tg.checkpoint(block)(tg.checkpoint(block)(0.3 * x)))


def nested(x):
    return tg.checkpoint(lambda x: tnp.sum(tg.checkpoint(block)(tg.checkpoint(block)(0.3 * x))))(x)


MIXES = {
    "grad": tg.grad,
    "jacfwd": tg.jacfwd,
    "jacrev": tg.jacrev,
    "hessian": tg.hessian,
    "reverse over reverse": lambda f: tg.jacrev(tg.jacrev(f)),
    "reverse over forward": lambda f: tg.jacrev(tg.jacfwd(f)),
    "forward over forward": lambda f: tg.jacfwd(tg.jacfwd(f)),
    "third order": lambda f: tg.grad(lambda x: tnp.sum(tg.hessian(f)(x) ** 2)),
    "hvp": lambda f: lambda x: tg.hvp(f, x, x),
}


@pytest.mark.parametrize("f", [checkpointed, nested])
@pytest.mark.parametrize("mix", MIXES)
def test_derivatives_are_those_of_the_function(f, mix):
    transform = MIXES[mix]
    expected = transform(plain)(X)
    assert_allclose(transform(f)(X), expected, rtol=1e-10)
    lanes = tg.vmap(transform(f))(np.stack([X, 2 * X]))
    assert_allclose(lanes, np.stack([expected, transform(plain)(2 * X)]), rtol=1e-10)
    assert_allclose(tg.checkpoint(transform(f))(X), expected, rtol=1e-10)


def test_gradients_through_lanes():
    lanes = np.stack([X, 2 * X])
    expected = np.stack([tg.grad(plain)(x) for x in lanes])
    for f in (checkpointed, nested):
        assert_allclose(tg.grad(lambda x, f=f: tg.vmap(f)(x).sum())(lanes), expected, rtol=1e-10)
        assert_allclose(tg.grad(tg.checkpoint(lambda x, f=f: tg.vmap(f)(x).sum()))(lanes), expected)


def test_captured_values_are_inputs():
    def f(w, wrap):
        return tnp.sum(wrap(lambda x: w * x * tnp.sin(x * w))(X))

    def raw(g):
        return g

    for transform in (tg.grad, lambda f: tg.grad(tg.grad(f)), lambda f: tg.jacfwd(tg.grad(f))):
        expected = transform(lambda w: f(w, raw))(2.0)
        assert_allclose(transform(lambda w: f(w, tg.checkpoint))(2.0), expected)
        lanes = tg.vmap(transform(lambda w: f(w, tg.checkpoint)))(np.array([2.0, 2.0]))
        assert_allclose(lanes, [expected, expected])


def test_trees_options_and_python_numbers():
    @tg.checkpoint
    def f(p, kind, scale=1.0, *, shift=None):
        result = p["a"] * scale if kind == "times" else p["a"]
        return {"result": result if shift is None else result + shift, "none": None, "kind": kind}

    def loss(p):
        out = f(p, "times", 3.0, shift=p["b"][0])
        assert out["none"] is None
        assert out["kind"] == "times"
        return out["result"].sum()

    gradient = tg.grad(loss)({"a": X, "b": (2.0,)})
    assert_allclose(gradient["a"], [3, 3, 3])
    assert_allclose(gradient["b"][0], 3.0)
    assert f({"a": X.astype(np.float32)}, "times", 3.0)["result"].dtype == np.float32


def test_plain_arrays_come_back_plain():
    result = tg.checkpoint(block)(X)
    assert type(result) is np.ndarray
    assert_allclose(result, block(X))
    same, constant = tg.checkpoint(lambda x: (x, 3))(X)
    assert_array_equal(same, X)
    assert constant == 3


def test_integer_and_repeated_results():
    def f(x):
        values, index, again = tg.checkpoint(lambda x: (x * x, tnp.argmax(x), x * 1))(x)
        return values[index] + again.sum()

    assert_allclose(tg.grad(f)(X), [1, 2, 1])
    assert_allclose(tg.vmap(tg.grad(f))(np.stack([X, -X])), [[1, 2, 1], [1, 1, 1.8]])

    def twice(x):
        y = x * x
        return y, y

    assert_allclose(tg.grad(lambda x: sum(r.sum() for r in tg.checkpoint(twice)(x)))(X), 4 * X)


def test_python_runs_once():
    calls = []

    @tg.checkpoint
    def f(x):
        calls.append(1)
        return tnp.sin(x) * x if x.sum() > 0 else x

    tg.grad(lambda x: f(x).sum())(X)
    assert len(calls) == 1
    _, pullback = tg.vjp(f, X)
    pullback(X)
    pullback(X)
    assert len(calls) == 2


def test_random_numbers_are_the_same_in_the_replay():
    rng = tnp.random.default_rng(0)

    @tg.checkpoint
    def f(x):
        return x * x * rng.standard_normal(3)

    value, pullback = tg.vjp(f, X)
    assert_allclose(pullback(np.ones(3))[0], 2 * value / X)
    assert_allclose(pullback(np.ones(3))[0], 2 * value / X)

    def lanes(x):
        return tg.vmap(f, randomness="different")(x)

    x = np.stack([X, X])
    value, pullback = tg.vjp(lanes, x)
    assert not np.allclose(value[0], value[1])
    assert_allclose(pullback(np.ones((2, 3)))[0], 2 * value / x)


def test_one_entry_on_the_tape():
    lengths = []

    def f(x):
        before = len(local.tape)
        y = tg.checkpoint(lambda x: block(block(block(x))))(x)
        lengths.append(len(local.tape) - before)
        return y.sum()

    tg.grad(f)(X)
    assert lengths == [2]  # the entry, and the one of its results


def test_memory_of_a_chain():
    x = np.linspace(0, 1, 20_000)

    def segment(x):
        for _ in range(10):
            x = tnp.sin(x)
        return x

    def peak(wrap):
        def chain(x):
            for _ in range(10):
                x = wrap(segment)(x)
            return x.sum()

        tg.grad(chain)(x[:2])
        tracemalloc.start()
        gradient = tg.grad(chain)(x)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result / x.nbytes, gradient

    kept, expected = peak(lambda f: f)
    replayed, gradient = peak(tg.checkpoint)
    assert_allclose(gradient, expected)
    assert kept > 100  # arrays: one for each of the 100 operations
    assert replayed < 30  # one for each of the 10 segments, and those of one segment


def test_memory_around_a_whole_loop():
    def loop(x):
        for _ in range(40):
            x = tnp.sin(x) * 0.5 + x - 0.1 * x
        return x.sum()

    def linear(x):
        for _ in range(40):
            x = x - 0.01 * x
        return x.sum()

    x = np.linspace(0, 1, 40_000)

    def peak(f):
        tracemalloc.start()
        f(x)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result / x.nbytes

    for f, nested in ((loop, False), (linear, False), (loop, True)):
        wrapped = tg.checkpoint(tg.checkpoint(f) if nested else f)
        assert_array_equal(tg.grad(wrapped)(x), tg.grad(f)(x))
        # entries of two megabytes wait to become instructions
        assert peak(tg.grad(wrapped)) < peak(tg.grad(f)) + 9


def test_checkpoints_in_checkpoints_save_memory():
    def halved(x, n):
        if n == 1:
            return tnp.sin(x) * x
        half = tg.checkpoint(lambda x: halved(x, n // 2))
        return half(half(x))

    x = np.linspace(0, 1, 50_000)

    def peak(n):
        tracemalloc.start()
        gradient = tg.grad(lambda x: halved(x, n).sum())(x)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result / x.nbytes, gradient

    short, _ = peak(8)
    long, gradient = peak(32)
    assert long < short + 9  # arrays: two for each halving, and some of the interpreter's

    def plain(x):
        for _ in range(32):
            x = tnp.sin(x) * x
        return x.sum()

    assert_array_equal(gradient, tg.grad(plain)(x))


def test_what_is_of_no_use_is_not_computed_again():
    runs = []

    def forward(xp, x):
        runs.append(1)
        return xp.tanh(x)

    op = Op("counted", forward, (lambda g, out, _x: g * (1 - out * out),), "elementwise")
    op.function = lambda x: apply(op, x)

    def f(x):
        op.function(x)  # dead
        return tnp.sum(op.function(x) + x)

    assert_allclose(tg.grad(tg.checkpoint(f))(X), 2 - np.tanh(X) ** 2)
    assert len(runs) == 3


def test_a_raise_leaves_the_tape():
    @tg.checkpoint
    def f(x):
        tnp.sin(x)
        raise RuntimeError("inside")

    before, tape = len(local.root), local.tape
    for call in (lambda: f(X), lambda: tg.grad(f)(X), lambda: tg.vmap(tg.grad(f))(X[None])):
        with pytest.raises(RuntimeError, match="inside"):
            call()
        assert (len(local.root), local.tape) == (before, tape)


def test_a_captured_value_as_a_result():
    def f(w):
        same, other = tg.checkpoint(lambda x: (w, x * w))(2.0)
        return same * same + other

    assert tg.grad(f)(3.0) == 8.0
    assert tg.grad(tg.grad(f))(3.0) == 2.0
    assert_allclose(tg.vmap(tg.grad(f))(X), 2 * X + 2)
    assert tg.grad(lambda w: tg.grad(tg.checkpoint(lambda x: w))(2.0) + w)(3.0) == 1.0
