"""A sampler for training with several processes, each with its own share of the samples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy

from . import errors
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler):
    """The share of one of `num_replicas` processes, that of number `rank`.

    All shares are of one length: samples come twice to make them so, or with `drop_last` the tail
    is dropped. `set_epoch` gives each epoch another order; all processes must call it alike.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise errors.no_process_group()
        if not 0 <= rank < num_replicas:
            raise errors.bad_rank(rank, num_replicas)
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        n = len(dataset)
        if drop_last and n % num_replicas:
            self.num_samples = math.ceil((n - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        n = len(self.dataset)
        if self.shuffle:
            order = numpy.random.default_rng(self.seed + self.epoch).permutation(n)
        else:
            order = numpy.arange(n)
        whole = numpy.resize(order, self.total_size)  # repeats what is too short
        return iter(whole[self.rank :: self.num_replicas].tolist())

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Have the next round come in the order of this epoch."""
        self.epoch = epoch
