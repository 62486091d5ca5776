"""Streams and events of CuPy, with PyTorch's names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import errors
from ..device import cupy
from ..device import device as Device
from .numbers import index_of


class Stream:
    """A queue of a GPU, whose work is done in order; that of several streams may overlap.

    `cupy` is CuPy's stream, which may also be given as `stream`.
    """

    def __init__(self, device: Any = None, priority: int = 0, *, stream: Any = None) -> None:
        self.index = index_of(device)
        self.priority = priority
        if stream is None:
            with cupy().cuda.Device(self.index):
                stream = cupy().cuda.Stream(non_blocking=True, priority=priority)
        self.cupy = stream

    @property
    def device(self) -> Device:
        """The GPU of the stream."""
        return Device("cuda", self.index)

    @property
    def cuda_stream(self) -> int:
        """The driver's pointer."""
        return int(self.cupy.ptr)

    def synchronize(self) -> None:
        """Wait until all work in the stream is done."""
        self.cupy.synchronize()

    def query(self) -> bool:
        """Whether all work in the stream is done."""
        return bool(self.cupy.done)

    def record_event(self, event: Event | None = None) -> Event:
        """An event at the end of what is in the stream now."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Let what comes into the stream from now on wait for an event."""
        if event.cupy is not None:
            self.cupy.wait_event(event.cupy)

    def wait_stream(self, stream: Stream) -> None:
        """Let what comes into the stream from now on wait for what is in another one now."""
        self.wait_event(stream.record_event())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.cuda_stream == other.cuda_stream

    def __hash__(self) -> int:
        return hash((self.index, self.cuda_stream))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class Event:
    """A mark in a stream, to wait for and to take times between.

    `cupy` is CuPy's event; None before the event is recorded.
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        cupy()
        self.enable_timing = enable_timing
        self.blocking = blocking
        self.interprocess = interprocess
        self.cupy: Any = None

    def record(self, stream: Stream | None = None) -> None:
        """Put the mark at the end of what is in a stream now, by default the current one."""
        where = current_stream() if stream is None else stream
        with cupy().cuda.Device(where.index):
            if self.cupy is None:
                self.cupy = cupy().cuda.Event(
                    block=self.blocking,
                    disable_timing=not self.enable_timing,
                    interprocess=self.interprocess,
                )
            self.cupy.record(where.cupy)

    def wait(self, stream: Stream | None = None) -> None:
        """Let what comes into a stream from now on wait for the event."""
        (current_stream() if stream is None else stream).wait_event(self)

    def query(self) -> bool:
        """Whether the work before the mark is done."""
        return self.cupy is None or bool(self.cupy.done)

    def synchronize(self) -> None:
        """Wait for the work before the mark."""
        if self.cupy is not None:
            self.cupy.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """The time from this event to another, in milliseconds; both have to be done."""
        if not (self.enable_timing and end_event.enable_timing):
            raise errors.events_without_times()
        if self.cupy is None or end_event.cupy is None:
            raise errors.events_not_recorded()
        return float(cupy().cuda.get_elapsed_time(self.cupy, end_event.cupy))


def current_stream(device: Any = None) -> Stream:
    """The stream that work on a GPU goes into."""
    index = index_of(device)
    return Stream(index, stream=cupy().cuda.get_current_stream(index))


def default_stream(device: Any = None) -> Stream:
    """The stream of a GPU that waits for all others."""
    return Stream(index_of(device), stream=cupy().cuda.Stream.null)


def set_stream(stream: Stream | None) -> None:
    """Let work go into another stream from now on."""
    if stream is not None:
        with cupy().cuda.Device(stream.index):
            stream.cupy.use()


@contextlib.contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Let work go into another stream within a `with` block; None changes nothing."""
    if stream is None:
        yield
        return
    with cupy().cuda.Device(stream.index), stream.cupy:
        yield
