"""`torch.cuda.amp`: as `torch.amp` for the device "cuda", with the arguments of older programs."""

from __future__ import annotations

from typing import Any

from ..amp.autocast_mode import autocast as Autocast
from ..amp.autocast_mode import custom_bwd, custom_fwd
from ..amp.grad_scaler import GradScaler as AnyScaler
from ..dtypes import dtype, float16

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def autocast(enabled: bool = True, dtype: dtype = float16, cache_enabled: bool = True) -> Any:
    """`torch.autocast` for the device "cuda"."""
    return Autocast("cuda", dtype, enabled, cache_enabled)


class GradScaler(AnyScaler):
    """`torch.amp.GradScaler` for the device "cuda"."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )
