"""IDX files, the format that MNIST comes in: a magic number, the shape, the bytes."""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path
from typing import Any

import numpy

from .. import errors

UNSIGNED_BYTES = 0x08  # the third byte of the magic number; the fourth is the number of axes


def read_idx(path: Path) -> Any:
    """The array of unsigned bytes in an IDX file, compressed with gzip or not."""
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            raise errors.bad_data_file(path, f"it cannot be decompressed ({error})") from error
    if len(content) < 4 or content[:3] != bytes((0, 0, UNSIGNED_BYTES)):
        raise errors.bad_data_file(path, "it does not start like an IDX file of unsigned bytes")
    axes = content[3]
    start = 4 + 4 * axes
    shape = tuple(int.from_bytes(content[i : i + 4], "big") for i in range(4, start, 4))
    expected = start + math.prod(shape)
    if len(content) != expected:
        raise errors.bad_data_file(
            path, f"it has {len(content)} bytes, where its shape {shape} asks for {expected}"
        )
    return numpy.frombuffer(content, numpy.uint8, offset=start).reshape(shape)
