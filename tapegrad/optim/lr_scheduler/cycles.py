"""Rates that rise and fall again, with the momentum the other way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import errors
from ..optimizer import Optimizer
from .base import LRScheduler, check_optimizer, per_group, set_option, state_of

__all__ = ["CyclicLR", "OneCycleLR"]


class Momenta(LRScheduler):
    """What schedulers share that set the momentum too, or the first of `betas` in its place."""

    cycle_momentum: bool
    use_beta1: bool

    def _begin_momenta(self, base: Any, most: Any, first: bool) -> tuple[list[Any], list[Any]]:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise errors.no_momentum()
        self.use_beta1 = "betas" in optimizer.defaults
        highest = per_group("max_momentum", optimizer, most)
        lowest = per_group("base_momentum", optimizer, base)
        if first:
            for high, low, group in zip(highest, lowest, optimizer.param_groups, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        return lowest, highest

    def _set_momentum(self, group: dict[str, Any], momentum: Any) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(Momenta):
    """Rates from `base_lr` up to `max_lr` in `step_size_up` steps, down in `step_size_down`, again.

    `mode` says how the height of the cycles changes: not, by half each time ("triangular2"), or by
    `gamma` each step ("exp_range"). ``scale_fn(x)`` is a height of your own, of the cycle or the
    iteration as `scale_mode` says.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", rate)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise errors.unknown_mode()
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._begin_momenta(
                base_momentum, max_momentum, last_epoch == -1
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The height of a cycle, or at an iteration."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        """The rates of this step; sets the momenta."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        up = x <= self.step_ratio
        height = x / self.step_ratio if up else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for low, high, group in zip(
                self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True
            ):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [
            low + (high - low) * height * scale
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        """The state. Of `scale_fn`, it has the attributes of a callable object only."""
        function = self._scale_fn_custom
        saved = None if function is None else state_of(function)
        return {**super().state_dict(), "_scale_fn_custom": saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state; `scale_fn` stays, a callable object gets its attributes."""
        function = self._scale_fn_custom
        super().load_state_dict({**state_dict, "_scale_fn_custom": function})
        attributes = state_dict["_scale_fn_custom"]
        if function is not None and attributes is not None:
            function.__dict__.update(attributes)


def cosine(start: Any, end: Any, share: float) -> Any:
    """Between two values, along half a wave."""
    return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def linear(start: Any, end: Any, share: float) -> Any:
    """Between two values, along a line."""
    return (end - start) * share + start


class OneCycleLR(Momenta):
    """Rates from ``max_lr / div_factor`` up to `max_lr`, and down to almost nothing, once.

    The rise takes the part `pct_start` of ``total_steps`` (or of ``epochs * steps_per_epoch``). The
    last rate is the first over `final_div_factor`. With `three_phase`, rates fall to the first one
    as they rose, and then on.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = number_of_steps(total_steps, epochs, steps_per_epoch)
        rise = float(pct_start * self.total_steps) - 1
        first = phase(rise, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        end = self.total_steps - 1
        if three_phase:
            fall = float(2 * pct_start * self.total_steps) - 2
            self._schedule_phases = [
                first,
                phase(fall, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                phase(end, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            last = phase(end, "max_lr", "min_lr", "base_momentum", "max_momentum")
            self._schedule_phases = [first, last]
        if not isinstance(pct_start, float) or pct_start < 0 or pct_start > 1:
            raise errors.bad_share(pct_start)
        if anneal_strategy not in ("cos", "linear"):
            raise errors.unknown_strategy(anneal_strategy)
        self._anneal_func_type = anneal_strategy
        highest = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for rate, group in zip(highest, optimizer.param_groups, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momenta(base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of this step; sets the momenta."""
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise errors.too_many_steps(step, self.total_steps)
        phases = self._schedule_phases
        index = next((i for i, x in enumerate(phases) if step <= x["end_step"]), len(phases) - 1)
        now = phases[index]
        start = phases[index - 1]["end_step"] if index else 0.0
        share = (step - start) / (now["end_step"] - start)
        anneal = cosine if self._anneal_func_type == "cos" else linear
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                ends = group[now["start_momentum"]], group[now["end_momentum"]]
                self._set_momentum(group, anneal(*ends, share))
        return [
            anneal(group[now["start_lr"]], group[now["end_lr"]], share)
            for group in self.optimizer.param_groups
        ]


def phase(end: float, start_lr: str, end_lr: str, start: str, stop: str) -> dict[str, Any]:
    """A phase until a step, with the groups' options that it goes from and to."""
    return {
        "end_step": end,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start,
        "end_momentum": stop,
    }


def number_of_steps(total: Any, epochs: Any, per_epoch: Any) -> int:
    """The number of steps of a cycle, as it was given."""
    if total is None and (epochs is None or per_epoch is None):
        raise errors.number_of_steps_missing()
    given = {"total_steps": total} if total is not None else {}
    for name, value in (given or {"epochs": epochs, "steps_per_epoch": per_epoch}).items():
        if not isinstance(value, int) or value <= 0:
            raise errors.not_positive_integer(name, value)
    return total if total is not None else epochs * per_epoch
