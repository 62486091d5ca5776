"""Data sets, samplers and loaders, with the names of `torch.utils.data`."""

from importlib import import_module
from typing import Any

from .collate import default_collate, default_convert
from .dataloader import DataLoader
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from .worker import WorkerInfo, get_worker_info

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerInfo",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]

OF_NETWORKS = ("clip_grad_norm_", "clip_grad_value_")
"""What others keep beside their loaders: it is `nn.utils`', and loaded when it is first used."""


def __getattr__(name: str) -> Any:
    if name in OF_NETWORKS:
        return getattr(import_module("tapegrad.nn.utils"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
