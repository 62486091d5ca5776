"""Reading PyTorch's zip files, by an unpickler that knows a few names and refuses all others."""

from __future__ import annotations

import io
import math
import os
import pickle
import pickletools
import struct
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy

from ...backend import full, gpu, namespace, place_of, put
from .. import errors
from ..autograd.attributes import requires_grad_
from ..device import check_device, device, place_for
from ..dtypes import ALL, dtype
from ..size import Size
from ..tensor import Tensor, wrap
from . import safe
from .storages import DTYPE_OF_STORAGE

LARGEST_PICKLE = 1 << 30


READING_ERRORS = (
    zipfile.BadZipFile,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    struct.error,
)
"""What `zipfile` raises where an archive is damaged."""


class Storage:
    """The elements of a storage in a file: bytes, of a dtype if the file says which.

    `location` is the device that its tensors are to be on.
    """

    def __init__(self, data: bytearray, d: dtype | None, location: str = "cpu") -> None:
        self.data = data
        self.dtype = d
        self.location = location
        self.arrays: dict[Any, Any] = {}

    def cpu(self) -> Storage:
        """The same for the processor: what a function `map_location` may give."""
        return Storage(self.data, self.dtype)

    def cuda(self, device: Any = None) -> Storage:
        """The same for a GPU."""
        where = "cuda" if device is None else f"cuda:{device}" if type(device) is int else device
        return Storage(self.data, self.dtype, str(where))

    def flat(self, d: Any) -> Any:
        """The elements as raw data of NumPy's dtype `d`, on the device."""
        if d not in self.arrays:
            self.arrays[d] = put(numpy.frombuffer(self.data, d), place_for(self.location))
        return self.arrays[d]


def rebuild(
    storage: Any,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool = False,
    hooks: Any = None,
    d: Any = None,
    metadata: Any = None,
) -> Tensor:
    """A tensor on a storage, checked to lie within it."""
    own = d if isinstance(d, dtype) else getattr(storage, "dtype", None)
    if not isinstance(storage, Storage) or own is None:
        raise errors.damaged("a tensor has no storage")
    flat = storage.flat(own.dtype)
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride) or not all(
        isinstance(n, int) and n >= 0 for n in (*size, *stride, offset)
    ):
        raise errors.damaged("a tensor has impossible sizes or strides")
    if math.prod(size):
        last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
        if last >= flat.size:
            raise errors.damaged("a tensor reaches beyond its storage")
        steps = tuple(s * flat.itemsize for s in stride)
        raw: Any = namespace(flat).lib.stride_tricks.as_strided(flat[offset:], size, steps)
    else:
        raw = full(size, 0, own.dtype, place_of(flat))
    result = wrap(raw)
    return requires_grad_(result) if requires_grad else result


def rebuild_parameter(data: Any, requires_grad: bool, hooks: Any) -> Any:
    """A parameter with given data."""
    parameter: Any = import_module("tapegrad.nn").Parameter
    return parameter(data, bool(requires_grad))


def scalar(d: Any, data: Any = b"") -> Any:
    """A NumPy scalar."""
    if not isinstance(d, numpy.dtype) or d.hasobject:
        raise errors.damaged("a NumPy scalar of an unknown dtype")
    return numpy.frombuffer(data if isinstance(data, bytes) else bytes(data, "latin1"), d, 1)[0]


NDARRAY = "numpy.ndarray"  # no function that a file could call


def reconstruct(kind: Any, shape: Any, code: Any) -> numpy.ndarray:
    """An array that is yet to get its shape, dtype and elements."""
    if kind is not NDARRAY:
        raise errors.damaged("an array of an unknown class")
    return numpy.empty(0, numpy.int8)


def encode(text: str, encoding: str = "latin1") -> bytes:
    """Bytes, as protocol 2 of pickle writes them."""
    if encoding not in ("latin1", "ascii", "utf-8"):
        raise errors.damaged(f"bytes in the encoding {encoding!r}")
    return text.encode(encoding)


ALLOWED: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): rebuild,
    ("torch._utils", "_rebuild_tensor_v3"): rebuild,
    ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
    ("torch", "Size"): Size,
    ("torch", "device"): device,
    ("numpy.core.multiarray", "_reconstruct"): reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): reconstruct,
    ("numpy", "ndarray"): NDARRAY,
    ("numpy.core.multiarray", "scalar"): scalar,
    ("numpy._core.multiarray", "scalar"): scalar,
    ("numpy", "dtype"): numpy.dtype,
    ("_codecs", "encode"): encode,
    ("builtins", "set"): set,
    ("__builtin__", "set"): set,
    ("builtins", "complex"): complex,
    ("__builtin__", "complex"): complex,
    ("torch", "UntypedStorage"): None,
    ("torch.storage", "UntypedStorage"): None,
    **{("torch", d.name): d for d in ALL},
    **{("torch", name): d for name, d in DTYPE_OF_STORAGE.items()},
}
"""What a file may refer to."""


