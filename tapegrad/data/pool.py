"""Workers of a loader as processes and as threads: sent tasks, they send replies in order."""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
import weakref
from multiprocessing import connection, parent_process
from multiprocessing.reduction import ForkingPickler
from typing import Any, ClassVar

from ..torch.tensor import Tensor
from . import errors
from .worker import Failure, Job, Reply, Worker

GRACE = 2.0  # seconds that all workers of a loader have to end by themselves
PROTOCOL = 5


class ThreadWorker:
    """A worker in a thread. It shares the data set and the random numbers with all others."""

    def __init__(self, job: Job, number: int, arrived: threading.Condition) -> None:
        self.tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.replies: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        self.arrived = arrived
        arguments = (Worker(job, number), self.tasks, self.replies, arrived)
        self.thread = threading.Thread(target=work_in_thread, args=arguments, daemon=True)
        self.thread.start()

    def send(self, epoch: int, indices: Any) -> None:
        """Have a batch fetched."""
        self.tasks.put((epoch, indices))

    def receive(self, timeout: float) -> Reply:
        """The next reply; waits for it, up to `timeout` seconds if that is not 0."""
        try:
            return self.replies.get(timeout=timeout or None)
        except queue.Empty:
            raise errors.timed_out(timeout) from None

    def close(self) -> None:
        """Ask the worker to end."""
        self.tasks.put(None)

    def join(self, seconds: float) -> None:
        """Wait until it has ended. A thread cannot be made to."""
        self.thread.join(seconds)


def work_in_thread(worker: Worker, tasks: Any, replies: Any, arrived: threading.Condition) -> None:
    """The life of a worker thread."""
    worker.begin()
    epoch = 0
    while (task := tasks.get()) is not None:
        if task[0] != epoch:
            epoch = task[0]
            worker.rewind()
        reply = worker.answer(*task)
        with arrived:
            replies.put(reply)
            arrived.notify()


class ProcessWorker:
    """A worker in a process of its own."""

    alive: ClassVar[weakref.WeakSet[ProcessWorker]] = weakref.WeakSet()

    def __init__(self, job: Job, number: int, context: Any) -> None:
        theirs, self.tasks = context.Pipe(duplex=False)
        self.replies, answers = context.Pipe(duplex=False)
        inherited: list[Any] = []
        if context.get_start_method() == "fork":  # it has copies, which would keep pipes open
            self.alive.add(self)
            inherited = [end for w in self.alive for end in (w.tasks, w.replies)]
        arguments = (Worker(job, number), theirs, answers, inherited)
        self.number = number
        self.process = context.Process(target=work_in_process, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        answers.close()

    def send(self, epoch: int, indices: Any) -> None:
        """Have a batch fetched."""
        try:
            self.tasks.send((epoch, indices))
        except OSError:
            raise self.died() from None

    def receive(self, timeout: float) -> Reply:
        """The next reply; waits for it, up to `timeout` seconds if that is not 0."""
        found = connection.wait([self.replies, self.process.sentinel], timeout or None)
        if not found:
            raise errors.timed_out(timeout)
        try:
            if not self.replies.poll():
                raise EOFError
            reply: Reply = ForkingPickler.loads(self.replies.recv_bytes())
        except (EOFError, OSError):
            raise self.died() from None
        return reply

    def died(self) -> errors.WorkerError:
        """The error to raise where this worker is gone."""
        self.process.join(GRACE)
        return errors.worker_died(self.number, self.process.pid, self.process.exitcode)

    def close(self) -> None:
        """Ask the worker to end."""
        self.alive.discard(self)
        self.tasks.close()
        self.replies.close()

    def join(self, seconds: float) -> None:
        """Wait until it has ended; put an end to it if it does not."""
        self.process.join(seconds)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()
        self.process.close()


def work_in_process(worker: Worker, tasks: Any, answers: Any, inherited: list[Any]) -> None:
    """The life of a worker process. It ends with its tasks, or with the main process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    for end in inherited:
        end.close()
    outgoing: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=send_all, args=(outgoing, answers), daemon=True).start()
    worker.begin()
    parent = parent_process()
    assert parent is not None
    epoch = 0
    while True:
        if tasks not in connection.wait([tasks, parent.sentinel]):
            return
        try:
            task = tasks.recv()
        except EOFError:
            return
        if task[0] != epoch:
            epoch = task[0]
            worker.rewind()
        outgoing.put(packed(worker.answer(*task), worker.where))


def sent(x: Tensor) -> Any:
    """What a tensor is made of in another process."""
    if x.slot > 0:
        raise errors.computed_in_worker()
    return x.__reduce__()


ForkingPickler.register(Tensor, sent)


def packed(reply: Reply, where: str) -> Any:
    """A reply as bytes; a failure in its place if it cannot be."""
    try:
        return ForkingPickler.dumps(reply, PROTOCOL)
    except Exception as error:
        cause = error if reply.failure is None else RuntimeError(reply.failure.text)
        told = errors.unpicklable_batch(error) if reply.failure is None else cause
        return ForkingPickler.dumps(Reply(reply.epoch, failure=Failure.of(told, where)), PROTOCOL)


def send_all(outgoing: Any, answers: Any) -> None:
    """Send replies while the worker goes on with its next task."""
    while True:
        data = outgoing.get()
        try:
            answers.send_bytes(data)
        except OSError:  # nobody reads them any more
            return


def first_ready(workers: list[Any], timeout: float) -> int:
    """Which of some workers has a reply first, or has ended."""
    if isinstance(workers[0], ThreadWorker):
        with workers[0].arrived:
            workers[0].arrived.wait_for(
                lambda: any(not w.replies.empty() for w in workers), timeout or None
            )
            found = [i for i, w in enumerate(workers) if not w.replies.empty()]
    else:
        ends = [end for w in workers for end in (w.replies, w.process.sentinel)]
        ready = connection.wait(ends, timeout or None)
        found = [ends.index(end) // 2 for end in ready]
    if not found:
        raise errors.timed_out(timeout)
    return min(found)


def stop(workers: list[Any], owner: int) -> None:
    """End all workers, unless this process is a copy of the one that has them."""
    if os.getpid() != owner:
        return
    for worker in workers:
        worker.close()
    deadline = time.monotonic() + GRACE
    while workers:
        workers.pop().join(max(0.0, deadline - time.monotonic()))
