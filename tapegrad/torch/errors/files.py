"""Errors about files, copies and other libraries."""

from __future__ import annotations

import pickle
from typing import Any

__all__ = [
    "DamagedFileError",
    "cannot_save",
    "damaged",
    "deepcopy_of_computed",
    "dlpack_copy",
    "dlpack_of_tracked",
    "forbidden_global",
    "no_archive",
    "no_capsule",
    "no_onnx",
    "no_process_group",
    "numpy_into_tensor",
    "saved_on_gpu",
    "used_capsule",
]


class DamagedFileError(RuntimeError):
    """A file is not what it should be: damaged, cut off, or made to deceive."""


def damaged(why: str) -> DamagedFileError:
    return DamagedFileError(
        f"the file is damaged, or no file of torch.save: {why}. Nothing in it was executed. Fetch "
        "or write it again."
    )


def no_archive(error: Exception) -> DamagedFileError:
    return DamagedFileError(
        f"not a zip file as torch.save writes it ({error}). Files in the format before PyTorch 1.6 "
        "can be converted by loading and saving them in PyTorch."
    )


def forbidden_global(module: str, name: str) -> pickle.UnpicklingError:
    return pickle.UnpicklingError(
        f"Weights only load failed. Unsupported global: GLOBAL {module}.{name} was not an allowed "
        "global by default. Save a state_dict() instead, or, if you made the file yourself, pass "
        "weights_only=False, which runs what the file says."
    )


def cannot_save(obj: Any, error: Exception) -> TypeError:
    return TypeError(
        f"cannot save this {type(obj).__name__}: {error}. Save tensors, numbers and containers of "
        "them, such as model.state_dict()."
    )


def deepcopy_of_computed() -> RuntimeError:
    return RuntimeError(
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
        "at the moment. Call .detach() or .clone() first."
    )


def dlpack_copy(source: Any, target: Any) -> BufferError:
    return BufferError(
        f"from_dlpack(..., device={str(target)!r}, copy=False) of memory on {str(source)!r} would "
        "have to copy. Leave copy out, or the device."
    )


def no_capsule(x: Any) -> TypeError:
    return TypeError(
        f"from_dlpack takes an array with the methods __dlpack__ and __dlpack_device__, or a "
        f"capsule of to_dlpack, not {type(x).__name__}."
    )


def used_capsule(name: bytes | None) -> BufferError:
    return BufferError(
        f"from_dlpack got a capsule without an array, whose name is {name!r}. A capsule can be "
        "taken once: make another one, or pass the array itself."
    )


def dlpack_of_tracked() -> BufferError:
    return BufferError(
        "Can't export tensors that require gradient, use tensor.detach() first: the other library "
        "would not record what it does."
    )


def numpy_into_tensor(name: str) -> TypeError:
    return TypeError(
        f"numpy.{name}(..., out=tensor) is not supported: NumPy would write past the graph's "
        "checks. Use the torch function with out=, or write to tensor.detach().numpy()."
    )


def no_process_group() -> RuntimeError:
    return RuntimeError(
        "torch.distributed cannot group processes here. Run one process, "
        "without the variables of the environment that say it is one of several."
    )


def no_onnx() -> RuntimeError:
    return RuntimeError(
        "models are not exported to ONNX here. Save their state_dict(), and export in PyTorch what "
        "loads it."
    )


def saved_on_gpu() -> RuntimeError:
    return RuntimeError(
        "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. "
        "If you are running on a CPU-only machine, please use torch.load with "
        "map_location=torch.device('cpu') to map your storages to the CPU."
    )
