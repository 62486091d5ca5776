"""`DataLoader`: batches of a data set, fetched here or ahead of time by workers."""

from __future__ import annotations

import multiprocessing
import os
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ..torch.random import Generator
from . import errors
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .pool import ProcessWorker, ThreadWorker, first_ready, stop
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, fresh_seed
from .worker import Job, get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
"""What cannot be changed once a loader is made."""


class Endless(Sampler):
    """The indices of a stream, which has none."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader:
    """Batches of the samples of a data set, in order or at random.

    dataset
        Has samples by index (`Dataset`, or anything with `__getitem__` and `__len__`), or is an
        `IterableDataset`.
    batch_size, shuffle, sampler, batch_sampler, drop_last, generator
        Which samples come together, and in which order. With ``batch_size=None``, single samples.
    collate_fn
        Makes a batch of a list of samples; `default_collate` by default.
    num_workers, worker_kind, multiprocessing_context
        How many workers fetch batches ahead of time, in processes or in threads. Threads do well
        where the work is done by NumPy and Pillow, which let others run; they share the data set
        and the random numbers.
    prefetch_factor, persistent_workers, worker_init_fn, timeout, in_order
        Batches that each worker is ahead (2); whether workers live on for the next epoch; a
        function called with each worker's number; seconds to wait for a batch (0 for ever); whether
        batches come in the sampler's order or as soon as they are there.
    pin_memory, pin_memory_device
        Taken, and without effect.

    A worker's exception is raised here, with its traceback. Workers end with the iterator.

    >>> import tapegrad.torch as torch
    >>> from tapegrad.data import TensorDataset
    >>> [len(x) for (x,) in DataLoader(TensorDataset(torch.arange(5)), batch_size=2)]
    [2, 2, 1]
    """

    _ready = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
        worker_kind: str = "process",
    ) -> None:
        if num_workers < 0:
            raise errors.negative_workers()
        if timeout < 0:
            raise errors.negative_timeout()
        if num_workers == 0:
            given = {
                "prefetch_factor": prefetch_factor,
                "persistent_workers": persistent_workers or None,
                "multiprocessing_context": multiprocessing_context,
            }
            for name, value in given.items():
                if value is not None:
                    raise errors.only_with_workers(name)
        elif prefetch_factor is None:
            prefetch_factor = 2
        elif prefetch_factor < 1:
            raise errors.positive("prefetch_factor", prefetch_factor)
        if worker_kind not in ("process", "thread"):
            raise errors.bad_worker_kind(worker_kind)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.worker_kind = worker_kind
        self.multiprocessing_context = start_method(multiprocessing_context)
        self.generator = generator
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        self._stream = isinstance(dataset, IterableDataset)
        if self._stream:
            for option, value in (("sampler", sampler), ("batch_sampler", batch_sampler)):
                if value is not None:
                    raise errors.iterable_with(option, value)
            if shuffle:
                raise errors.iterable_with("shuffle", shuffle)
            sampler = Endless()
        elif sampler is not None and shuffle:
            raise errors.exclusive("sampler", "shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise errors.exclusive(
                    "batch_sampler", "batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise errors.exclusive("batch_size=None", "drop_last, as it disables auto-batching")
        if sampler is None:
            chosen = RandomSampler(dataset, generator=generator) if shuffle else None
            sampler = chosen or SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        batched = batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self._iterator: Any = None
        self._ready = True

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __setattr__(self, name: str, value: Any) -> None:
        if self._ready and name in FIXED:
            raise errors.fixed_attribute(name, type(self).__name__)
        super().__setattr__(name, value)

    def __iter__(self) -> Any:
        if not self.num_workers:
            return Here(self)
        if not self.persistent_workers:
            return Ahead(self)
        if self._iterator is None or self._iterator.closed:
            self._iterator = Ahead(self)
        else:
            self._iterator.reset(self)
        return self._iterator

    def __len__(self) -> int:
        if not self._stream:
            return len(self._index_sampler)
        n = len(self.dataset)
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def _job(self) -> Job:
        return Job(
            dataset=self.dataset,
            collate=self.collate_fn,
            batched=self.batch_sampler is not None,
            drop_last=self.drop_last,
            workers=self.num_workers,
            seed=fresh_seed(self.generator),
            init=self.worker_init_fn,
            threads=self.worker_kind == "thread",
        )


def start_method(given: Any) -> Any:
    """A context of `multiprocessing`, of its name or of itself."""
    if given is None or isinstance(given, multiprocessing.context.BaseContext):
        return given
    known = multiprocessing.get_all_start_methods()
    if not isinstance(given, str) or given not in known:
        raise errors.bad_context(given, known)
    return multiprocessing.get_context(given)


class Counter:
    """Counts the batches of a stream that says how many samples it has."""

    def __init__(self, loader: DataLoader) -> None:
        has_length = loader._stream and hasattr(loader.dataset, "__len__")
        self.expected = len(loader) if has_length else None
        self.count = 0

    def step(self) -> None:
        """One batch more."""
        self.count += 1
        if self.expected is not None and self.count == self.expected + 1:
            warnings.warn(errors.too_long(self.expected, self.count), stacklevel=4)


class Here:
    """The batches of a loader without workers."""

    def __init__(self, loader: DataLoader) -> None:
        self.loader = loader
        self.fetch = loader._job().fetcher()
        self.indices = iter(loader._index_sampler)
        self.counter = Counter(loader)

    def __iter__(self) -> Here:
        return self

    def __len__(self) -> int:
        return len(self.loader)

    def __next__(self) -> Any:
        batch = self.fetch(next(self.indices))
        self.counter.step()
        return batch


class Ahead:
    """The batches of a loader, which its workers fetch ahead of time.

    Tasks go to the workers in turn, and a worker's replies come in the order of its tasks. So the
    next batch is the next reply of the worker whose task was given first: nothing is sorted.
    """

    def __init__(self, loader: DataLoader) -> None:
        job = loader._job()
        context = loader.multiprocessing_context or multiprocessing.get_context()
        self.workers: list[Any] = []
        self.finalizer = weakref.finalize(self, stop, self.workers, os.getpid())
        arrived = threading.Condition()
        for number in range(loader.num_workers):
            if job.threads:
                self.workers.append(ThreadWorker(job, number, arrived))
            else:
                self.workers.append(ProcessWorker(job, number, context))
        self.epoch = 0
        self.reset(loader)

    def reset(self, loader: DataLoader) -> None:
        """Begin an epoch. What is still to come of the last one will be passed over."""
        self.loader = loader
        self.epoch += 1
        self.counter = Counter(loader)
        self.indices = iter(loader._index_sampler)
        self.pending: deque[int] = deque()  # the workers whose replies are to come, in order
        self.turn = deque(range(len(self.workers)))  # the workers that are not at their end
        for _ in range((loader.prefetch_factor or 1) * len(self.workers)):
            self.send()

    @property
    def closed(self) -> bool:
        """Whether the workers have been ended."""
        return not self.finalizer.alive

    def close(self) -> None:
        """End the workers."""
        self.finalizer()

    def send(self) -> None:
        """Give the worker whose turn it is the next task, if there is one."""
        if not self.turn:
            return
        try:
            indices = next(self.indices)
        except StopIteration:
            return
        number = self.turn[0]
        self.turn.rotate(-1)
        self.workers[number].send(self.epoch, indices)
        self.pending.append(number)

    def __iter__(self) -> Ahead:
        return self

    def __len__(self) -> int:
        return len(self.loader)

    def __next__(self) -> Any:
        while self.pending:
            reply = self.receive()
            if reply.ended:
                continue
            self.send()
            if reply.failure is not None:
                reply.failure.reraise()
            self.counter.step()
            return reply.batch
        if not self.loader.persistent_workers:
            self.close()
        raise StopIteration

    def receive(self) -> Any:
        """The next reply of this epoch. An interruption ends the workers."""
        try:
            number = self.next_worker()
            reply = self.workers[number].receive(self.loader.timeout)
            while reply.epoch != self.epoch:
                reply = self.workers[number].receive(self.loader.timeout)
            if reply.ended and number in self.turn:
                self.turn.remove(number)
                self.send()
        except (errors.WorkerError, KeyboardInterrupt):
            self.close()
            self.pending.clear()
            self.turn.clear()
            raise
        return reply

    def next_worker(self) -> int:
        """The worker whose reply is next: the first one, or the first that has one."""
        if self.loader.in_order:
            return self.pending.popleft()
        waiting = list(dict.fromkeys(self.pending))
        number = waiting[first_ready([self.workers[i] for i in waiting], self.loader.timeout)]
        self.pending.remove(number)
        return number
