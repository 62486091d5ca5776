"""`GradScaler`: losses scaled up, so that gradients in half precision do not vanish."""

from __future__ import annotations

import warnings
from collections import defaultdict
from enum import Enum
from typing import Any

import numpy
from numpy import ndarray

from ...core.versions import stamp
from .. import errors
from ..tensor import Tensor, wrap, writable

__all__ = ["GradScaler"]


class Stage(Enum):
    """What was done with an optimiser since the last `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class OptimizerState:
    """What a scaler knows of an optimiser: its stage, and whether a gradient was not finite."""

    def __init__(self) -> None:
        self.stage = Stage.READY
        self.overflowed: bool | None = None


class GradScaler:
    """Scales losses, and takes the scale out of the gradients before an optimiser's step.

    A step whose gradients are not all finite is skipped, and the scale goes down by
    `backoff_factor`; after `growth_interval` steps without that, it goes up by `growth_factor`.

    ``scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()``
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        if device == "cuda" and enabled:
            warnings.warn(errors.SCALER_WITHOUT_CUDA, stacklevel=2)
            enabled = False
        self._enabled = enabled
        if not growth_factor > 1.0:
            raise errors.bad_scaler_factor("growth", ">")
        if not backoff_factor < 1.0:
            raise errors.bad_scaler_factor("backoff", "<")
        self._init_scale = init_scale
        self._scale: Tensor | None = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._states: defaultdict[int, OptimizerState] = defaultdict(OptimizerState)

    def scale(self, outputs: Any) -> Any:
        """Outputs, a tensor or an iterable of them, times the scale."""
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._scale = wrap(numpy.array(self._init_scale, numpy.float32))
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, list | tuple):
            return type(outputs)(map(self.scale, outputs))
        if hasattr(outputs, "__iter__"):
            return map(self.scale, outputs)
        raise errors.scaled_outputs()

    def current(self, function: str) -> Tensor:
        """The scale; raises if nothing was scaled yet."""
        if self._scale is None:
            raise errors.nothing_scaled(function)
        return self._scale

    def unscale_(self, optimizer: Any) -> None:
        """Take the scale out of the gradients of an optimiser's parameters, in place.

        To be called before they are clipped; `step` does it otherwise.
        """
        if not self._enabled:
            return
        scale = self.current("unscale_")
        state = self._states[id(optimizer)]
        if state.stage is Stage.UNSCALED:
            raise errors.unscaled_twice()
        if state.stage is Stage.STEPPED:
            raise errors.unscaled_after_step()
        inverse = numpy.float32(1.0 / float(scale.raw))  # in this precision for all gradients
        overflowed: bool | None = None
        for raw in gradients_of(optimizer):
            overflowed = bool(overflowed) or not numpy.isfinite(raw).all()
            raw *= raw.dtype.type(inverse)
            stamp(raw, "unscale_")
        state.overflowed = overflowed
        state.stage = Stage.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimiser's step with unscaled gradients, unless one of them is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise errors.closure_with_scaler()
        self.current("step")
        state = self._states[id(optimizer)]
        if state.stage is Stage.STEPPED:
            raise errors.stepped_twice()
        if state.stage is Stage.READY:
            self.unscale_(optimizer)
        if state.overflowed is None:
            raise errors.nothing_to_unscale()
        result = None if state.overflowed else optimizer.step(*args, **kwargs)
        state.stage = Stage.STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Change the scale for the next iteration, or set it."""
        if not self._enabled:
            return
        scale = writable(self.current("update"))
        if new_scale is not None:
            if isinstance(new_scale, Tensor) and (new_scale.numel() != 1 or new_scale.slot):
                raise errors.bad_scale()
            scale[...] = float(new_scale)
        else:
            found = [s.overflowed for s in self._states.values() if s.overflowed is not None]
            if not found:
                raise errors.nothing_unscaled()
            self.adapt(scale, any(found))
        self._states.clear()

    def adapt(self, scale: ndarray, overflowed: bool) -> None:
        """Lower the scale after an overflow, or raise it when it is time."""
        if overflowed:
            scale *= self._backoff_factor
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = float(scale) * self._growth_factor
            if grown <= float(numpy.finfo(scale.dtype).max):
                scale[...] = grown
            self._growth_tracker = 0

    def get_scale(self) -> float:
        """The scale; 1 if the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.raw)

    def __getstate__(self) -> dict[str, Any]:
        if self._states:
            raise errors.scaler_in_use()
        return self.__dict__ | {"_init_scale": self.get_scale(), "_scale": None}

    def get_growth_factor(self) -> float:
        """What the scale grows by."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the scale grows by."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale goes down by."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the scale goes down by."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """The number of steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of steps after which the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether the scaler does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The scale and how it changes; nothing of a disabled scaler."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state that `state_dict` gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise errors.empty_scaler_state()
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            writable(self._scale)[...] = self._init_scale
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]


def gradients_of(optimizer: Any) -> list[ndarray]:
    """The gradients of an optimiser's parameters; raises if one is in half precision."""
    found = []
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.grad is not None:
                if p.grad.raw.dtype == numpy.float16:
                    raise errors.unscaled_halves()
                found.append(writable(p.grad))
    return found
