"""`DataParallel` and its kin, for programs written for several devices."""

from __future__ import annotations

from typing import Any

from ..torch.errors import no_process_group
from .modules.module import Module

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]


class DataParallel(Module):
    """A module that runs on one device, as it is: batches are not divided among several."""

    def __init__(
        self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError(
                f"DataParallel: the module cannot be divided among the devices {device_ids}. Name "
                "one, or run one process for each device."
            )
        self.module = module
        self.dim = dim
        self.device_ids = device_ids
        self.output_device = output_device

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Any,
    inputs: Any,
    device_ids: Any = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: Any = None,
) -> Any:
    """What the module gives for inputs (a tuple, or one), on the one device there is."""
    arguments = inputs if isinstance(inputs, tuple) else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*arguments, **(module_kwargs or {}))


class DistributedDataParallel(Module):
    """Raises: processes cannot be grouped here."""

    def __init__(self, module: Any, *args: Any, **kwargs: Any) -> None:
        raise no_process_group()
