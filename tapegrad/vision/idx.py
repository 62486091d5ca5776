"""IDX files, the format that MNIST comes in: a magic number, the shape, the numbers."""

from __future__ import annotations

import gzip
import lzma
import math
import zlib
from pathlib import Path
from typing import Any

import numpy

from .. import errors

UNSIGNED_BYTES = 0x08
DTYPES = {UNSIGNED_BYTES: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
"""The types of elements by the third byte of the magic number; the fourth is the number of axes."""

DECOMPRESS = {b"\x1f\x8b": gzip.decompress, b"\xfd7": lzma.decompress}
"""By the first bytes of a compressed file."""


def read_idx(path: Path, code: int = UNSIGNED_BYTES) -> Any:
    """The array in an IDX file, compressed with gzip, with xz or not.

    Raises ValueError where the file is damaged, or its elements are not of the type `code`.
    """
    content = path.read_bytes()
    decompress = DECOMPRESS.get(content[:2])
    if decompress is not None:
        try:
            content = decompress(content)
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise errors.bad_data_file(path, f"it cannot be decompressed ({error})") from error
    if len(content) < 4 or content[:3] != bytes((0, 0, code)):
        kind = "unsigned bytes" if code == UNSIGNED_BYTES else f"type {code}"
        raise errors.bad_data_file(path, f"it does not start like an IDX file of {kind}")
    d = numpy.dtype(DTYPES[code])
    axes = content[3]
    start = 4 + 4 * axes
    shape = tuple(int.from_bytes(content[i : i + 4], "big") for i in range(4, start, 4))
    expected = start + math.prod(shape) * d.itemsize
    if len(content) != expected:
        raise errors.bad_data_file(
            path, f"it has {len(content)} bytes, where its shape {shape} asks for {expected}"
        )
    array = numpy.frombuffer(content, d, offset=start).reshape(shape)
    return array if d.isnative else array.astype(d.newbyteorder("="))
