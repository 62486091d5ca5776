"""The public names of this package's faces, to be entered in modules that mirror autograd's."""

from __future__ import annotations

from typing import Any


def public(module: Any) -> dict[str, Any]:
    """The public names of a module (or an object that stands for one), with what they stand for."""
    return {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
