"""The machines of this computer, which all programs share: they are compiled once, and kept."""

from __future__ import annotations

import ctypes
import functools
from importlib import import_module

from . import entry_machine, tree_machine
from .cache import Cache, key
from .host import host
from .jit import Library, compile_object, load


@functools.cache
def machine() -> Library:
    """The functions ``entry``, ``run`` (see `entry_machine`) and ``call`` (see `tree_machine`)."""
    functions = [x.function for x in (*entry_machine.texts(), tree_machine.Machine())]
    needs: dict[str, str] = {}
    for function in functions:
        needs.update(function.needs)
    text = "\n".join([*needs.values(), *(f.text() for f in functions)])
    cache, name = Cache(), key(text.encode(), host(), "machine")
    code = cache.get(name)
    if code is None:
        code = compile_object(text, host())
        cache.put(name, code)
    return load(code, ["entry", "run", "call"], imports())


@functools.cache
def imports() -> dict[str, int]:
    """The functions of NumPy and Python that the machines call, by name."""
    api = ctypes.pythonapi
    pointer = api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    capsule = import_module("numpy._core._multiarray_umath")._ARRAY_API
    table = ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    found = {"PyArray_NewFromDescr": table[94], "PyArray_Scalar": table[60]}
    for name in {*entry_machine.FUNCTIONS, *tree_machine.FUNCTIONS}:
        found[name] = ctypes.cast(getattr(api, name), ctypes.c_void_p).value
    return {name: int(address or 0) for name, address in found.items()}
