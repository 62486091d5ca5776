"""How calls are told apart, and what their arrays are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import tree


def static_key(x: Any) -> tuple[type, Any]:
    """What tells a leaf that is no array from others: numbers by how they print, NaN included."""
    if type(x) in (int, float, complex, bool, str, type(None)):
        return type(x), repr(x)
    try:
        hash(x)
    except TypeError:
        return type(x), repr(x)
    return type(x), x


def argument_names(
    fun: Callable[..., Any],
    dynamic: Sequence[Any],
    kwargs: dict[str, Any],
    static: dict[int, Any],
    chosen: Iterable[int],
    paths: Callable[[Any], list[str]] = tree.paths,
) -> list[str]:
    """How to call the arrays among the arguments of a call: `x`, `params['w'][0]`."""
    try:
        known = list(inspect.signature(fun).parameters)
    except (TypeError, ValueError):
        known = []
    places = [i for i in range(len(dynamic) + len(static)) if i not in static]
    names = []
    for i, value in zip(places, dynamic, strict=True):
        base = known[i] if i < len(known) else f"argument {i}"
        names += [base + path for path in paths(value)]
    for key in sorted(kwargs):
        names += [key + path for path in paths(kwargs[key])]
    return [names[i] for i in chosen]
