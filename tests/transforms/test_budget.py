"""`checkpoint` in a budget: the plain gradient, bit by bit, in little memory."""

import time
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.op import Op
from tapegrad.transforms import recompute
from tapegrad.transforms.misuse import size_text
from tapegrad.transforms.plan import bytes_of

X = np.linspace(0.1, 1.0, 50)


def heat(x, k, steps=100):
    for _ in range(steps):
        y = x + 0.01 * (tnp.roll(x, 1) - 2 * x + tnp.roll(x, -1)) * k
        x = y - 0.001 * y * y * tnp.sin(y)
    return tnp.sum(x * x)


def until_small(x, k):
    """Its length depends on the values."""
    count = 0
    while tnp.max(x) > 0.2:
        x = x * (1 - 0.01 * k) + 0.001 * tnp.sin(x)
        count += 1
    return tnp.sum(x) * count


def network(x, k):
    """No loop: layers of different sizes."""
    rng = np.random.default_rng(0)
    for width in (80, 20, 200, 50, 10):
        w = rng.normal(size=(width, x.shape[0])) / x.shape[0]
        x = tnp.tanh(w @ x * k) + tnp.exp(-tnp.cos(x[:1]))
    return tnp.sum(x**3)


def filled(x, k):
    """Mutation, views and indices."""
    out = tnp.zeros(40)
    for i in range(40):
        out[i] = k * tnp.sum(x[i : i + 5] ** 2)
        x = x + 0.01 * out[i]
        x[0] = x[1] * out[i]
    return tnp.sum(tnp.sort(out) * np.arange(40))


def transforms_inside(x, k):
    for _ in range(20):
        x = x - 0.1 * k * tg.grad(lambda x: tnp.sum(tnp.cos(x) * x))(x)
    return tnp.sum(x)


def many_results(x, k):
    q, r = tnp.linalg.qr(tnp.outer(x[:6], x[:6]) + np.eye(6))
    for _ in range(30):
        q, r = tnp.linalg.qr(k * r @ q)
    return tnp.sum(r * r) + tnp.sum(tnp.sort(q[0]))


@tg.custom_vjp
def softened(x):
    return tnp.log1p(tnp.exp(x))


softened.defvjp(
    lambda x: (tnp.log1p(tnp.exp(x)), {"new": tnp.exp(x), "x": x, "constant": 1.0}),
    lambda kept, g: (g * kept["new"] / (kept["constant"] + kept["new"]),),
)


def own_rules(x, k):
    for _ in range(20):
        x = 0.5 * softened(k * x) * tnp.sin(x)
    return tnp.sum(x)


PROGRAMS = {
    f.__name__: f
    for f in (heat, until_small, network, filled, transforms_inside, many_results, own_rules)
}
BUDGETS = (None, "100MB", 100_000, 30_000, 6_000)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_bit_equal(name, budget):
    f, k = PROGRAMS[name], 0.7
    expected = tg.value_and_grad(f, (0, 1))(X, k)
    got = tg.value_and_grad(tg.checkpoint(f, budget=budget), (0, 1))(X, k)
    assert got[0] == expected[0]
    assert_array_equal(got[1][0], expected[1][0])
    assert got[1][1] == expected[1][1]


def simulate(x, steps):
    for _ in range(steps):
        x = x + 0.01 * (tnp.roll(x, 1) - 2 * x + tnp.roll(x, -1))
        x = x - 0.001 * x * x * tnp.sin(x)
    return tnp.sum(x * x)


def peak(f):
    tracemalloc.start()
    try:
        f()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_keeps_to_the_budget():
    x, steps = np.linspace(0, 1, 4000), 100
    plain = lambda: tg.grad(simulate)(x, steps)  # noqa: E731
    plain()
    tape = peak(plain)
    budget = tape // 10
    limited = tg.grad(tg.checkpoint(simulate, budget=budget))
    limited(x, 3)
    overhead = 10 * x.nbytes + 50_000  # the gradient, the arrays in hand, instructions
    assert peak(lambda: limited(x, steps)) < budget + overhead
    assert overhead < tape / 20


@pytest.mark.slow
def test_ten_thousand_steps_in_one_percent():
    x, steps = np.linspace(0, 1, 2000), 10_000
    entries = 15 * steps
    tape = entries * 0.6 * x.nbytes
    limited = tg.grad(tg.checkpoint(simulate, budget=int(0.01 * tape)))
    start = time.process_time()
    got = limited(x, steps)
    middle = time.process_time()
    expected = tg.grad(simulate)(x, steps)
    end = time.process_time()
    assert_array_equal(got, expected)
    assert middle - start <= 3 * (end - middle)


def test_python_runs_once_and_random_numbers_are_the_same():
    rng = tnp.random.default_rng(0)
    calls = []

    def noisy(x):
        calls.append(1)
        for _ in range(50):
            x = x * (1 + 0.1 * rng.normal(size=50))
        return tnp.sum(x)

    value, gradient = tg.value_and_grad(tg.checkpoint(noisy, budget=3_000))(X)
    assert len(calls) == 1
    assert_allclose(np.sum(gradient * X), value, rtol=1e-10)


