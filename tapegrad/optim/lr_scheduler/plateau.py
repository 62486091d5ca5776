"""Rates that are reduced when a measure has stopped to improve."""

from __future__ import annotations

import warnings
from math import inf
from typing import Any

from .. import errors
from ..optimizer import Optimizer
from .base import LRScheduler, check_optimizer, set_option, values_of

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """Rates times `factor` when a measure has not improved for more than `patience` epochs.

    An improvement is one by `threshold`, relative or absolute as `threshold_mode` says ("rel",
    "abs"), down or up as `mode` says ("min", "max"). After a reduction, `cooldown` epochs do not
    count. No rate goes below `min_lr`, or changes by less than `eps`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise errors.factor_too_large()
        check_optimizer(optimizer)
        self.factor = factor
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if isinstance(min_lr, list | tuple):
            if len(min_lr) != count:
                raise errors.wrong_number_of_lowest_rates(count, len(min_lr))
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * count
        if mode not in ("min", "max"):
            raise errors.unknown_plateau_mode("mode", mode)
        if threshold_mode not in ("rel", "abs"):
            raise errors.unknown_plateau_mode("threshold mode", threshold_mode)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = values_of(optimizer, "lr")
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.mode_worse = inf if mode == "min" else -inf
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def observe(self, metrics: Any, epoch: int | None = None) -> None:
        """Take note of the measure of an epoch, and reduce the rates if it is time."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(errors.EPOCH_IS_DEPRECATED, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values_of(self.optimizer, "lr")

    step: Any = observe  # which takes a measure, unlike those of other schedulers

    def _reduce(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise errors.groups_since_plateau(len(groups), len(self.min_lrs))
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            before = float(group["lr"])
            after = max(before * self.factor, lowest)
            if before - after > self.eps:
                set_option(group, "lr", after)

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs do not count, so soon after a reduction."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.mode == "min":
            relative = best * (1.0 - self.threshold)
            return a < (relative if self.threshold_mode == "rel" else best - self.threshold)
        relative = best * (self.threshold + 1.0)
        return a > (relative if self.threshold_mode == "rel" else best + self.threshold)
