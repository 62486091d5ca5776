"""Averages of parameters: stochastic weight averaging, exponential moving averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from ..core.modes import no_grad
from ..nn.modules.module import Module
from ..torch.creation import tensor
from ..torch.dtypes import long
from ..torch.tensor import Tensor
from . import errors
from .lr_scheduler.base import LRScheduler, per_group
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Any, Any, Any], Any]
"""``average(averaged, current, count)``: the average once `current` is the value after `count`."""

MultiAverage = Callable[[list[Tensor], list[Tensor], Any], None]
"""As `Average` for many tensors, in place."""


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """``decay * averaged + (1 - decay) * current``."""
    if decay < 0.0 or decay > 1.0:
        raise errors.bad_decay(decay)

    def average(averaged: Any, current: Any, count: Any) -> Any:
        return decay * averaged + (1 - decay) * current

    return average


def get_swa_avg_fn() -> Average:
    """The mean of all values so far."""

    def average(averaged: Any, current: Any, count: Any) -> Any:
        return averaged + (current - averaged) / (count + 1)

    return average


def each(average: Average) -> MultiAverage:
    """An average of many tensors, in place."""

    def update(averaged: list[Tensor], current: list[Tensor], count: Any) -> None:
        with no_grad():
            for old, new in zip(averaged, current, strict=True):
                old.copy_(average(old, new, count))

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverage:
    """As `get_ema_avg_fn`, for many tensors in place."""
    return each(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> MultiAverage:
    """As `get_swa_avg_fn`, for many tensors in place."""
    return each(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those that `update_parameters` saw.

    The average is the mean, or what `avg_fn` or `multi_avg_fn` makes of it. Buffers are averaged
    too if `use_buffers`, and are copied else.
    """

    n_averaged: Any

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: MultiAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise errors.two_averages()
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=long))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model gives."""
        return self.module(*args, **kwargs)

    @no_grad
    def update_parameters(self, model: Module) -> None:
        """Take the parameters that a model has now into the average."""
        own, new = list(self.module.parameters()), list(model.parameters())
        copied = list(zip(self.module.buffers(), model.buffers(), strict=True))
        if self.use_buffers:
            own += [mine for mine, _ in copied]
            new += [theirs for _, theirs in copied]
            copied = []
        if self.n_averaged == 0:
            copied += zip(own, new, strict=True)
        else:
            update = self.multi_avg_fn or each(self.avg_fn or get_swa_avg_fn())
            update([x.detach() for x in own], [x.detach() for x in new], self.n_averaged)
        for mine, theirs in copied:
            mine.detach().copy_(theirs.detach())
        self.n_averaged += 1


@no_grad
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch normalisations of a model anew.

    They become the means over the batches of `loader` (of a batch that is a tuple or a list, its
    first part is taken).
    """
    norms = [
        module
        for module in model.modules()
        if hasattr(module, "reset_running_stats") and hasattr(module, "momentum")
    ]
    if not norms:
        return
    momenta = [module.momentum for module in norms]
    was_training = model.training
    model.train()
    for module in norms:
        module.reset_running_stats()
        module.momentum = None
    for batch in loader:
        x = batch[0] if isinstance(batch, list | tuple) else batch
        model(x if device is None else x.to(device))
    for module, momentum in zip(norms, momenta, strict=True):
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Rates from what they are to `swa_lr` in `anneal_epochs`, along a cosine or a line."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(
            per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True
        ):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise errors.unknown_strategy(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise errors.bad_anneal_epochs(anneal_epochs)
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        done = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * done)) / 2 if self._anneal_strategy == "cos" else done

    def get_lr(self) -> list[Any]:
        """The rates of this epoch, from those before."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            rate, final = group["lr"], group["swa_lr"]
            first = final if before == 1 else (rate - before * final) / (1 - before)
            rates.append(final * now + first * (1 - now))
        return rates
