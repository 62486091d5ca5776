"""Data sets: by index, or as a stream; parts of them, and several as one.

A data set whose samples lie in arrays also has `__getbatch__`, which gives a whole batch, put
together, by one index of arrays.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy

from ..core.array import Array
from ..torch.random import Generator, default_generator, randperm
from ..torch.tensor import wrap
from . import errors

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]


class Dataset:
    """Samples by index. A subclass defines `__getitem__` and, for most uses, `__len__`.

    It may define `__getitems__`, which gives a list of samples for a list of indices.
    """

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Samples as a stream: a subclass defines `__iter__`.

    With several workers, each has its own copy of the stream. A stream that asks `get_worker_info`
    parts itself among them; where it does not, and no `worker_init_fn` is given, each worker takes
    every n-th sample, so that no sample comes twice.
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Samples that are the rows of tensors (or of arrays) of the same length.

    >>> import tapegrad.torch as torch
    >>> TensorDataset(torch.tensor([1.0, 2.0]), torch.tensor([3, 4]))[1]
    (tensor(2.), tensor(4))
    """

    def __init__(self, *tensors: Any) -> None:
        self.tensors: tuple[Any, ...] = tuple(
            x if isinstance(x, Array) else wrap(numpy.asarray(x)) for x in tensors
        )
        if any(len(x) != len(self.tensors[0]) for x in self.tensors):
            raise errors.size_mismatch()

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(x[index] for x in self.tensors)

    def __getbatch__(self, indices: Any) -> list[Any]:
        indices = numpy.asarray(indices, None if len(indices) else numpy.intp)
        return [x[indices] if x.slot else wrap(x.raw[indices]) for x in self.tensors]

    def __len__(self) -> int:
        return len(self.tensors[0])


class StackDataset(Dataset):
    """Samples with a part from each of several data sets: tuples, or dicts by name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or ``dict``- (via ``kwargs``) like "
                "input/output, and at least one dataset should be passed"
            )
        self.datasets: Any = args or kwargs
        parts = self._parts()
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise errors.stack_size_mismatch()

    def _parts(self) -> list[Any]:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _joined(self, values: list[Any]) -> Any:
        if isinstance(self.datasets, dict):
            return dict(zip(self.datasets, values, strict=True))
        return tuple(values)

    def __getitem__(self, index: Any) -> Any:
        return self._joined([part[index] for part in self._parts()])

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        columns = []
        for part in self._parts():
            column = samples_of(part, indices)
            if len(column) != len(indices):
                raise errors.not_batched_alike(len(column), len(indices))
            columns.append(column)
        return [self._joined(list(row)) for row in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset):
    """Data sets one after another."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Where each data set ends."""
        return list(itertools.accumulate(map(len, sequence)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise errors.before_first()
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        if which == len(self.datasets):
            raise errors.bad_index(idx, len(self))
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - start]


class ChainDataset(IterableDataset):
    """Streams one after another."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for part in self.datasets:
            if not isinstance(part, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from part

    def __len__(self) -> int:
        return sum(len(part) for part in self.datasets)


class Subset(Dataset):
    """The samples of a data set at some indices."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        return samples_of(self.dataset, [self.indices[i] for i in indices])

    @property
    def __getbatch__(self) -> Callable[[Any], Any] | None:
        inner = batches_of(self.dataset)
        if inner is None:
            return None
        return lambda indices: inner([self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def samples_of(dataset: Any, indices: list[Any]) -> list[Any]:
    """The samples at some indices, in one call where the data set can."""
    together = getattr(dataset, "__getitems__", None)
    return together(indices) if together else [dataset[i] for i in indices]


def batches_of(dataset: Any) -> Callable[[Any], Any] | None:
    """A data set's `__getbatch__`, unless a subclass gives its samples in another way."""
    for base in type(dataset).__mro__:
        members = base.__dict__
        if "__getbatch__" in members:
            found: Callable[[Any], Any] | None = dataset.__getbatch__
            return found
        if "__getitem__" in members or "__getitems__" in members:
            return None
    return None


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Generator = default_generator
) -> list[Subset]:
    """Part a data set at random, into parts of given lengths, or of given fractions of it.

    What fractions leave over goes to the first parts, one sample to each.
    """
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        counts = []
        for i, fraction in enumerate(lengths):
            if fraction < 0 or fraction > 1:
                raise errors.bad_fraction(i)
            counts.append(math.floor(total * fraction))
        for i in range(total - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
    if sum(lengths) != total:
        raise errors.bad_lengths()
    order = randperm(total, generator=generator).tolist()
    ends = list(itertools.accumulate(int(n) for n in lengths))
    return [Subset(dataset, order[a:b]) for a, b in zip([0, *ends], ends, strict=False)]
