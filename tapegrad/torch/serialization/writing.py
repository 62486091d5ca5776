"""Writing a zip file that PyTorch reads with ``weights_only=True``."""

from __future__ import annotations

import io
import pickle
import sys
import zipfile
from collections import OrderedDict
from typing import Any

import numpy
from numpy import ndarray

from ...backend import HOST, on_device
from ...backend import put as put_in
from ...core.versions import owner_of
from .. import errors
from ..device import device
from ..dtypes import dtype, of_numpy
from ..size import Size
from ..tensor import Tensor, writable
from .replacing import replaced
from .storages import DEFAULT_PROTOCOL, STORAGES, Global

ROOT = "archive"
ALIGNMENT = 64
EARLY = (1980, 1, 1, 0, 0, 0)  # the same file for the same content

REBUILD = Global("torch._utils", "_rebuild_tensor_v2")
REBUILD_NEW = Global("torch._utils", "_rebuild_tensor_v3")
UNTYPED = Global("torch.storage", "UntypedStorage")
PARAMETER = Global("torch._utils", "_rebuild_parameter")


class Stored:
    """A reference to a storage, to be pickled as PyTorch's persistent identifier."""

    def __init__(self, key: str, array: ndarray, location: str) -> None:
        self.key = key
        self.array = array
        self.location = location


PythonPickler: Any = pickle._Pickler  # the one whose steps can be overridden


class Pickler(PythonPickler):
    """A pickler that writes tensors as PyTorch does, by names that need not exist here."""

    def __init__(self, file: Any) -> None:
        super().__init__(file, protocol=DEFAULT_PROTOCOL)
        self.storages: dict[int, Stored] = {}

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, Stored):
            return None
        d = of_numpy(obj.array.dtype)
        name = STORAGES.get(d.name)
        if name is None:
            return (
                "storage",
                Global("torch.storage", "UntypedStorage"),
                obj.key,
                obj.location,
                obj.array.nbytes,
            )
        return "storage", Global("torch", name), obj.key, obj.location, obj.array.size

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Tensor):
            return self.reduced(obj)
        if isinstance(obj, dtype):
            return Global("torch", obj.name).__reduce_ex__(2)
        if isinstance(obj, Size):
            return Global("torch", "Size"), (tuple(obj),)
        if isinstance(obj, device):
            parts = (obj.type,) if obj.index is None else (obj.type, obj.index)
            return Global("torch", "device"), parts
        return NotImplemented

    def reduced(self, x: Tensor) -> Any:
        """How a tensor is made again: of a storage, an offset, sizes and strides."""
        raw = writable(x)
        location = str(x.device)
        if on_device(raw):  # a copy on the host, of what is shown alone
            raw = numpy.asarray(put_in(raw, HOST))
        owner = owner_of(raw)
        whole = owner if contains(owner, raw) else numpy.ascontiguousarray(raw)
        raw = raw if whole is owner else whole
        new = Stored(str(len(self.storages)), whole, location)
        stored = self.storages.setdefault(id(whole), new)
        size = raw.itemsize
        offset = (address(raw) - address(whole)) // size if raw.size else 0
        steps = tuple(s // size for s in raw.strides)
        d = of_numpy(raw.dtype)
        needs = x.slot != 0
        arguments: tuple[Any, ...] = (stored, offset, raw.shape, steps, needs, OrderedDict())
        function = REBUILD
        if d.name not in STORAGES:
            arguments = (*arguments, d)
            function = REBUILD_NEW
        if not x.is_parameter:
            return function, arguments
        plain = Tensor.__copy__(x)
        plain.__class__ = Tensor
        plain.__dict__.clear()
        plain.slot = 0
        return PARAMETER, (plain, needs, OrderedDict())

    def save_global(self, obj: Any, name: Any = None) -> None:
        if isinstance(obj, dtype):
            obj = Global("torch", obj.name)
        if not isinstance(obj, Global):
            super().save_global(obj, name)
            return
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)


def address(raw: ndarray) -> int:
    """Where the first element of an array lies."""
    return int(raw.__array_interface__["data"][0])


def contains(owner: ndarray, raw: ndarray) -> bool:
    """Whether an array can be written as a part of its owner's memory."""
    if owner.dtype != raw.dtype or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        return False
    if not raw.size or any(s < 0 for s in raw.strides):
        return False
    start = address(raw) - address(owner)
    last = start + sum((n - 1) * s for n, s in zip(raw.shape, raw.strides, strict=True))
    return start >= 0 and last < owner.nbytes


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = None,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write tensors, and containers of them, to a file (a path or a file object).

    A file at a path is replaced as a whole or not at all. PyTorch reads it with
    ``torch.load(f, weights_only=True)``. Other objects are pickled, and can be read again only with
    ``weights_only=False``.
    """
    if hasattr(f, "write"):
        write_archive(obj, f)
        return
    with replaced(f) as part, open(part, "wb") as file:
        write_archive(obj, file)


def write_archive(obj: Any, file: Any) -> None:
    """Write the zip archive: the pickle, and the data of each storage."""
    pickled = io.BytesIO()
    pickler = Pickler(pickled)
    try:
        pickler.dump(obj)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise errors.cannot_save(obj, error) from error
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        put(archive, "data.pkl", pickled.getvalue())
        put(archive, ".format_version", b"1")
        put(archive, ".storage_alignment", str(ALIGNMENT).encode())
        put(archive, "byteorder", sys.byteorder.encode())
        for stored in pickler.storages.values():
            array = stored.array
            data = array.tobytes("C" if array.flags.c_contiguous else "F")
            put(archive, f"data/{stored.key}", data)
        put(archive, "version", b"3\n")


def put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Add a file to the archive, its data aligned as PyTorch aligns it."""
    info = zipfile.ZipInfo(f"{ROOT}/{name}", EARLY)
    offset = archive.fp.tell() if archive.fp is not None else 0
    before = offset + 30 + len(info.filename.encode())
    padding = -(before + 4) % ALIGNMENT
    info.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
    archive.writestr(info, data)
