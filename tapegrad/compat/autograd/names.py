"""The names of this package's faces, entered in modules that mirror autograd's."""

from __future__ import annotations

from typing import Any


def enter(namespace: dict[str, Any], face: Any, original: Any) -> None:
    """Enter in a module the public names of one of NumPy's or SciPy's (or of a distribution of
    SciPy's), with what `face`, which stands for it, has under them; names it has already stay."""
    names = [name for name in dir(original) if not name.startswith("_")]
    for name in names:
        namespace.setdefault(name, getattr(face, name))
    namespace["__all__"] = names
