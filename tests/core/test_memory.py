"""What tapes and sweeps cost: entries visited, bytes held, no recursion, compaction."""

import gc
import sys
import tracemalloc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward, gradients
from tapegrad.core.leaf import requires_grad
from tapegrad.core.modes import no_grad
from tapegrad.core.tape import (
    FULL_BYTES,
    FULL_ENTRIES,
    YOUNG_BYTES,
    YOUNG_ENTRIES,
    Tape,
    local,
    set_current,
)


class CountingTape(Tape):
    """A tape that counts how many entries are looked at."""

    __slots__ = ("looked",)

    def __init__(self):
        super().__init__()
        self.looked = 0

    def __getitem__(self, index):
        got = super().__getitem__(index)
        self.looked += len(got) if isinstance(index, slice) else 1
        return got


@pytest.fixture
def counting():
    before = local.root
    local.root = tape = CountingTape()
    set_current(tape)
    yield tape
    local.root = before
    set_current(before)


@pytest.fixture
def shallow():
    """A recursion limit that no algorithm over a long tape would get along with."""
    limit = sys.getrecursionlimit()
    depth = len(list(iter_frames()))
    sys.setrecursionlimit(depth + 60)
    yield
    sys.setrecursionlimit(limit)


def iter_frames():
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back


def chain(x, count):
    for _ in range(count):
        x = x * 1.0
    return x


def test_a_small_sweep_above_many_entries(counting):
    w = requires_grad(2.0)
    live = chain(w, 30_000)
    counting.looked = 0
    backward(w * 3.0)
    assert counting.looked < 100
    assert w.grad.raw == 3.0
    assert len(counting) == 30_000
    del live


def test_a_small_sweep_below_many_entries(counting):
    w = requires_grad(2.0)
    y = w * 3.0
    live = chain(w, 30_000)
    counting.looked = 0
    backward(y)
    assert counting.looked < 100
    assert len(counting) == 30_000
    del live


def test_a_sweep_leaps_over_what_it_does_not_need(counting):
    w = requires_grad(2.0)
    a = w * 3.0
    first = chain(w, 20_000)
    b = a * a
    second = chain(w, 20_000)
    y = b * a
    counting.looked = 0
    (g,) = gradients(y, [w], retain_graph=True)
    assert g.raw == 81 * 4.0
    assert counting.looked < 1000
    backward(y)
    assert counting.looked < 2500
    assert len(counting) == 40_000
    del first, second


def test_a_sweep_costs_what_it_visits(counting):
    w = requires_grad(2.0)
    looked = []
    for count in (1000, 2000, 4000):
        y = chain(w, count)
        counting.looked = 0
        backward(y)
        looked.append(counting.looked)
    assert looked[1] < 2.2 * looked[0]
    assert looked[2] < 2.2 * looked[1]


def test_sparse_entries_are_freed_one_by_one():
    w = requires_grad(2.0)
    y, kept = w, []
    for _ in range(20):
        y = y * 1.0
        kept.append(chain(w, 100))
    backward(y)
    assert len(local.root) == 2000
    slots = [entry[1] for entry in local.root]
    assert slots == sorted(slots)
    for other in kept:
        backward(other)
    assert len(local.root) == 0
    assert w.grad.raw == 21.0


