"""SciPy's names, for plain and for recorded arrays. SciPy must be installed.

A submodule is loaded when it is first used: `import tapegrad.scipy.linalg`, or
`tapegrad.scipy.linalg` after `import tapegrad.scipy`.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from ..errors import no_scipy

if importlib.util.find_spec("scipy") is None:
    raise no_scipy("tapegrad.scipy")


def __getattr__(name: str) -> Any:
    """This package's submodule of a name, else SciPy's own."""
    if not name.startswith("_") and importlib.util.find_spec(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")
    return getattr(importlib.import_module("scipy"), name)
