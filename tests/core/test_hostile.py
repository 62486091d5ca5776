"""What was found by trying to break the core, with the right values."""

import asyncio
import contextlib
import contextvars
import gc
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward, gradients
from tapegrad.core.leaf import requires_grad
from tapegrad.core.modes import is_grad_enabled, no_grad
from tapegrad.core.tape import Paused, ReplayTape, local, set_current
from tapegrad.errors import EscapedValueError, TapegradError

HAD_ENDED = r"neither an entry nor a leaf|transform that made it had ended"


# Values that outlive their transform


def stale(use=lambda x: x * x):
    """A value of a transform that has ended."""
    stored = []
    tg.grad(lambda x: (stored.append(use(x)), x * x)[1])(2.0)
    return stored[0]


LATER = {
    "jvp": lambda s: tg.jvp(lambda y: y * s, (3.0,), (1.0,)),
    "linearize": lambda s: tg.linearize(lambda y: y * s, 3.0),
    "jacfwd": lambda s: tg.jacfwd(lambda y: y * s)(np.ones(2)),
    "jacrev": lambda s: tg.jacrev(lambda y: s * y)(np.ones(2)),
    "hessian": lambda s: tg.hessian(lambda y: tnp.sum(y * y * s))(np.ones(2)),
    "hvp": lambda s: tg.hvp(lambda y: y * y * s, 1.0, 1.0),
    "hessian_diag": lambda s: tg.hessian_diag(lambda y: tnp.sum(y * y * s), np.ones(2)),
    "grad at it": lambda s: tg.grad(lambda y: y * y)(s),
    "jvp at it": lambda s: tg.jvp(lambda y: y * y, (s,), (1.0,)),
    "grad of what it gave": lambda s: tg.grad(lambda y: y * tnp.sin(s * 2.0))(1.0),
}


@pytest.mark.parametrize("use", LATER)
def test_every_transform_notices_a_value_of_an_ended_one(use):
    with pytest.raises(EscapedValueError, match=HAD_ENDED):
        LATER[use](stale())
    local.root.clear()
    assert tg.grad(lambda x: x * x)(3.0) == 6.0


RESULTS = {
    "an operation": lambda s: s * 2.0,
    "vmap": lambda s: tg.vmap(lambda y: y * s)(np.arange(3.0))[1],
    "checkpoint": lambda s: tg.checkpoint(lambda y: y * s)(1.0),
    "a cotangent": lambda s: tg.vjp(lambda y: y * y, 1.0)[1](s)[0],
    "a tangent": lambda s: tg.jvp(lambda y: y * y, (1.0,), (s,))[1],
}


@pytest.mark.parametrize("use", RESULTS)
def test_what_is_computed_from_a_value_of_an_ended_transform_cannot_be_read(use):
    result = RESULTS[use](stale())
    with pytest.raises(EscapedValueError, match="Return it from the function"):
        float(result)
    with pytest.raises(EscapedValueError, match=HAD_ENDED):
        tg.grad(lambda y: y * result)(1.0)


@pytest.mark.parametrize("make", [lambda f: tg.vjp(f, 3.0)[1], lambda f: tg.linearize(f, 3.0)[1]])
def test_a_walk_that_outlives_an_outer_transform(make):
    stored = []

    def f(x):
        stored.append(make(lambda z: z * z * x))
        return x * 1.0

    tg.grad(f)(2.0)
    result = stored[0](np.float64(1.0))
    with pytest.raises(EscapedValueError, match="Return it from the function"):
        float(result[0] if isinstance(result, tuple) else result)
    del result, stored[:]
    tg.vmap(f)(np.arange(2.0))
    with pytest.raises(EscapedValueError, match="Return it from the function"):
        stored[0](np.float64(1.0))


def test_leftovers_of_ended_transforms_slow_nothing_down():
    x = stale()
    kept = [x * 2.0 for _ in range(3)]
    assert len(local.root) == 3
    assert type(tg.grad(lambda x: x * x)(3.0)) is np.float64
    assert len(local.root) == 0
    assert len(kept) == 3


# Changes of outer values inside inner transforms


def changed_inside(inner, raises=False):
    """d/dx of sum(y**2), where y[0] was set to 2 x[1] inside an inner transform."""

    def f(x):
        y = x * 1.0

        def g(z):
            y[0] = y[1] * (z if inner is not tg.vmap else 2.0)
            if raises:
                raise ZeroDivisionError
            return y[0] * z

        at = np.array([2.0, 2.0]) if inner is tg.vmap else 2.0
        with contextlib.suppress(ZeroDivisionError):
            inner(g)(at)
        return tnp.sum(y * y)

    return f


X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("inner", [tg.grad, tg.vmap, lambda g: lambda z: tg.jvp(g, (z,), (1.0,))])
def test_an_outer_value_changed_inside(inner):
    np.testing.assert_array_equal(tg.grad(changed_inside(inner))(X), [0.0, 20.0, 6.0])
    np.testing.assert_array_equal(tg.vmap(changed_inside(inner))(np.stack([X, X])), [29.0, 29.0])


