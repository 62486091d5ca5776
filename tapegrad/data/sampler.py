"""Samplers: in which order samples come, and which come together in a batch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy

from ..core.array import Array
from ..torch.random import Generator, draw
from . import errors

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

BLOCK = 1 << 10  # samples drawn at a time, with replacement
LARGEST_SEED = (1 << 63) - 1


def check_count(name: str, value: Any) -> None:
    """Raise unless a value counts at least one."""
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise errors.positive(name, value)


def fresh_seed(generator: Generator | None) -> int:
    """A seed, drawn from a generator or from the default one."""
    return int(draw(generator, lambda g: g.integers(0, LARGEST_SEED)))


class Sampler:
    """Gives the indices of samples, in some order: a subclass defines `__iter__`."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of Sampler should implement __iter__.")


class SequentialSampler(Sampler):
    """All samples in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Samples in random order; with `replacement`, drawn independently.

    `num_samples` are drawn, all of them by default; more than all come in several rounds.
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise errors.boolean("replacement", replacement)
        check_count("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many samples are drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        return itertools.chain.from_iterable(self._rounds())

    def _rounds(self) -> Iterator[list[int]]:
        n, left = len(self.data_source), self.num_samples
        source = self.generator
        if source is None:  # so that what is drawn meanwhile does not change the order
            source = Generator().manual_seed(fresh_seed(None))
        while left > 0:
            if self.replacement:
                some = draw(source, lambda g: g.integers(0, n, BLOCK))
            else:
                some = draw(source, lambda g: g.permutation(n))
            yield some[:left].tolist()
            left -= len(some)

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Given indices, in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in draw(self.generator, lambda g: g.permutation(len(self.indices))).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with probabilities in proportion to weights, which need not add up to 1."""

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        check_count("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise errors.boolean("replacement", replacement)
        raw = numpy.asarray(weights.raw if isinstance(weights, Array) else weights, numpy.float64)
        if raw.ndim != 1:
            raise errors.bad_weights(raw.shape)
        positive = int((raw > 0).sum())
        if not replacement and num_samples > positive:
            raise errors.too_few_weights(num_samples, positive)
        self.weights = raw
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        p = self.weights / self.weights.sum()
        chosen = draw(
            self.generator,
            lambda g: g.choice(len(p), self.num_samples, replace=self.replacement, p=p),
        )
        return iter(chosen.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of `batch_size` indices of another sampler; the last may be shorter, or is dropped."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        check_count("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise errors.boolean("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