@pytest.mark.parametrize("count", [30_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_long_chains_are_no_recursion(shallow, count):
    w = requires_grad(2.0)
    y = chain(w, count)
    assert len(local.root) == count
    backward(y)
    assert w.grad.raw == 1.0
    assert tg.grad(lambda x: chain(x, count))(2.0) == 1.0
    assert tg.jvp(lambda x: chain(x, count), (2.0,), (1.0,)) == (2.0, 1.0)
    del y
    local.root.compact()
    assert len(local.root) == 0


def test_long_chains_of_second_order(shallow):
    assert tg.grad(tg.grad(lambda x: chain(x, 3000) ** 2))(2.0) == 2.0
    np.testing.assert_array_equal(
        tg.vmap(tg.grad(lambda x: chain(x, 3000)))(np.ones(2)), [1.0, 1.0]
    )


def bytes_of(function):
    """What `function()` leaves allocated, its peak, and what it gives."""
    gc.collect()
    tracemalloc.start()
    result = function()
    gc.collect()
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held, peak, result


COUNTS = [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", COUNTS)
def test_bytes_of_an_entry(count):
    """At most 200 bytes an entry, beyond the data (here a NumPy scalar of 32 bytes each)."""
    w = requires_grad(2.0)

    def product():  # saves a result at each step
        y = w
        for _ in range(count):
            y = y * w
        return y

    with np.errstate(over="ignore"):
        held, _, y = bytes_of(product)
    assert len(local.root) == count
    assert held / count < 200 + 32
    backward(y, np.float64(0.0))
    held, _, y = bytes_of(lambda: chain(w, count))
    assert held / count < 200


@pytest.mark.parametrize("count", COUNTS)
def test_peak_memory_of_jvp(count):
    """As documented: the function is recorded, then walked; memory is linear in its operations.

    A tangent for each entry comes on top: a dictionary item and a NumPy scalar.
    """
    _, peak, (value, tangent) = bytes_of(lambda: tg.jvp(lambda x: chain(x, count), (2.0,), (1.0,)))
    assert (value, tangent) == (2.0, 1.0)
    assert peak / count < 350
    assert len(local.root) == 0


# Results that die without a sweep


def test_evaluations_are_bounded_by_count():
    w = requires_grad(2.0)
    longest = 0
    for _ in range(3 * YOUNG_ENTRIES):
        y = w * 3.0 + 1.0
        longest = max(longest, len(local.root))
    assert longest <= YOUNG_ENTRIES + 10
    assert y.raw == 7.0


def test_evaluations_are_bounded_by_bytes():
    w = requires_grad(np.ones(100_000))  # 0.8 MB a result
    tnp.sum(w * w)

    def evaluate():
        for _ in range(100):
            tnp.sum(tnp.exp(w) * w)

    _, peak, _ = bytes_of(evaluate)
    assert peak < YOUNG_BYTES + 8 * 800_000
    assert len(local.root) < 100


def test_evaluations_beside_a_living_graph_are_bounded():
    w = requires_grad(2.0)
    live = chain(w, 1000)
    for _ in range(2 * YOUNG_ENTRIES):
        w * 3.0
    assert len(local.root) <= 1000 + YOUNG_ENTRIES + 10
    backward(live)
    assert w.grad.raw == 1.0


def test_a_running_total_keeps_what_it_needs():
    w = requires_grad(2.0)
    total = 0.0
    for _ in range(500):
        loss = (w * 3.0) ** 2
        total = total + loss
    local.root.compact()
    needed = len(local.root)
    with no_grad():
        total = total + 0.0
    del loss
    local.root.compact()
    assert needed == 500 * 3  # a total of 500 losses needs all of them
    assert len(local.root) == 0


def test_old_garbage_is_found_by_a_full_pass():
    w = requires_grad(2.0)
    y = chain(w, FULL_ENTRIES + 3 * YOUNG_ENTRIES)
    assert len(local.root) == FULL_ENTRIES + 3 * YOUNG_ENTRIES
    del y
    for _ in range(FULL_ENTRIES + 5 * YOUNG_ENTRIES):  # as much work as what is there
        w * 3.0
    assert len(local.root) <= 2 * YOUNG_ENTRIES


def test_old_arrays_are_found_by_a_full_pass():
    w = requires_grad(np.ones(100_000))
    kept = [tnp.exp(w) * 1.0 for _ in range(50)]
    local.root.compact()
    local.root.compact()
    saved = weakref.ref(local.root[0][-1])
    assert saved() is not None
    del kept
    for _ in range(2 * FULL_BYTES // 800_000):
        tnp.exp(w)
    assert saved() is None


def test_saved_arrays_die_with_their_entries():
    w = requires_grad(np.ones(3))
    y = tnp.exp(w)
    saved = weakref.ref(y.raw)
    z = y * 2.0
    del y
    local.root.compact()
    assert saved() is not None
    del z
    local.root.compact()
    assert saved() is None


def test_a_compaction_inside_a_transform_keeps_what_it_needs():
    w = requires_grad(2.0)

    def f(x):
        y = x * w
        for _ in range(2 * YOUNG_ENTRIES):
            x * 3.0
        return y * x

    g = tg.grad(f)(3.0)
    assert g.raw == 12.0
    backward(g)
    assert w.grad.raw == 6.0


# Compaction changes no gradient

steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "multiply", "sin", "forget", "compact"]),
        st.integers(0, 6),
        st.integers(0, 6),
    ),
    max_size=40,
)