class Unpickler(pickle.Unpickler):
    """An unpickler for the names in `ALLOWED` alone, with the storages of an archive."""

    def __init__(self, data: bytes, archive: Archive, everything: bool) -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")
        self.archive = archive
        self.everything = everything

    def find_class(self, module: str, name: str) -> Any:
        try:
            return ALLOWED[module, name]
        except KeyError:
            trusted = safe.find(module, name)
            if trusted is not None:
                return trusted
            if self.everything:
                return super().find_class(module, name)
            raise errors.forbidden_global(module, name) from None

    def persistent_load(self, pid: Any) -> Storage:
        if not isinstance(pid, tuple) or len(pid) != 5 or pid[0] != "storage":
            raise errors.damaged("an unknown kind of persistent reference")
        return self.archive.storage(str(pid[2]), pid[1], pid[4], str(pid[3]))


class Archive:
    """A zip file of PyTorch's, and what was read of it."""

    def __init__(self, file: Any, map_location: Any = None) -> None:
        self.map_location = map_location
        try:
            self.zip = zipfile.ZipFile(file)
        except READING_ERRORS as error:
            raise errors.no_archive(error) from error
        names = [name for name in self.zip.namelist() if name.endswith("/data.pkl")]
        if len(names) != 1:
            raise errors.damaged("it has no data.pkl")
        self.root = names[0].removesuffix("data.pkl")
        self.storages: dict[str, Storage] = {}
        self.swapped = self.byteorder() != sys.byteorder

    def read(self, name: str, most: int) -> bytes:
        """A file of the archive, which must not be larger than `most` nor than the archive says."""
        try:
            info = self.zip.getinfo(self.root + name)
            if info.file_size > most or info.compress_size < info.file_size:
                raise errors.damaged(f"{name} has {info.file_size} bytes where {most} may be")
            return self.zip.read(info)
        except KeyError:
            raise errors.damaged(f"{name} is missing") from None
        except READING_ERRORS as error:
            raise errors.damaged(str(error)) from error

    def byteorder(self) -> str:
        """The byte order of the numbers in the file."""
        if self.root + "byteorder" not in self.zip.namelist():
            return "little"
        return self.read("byteorder", 16).decode("ascii", "replace").strip()

    def storage(self, key: str, d: Any, count: Any, location: str) -> Storage:
        """The storage of a key; tensors of one key share it."""
        if d is not None and not isinstance(d, dtype):
            raise errors.damaged("a storage of an unknown class")
        found = self.storages.get(key)
        if found is None:
            size = count * (1 if d is None else d.itemsize) if isinstance(count, int) else -1
            data = bytearray(self.read(f"data/{key}", max(size, 0)))
            if len(data) != size:
                raise errors.damaged(f"the storage {key} has {len(data)} bytes in place of {size}")
            if self.swapped and d is not None:
                flat = numpy.frombuffer(data, d.dtype)
                flat.byteswap(inplace=True)
            found = self.storages[key] = located(Storage(data, d), location, self.map_location)
        return found


def located(storage: Storage, location: str, map_location: Any) -> Storage:
    """A storage with the device that it is to be on, given the one it was on."""
    if callable(map_location):
        chosen = map_location(storage, location)
        if isinstance(chosen, Storage):
            return chosen
    elif isinstance(map_location, dict):
        location = str(map_location.get(location, location))
    elif map_location is not None:
        storage.location = str(device(map_location))
        return storage
    kind = location.partition(":")[0]
    if kind == "cuda" and gpu()[0] is None:
        raise errors.saved_on_gpu()
    storage.location = location
    return storage


MEMO = ("PUT", "BINPUT", "LONG_BINPUT")


def check_pickle(data: bytes) -> None:
    """Raise if a pickle asks for more memory than its length justifies."""
    try:
        for op, argument, _ in pickletools.genops(data):
            if op.name in MEMO and isinstance(argument, int) and argument > len(data):
                raise errors.damaged("its pickle has a place that is too far away")
    except (ValueError, UnicodeDecodeError, OverflowError) as error:
        raise errors.damaged(str(error)) from error


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """What a file (a path or a file object) written by `save`, here or by PyTorch, holds.

    Tensors, containers and numbers are read; nothing in the file is executed. A file that refers
    to anything else raises UnpicklingError, unless ``weights_only=False``: this runs what the file
    says, so pass it only for files of your own.

    Tensors go to the devices that they were saved from. `map_location` is another device for all, a
    dict of devices by those in the file, or a function of a storage and its device, which gives the
    storage (for the CPU), ``storage.cuda(1)``, or None to leave it where it was.
    """
    check_map_location(map_location)
    if hasattr(f, "read"):
        return read_archive(Archive(f, map_location), weights_only is False)
    with open(os.fspath(f), "rb") as file:
        return read_archive(Archive(file, map_location), weights_only is False)


def read_archive(archive: Archive, everything: bool) -> Any:
    """The object that an archive holds."""
    data = archive.read("data.pkl", LARGEST_PICKLE)
    check_pickle(data)
    try:
        return Unpickler(data, archive, everything).load()
    except (pickle.UnpicklingError, errors.DamagedFileError):
        raise
    except Exception as error:  # of a pickle that was tampered with, which may do anything wrong
        if everything:
            raise
        raise errors.damaged(f"{type(error).__name__}: {error}") from error


def check_map_location(
    place: str | int | device | dict[str, str] | Callable[..., Any] | None,
) -> None:
    """Raise if tensors are to go to a device that is not here."""
    if isinstance(place, str | int | device):
        check_device(place)
    elif isinstance(place, dict):
        for target in place.values():
            check_device(target)
