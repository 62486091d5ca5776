"""`Box`: what stands for a traced value, and values of classes of one's own on the tape.

The tape knows arrays. A class that has a `Box` and a `VSpace` is for it a container of one leaf, an
`Element`: a number that carries the value. Elements add up as the values do, so walks need to know
nothing of them.
"""

from __future__ import annotations

from abc import ABCMeta
from typing import Any, ClassVar

import numpy

from ... import tree
from ...core.array import Array, new
from ...core.record import raw
from . import errors
from .primitives import boxes
from .vspaces import VSpace, vspace


class Element(numpy.ndarray):
    """The number 1, in the name of a value that has a `VSpace`."""

    value: Any

    def __new__(cls, value: Any) -> Element:
        self = super().__new__(cls, ())
        self[...] = 1.0  # not 0: a walk may drop what is zero
        self.value = value
        return self

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Element):
            return NotImplemented
        return Element(vspace(self.value).add(self.value, other.value))

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()]  # what is computed with the number stands for nothing

    def copy(self, order: Any = None) -> Element:
        """Itself: a value is not changed in place."""
        return self


class Box(metaclass=ABCMeta):
    """A traced value. Those of arrays are `Array`s; subclasses may be registered for other classes.

    A subclass inherits from the class too, and so has its methods. Those that read what is in a
    value should be primitives, which get the value itself.
    """

    __slots__ = ("array",)
    array: Array
    type_mappings: ClassVar[dict[type, type]] = {}
    types: ClassVar[set[type]] = boxes

    @property
    def _value(self) -> Any:
        """The value that this stands for."""
        return raw(self.array).value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __str__(self) -> str:
        return f"Autograd {type(self).__name__} with value {self._value}"

    @classmethod
    def register(cls, value_type: type) -> None:
        """Let this be the class of the traced values that stand for those of a type."""
        known = value_type in Box.type_mappings
        Box.type_mappings[value_type] = cls
        Box.types.add(cls)
        if not known:
            tree.register(value_type, lambda x: ((Element(x),), vspace(x)), unboxed)
        tree.register(cls, lambda box: ((box.array,), vspace(box._value)), unboxed)


ABCMeta.register(Box, Array)


def unboxed(space: VSpace, leaves: Any) -> Any:
    """The value, or the box, that a leaf stands for."""
    (leaf,) = leaves
    data = raw(leaf)
    if isinstance(data, Element):
        return boxed(leaf, data) if isinstance(leaf, Array) else data.value
    if numpy.any(data):
        raise errors.no_element(space)
    return space.zeros()


def boxed(array: Array, element: Element) -> Box:
    """The traced value of a class of one's own, for its array."""
    box: Box = new(Box.type_mappings[type(element.value)])
    box.array = array
    return box
