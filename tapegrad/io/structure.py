"""Containers as JSON, with the tensors in them by name.

A value that is no string, bool, integer, float or None is a list: its kind, then what it consists
of. What is read is checked: nothing but these kinds is made.
"""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from typing import Any

import numpy
from numpy import generic, ndarray

from ..backend import HOST, Place, on_device, put
from ..core.array import Array, Traced
from ..torch.device import device
from ..torch.dtypes import ALL, BY_NUMPY, dtype
from ..torch.size import Size
from ..torch.tensor import Tensor, wrap
from . import errors

DTYPES = {d.name: d for d in ALL}
KEYS = (str, int, float, bool, type(None))
RESERVED = "__metadata__"


class Writer:
    """Describes a value, and collects the arrays in it under names that tell where they are.

    An array that comes again is stored once, but for those of a flat dict: other programs look
    for them by name.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, ndarray] = {}
        self.seen: dict[Any, str] = {}
        self.hosts: dict[int, ndarray] = {}

    def describe(self, obj: Any) -> str:
        """The description of a value as JSON."""
        self.flat = isinstance(obj, dict) and all(
            isinstance(v, Array | ndarray) for v in obj.values()
        )
        try:
            return json.dumps(self.encode(obj, ()), allow_nan=False, separators=(",", ":"))
        except RecursionError:
            raise errors.too_deep() from None

    def encode(self, obj: Any, path: tuple[Any, ...]) -> Any:
        """A value in terms of JSON."""
        if obj is None or type(obj) in (str, bool, int):
            return obj
        if type(obj) is float:
            return obj if math.isfinite(obj) else ["float", repr(obj)]
        if isinstance(obj, Array):
            if isinstance(obj, Traced):
                raise errors.traced_value(place(path))
            kind = "tensor" if isinstance(obj, Tensor) else "array"
            return [kind, *self.store(self.on_host(obj.raw), path)]
        if isinstance(obj, ndarray):
            return ["array", *self.store(obj, path)]
        if isinstance(obj, generic):
            return ["scalar", *self.store(numpy.asarray(obj), path)]
        if isinstance(obj, bytes):
            return ["bytes", *self.store(numpy.frombuffer(obj, numpy.uint8), path)]
        if isinstance(obj, complex):
            return ["complex", self.encode(obj.real, path), self.encode(obj.imag, path)]
        if isinstance(obj, dict):
            kind = "ordered" if isinstance(obj, OrderedDict) else "dict"
            return [kind, [self.item(key, value, path) for key, value in obj.items()]]
        if type(obj) is Size:
            return ["size", list(obj)]
        if type(obj) in (list, tuple):
            kind = type(obj).__name__
            return [kind, [self.encode(x, (*path, i)) for i, x in enumerate(obj)]]
        if isinstance(obj, dtype):
            return ["dtype", obj.name]
        if isinstance(obj, device):
            return ["device", str(obj)]
        raise errors.cannot_save(place(path), obj)

    def on_host(self, raw: Any) -> ndarray:
        """Raw data as an ndarray: a copy, made once, if they are on a device."""
        if not on_device(raw):
            return numpy.asarray(raw)
        if id(raw) not in self.hosts:
            self.hosts[id(raw)] = numpy.asarray(put(raw, HOST))
        return self.hosts[id(raw)]

    def item(self, key: Any, value: Any, path: tuple[Any, ...]) -> list[Any]:
        """A key and its value."""
        if type(key) not in KEYS:
            raise errors.cannot_save_key(place(path), key)
        return [self.encode(key, path), self.encode(value, (*path, key))]

    def store(self, raw: ndarray, path: tuple[Any, ...]) -> list[Any]:
        """The name that an array is stored under, and what its dtype is called if it has no own."""
        if raw.dtype.newbyteorder("=") not in BY_NUMPY:
            raise errors.cannot_save_dtype(place(path), raw.dtype)
        raw = raw.astype(raw.dtype.newbyteorder("="), copy=False)
        extra = []
        if raw.dtype == numpy.complex128:  # which the format does not know
            extra = ["complex128"]
        where = raw.__array_interface__["data"][0], raw.shape, raw.strides, raw.dtype.str
        name = self.seen.get(where) if raw.size and not self.flat else None
        if name is None:
            name = self.unused(".".join(map(str, path)) or "value")
            self.seen[where] = name
            raw = numpy.array(raw, order="C", copy=None)
            self.arrays[name] = raw.view(numpy.float64) if extra and raw.ndim else raw
            if extra and not raw.ndim:
                self.arrays[name] = raw.reshape(1).view(numpy.float64)
        return [name, *extra] if not extra else [name, *extra, list(raw.shape)]

    def unused(self, name: str) -> str:
        """A name that no array has yet."""
        candidate, n = name, 1
        while candidate in self.arrays or candidate == RESERVED:
            n += 1
            candidate = f"{name}#{n}"
        return candidate


def place(path: tuple[Any, ...]) -> str:
    """Where a value is, as Python writes it."""
    return "obj" + "".join(f"[{key!r}]" for key in path)


class Reader:
    """Makes a value of its description, and of the arrays by their names."""

    def __init__(self, arrays: dict[str, ndarray], place: Place) -> None:
        self.arrays = arrays
        self.place = place
        self.tensors: dict[str, Tensor] = {}

    def read(self, text: str) -> Any:
        """The value that JSON describes."""
        try:
            return self.decode(json.loads(text))
        except errors.DamagedFileError:
            raise
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise errors.damaged(f"its structure makes no sense ({error!r})") from error

    def decode(self, x: Any) -> Any:
        """A value of its terms in JSON."""
        if not isinstance(x, list):
            if isinstance(x, dict):
                raise errors.damaged("its structure has an object where a list should be")
            return x
        kind, first, *rest = x
        if kind in ("tensor", "array", "scalar", "bytes"):
            return self.leaf(kind, first, rest)
        if kind in ("dict", "ordered"):
            pairs = [(self.decode(key), self.decode(value)) for key, value in first]
            return OrderedDict(pairs) if kind == "ordered" else dict(pairs)
        if kind in ("list", "tuple"):
            values = [self.decode(v) for v in first]
            return values if kind == "list" else tuple(values)
        if kind == "float":
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[first]
        if kind == "complex":
            return complex(self.decode(first), self.decode(rest[0]))
        if kind == "size":
            return Size(int(n) for n in first)
        if kind == "dtype":
            return DTYPES[first]
        if kind == "device":
            return device(first)
        raise errors.damaged(f"its structure has the unknown kind {kind!r}")

    def leaf(self, kind: str, name: str, rest: list[Any]) -> Any:
        """A tensor, an array, a NumPy scalar or bytes. One name gives one object."""
        raw = self.arrays[name]
        if rest:
            raw = raw.view(numpy.complex128).reshape(tuple(rest[1]))
        if kind == "tensor":
            if name not in self.tensors:
                self.tensors[name] = wrap(put(raw, self.place))
            return self.tensors[name]
        if kind == "scalar":
            return raw[()] if not raw.shape else raw.reshape(())[()]
        return raw.tobytes() if kind == "bytes" else raw
