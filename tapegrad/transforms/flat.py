"""A call of a function, made flat: a function of the arrays among its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import tree
from ..backend import is_raw, python_numbers
from ..core.array import Array
from ..core.face import Face, bare, dressed, face_of, faces


def is_array(x: Any) -> bool:
    """Whether a leaf is an array as opposed to a Python number or an option."""
    return isinstance(x, Array) or (is_raw(x) and type(x) not in python_numbers)


class FlatCall:
    """``fun(*args, **kwargs)`` as a function of some of its leaves that gives a list of results.

    `chosen` are the places of these among all `leaves`; by default, of the arrays. Leaves and
    results are without their faces, which the function and its caller see.
    """

    __slots__ = ("chosen", "faces", "fun", "leaves", "result_faces", "results", "structure")

    def __init__(
        self,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        choose: Callable[[int, Any], bool] = lambda _, x: is_array(x),
    ) -> None:
        self.fun = fun
        leaves, self.structure = tree.flatten((args, kwargs))
        self.faces = [face_of(x) for x in leaves] if faces else []
        self.leaves = [bare(x) for x in leaves]
        self.result_faces: list[Face | None] = []
        self.chosen = [i for i, x in enumerate(self.leaves) if choose(i, x)]
        self.results: Any = None  # their structure, once the function ran

    def inputs(self) -> list[Any]:
        """The chosen leaves of the call as it was made."""
        return [self.leaves[i] for i in self.chosen]

    def __call__(self, *arrays: Any) -> list[Any]:
        leaves = list(self.leaves)
        for i, x in zip(self.chosen, arrays, strict=True):
            leaves[i] = x
        if self.faces:
            leaves = list(map(dressed, leaves, self.faces))
        args, kwargs = tree.unflatten(self.structure, leaves)
        results, self.results = tree.flatten(self.fun(*args, **kwargs))
        self.result_faces = [face_of(x) for x in results] if faces else []
        return [bare(x) for x in results]

    def rebuild(self, results: list[Any]) -> Any:
        """What the function would have returned, with other arrays."""
        if self.result_faces:
            results = list(map(dressed, results, self.result_faces))
        return tree.unflatten(self.results, results)