def run(program, compact):
    """The gradients of the sum of what a random program with random deaths leaves alive."""
    leaves = [requires_grad(np.array([0.5, -0.3]) * (i + 1)) for i in range(2)]
    values = list(leaves)
    for kind, i, j in program:
        a, b = values[i % len(values)], values[j % len(values)]
        if kind == "add":
            values.append(a + b)
        elif kind == "multiply":
            values.append(a * b)
        elif kind == "sin":
            values.append(tnp.sin(a))
        elif kind == "forget" and len(values) > 1:
            del values[i % len(values)]
        elif kind == "compact" and compact:
            del a, b
            local.root.compact()
    total = values[0] * 1.0
    for value in values[1:]:
        total = total + value
    backward(tnp.sum(total))
    grads = [None if w.grad is None else w.grad.raw for w in leaves]
    del values, total
    a = b = value = None
    compact_all()
    return grads


def compact_all():
    """A pass over the old entries too."""
    local.root.old = local.root.middle = 0
    local.root.compact()


@given(steps)
def test_compaction_keeps_what_is_reachable(program):
    for plain, compacted in zip(run(program, False), run(program, True), strict=True):
        np.testing.assert_array_equal(plain, compacted)
    assert len(local.root) == 0


@given(steps)
def test_what_is_unreachable_goes(program):
    """After a compaction, the tape holds exactly what living values were computed from."""
    w = requires_grad(0.5)
    values, origin = [w], {}
    for kind, i, j in program:
        a, b = values[i % len(values)], values[j % len(values)]
        if kind == "forget" and len(values) > 1:
            del values[i % len(values)]
        elif kind in ("add", "multiply"):
            c = a + b if kind == "add" else a * b
            origin[int(str(c.slot))] = {int(str(x.slot)) for x in (a, b)}
            values.append(c)
            del c
        del a, b
    compact_all()
    wanted, reached = {x.slot for x in values if x.slot > 0}, set()
    while wanted:
        slot = wanted.pop()
        reached.add(int(str(slot)))
        wanted |= {s for s in origin[slot] if s > 0} - reached
    assert {int(str(entry[1])) for entry in local.root} == reached
    del values
    compact_all()


@pytest.mark.parametrize("tracked", [False, True])
def test_a_rule_may_record_so_much_that_the_tape_is_compacted_in_the_midst_of_a_sweep(tracked):
    @tg.custom_vjp
    def f(x):
        return x * 1.0

    def rule(_, g):
        tg.grad(lambda x: tnp.sum(tnp.zeros(YOUNG_BYTES // 4) * x[0]))(np.ones(1))
        return (2.0 * g,)

    f.defvjp(lambda x: (x * 1.0, None), rule)

    def loss(x):
        x = x * 1.0
        for _ in range(20):
            tnp.exp(x)  # nobody wants these, so that compaction drops them
        return tnp.sum(f(x) * x)

    if not tracked:
        for transform in (
            tg.grad(loss),
            lambda x: tg.grad(lambda tree: loss(tree["x"]))({"x": x})["x"],
        ):
            assert transform(np.array([3.0])).tolist() == [9.0]
        return
    w = requires_grad([3.0])
    other = tnp.exp(w)
    y, later = loss(w), tnp.exp(w * 2.0)
    backward(y)
    assert w.grad.raw.tolist() == [9.0]
    assert len(local.root) == 3  # of the values that are still there
    for z, slope in ((other, np.exp(3.0)), (later, 2 * np.exp(6.0))):
        w.grad = None
        backward(tnp.sum(z))
        np.testing.assert_allclose(w.grad.raw, [slope])
    assert len(local.root) == 0
