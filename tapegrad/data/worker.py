"""What a worker of a loader does: fetch batches, report what went wrong, know who it is."""

from __future__ import annotations

import itertools
import random
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy

from ..torch.random import manual_seed
from .collate import default_collate
from .dataset import IterableDataset, batches_of, samples_of

__all__ = ["WorkerInfo", "get_worker_info"]


@dataclass(frozen=True)
class WorkerInfo:
    """A worker: its number, how many there are, its seed, and its copy of the data set."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


class _Here(threading.local):
    """The worker that this thread is."""

    info: WorkerInfo | None = None
    asked = False  # whether the data set has looked who the worker is


here = _Here()


def get_worker_info() -> WorkerInfo | None:
    """The worker that this code runs in; None in the main process."""
    here.asked = True
    return here.info


@dataclass(frozen=True)
class Job:
    """What all workers of a loader share."""

    dataset: Any
    collate: Callable[[Any], Any]
    batched: bool  # whether a task is a list of indices, or one index
    drop_last: bool
    workers: int
    seed: int
    init: Callable[[int], Any] | None
    threads: bool

    def fetcher(self) -> Callable[[Any], Any]:
        """A function from the indices of a batch to the batch.

        Raises StopIteration at the end of a stream.
        """
        if isinstance(self.dataset, IterableDataset):
            return Stream(self).fetch
        if not self.batched:
            return lambda index: self.collate(self.dataset[index])
        together = batches_of(self.dataset) if self.collate is default_collate else None
        if together is not None:
            return together
        return lambda indices: self.collate(samples_of(self.dataset, indices))


class Stream:
    """The batches of a stream, or of a worker's share of it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.samples = iter(job.dataset)
        self.begun = job.workers == 0 or job.init is not None

    def fetch(self, indices: Any) -> Any:
        """As many samples as there are indices."""
        if not self.begun:
            self.begun = True
            self.samples = shared_out(self.samples, here.info)
        if not self.job.batched:
            return self.job.collate(next(self.samples))
        samples = list(itertools.islice(self.samples, len(indices)))
        if not samples or (self.job.drop_last and len(samples) < len(indices)):
            raise StopIteration
        return self.job.collate(samples)


def shared_out(samples: Iterator[Any], info: WorkerInfo | None) -> Iterator[Any]:
    """This worker's share of a stream: all that it gives, if it parts itself among workers."""
    assert info is not None
    first = list(itertools.islice(samples, 1))  # a generator begins to run here
    whole = itertools.chain(first, samples)
    if here.asked:
        return whole
    return itertools.islice(whole, info.id, None, info.num_workers)


class NamedKeyError(str):
    """A message that KeyError shows line by line."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Failure:
    """An exception in a worker, with its traceback as text."""

    kind: type[BaseException]
    text: str

    @classmethod
    def of(cls, error: BaseException, where: str) -> Failure:
        """What is known of an exception that was just caught."""
        lines = "".join(traceback.format_exception(error))
        text = f"Caught {type(error).__name__} {where}.\nOriginal {lines}"
        return cls(type(error), text)

    def reraise(self) -> None:
        """Raise an exception of the same class, or RuntimeError where it cannot be made."""
        if issubclass(self.kind, KeyError):
            raise self.kind(NamedKeyError(self.text))
        try:
            error = self.kind(self.text)
        except TypeError:
            error = RuntimeError(self.text)
        raise error


@dataclass(frozen=True)
class Reply:
    """A worker's answer to a task of some epoch: a batch, the end of its stream, or a failure."""

    epoch: int
    batch: Any = None
    ended: bool = False
    failure: Failure | None = None


@dataclass
class Worker:
    """One worker: begun with `begin`, then given tasks."""

    job: Job
    number: int
    fetch: Callable[[Any], Any] | None = field(default=None)
    refusal: Failure | None = field(default=None)
    where: str = field(default="")

    def begin(self) -> None:
        """Seed this worker's random numbers, and let the user's function prepare it."""
        kind = "thread" if self.job.threads else "process"
        self.where = f"in DataLoader worker {kind} {self.number}"
        seed = self.job.seed + self.number
        here.info = WorkerInfo(self.number, self.job.workers, seed, self.job.dataset)
        here.asked = False
        if not self.job.threads:  # threads share the generators
            random.seed(seed)
            manual_seed(seed)
            numpy.random.seed(numpy.random.SeedSequence(seed).generate_state(4))
        if self.job.init is not None:
            try:
                self.job.init(self.number)
            except Exception as error:
                self.refusal = Failure.of(error, self.where)

    def answer(self, epoch: int, indices: Any) -> Reply:
        """Fetch a batch. What goes wrong is an answer, too."""
        if self.refusal is not None:
            return Reply(epoch, failure=self.refusal)
        try:
            if self.fetch is None:
                self.fetch = self.job.fetcher()
            return Reply(epoch, self.fetch(indices))
        except StopIteration as error:
            if isinstance(self.job.dataset, IterableDataset):
                return Reply(epoch, ended=True)
            return Reply(epoch, failure=Failure.of(error, self.where))
        except Exception as error:
            return Reply(epoch, failure=Failure.of(error, self.where))

    def rewind(self) -> None:
        """Begin the data set anew, for the next epoch."""
        self.fetch = None
