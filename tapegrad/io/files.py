"""`save` and `load`: whole checkpoints in safetensors files, which hold numbers and text only."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy
from numpy import ndarray
from safetensors import SafetensorError, TensorSpec, deserialize, serialize, serialize_file

from ..backend import HOST, put
from ..torch.device import place_for
from ..torch.dtypes import ALL
from ..torch.serialization.replacing import replaced
from ..torch.tensor import wrap
from . import errors
from .structure import Reader, Writer

__all__ = ["load", "load_metadata", "save"]

STRUCTURE = "tapegrad"
"""The key of the metadata under which the structure is described."""

FORMAT = {"format": "pt"}  # without which Hugging Face's transformers do not take a file

CODES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U64": "uint64",
    "U32": "uint32",
    "U16": "uint16",
    "U8": "uint8",
    "BOOL": "bool",
    "C64": "complex64",
}
DTYPES = {code: next(d.dtype for d in ALL if d.name == name) for code, name in CODES.items()}


def save(obj: Any, file: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors and numbers, in nested dicts, lists and tuples, to a safetensors file.

    `file` is a path or a binary file. A file at a path is replaced as a whole or not at all: killed
    while it writes, the process leaves the old file as it was. `metadata` is text for
    `load_metadata`.

    The tensors of a flat dict, such as a `state_dict`, get their keys as names, so every program
    that reads safetensors finds them. Those of nested containers get their keys joined by dots.
    Tensors are saved without their gradients, and do not require any when they are loaded.

    >>> import tempfile, tapegrad, tapegrad.torch as torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"w": torch.ones(2), "epoch": 3}, f"{folder}/a.safetensors")
    ...     load(f"{folder}/a.safetensors")
    {'w': tensor([1., 1.]), 'epoch': 3}
    """
    writer = Writer()
    texts = {**FORMAT, **checked(metadata or {}), STRUCTURE: writer.describe(obj)}
    arrays = writer.arrays
    specs = {
        name: TensorSpec(
            dtype=raw.dtype.name,
            shape=raw.shape,
            data_ptr=raw.ctypes.data,
            data_len=raw.nbytes,
        )
        for name, raw in arrays.items()
    }
    if hasattr(file, "write"):
        file.write(bytes(serialize(specs, metadata=texts)))
        return
    with replaced(file) as part:
        open(part, "wb").close()
        mode = os.stat(part).st_mode  # what others may do with new files
        try:
            serialize_file(specs, part, metadata=texts)
        except SafetensorError as error:
            raise errors.not_written(file, error) from error
        os.chmod(part, mode)


def checked(metadata: Mapping[str, str]) -> Mapping[str, str]:
    """Metadata that can be written."""
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise errors.bad_metadata(key, value)
        if key == STRUCTURE:
            raise errors.reserved_metadata(key)
    return metadata


def load(file: Any, map_location: Any = None) -> Any:
    """What a safetensors file (a path or a binary file) holds.

    A file of `save` gives what was saved; a file of any other program a dict of tensors. Nothing
    in the file is executed, and a damaged file raises `tapegrad.torch.errors.DamagedFileError`.
    Tensors go to the device `map_location`, by default to the CPU: the file does not say where they
    were.
    """
    place = HOST if map_location is None else place_for(map_location)
    data = content(file)
    try:
        found = deserialize(data)
    except SafetensorError as error:
        raise errors.damaged(error) from error
    arrays = {name: array_of(name, info) for name, info in found}
    text = metadata_of(data).get(STRUCTURE)
    if text is None:
        return {name: wrap(put(raw, place)) for name, raw in arrays.items()}
    return Reader(arrays, place).read(text)


def load_metadata(file: Any) -> dict[str, str]:
    """The metadata of a safetensors file, without its tensors."""
    data = content(file)
    try:
        deserialize(data)
    except SafetensorError as error:
        raise errors.damaged(error) from error
    return {key: text for key, text in metadata_of(data).items() if key != STRUCTURE}


def content(file: Any) -> bytes:
    """All bytes of a file."""
    if hasattr(file, "read"):
        data: bytes = file.read()
    else:
        with open(os.fspath(file), "rb") as opened:
            data = opened.read()
    if data[:4] == b"PK\x03\x04":
        raise errors.file_of_pytorch()
    return data


def metadata_of(data: bytes) -> dict[str, str]:
    """The metadata of a file that was found to be sound."""
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    texts: dict[str, str] = header.get("__metadata__") or {}
    return texts


def array_of(name: str, info: Any) -> ndarray:
    """The array of a tensor in a file."""
    d = DTYPES.get(info["dtype"])
    if d is None:
        raise errors.damaged(f"{name} is of the dtype {info['dtype']}, which is not known here")
    array: ndarray = numpy.frombuffer(info["data"], d).reshape(info["shape"])
    return array
