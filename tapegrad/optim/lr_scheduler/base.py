"""`LRScheduler`: sets the groups' learning rates, one epoch after the other."""

from __future__ import annotations

import warnings
from typing import Any

from ...torch.tensor import Tensor
from .. import errors
from ..optimizer import Optimizer
from ..values import plain

__all__ = ["LRScheduler"]

Group = dict[str, Any]


def copied(value: Any) -> Any:
    """An option; a tensor as a copy, which later writes into it leave alone."""
    return value.clone() if isinstance(value, Tensor) else value


def values_of(optimizer: Optimizer, name: str) -> list[Any]:
    """An option's value in each group."""
    return [copied(group[name]) for group in optimizer.param_groups]


def set_option(group: Group, name: str, value: Any) -> None:
    """Give an option of a group a value; a tensor is written into."""
    if isinstance(group[name], Tensor):
        group[name].fill_(plain(value))
    else:
        group[name] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A value for each group, of a list of them or of one for all."""
    count = len(optimizer.param_groups)
    if isinstance(value, list | tuple):
        if len(value) != count:
            raise errors.wrong_number_of_values(name, len(value), count)
        return list(map(copied, value))
    return [copied(value) for _ in range(count)]


def state_of(function: Any) -> Any:
    """What is saved of a callable: the attributes of an object, nothing of a function."""
    return None if type(function) is type(state_of) else function.__dict__.copy()


class LRScheduler:
    """What all schedulers share. A subclass has a method `get_lr`, which gives the groups' rates.

    It may compute them from those before, in ``group["lr"]``, from `base_lrs`, those the optimiser
    began with, and from `last_epoch`, which counts the steps. Other schedulers may have changed
    the rates meanwhile: those that go on from ``group["lr"]`` can be chained.
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise errors.no_initial_rate(i)
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        if optimizer._opt_called is None:
            optimizer._opt_called = False
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All that the scheduler needs to go on, but for the optimiser."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state that `state_dict` gave. The optimiser's has the rates: load it too."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates for `last_epoch`; to be called by `step` only."""
        raise errors.no_rates(type(self).__name__)

    def step(self, epoch: Any = None) -> None:
        """Set the rates of the next epoch; to be called after the optimiser's steps."""
        if self._step_count == 1:
            if not getattr(self.optimizer.step, "hooked", False):
                warnings.warn(errors.STEP_OVERRIDDEN, UserWarning, stacklevel=2)
            elif not self.optimizer._opt_called:
                warnings.warn(errors.STEPS_IN_WRONG_ORDER, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(errors.EPOCH_IS_DEPRECATED, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: Any = None) -> None:
        if epoch is None:
            self.last_epoch += 1
            compute = self.get_lr
        else:
            self.last_epoch = epoch
            compute = getattr(self, "_get_closed_form_lr", self.get_lr)
        self._set_rates(compute)

    def _set_rates(self, compute: Any) -> None:
        self._get_lr_called_within_step = True
        try:
            rates = compute()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", rate)
        self._last_lr = values_of(self.optimizer, "lr")

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(errors.GET_LR_OUTSIDE_STEP, UserWarning, stacklevel=3)

    def _current(self) -> list[Any]:
        return values_of(self.optimizer, "lr")

    def _times(self, factor: Any) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]


def check_optimizer(optimizer: Any) -> None:
    """Raise if a scheduler was given something else."""
    if not isinstance(optimizer, Optimizer):
        raise errors.not_an_optimizer(optimizer)
