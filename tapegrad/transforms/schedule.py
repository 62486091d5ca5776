"""Which states of a long computation to keep, so that going back through it recomputes least.

A computation of `n` equal steps is gone through backwards. The state before a step can be computed
from any earlier state that was kept. With `slots` states kept besides the first, the least number
of steps to compute again is known (Griewank and Walther, 2000): where no step is computed more than
`t` times, `n` may be as large as binomial(slots + 1 + t, t).
"""

from __future__ import annotations

from math import comb, inf


def repetitions(n: int, slots: int) -> int:
    """How often at most a step has to be computed again: the least `t` that suffices."""
    t = 0
    while comb(slots + 1 + t, t) < n:
        t += 1
    return t


def least_steps(n: int, slots: int) -> int:
    """The least number of steps to compute again for `n` steps, beyond those that are recorded."""
    t = repetitions(n, slots)
    return t * n - comb(slots + 1 + t, t - 1) if t else 0


def first_advance(n: int, slots: int) -> int:
    """How many of `n` steps to compute from the first state before another state is kept.

    One of the optimal answers: then neither the steps before that state nor those behind it, which
    have one slot less, need more repetitions than is possible for all.
    """
    if slots == 0 or n < 2:
        return max(n - 1, 0)
    t = repetitions(n, slots)
    fewest = comb(slots + t - 1, t - 2) if t > 1 else 1  # of steps that need t - 1 repetitions
    return max(fewest, n - comb(slots + t, t))


class Online:
    """States kept along a computation of unknown length, at most `slots` besides the first.

    The rule of Wang, Moin and Iaccarino (2009): a state has a level, and can be dispensed with if a
    later one has a higher level. At every length, no step has to be computed again more often than
    with the best choice for that length.
    """

    __slots__ = ("levels", "slots")

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.levels: dict[int, float] = {0: inf}

    def add(self, position: int) -> int | None:
        """Keep the state at a new position; gives the position of the one to drop, or None."""
        if len(self.levels) <= self.slots:
            self.levels[position] = 0
            return None
        if not self.slots:
            return position
        found = self.dispensable()
        if found is not None:
            del self.levels[found]
            self.levels[position] = 0
            return found
        last = max(self.levels)
        self.levels[position] = self.levels.pop(last) + 1
        return last

    def shrink(self) -> int | None:
        """Have one slot less; gives the position of the state to drop, or None if there is none."""
        if len(self.levels) < 2:
            return None
        self.slots = max(len(self.levels) - 2, 0)
        found = self.dispensable()
        found = max(self.levels) if found is None else found
        del self.levels[found]
        return found

    def dispensable(self) -> int | None:
        """The last position whose state can be dispensed with."""
        highest = -1.0
        for position in sorted(self.levels, reverse=True):
            if self.levels[position] < highest:
                return position
            highest = max(highest, self.levels[position])
        return None