def test_pulled_more_than_once():
    limited = tg.checkpoint(lambda x: heat(x, 0.7), budget=15_000)
    value, pullback = tg.vjp(limited, X)
    expected = tg.grad(lambda x: heat(x, 0.7))(X)
    for factor in (1.0, 2.0, 0.5):
        assert_array_equal(pullback(factor)[0], factor * expected)
    assert value == heat(X, 0.7)


TRANSFORMS = {
    "jacfwd": tg.jacfwd,
    "hessian": tg.hessian,
    "reverse over reverse": lambda f: tg.jacrev(tg.grad(f)),
    "third": lambda f: tg.grad(lambda x: tnp.sum(tg.hessian(f)(x) ** 2)),
    "vmap of grad": lambda f: lambda x: tg.vmap(tg.grad(f))(np.stack([x, 2 * x])),
    "grad of vmap": lambda f: (
        lambda x: tg.grad(lambda x: tnp.sum(tg.vmap(f)(tnp.stack([x, 2 * x]))))(x)
    ),
    "nested": lambda f: tg.grad(tg.checkpoint(lambda x: f(f(x) * x), budget=500)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_other_transforms_are_exact(name):
    def f(x):
        for _ in range(6):
            x = x + 0.1 * tnp.sin(x) * x
        return tnp.sum(x * x)

    x = X[:3]
    transform = TRANSFORMS[name]
    got = transform(tg.checkpoint(f, budget=200))(x)
    assert_allclose(got, transform(f)(x), rtol=1e-10)


def test_checkpoints_inside_leave_it_to_the_outer_one():
    def loop(wrap):
        def f(x):
            for _ in range(60):
                x = wrap(lambda x: x + 0.01 * tnp.sin(x) * x)(x)
            return tnp.sum(x * x)

        return f

    limited = tg.checkpoint(loop(lambda f: tg.checkpoint(f, budget=500)), budget=8_000)
    assert_array_equal(tg.grad(limited)(X), tg.grad(loop(lambda f: f))(X))
    limited = tg.checkpoint(loop(tg.checkpoint), budget=8_000)
    assert_array_equal(tg.grad(limited)(X), tg.grad(loop(lambda f: f))(X))


def test_captured_values():
    def loss(w, wrap):
        def f(x):
            for _ in range(30):
                x = x * tnp.sin(w[0]) + w.sum() * 0.01
            return tnp.sum(x)

        return wrap(f)(X)

    w = np.array([0.9, 0.2], dtype=np.float32)
    for budget in (10**6, 1_000):
        got = tg.grad(loss)(w, lambda f, b=budget: tg.checkpoint(f, budget=b))
        expected = tg.grad(loss)(w, lambda f: f)
        assert got.dtype == np.float32
        assert_allclose(got, expected, rtol=1e-5)


def layers(x):
    h = tg.checkpoint_name(tnp.tanh(x * 2.0), "hidden")
    return tnp.sum(tnp.exp(h) * h)


@pytest.mark.parametrize(
    "keep", [["tanh"], ["hidden"], [], lambda op, params: op.name == "exp", ("exp", "multiply")]
)
def test_policies(keep):
    got = tg.grad(tg.checkpoint(layers, keep=keep))(X)
    assert_array_equal(got, tg.grad(layers)(X))


def test_what_is_kept_is_not_computed_again():
    runs = []

    def forward(xp, x):
        runs.append(1)
        return xp.tanh(x)

    op = Op(
        "expensive",
        forward=forward,
        vjp=(lambda g, out, _x: g * (1 - out * out),),
        jvp="elementwise",
        elementwise=True,
    )
    expensive = op.function = function_of(op)

    def f(x):
        return tnp.sum(tnp.exp(expensive(x) * 2.0))

    for keep, expected in ((["expensive"], 1), ([], 2)):
        runs.clear()
        got = tg.grad(tg.checkpoint(f, keep=keep))(X)
        assert len(runs) == expected
        runs.clear()
        assert_array_equal(got, tg.grad(f)(X))


def test_what_is_dear_by_the_byte_is_kept(monkeypatch):
    runs = []
    clock = [0.0]

    def tick():
        clock[0] += 1e-6
        return clock[0]

    monkeypatch.setattr(recompute, "perf_counter", tick)

    def forward(xp, x):
        runs.append(1)
        clock[0] += 1e-3
        return xp.exp(x)

    dear = Op(
        "dear",
        forward=forward,
        vjp=(lambda g, out, _x: g * out,),
        jvp="elementwise",
        elementwise=True,
    )
    dear.function = function_of(dear)
    x = np.linspace(0, 1, 100)

    def f(x):
        total = 0.0
        for i in range(40):
            small = dear.function(x[: 10 + i % 3] * 0.1)
            total = total + tnp.sum(small) * tnp.sum(tnp.sin(x) * tnp.cos(x) * tnp.exp(x))
        return total

    expected = tg.grad(f)(x)
    runs.clear()
    # room for the 40 small results, but not for half of the large ones
    assert_array_equal(tg.grad(tg.checkpoint(f, budget=100_000))(x), expected)
    assert len(runs) == 40


def function_of(op):
    from tapegrad.core.fast import elementwise_function

    return elementwise_function(op, 1)


@pytest.mark.parametrize("budget", [None, 10**6, 3_000])
def test_spilling_to_files(budget):
    expected = tg.grad(heat)(X, 0.7)
    got = tg.grad(tg.checkpoint(heat, budget=budget, spill=100))(X, 0.7)
    assert_array_equal(got, expected)
    matrix = np.asfortranarray(np.outer(X[:9], X[:9]))

    def f(a):
        for _ in range(10):
            a = tnp.sin(a.T) @ a * 0.1
        return tnp.sum(a)

    assert_array_equal(
        tg.grad(tg.checkpoint(f, budget=budget, spill="0.1kB"))(matrix), tg.grad(f)(matrix)
    )


def test_a_zero_cotangent_stays_zero():
    def f(x):
        for _ in range(5):
            x = tnp.where(x > 0.5, tnp.sqrt(tnp.where(x > 0.5, x - 0.5, 0.0)) + 0.5, x) * 0.9
        return tnp.sum(x)

    expected = tg.grad(f)(X)
    assert np.all(np.isfinite(expected))
    assert_array_equal(tg.grad(tg.checkpoint(f, budget=1_000))(X), expected)


@pytest.mark.parametrize("budget", [None, 100, 2_000])
def test_a_sweep_that_meets_nan_is_repeated_with_care(budget):
    """The first one has let go of its entries: they are made again."""

    def f(x):
        for _ in range(5):
            x = tnp.where(x > 0, tnp.sqrt(x) * x + tnp.log(x), 0.0) * 0.5 + x
        return tnp.sum(x)

    x = np.array([0.0, 0.5, -0.2, 1.0])
    with np.errstate(all="ignore"):
        expected = tg.grad(f)(x)
        assert np.all(np.isfinite(expected))
        assert_array_equal(tg.grad(tg.checkpoint(f, budget=budget))(x), expected)


def test_results_that_are_inputs_constants_or_trees():
    @tg.checkpoint(budget=100)
    def f(x, flag):
        return {"same": x, "twice": 2 * x, "number": 3, "index": tnp.argmax(x), "flag": flag}

    out = f(X, "on")
    assert out["number"] == 3
    assert out["flag"] == "on"
    assert_array_equal(out["twice"], 2 * X)
    gradient = tg.grad(lambda x: tnp.sum(f(x, "on")["twice"] * f(x, "off")["same"]))(X)
    assert_allclose(gradient, 4 * X)


def test_complex_and_negative_zero_constants():
    def f(x):
        a = tnp.arctan2(x, 0.0) + tnp.arctan2(x, -0.0)
        return tnp.sum(tnp.abs(a * 1j + x * (2 + 1j)) ** 2)

    assert_array_equal(tg.grad(tg.checkpoint(f, budget=300))(X), tg.grad(f)(X))


def test_a_raise_leaves_the_tape():
    from tapegrad.core.tape import local

    @tg.checkpoint(budget=100)
    def f(x):
        tnp.sin(x)
        raise RuntimeError("inside")

    before, tape = len(local.root), local.tape
    with pytest.raises(RuntimeError, match="inside"):
        tg.grad(f)(X)
    assert (len(local.root), local.tape) == (before, tape)


@pytest.mark.parametrize(
    ("text", "size"), [("500MB", 5 * 10**8), ("1.5 kB", 1500), ("2GiB", 2**31), (7, 7), ("9", 9)]
)
def test_sizes(text, size):
    assert bytes_of("budget", text) == size


@pytest.mark.parametrize("size", ["many", "5 XB", 0, -1, True])
def test_sizes_that_are_none(size):
    with pytest.raises(ValueError, match="must be a number of bytes"):
        tg.checkpoint(heat, budget=size)


def test_keep_is_no_string():
    with pytest.raises(TypeError, match=r"keep=\['matmul'\]"):
        tg.checkpoint(heat, keep="matmul")


def test_a_budget_of_no_states_is_told_of():
    limited = tg.checkpoint(lambda x: heat(x, 0.7, steps=40), budget=500)
    with pytest.warns(RuntimeWarning, match=r"about \d+ times. With budget='[\d.]+kB'") as told:
        got = tg.grad(limited)(X)
    assert_array_equal(got, tg.grad(lambda x: heat(x, 0.7, steps=40))(X))
    (warning,) = told
    assert warning.filename == __file__
    better = str(warning.message).split("'")[1]
    tg.grad(tg.checkpoint(lambda x: heat(x, 0.7, steps=40), budget=better))(X)


@pytest.mark.parametrize(("size", "text"), [(999, "999B"), (20_000, "20kB"), (1.26e9, "1.26GB")])
def test_texts_of_sizes(size, text):
    assert size_text(size) == text
    assert bytes_of("budget", text) == size
