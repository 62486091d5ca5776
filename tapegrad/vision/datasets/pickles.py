"""Pickles of dicts with arrays of bytes, which CIFAR comes in, read without executing anything."""

from __future__ import annotations

import io
import pickle
import pickletools
from pathlib import Path
from typing import Any

import numpy
from numpy import ndarray

from . import errors


class Piece:
    """What stands in a pickle for an array or a dtype: a note of what it was made of."""

    def __init__(self, *args: Any) -> None:
        self.args = args
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class ArrayPiece(Piece):
    """An array."""


class DtypePiece(Piece):
    """A dtype."""


def encode(text: str, encoding: str = "latin1") -> bytes:
    """Bytes, as protocol 2 of pickle writes them."""
    return text.encode("latin1")


ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy.core.multiarray", "_reconstruct"): ArrayPiece,
    ("numpy._core.multiarray", "_reconstruct"): ArrayPiece,
    ("numpy", "ndarray"): ArrayPiece,
    ("numpy", "dtype"): DtypePiece,
    ("_codecs", "encode"): encode,
}
"""What a file may refer to, and what stands for it here."""


class Unpickler(pickle.Unpickler):
    """An unpickler that knows what is in `ALLOWED`, and refuses all else."""

    def find_class(self, module: str, name: str) -> Any:
        found = ALLOWED.get((module, name))
        if found is None:
            raise errors.forbidden_global(module, name)
        return found


def read_pickle(path: Path) -> dict[str, Any]:
    """The dict in a file, its arrays of bytes as arrays.

    Raises ValueError where the file is damaged, or refers to anything but arrays.
    """
    content = path.read_bytes()
    try:
        for op, argument, _ in pickletools.genops(content):
            if op.name.endswith("PUT") and argument is not None and argument > len(content):
                raise errors.damaged_pickle(path, "it has a place that is too far away")
        found = Unpickler(io.BytesIO(content), encoding="latin1").load()
    except errors.RefusedFileError:
        raise
    except Exception as error:  # a pickle that was tampered with may do anything wrong
        raise errors.damaged_pickle(path, f"{type(error).__name__}: {error}") from error
    if not isinstance(found, dict):
        raise errors.damaged_pickle(path, "it holds no dict")
    return {
        text(key): array_of(path, value) if isinstance(value, Piece) else value
        for key, value in found.items()
    }


def text(key: Any) -> str:
    """A key, which one version of Python has written as text and another as bytes."""
    return key.decode("latin1") if isinstance(key, bytes) else str(key)


def array_of(path: Path, piece: Piece) -> ndarray:
    """The array that a piece stands for."""
    try:
        _, shape, d, _, data = piece.state
        (name, *_) = d.args
        raw = data.encode("latin1") if isinstance(data, str) else data
    except (TypeError, ValueError, AttributeError) as error:
        raise errors.damaged_pickle(path, "it has an array that makes no sense") from error
    if name not in ("u1", "|u1"):
        raise errors.damaged_pickle(path, f"it has an array of {name!r} instead of bytes")
    return numpy.frombuffer(raw, numpy.uint8).reshape(shape)
