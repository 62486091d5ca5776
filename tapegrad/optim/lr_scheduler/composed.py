"""Schedulers made of others: all at once, or one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from .. import errors
from ..optimizer import Optimizer
from .base import LRScheduler, set_option, values_of
from .plateau import ReduceLROnPlateau

__all__ = ["ChainedScheduler", "SequentialLR"]


class Composed(LRScheduler):
    """What schedulers made of others share."""

    _schedulers: Sequence[LRScheduler]

    def _take(
        self, optimizer: Optimizer | None, schedulers: Sequence[LRScheduler], needed: str
    ) -> None:
        name = type(self).__name__
        if not schedulers:
            raise errors.no_schedulers(name, needed)
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise errors.scheduler_without_optimizer(name, i)
            if isinstance(scheduler, ReduceLROnPlateau):
                raise errors.plateau_in_composition(name, i)
            optimizer = optimizer or scheduler.optimizer
            if scheduler.optimizer is not optimizer:
                raise errors.different_optimizers(name, scheduler, i, optimizer)
        assert optimizer is not None
        self._schedulers = schedulers
        self.optimizer = optimizer

    def state_dict(self) -> dict[str, Any]:
        """The state, with those of the schedulers."""
        return {
            **super().state_dict(),
            "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state that `state_dict` gave, and so do the schedulers."""
        rest = {name: value for name, value in state_dict.items() if name != "_schedulers"}
        super().load_state_dict(rest)
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class ChainedScheduler(Composed):
    """Steps of all schedulers, in their order, each from the rates of the one before."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self._take(optimizer, schedulers, "scheduler to be chained")
        self._last_lr = values_of(self.optimizer, "lr")

    def step(self, epoch: int | None = None) -> None:
        """A step of each scheduler."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values_of(self.optimizer, "lr")


class SequentialLR(Composed):
    """One scheduler after the other; the next one begins at each of the `milestones`."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        self._take(optimizer, schedulers, "scheduler")
        if len(milestones) != len(schedulers) - 1:
            raise errors.wrong_number_of_milestones(len(schedulers), len(milestones))
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            set_option(group, "lr", group["initial_lr"])
        undo(self)  # each began with a step
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """A step of the scheduler whose turn it is."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index and self._milestones[index - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def undo(scheduler: LRScheduler) -> None:
    """Take back the first step of a scheduler, or of those that it is made of."""
    if isinstance(scheduler, Composed):
        for part in scheduler._schedulers:
            undo(part)
    elif hasattr(scheduler, "last_epoch"):
        scheduler.last_epoch -= 1
