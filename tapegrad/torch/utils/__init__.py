"""`torch.utils`: its modules, and names of theirs, are loaded when they are first asked for."""

from importlib import import_module
from typing import Any

from .. import errors

MODULES = ("checkpoint", "data", "dlpack")

NAMES = {
    "DataLoader": "tapegrad.data",
    "Dataset": "tapegrad.data",
    "TensorDataset": "tapegrad.data",
    "default_collate": "tapegrad.data",
    "clip_grad_norm_": "tapegrad.nn.utils",
    "clip_grad_value_": "tapegrad.nn.utils",
    "get_data_root": "tapegrad.folders",
    "get_project_root": "tapegrad.folders",
}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # asked for by what walks over packages: nothing is loaded
        raise errors.absent(__name__, name, {})
    if name in MODULES:
        return import_module(f"{__name__}.{name}")
    if name in NAMES:
        return getattr(import_module(NAMES[name]), name)
    raise errors.absent(__name__, name, import_module("tapegrad.torch.absent").UTILITIES)
