"""Warnings of functions that are compiled again and again, and how they name what they speak of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..callers import warn
from . import errors

STORM = (8, 32, 128, 512)
"""The numbers of signatures at which a warning says that there are many."""


class Naming(NamedTuple):
    """How a warning is to call a function and its arrays, and from where it may read others: the
    user's own function and objects, with their names."""

    name: str
    arguments: list[str]
    roots: Sequence[tuple[str, Any]] = ()


NAMELESS = Naming("the function", [])


def warn_of_storm(named: Naming, keys: list[Any]) -> None:
    """Warn that a function is compiled again and again, and say for which argument."""
    *_, before, last = keys
    for argument, old, new in zip(named.arguments, before, last, strict=True):
        if old != new:
            what = f"{argument} is {described(new)} now, and was {described(old)} before."
            text = errors.recompiled(named.name, len(keys), what)
            warn(text, errors.RecompilationWarning)
            return


def described(key: tuple[Any, Any, type]) -> str:
    dtype, shape, _ = key
    return f"{dtype}{list(shape)}"
