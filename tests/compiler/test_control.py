"""Loops and branches as operations: the same as Python's, under every transform."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.errors import ConcretizationError

rng = np.random.default_rng(0)
W, H, XS = 0.3 * rng.standard_normal((4, 4)), np.zeros(4), rng.standard_normal((7, 4))


def python_scan(f, carry, xs, length=None, reverse=False):
    ys = []
    indices = range(len(xs) if xs is not None else length)
    for t in reversed(indices) if reverse else indices:
        carry, y = f(carry, None if xs is None else xs[t])
        ys.append(y)
    if reverse:
        ys.reverse()
    return carry, tnp.stack(ys)


def recurrent(scan, reverse=False):
    """A recurrent network: gradients flow to what is captured, carried and gone through."""

    def loss(w, h, xs):
        def step(h, x):
            h = np.tanh(w @ h + x)
            return h, (h * h).sum()

        h, ys = scan(step, h, xs, reverse=reverse)
        return h.sum() + (ys * np.arange(7.0)).sum()

    return loss


TRANSFORMS = {
    "value": lambda f: f,
    "grad": lambda f: tg.grad(f, argnums=(0, 1, 2)),
    "jvp": lambda f: lambda w, h, xs: tg.jvp(f, (w, h, xs), (w + 1, h + 1, xs)),
    "hessian": lambda f: lambda w, h, xs: tg.hessian(lambda h: f(w, h, xs))(h),
    "grad of grad": lambda f: (
        lambda w, h, xs: tg.grad(lambda w: (tg.grad(f)(w, h, xs) ** 2).sum())(w)
    ),
    "vmap of the carry": lambda f: (
        lambda w, h, xs: tg.vmap(f, in_axes=(None, 0, None))(w, np.stack([h, h + 1]), xs)
    ),
    "vmap of the inputs": lambda f: (
        lambda w, h, xs: tg.vmap(f, in_axes=(None, None, 0))(w, h, np.stack([xs, xs + 1]))
    ),
    "vmap of grad": lambda f: (
        lambda w, h, xs: tg.vmap(tg.grad(f), in_axes=(0, None, None))(np.stack([w, w + 1]), h, xs)
    ),
    "compile": tg.compile,
    "compiled grad": lambda f: tg.compile(tg.grad(f)),
    "grad of compiled": lambda f: tg.grad(tg.compile(f)),
    "checkpoint": lambda f: tg.grad(tg.checkpoint(f)),
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_scan_is_a_loop(name, reverse):
    transform = TRANSFORMS[name]
    actual = transform(recurrent(tg.scan, reverse))
    expected = transform(recurrent(python_scan, reverse))(W, H, XS)
    for _ in range(2):
        for a, e in zip(tg.tree.leaves(actual(W, H, XS)), tg.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(a, e, rtol=1e-10, atol=1e-12)


def test_scan_of_trees():
    def step(carry, x):
        total, (count,) = carry
        return (total + x["a"], (count + 1,)), {"twice": 2 * x["b"], "none": None}

    xs = {"a": np.arange(3.0), "b": np.ones((3, 2), "float32")}
    (total, (count,)), ys = tg.scan(step, (0.0, (0,)), xs)
    assert total == 3.0
    assert count == 3
    assert ys["none"] is None
    assert ys["twice"].dtype == "float32"
    assert ys["twice"].shape == (3, 2)


def test_scan_begins_with_a_number_of_the_right_dtype():
    xs = np.ones(3, "float32")
    total, sums = tg.scan(lambda c, x: (c + x, c), 0.0, xs)
    assert total.dtype == sums.dtype == "float32"
    grown, _ = tg.scan(lambda c, x: (c * x, None), 1, np.array([1.5, 2.0]))
    assert grown == 3.0


def test_scan_without_turns():
    total, ys = tg.scan(lambda c, x: (c + x.sum(), x * 2), np.float64(1.0), np.zeros((0, 3)))
    assert total == 1.0
    assert ys.shape == (0, 3)
    gradient = tg.grad(lambda c: tg.scan(lambda c, x: (c * x.sum(), None), c, np.zeros((0, 3)))[0])
    assert gradient(2.0) == 1.0


def test_scan_is_recorded_once():
    runs = []

    def step(c, x):
        runs.append(x)
        return c * x, None

    for n in (3, 3000):
        runs.clear()
        tg.grad(lambda c, n=n: tg.scan(step, c, np.ones(n))[0])(2.0)
        assert len(runs) == 1


def test_fori_loop():
    assert tg.fori_loop(0, 5, lambda i, x: x + i, 0) == 10
    assert tg.fori_loop(3, 3, lambda i, x: x + i, 7) == 7
    assert tg.grad(lambda x: tg.fori_loop(0, 3, lambda i, y: y * x, 1.0))(2.0) == 12.0
    compiled = tg.compile(lambda n, x: tg.fori_loop(0, n, lambda i, y: y * x, 1.0))
    for n in (3, 4, 3):
        assert compiled(np.int64(n), np.float64(2.0)) == 2.0**n


def doubling(x):
    return tg.while_loop(lambda c: c[0] < 100, lambda c: (c[0] * x, c[1] + 1), (1.0, 0))


def test_while_loop():
    assert tg.while_loop(lambda x: x < 100, lambda x: 2 * x, 3) == 192
    value, turns = doubling(np.float64(3.0))
    assert (value, turns) == (243.0, 5)
    assert tg.grad(lambda x: doubling(x)[0])(3.0) == 5 * 81.0
    assert tg.grad(tg.grad(lambda x: doubling(x)[0]))(3.0) == 20 * 27.0


def test_while_loop_of_lanes_that_end_at_different_times():
    values, turns = tg.vmap(doubling)(np.array([2.0, 3.0, 1.5]))
    np.testing.assert_allclose(values, [128, 243, 1.5**12])
    np.testing.assert_array_equal(turns, [7, 5, 12])
    tangents = tg.vmap(lambda x: tg.jvp(lambda x: doubling(x)[0], (x,), (1.0,))[1])
    np.testing.assert_allclose(tangents(np.array([2.0, 3.0])), [7 * 64, 5 * 81])


def test_compiled_while_loop():
    compiled = tg.compile(doubling)
    for x, expected in ((2.0, (128, 7)), (3.0, (243, 5)), (2.0, (128, 7))):
        assert compiled(np.float64(x)) == expected
    assert tg.jvp(tg.compile(lambda x: doubling(x)[0]), (2.0,), (1.0,))[1] == 7 * 64


LOOPS = {
    "compiled grad": lambda f: tg.compile(tg.grad(f)),
    "grad of compiled": lambda f: tg.grad(tg.compile(f)),
    "compiled second derivative": lambda f: tg.compile(
        lambda x: tg.grad(lambda x: tg.grad(f)(x) ** 2)(x)
    ),
    "vmap of grad": lambda f: lambda x: tg.vmap(tg.grad(f))(np.stack([x, x + 1]))[0],
    "compiled jvp": lambda f: tg.compile(lambda x: tg.jvp(f, (x,), (1.0,))[1]),
    "grad of jvp": lambda f: tg.compile(tg.grad(lambda x: tg.jvp(f, (x,), (x,))[1])),
    "jvp of grad": lambda f: tg.compile(lambda x: tg.jvp(tg.grad(f), (x,), (1.0,))[1]),
    "hessian": lambda f: tg.compile(tg.hessian(f)),
    "hessian of compiled": lambda f: tg.hessian(tg.compile(f)),
    "in a scan": lambda f: tg.grad(
        lambda x: tg.scan(lambda c, _: (c + f(x), None), 0.0 * x, length=3)[0]
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_reverse_mode_of_while_loops(name):
    def f(x):
        return tg.while_loop(lambda c: c < 100 * x, lambda c: c * x + 1, x)

    def by_python(x):
        value = x
        while float(getattr(value, "raw", value)) < 100 * float(getattr(x, "raw", x)):
            value = value * x + 1
        return value

    x = np.float64(2.5)
    expected = {
        "compiled second derivative": lambda: tg.grad(lambda x: tg.grad(by_python)(x) ** 2)(x),
        "grad of jvp": lambda: tg.grad(lambda x: tg.grad(by_python)(x) * x)(x),
        "in a scan": lambda: 3 * tg.grad(by_python)(x),
        **dict.fromkeys(
            ("jvp of grad", "hessian", "hessian of compiled"),
            lambda: tg.grad(tg.grad(by_python))(x),
        ),
    }.get(name, lambda: tg.grad(by_python)(x))()
    actual = LOOPS[name](f)
    for _ in range(3):
        np.testing.assert_allclose(actual(x), expected, rtol=1e-12)


def test_cond():
    def f(x):
        return tg.cond(x > 0, lambda x: np.sqrt(x), lambda x: -x, x)

    assert f(np.float64(4.0)) == 2.0
    np.testing.assert_array_equal(tg.vmap(f)(np.array([4.0, -3.0])), [2, 3])
    np.testing.assert_array_equal(tg.vmap(tg.grad(f))(np.array([4.0, -3.0])), [0.25, -1])
    compiled = tg.compile(tg.grad(f))
    for x, expected in ((4.0, 0.25), (-3.0, -1), (4.0, 0.25)):
        assert compiled(np.float64(x)) == expected
    walked, _ = tg.scan(
        lambda c, _: (tg.cond(c > 5, lambda c: c - 4, lambda c: c * 2, c), None), 1.0, length=6
    )
    assert walked == 4.0


def pair(c, x):
    return c, x


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tg.scan(lambda c, x: c, 0.0, np.ones(3)), TypeError, "must return a pair"),
        (
            lambda: tg.scan(lambda c, x: (c + np.ones(2), x), np.ones(()), np.ones(3)),
            TypeError,
            r"has shape \(\) before a turn and shape \(2,\) after",
        ),
        (
            lambda: tg.scan(lambda c, x: (c * 1j, x), np.float64(1), np.ones(3)),
            TypeError,
            "float64 before a turn and complex128 after",
        ),
        (
            lambda: tg.scan(lambda c, x: ((c, c), x), np.float64(1), np.ones(3)),
            TypeError,
            "structure",
        ),
        (lambda: tg.scan(pair, 0.0, (np.ones(3), np.ones(4))), ValueError, r"\[3, 4\] differ"),
        (lambda: tg.scan(pair, 0.0, None), ValueError, "there is neither xs nor length"),
        (lambda: tg.scan(pair, 0.0, np.float64(1)), ValueError, "has no axis"),
        (
            lambda: tg.while_loop(lambda c: c > 0, lambda c: c - 1, np.ones(3)),
            TypeError,
            r"has shape \(3,\). Reduce it",
        ),
        (lambda: tg.cond(np.ones(2) > 0, abs, abs, 1.0), TypeError, "single truth value"),
        (
            lambda: tg.vmap(lambda x: tg.cond(x > 0, lambda: (x,), lambda: x))(np.ones(2)),
            TypeError,
            "cond: both functions must return the same",
        ),
        (
            lambda: tg.scan(lambda c, x: (c if x > 0 else -c, x), 0.0, np.ones(3)),
            ConcretizationError,
            "in the body of scan, which stands for every turn.*tapegrad.cond",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
