"""Transforms of random small programs at random shapes and dtypes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays, mutually_broadcastable_shapes
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp

UNARY = (
    tnp.sin,
    tnp.tanh,
    tnp.square,
    lambda x: tnp.exp(-x * x),
    lambda x: 1 / (2 + tnp.cos(x)),
    lambda x: x[::-1],
    lambda x: tnp.cumsum(x) / 4,
    lambda x: tnp.where(x > 0, x * x, -x),
    lambda x: x - tnp.mean(x),
    lambda x: tnp.concatenate([x[1:], x[:1]]),
    lambda x: tnp.sqrt(1 + x * x),
)
BINARY = (
    lambda x, y: x + y,
    lambda x, y: x * y,
    lambda x, y: x - 2 * y,
    lambda x, y: x / (2 + y * y),
    lambda x, y: x * tnp.sum(y) / 3,
    lambda x, y: tnp.outer(x, y) @ y / 5,
)
SIZE = 3
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(UNARY), st.integers(0, 9)),
        st.tuples(st.sampled_from(BINARY), st.integers(0, 9), st.integers(0, 9)),
    ),
    min_size=1,
    max_size=5,
)
NUMBERS = st.floats(-1.5, 1.5).filter(lambda x: abs(x) > 0.05)
VECTORS = arrays(np.float64, SIZE, elements=NUMBERS)


def program(steps):
    """A function of a vector: each step applies a function to values that are there."""

    def run(x):
        values = [x]
        for function, *sources in steps:
            values.append(function(*(values[i % len(values)] for i in sources)))
        return values[-1] + values[len(values) // 2]

    return run


def scalar(f):
    return lambda x: tnp.sum(f(x) * np.arange(1.0, SIZE + 1))


def close(actual, expected, rtol=1e-8):
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    assert_allclose(actual, expected, rtol=rtol, atol=rtol * scale)


@given(STEPS, VECTORS)
def test_modes_agree(steps, x):
    f = program(steps)
    rows = tg.jacrev(f)(x)
    close(tg.jacfwd(f)(x), rows)
    close(tg.jacobian(f, chunk_size=2)(x), rows)
    close(np.stack([tg.vjp(f, x)[1](g)[0] for g in np.eye(SIZE)]), rows)
    close(np.stack([tg.jvp(f, (x,), (t,))[1] for t in np.eye(SIZE)], axis=1), rows)
    close(tg.grad(scalar(f))(x), np.arange(1.0, SIZE + 1) @ rows)


@given(STEPS, VECTORS)
def test_jacobians_are_differences(steps, x):
    f, h = program(steps), 1e-6
    columns = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(SIZE)]
    close(tg.jacobian(f)(x), np.stack(columns, axis=1), rtol=1e-5)


@settings(max_examples=40)
@given(STEPS, VECTORS, VECTORS)
def test_second_order_agrees_in_all_mixes(steps, x, v):
    f = scalar(program(steps))
    h = tg.hessian(f)(x)
    close(h, h.T)
    for outer in (tg.jacfwd, tg.jacrev):
        for inner in (tg.jacfwd, tg.jacrev):
            close(outer(inner(f))(x), h)
    close(tg.hvp(f, x, v), h @ v)
    close(tg.vhp(f, x, v), v @ h)
    close(tg.hessian_diag(f, x), np.diag(h))


@settings(max_examples=40)
@given(STEPS, arrays(np.float64, (2, SIZE), elements=NUMBERS))
def test_lanes_are_a_loop(steps, xs):
    f = program(steps)
    close(tg.vmap(f)(xs), np.stack([f(x) for x in xs]))
    close(tg.vmap(f, 1, 1)(xs.T), np.stack([f(x) for x in xs], axis=1))
    gradients = np.stack([tg.grad(scalar(f))(x) for x in xs])
    close(tg.vmap(tg.grad(scalar(f)))(xs), gradients)
    close(tg.grad(lambda xs: tg.vmap(scalar(f))(xs).sum())(xs), gradients)
    close(tg.vmap(tg.vmap(f))(xs[None])[0], np.stack([f(x) for x in xs]))
    close(tg.vmap(tg.jacobian(f))(xs), np.stack([tg.jacobian(f)(x) for x in xs]))
    close(tg.vmap(tg.hessian(scalar(f)))(xs), np.stack([tg.hessian(scalar(f))(x) for x in xs]))


@settings(max_examples=40)
@given(STEPS, VECTORS)
def test_checkpoints_change_nothing(steps, x):
    f = program(steps)
    g = tg.checkpoint(f)
    close(g(x), f(x))
    close(tg.jacrev(g)(x), tg.jacrev(f)(x))
    close(tg.hessian(scalar(g))(x), tg.hessian(scalar(f))(x))
    close(tg.vmap(tg.grad(scalar(g)))(x[None])[0], tg.grad(scalar(f))(x))


@settings(max_examples=40)
@given(STEPS, VECTORS)
def test_a_recording_computes_the_same(steps, x):
    f = program(steps)
    out, tape = tg.record(f)(x)
    close(out, f(x))
    assert len(str(tape).splitlines()) == len(tape) + 2


@settings(max_examples=30)
@given(STEPS, STEPS, STEPS, VECTORS)
def test_three_levels_close_over_one_another(first, second, third, x):
    f, g, h = (scalar(program(steps)) for steps in (first, second, third))

    def by_grad(f):
        return tg.grad(f)

    def level(f, d):
        return d(f)(0.6)

    derivatives = (
        by_grad,
        lambda f: lambda x: tg.jvp(f, (x,), (1.0,))[1],
        lambda f: lambda x: tg.vmap(tg.grad(f))(x + np.zeros(2))[0],
    )

    def value(d1, d2, d3):
        def outer(a):
            def middle(b):
                return f(b * x) * a * level(lambda c: h(c * x) * a * b, d3)

            return g(a * x) * level(middle, d2)

        return d1(outer)(0.4)

    expected = value(by_grad, by_grad, by_grad)
    for d1 in derivatives:
        for d2 in derivatives:
            for d3 in derivatives:
                close(value(d1, d2, d3), expected, rtol=1e-7)


DTYPES = st.sampled_from([np.float32, np.float64])


@given(st.data(), mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_gradients_of_broadcasting_operations(data, shapes):
    a, b = (
        data.draw(arrays(data.draw(DTYPES), shape, elements=st.floats(1, 2, width=32)))
        for shape in shapes.input_shapes
    )

    def f(a, b):
        return tnp.sum(a * b + a / b - b)

    for x, g, expected in zip(
        (a, b), tg.grad(f, (0, 1))(a, b), (b + 1 / b + 0 * a, a - a / b**2 - 1), strict=True
    ):
        assert g.shape == x.shape
        assert g.dtype == x.dtype
        extra = expected.ndim - x.ndim
        axes = (*range(extra), *(i + extra for i, n in enumerate(x.shape) if n == 1))
        total = np.sum(expected, axis=axes).reshape(x.shape)
        assert_allclose(g, total, rtol=1e-4, atol=1e-4)


@given(st.data(), array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3), DTYPES)
def test_shapes_and_dtypes_of_jacobians(data, shape, dtype):
    x = data.draw(arrays(dtype, shape, elements=st.floats(-1, 1, width=32)))
    for transform in (tg.jacobian, tg.jacrev, tg.jacfwd):
        result = transform(lambda x: tnp.sin(x) * 2)(x)
        assert result.shape == shape + shape
        assert result.dtype == dtype
        expected = np.diag(2 * np.cos(x).ravel()).reshape(shape + shape)
        assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
