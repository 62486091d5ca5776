"""Arrays in memory-mapped temporary files: they take space on disk, and memory only while read."""

from __future__ import annotations

import mmap
from typing import Any

import numpy

SEGMENT = 64 << 20
"""The size of a file, in bytes, where no array needs a larger one. They are sparse at first."""

ALIGNMENT = 64


class Spill:
    """A place for arrays of at least `limit` bytes. A file vanishes with the last array in it."""

    __slots__ = ("limit", "segment", "used")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.segment: mmap.mmap | None = None
        self.used = 0

    def takes(self, x: Any) -> bool:
        """Whether `x` is large enough, and laid out in one piece."""
        return (
            type(x) is numpy.ndarray
            and x.nbytes >= self.limit
            and not x.dtype.hasobject
            and (x.flags.c_contiguous or x.flags.f_contiguous)
        )

    def store(self, x: Any) -> Any:
        """A copy of `x` in a file, laid out in the same way."""
        block = self.block(-(-x.nbytes // ALIGNMENT) * ALIGNMENT)
        copy = numpy.ndarray(x.shape, x.dtype, block, strides=x.strides)
        copy[...] = x
        return copy

    def block(self, size: int) -> Any:
        """Some bytes of a file."""
        if self.segment is None or self.used + size > len(self.segment):
            from tempfile import TemporaryFile  # and with it modules that nothing else here needs

            length = max(size, SEGMENT)
            with TemporaryFile() as file:
                file.truncate(length)
                self.segment = mmap.mmap(file.fileno(), length)
            self.used = 0
        block = memoryview(self.segment)[self.used : self.used + size]
        self.used += size
        return block
