"""Writes `cupy_names.txt`: what CuPy has, by which the stand-in of these tests knows what to offer.

    python tests/gpu/names.py > tests/gpu/cupy_names.txt

Each line is a name and, where Python can tell, its parameters. It needs CuPy, but no device.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

MODULES = (
    "cupy",
    "cupy.fft",
    "cupy.linalg",
    "cupy.random",
    "cupyx.scipy.fft",
    "cupyx.scipy.interpolate",
    "cupyx.scipy.linalg",
    "cupyx.scipy.ndimage",
    "cupyx.scipy.signal",
    "cupyx.scipy.special",
    "cupyx.scipy.stats",
)
CLASSES = ("ndarray", "ufunc", "random.Generator")


def parameters(value: Any) -> list[str]:
    """The names of a function's parameters; none where Python cannot tell."""
    try:
        return list(map(str, inspect.signature(value).parameters.values()))
    except (ValueError, TypeError):
        return []


def members(name: str) -> Iterator[tuple[str, list[str]]]:
    """What a module has; without its parameters where it does not load without a device."""
    try:
        module = import_module(name)
    except ImportError:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        with open(spec.origin, encoding="utf-8") as file:
            for node in ast.walk(ast.parse(file.read())):
                if isinstance(node, ast.ImportFrom):
                    for alias in node.names:
                        if not alias.name.startswith("_"):
                            yield alias.asname or alias.name, []
        return
    for member in dir(module):
        value = getattr(module, member)
        if not member.startswith("_") and not isinstance(value, ModuleType):
            yield member, [] if isinstance(value, type) else parameters(value)


def lines() -> Iterator[str]:
    """All lines, in order."""
    for module in MODULES:
        for member, arguments in sorted(members(module)):
            yield " ".join([f"{module}.{member}", *(a.partition(":")[0] for a in arguments)])
    for name in CLASSES:
        value: Any = import_module("cupy")
        for part in name.split("."):
            value = getattr(value, part)
        for member in dir(value):
            if not member.startswith("_") or (member.startswith("__") and name == "ndarray"):
                yield f"cupy.{name}.{member}"


if __name__ == "__main__":
    for line in lines():
        sys.stdout.write(f"{line}\n")