def test_an_outer_value_changed_inside_what_raises():
    """On a replay tape the change stays, as in Python; else its entries are gone: that raises."""
    f = changed_inside(tg.grad, raises=True)
    np.testing.assert_array_equal(tg.vmap(f)(np.stack([X, X])), [29.0, 29.0])
    np.testing.assert_array_equal(tg.vmap(tg.grad(f))(X[None]), [[0.0, 20.0, 6.0]])
    with pytest.raises(EscapedValueError, match="neither an entry nor a leaf"):
        tg.grad(f)(X)


# Cotangents of indexed scalars


def test_a_scalar_that_is_indexed_and_used():
    assert tg.grad(lambda a: tnp.sum(a[a > 0]) * a)(2.0) == 4.0
    assert tg.grad(lambda a: a * a[None][0] * a[...] * a[()])(2.0) == 32.0
    assert tg.grad(lambda a: tnp.sum(a[None, None]) + a)(np.array(2.0)) == 2.0


# Lanes


@pytest.mark.parametrize(
    ("function", "arrays", "shape"),
    [
        (np.linalg.solve, (np.ones((0, 4, 4)), np.ones((0, 4))), (0, 4)),
        (np.linalg.inv, (np.ones((0, 2, 3, 3)),), (0, 2, 3, 3)),
        (np.linalg.cholesky, (np.ones((0, 3, 3)),), (0, 3, 3)),
        (tg.grad(lambda a: tnp.sum(tnp.linalg.inv(a))), (np.ones((0, 3, 3)),), (0, 3, 3)),
        (lambda i, x: x[i], (np.ones(0, int), np.ones((0, 1))), (0, 1)),
        (lambda m, x: tnp.where(m, x, 0), (np.ones(0, bool), np.ones((0, 2))), (0, 2)),
    ],
)
def test_no_lanes_of_functions_that_are_not_defined_everywhere(function, arrays, shape):
    axes = (0, None) if arrays[0].dtype == int else 0
    if axes != 0:
        arrays = (arrays[0], np.ones((1, 1)))
    assert tg.vmap(function, axes)(*arrays).shape == shape


def test_a_scalar_that_all_lanes_share_is_assigned():
    rows = np.arange(6.0).reshape(2, 3)

    def f(x, s):
        def row(r):
            r = r * 1.0
            r[1] = s
            return tnp.sum(r * r)

        return tnp.sum(tg.vmap(row)(x))

    gx, gs = tg.grad(f, (0, 1))(rows, 5.0)
    np.testing.assert_array_equal(gx, [[0.0, 0.0, 4.0], [6.0, 0.0, 10.0]])
    assert gs == 20.0
    np.testing.assert_array_equal(tg.hessian(f, 1)(rows, 5.0), 4.0)


# Garbage

SINE = tg.custom_vjp(lambda x, *, scale=1.0: tnp.sin(x) * scale)
SINE.defvjp(lambda x: (tnp.sin(x), x), lambda x, g: (g * tnp.cos(x),))
COSINE = tg.custom_jvp(lambda x: tnp.cos(x))
COSINE.defjvp(lambda primals, tangents: (tnp.cos(*primals), -tnp.sin(*primals) * tangents[0]))


@pytest.mark.parametrize("f", [tnp.sin, SINE, COSINE, tg.checkpoint(tnp.sin)])
@pytest.mark.parametrize(
    "transform",
    [
        lambda f: tg.grad(lambda x: tnp.sum(f(x))),
        lambda f: tg.hessian(lambda x: tnp.sum(f(x))),
        lambda f: tg.vmap(f),
        lambda f: tg.vmap(tg.grad(f)),
        lambda f: tg.grad(lambda x: tnp.sum(tg.vmap(f)(x))),
        lambda f: lambda x: tg.vjp(f, x)[1](x),
        lambda f: lambda x: tg.record(f)(x),
    ],
)
def test_no_transform_leaves_reference_cycles(transform, f):
    run = transform(f)
    run(X)
    gc.collect()
    gc.disable()
    try:
        run(X)
        assert gc.collect() == 0
    finally:
        gc.enable()


# Threads and contexts


def in_copied_context(function):
    """What `function` gives in another thread that got a copy of this one's context."""
    context = contextvars.copy_context()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(context.run, function).result()


def in_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


