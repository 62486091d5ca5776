"""Schedules: the binomial bound, against an exhaustive search, and the rule for unknown lengths."""

from functools import cache
from math import comb

import pytest

from tapegrad.transforms.schedule import Online, first_advance, least_steps, repetitions


@cache
def best(n, slots):
    """The least number of steps to compute again, by trying everything."""
    if n <= 1 or slots == 0:
        return n * (n - 1) // 2
    return min(m + best(n - m, slots - 1) + best(m, slots) for m in range(1, n))


@cache
def ours(n, slots):
    if n <= 1 or slots == 0:
        return n * (n - 1) // 2
    m = first_advance(n, slots)
    return m + ours(n - m, slots - 1) + ours(m, slots)


@pytest.mark.parametrize("slots", range(7))
def test_schedule_is_optimal(slots):
    for n in range(1, 70):
        assert ours(n, slots) == best(n, slots) == least_steps(n, slots), n


@pytest.mark.parametrize("slots", [1, 3, 10, 100])
def test_binomial_bound(slots):
    for t in (1, 2, 3):
        most = comb(slots + 1 + t, t)
        assert repetitions(most, slots) == t
        assert repetitions(most + 1, slots) == t + 1


def deepest(positions, n, slots):
    """How often at most a step is computed again, from the states at the given positions."""
    positions = sorted(positions)
    worst = 0
    for i, (start, stop) in enumerate(zip(positions, [*positions[1:], n], strict=True)):
        free = slots - i  # the later states are not needed any more
        worst = max(worst, repetitions(stop - start, free))
    return worst


@pytest.mark.parametrize("slots", [1, 2, 3, 5, 8])
def test_unknown_length_takes_no_more_repetitions(slots):
    online = Online(slots)
    kept = {0}
    for n in range(1, 60):
        assert deepest(kept, n, slots) <= repetitions(n, slots), n
        dropped = online.add(n)
        kept.add(n)
        if dropped is not None:
            kept.remove(dropped)
        assert len(kept) <= slots + 1
        assert kept == set(online.levels)


def test_no_slots_at_all():
    online = Online(0)
    assert online.add(1) == 1
    assert online.shrink() is None
    assert first_advance(5, 0) == 4


def test_shrinking_keeps_what_cannot_be_dispensed_with():
    online = Online(3)
    for n in range(1, 8):
        online.add(n)
    before = set(online.levels)
    dropped = online.shrink()
    assert set(online.levels) == before - {dropped}
    assert 0 in online.levels
    assert online.slots == 2
