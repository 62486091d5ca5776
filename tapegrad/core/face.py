"""Faces: other classes of arrays, with another library's names, on the same core.

A face's class extends `Array` and is registered with its `Face`. Operations, rules and walks see
the core's own classes only; a transform undresses what its function takes and gives, and dresses it
again for the function and for its caller.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from ..backend import is_complex
from .array import Array, Traced
from .op import table


@dataclass(frozen=True, slots=True)
class Face:
    """One face.

    wrap
        Makes an array of this face of an `Array` or of raw data.
    conjugates
        Its users see the conjugates of the core's complex cotangents.
    """

    wrap: Callable[[Any], Any]
    conjugates: bool = False


settings: list[Callable[[], Hashable]] = []
"""What the results of faces' functions depend on beside their arguments: each gives its value."""

faces: dict[type, Face] = {}
"""The faces by the classes of their arrays."""


def face_of(x: Any) -> Face | None:
    """The face of an array, None for the core's own and for whatever is no `Array`."""
    if not faces or not isinstance(x, Array):
        return None
    kind = type(x)
    if kind is Array or kind is Traced:
        return None
    for base in kind.__mro__:
        if base in faces:
            return faces[base]
    return None


def bare(x: Any) -> Any:
    """`x` without its face: an `Array` where it is tracked, raw data where it is not."""
    return undressed(x) if faces and isinstance(x, Array) and face_of(x) else x


def undressed(x: Array) -> Any:
    """An array of a face as the core's own."""
    if not x.slot:
        return x.raw
    result = Traced() if isinstance(x, Traced) else Array()
    result.raw = x.raw
    result.slot = x.slot
    result.tape = x.tape
    return result


def conjugated(g: Any, face: Face | None) -> Any:
    """A cotangent, from the core's convention to that of a face, or back."""
    if face is None or not face.conjugates or g is None or not is_complex(g.dtype):
        return g
    return table["conj"].function(g)


def dressed(x: Any, face: Face | None) -> Any:
    """`x` in a face."""
    return x if face is None or x is None else face.wrap(x)