USES = {
    "product": lambda a: a * 2.0,
    "reflected": lambda a: 2.0 * a,
    "of both": lambda a: a * a,
    "unary": tnp.sin,
    "reduction": tnp.sum,
    "index": lambda a: a[..., None],
    "matmul": lambda a: tnp.reshape(a, (1, 1)) @ np.ones((1, 1)),
    "concat": lambda a: tnp.stack([a, a]),
    "where": lambda a: tnp.where(True, a, 0.0),
    "assignment": lambda a: tnp.array([1.0, a]),
    "closed over": lambda a: tg.grad(lambda y: y * a)(1.0),
    "argument": lambda a: tg.grad(lambda y: y * y)(a),
    "vmap": lambda a: tg.vmap(lambda y: y * a)(np.ones(2)),
    "jvp": lambda a: tg.jvp(lambda y: y * y, (a,), (1.0,)),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("transform", [tg.grad, lambda f: lambda x: tg.vmap(f)(x + np.zeros(2))])
def test_a_traced_value_in_another_thread_raises_with_a_copied_context_too(transform, use):
    def f(x):
        for run in (in_copied_context, in_thread):
            with pytest.raises(TapegradError, match="a transform that runs in another thread"):
                run(lambda: USES[use](x))
        return x * x

    transform(f)(2.0)


def test_graphs_of_threads_in_copied_contexts_are_whole():
    """Each records on its own tape: on one tape, entries would come out of order."""
    w = requires_grad(np.array([1.0, 2.0]))
    interval = sys.getswitchinterval()

    def work(_):
        return [chain(w) for _ in range(60)]

    async def main():
        return await asyncio.gather(*[asyncio.to_thread(work, k) for k in range(6)])

    sys.setswitchinterval(1e-5)
    try:
        runs = asyncio.run(main())
    finally:
        sys.setswitchinterval(interval)
    assert len(local.root) == 0
    expected = tg.grad(chain)(w.data)
    for outputs in runs:
        for y in outputs:
            (g,) = gradients(y, [w])
            np.testing.assert_array_equal(g.data, expected)


def chain(w):
    y = w
    for _ in range(20):
        y = tnp.sin(y) * w
    return tnp.sum(y)


def test_tasks_that_interleave():
    """no_grad around an await is of its own task; transforms run between and in other threads."""
    w = requires_grad(np.array([0.3, 0.4]))

    async def without(k):
        for _ in range(k + 3):
            with no_grad():
                await asyncio.sleep(0)
                assert not (w * 2.0).slot
            await asyncio.sleep(0)
            assert (w * 2.0).slot

    async def train(k):
        for _ in range(5):
            loss = chain(w * k)
            await asyncio.sleep(0)
            (g,) = gradients(loss, [w])
            np.testing.assert_allclose(g.data, tg.grad(lambda v: chain(v * k))(w.data))
            elsewhere = await asyncio.to_thread(tg.grad(lambda v: chain(v * k)), w.data)
            np.testing.assert_array_equal(elsewhere, tg.grad(lambda v: chain(v * k))(w.data))

    async def main():
        await asyncio.gather(*map(without, range(3)), *map(train, (1.0, 2.0, 3.0)))

    asyncio.run(main())
    assert is_grad_enabled()


def test_an_event_loop_inside_a_traced_function():
    async def part(z):
        await asyncio.sleep(0)
        return z * z + tg.grad(lambda q: q * q * z)(1.0)

    async def whole(x):
        a, b = await asyncio.gather(
            asyncio.create_task(part(x)), asyncio.create_task(part(2.0 * x))
        )
        return a * b

    def f(x):  # (x^2 + 2x) (4x^2 + 4x) = 4 x^4 + 12 x^3 + 8 x^2
        return asyncio.run(whole(x))

    assert tg.grad(f)(2.0) == 16 * 8.0 + 36 * 4.0 + 16 * 2.0
    assert tg.grad(tg.grad(f))(2.0) == 48 * 4.0 + 72 * 2.0 + 16.0
    np.testing.assert_array_equal(tg.vmap(f)(np.array([1.0, 2.0])), [24.0, 192.0])


@pytest.mark.parametrize("of", [lambda w: w, lambda w: w * w], ids=["a leaf", "a value"])
def test_a_leaf_that_another_thread_makes_while_a_transform_runs(of):
    def f(x):
        with ThreadPoolExecutor(1) as pool:
            made.append(pool.submit(lambda: requires_grad(3.0)).result())
            return x * x * pool.submit(of, made[0]).result()

    made = []
    result = tg.grad(f)(2.0)  # 2 x w or 2 x w^2
    assert result.data == 4.0 * of(3.0)
    backward(result)
    assert made[0].grad.data == (4.0 if of(3.0) == 3.0 else 24.0)


def test_a_value_of_another_thread_whose_leaf_is_no_more():
    with ThreadPoolExecutor(1) as pool:
        y = pool.submit(lambda: requires_grad(3.0) * 2.0).result()
        assert tg.grad(lambda x: x * x * y)(2.0).data == 24.0
        assert tg.hessian(lambda x: x * x * y)(2.0).data == 12.0


# Interrupts


def test_a_tape_that_an_interrupt_has_left_behind():
    """Ctrl-C may come between the end of a trace and where the tape before is put back."""
    outer = ReplayTape("vmap")
    set_current(outer)
    inner = ReplayTape("checkpoint")
    set_current(inner)
    inner.closed = outer.closed = True
    assert local.tape is local.root
    assert tg.grad(lambda x: x * x)(3.0) == 6.0
    set_current(Paused(inner))
    assert tg.vmap(lambda x: x * x)(np.ones(2)).tolist() == [1.0, 1.0]
    set_current(local.root)
