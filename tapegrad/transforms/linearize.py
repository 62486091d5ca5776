"""`vjp`, `jvp` and `linearize`: one run of the function, then walks over what it recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from .. import errors, tree
from ..backend import as_data, is_complex, on_device
from ..core.array import Array
from ..core.face import bare, conjugated, dressed, face_of
from ..core.level import Level
from ..core.op import table
from ..core.walk import Walk
from . import misuse
from .arguments import (
    Inputs,
    auxiliary,
    check_function,
    map_results,
    owned,
    result_data,
    unshared,
)


class Recording:
    """A function's run at some point: its result, and what walks over it need to know."""

    __slots__ = ("aux", "data", "faces", "inputs", "result", "slots", "structure", "values", "walk")

    walk: Walk

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        primals: tuple[Any, ...],
        has_aux: bool,
        keep: bool,
        keys: tuple[int, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        forward: bool = False,
    ) -> None:
        check_function(name, fun)
        level = Level()
        if keys is None:  # the arguments to differentiate with respect to
            keys = tuple(range(len(primals)))
        if keep:  # the caller may change the arrays before a walk
            primals = tree.map(
                lambda x: x.copy(order="K") if type(x) is ndarray or on_device(x) else x, primals
            )
        self.inputs = Inputs(name, fun, level, keys, primals, kwargs or {})
        self.data = self.inputs.data
        with level:
            result = self.inputs.call(fun, primals, kwargs or {})
            self.aux: Any = None
            if has_aux:
                result, aux = auxiliary(name, result)
                self.aux = map_results(level, aux, self.data)
            values, self.structure = tree.flatten(result)
            self.faces = [face_of(x) for x in values]
            self.values = [result_data(name, x) for x in values]
            self.slots = [x.slot if level.depends(x) else 0 for x in self.values]
            self.walk = level.walk(forward=forward)
            self.values = [level.outside(x) for x in self.values]
            if keep:  # the caller may change the results, too, which the entries may have saved
                self.values = [x.copy() if type(x) is ndarray else x for x in self.values]
            self.result = self.rebuild(self.values)
            if not keep:
                self.finish()

    def rebuild(self, values: list[Any]) -> Any:
        """The tree of the result with other values."""
        return tree.unflatten(self.structure, map(dressed, values, self.faces))

    def finish(self) -> None:
        """What is to happen before the level ends."""

    def pull(self, name: str, cotangent: Any) -> list[Any]:
        """The primals' cotangents, flat, for a tree of cotangents of the result."""
        gs = matching(name, "the cotangent", self.structure, self.values, cotangent)
        seeds: dict[int, Any] = {}
        for slot, g, face in zip(self.slots, gs, self.faces, strict=True):
            if slot:
                g = conjugated(g, face)
                seeds[slot] = seeds[slot] + g if slot in seeds else g
        return owned(self.walk.pull(seeds), self.data)

    def push(self, tangents: list[Any]) -> Any:
        """The result's tangents, as a tree, for those of the primals, flat."""
        pushed = self.walk.push(tangents, self.slots)
        filled = owned(
            [t if s else None for s, t in zip(self.slots, pushed, strict=True)], self.values
        )
        return self.rebuild(filled)


def matching(name: str, what: str, structure: Any, values: list[Any], given: Any) -> list[Any]:
    """The leaves of `given`, checked against the structure and shapes of `values`."""
    leaves, own = tree.flatten(given)
    if own != structure:
        raise errors.structure_mismatch(f"{name}, {what}", structure, own)
    checked = []
    for x, t in zip(values, leaves, strict=True):
        t = bare(t) if isinstance(t, Array) else as_data(t)
        if t.shape != x.shape:
            raise errors.shape_mismatch(name, what, x.shape, t.shape)
        if t.dtype != x.dtype:
            if is_complex(t.dtype) and not is_complex(x.dtype):
                raise errors.lost_imaginary_part(name, what, x.dtype, t.dtype)
            t = table["astype"].function(t, to=x.dtype, source=t.dtype)
        checked.append(t)
    return checked


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """`(fun(*primals), pullback)`: `pullback(cotangent)` gives a tuple, one for each primal.

    The pullback may be called many times, also inside other transforms; it keeps its own copies of
    ndarray primals. With `has_aux`, `fun` returns `(result, aux)`, and `(result, pullback, aux)`
    is given.

    >>> import numpy as np, tapegrad as tg
    >>> y, pullback = tg.vjp(lambda x: x * x, np.array([1.0, 2.0]))
    >>> pullback(np.array([1.0, 10.0]))
    (array([ 2., 40.]),)
    """
    recording = Recording("vjp", fun, primals, has_aux, keep=True)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        pulled = recording.pull("vjp", cotangent)
        return tuple(recording.inputs.rebuild_cotangents(pulled))

    if has_aux:
        return recording.result, pullback, recording.aux
    return recording.result, pullback


def linearize(fun: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """`(fun(*primals), push)`: `push(*tangents)` gives the tangent of the result, many times.

    >>> import tapegrad as tg
    >>> y, push = tg.linearize(lambda x: x * x, 3.0)
    >>> float(push(1.0)), float(push(2.0))
    (6.0, 12.0)
    """
    recording = Recording("linearize", fun, primals, False, keep=True, forward=True)

    def push(*tangents: Any) -> Any:
        return recording.push(primal_tangents("linearize", recording, tangents))

    return recording.result, push


def primal_tangents(name: str, recording: Recording, tangents: tuple[Any, ...]) -> list[Any]:
    """The leaves of a tuple of tangents, checked against the primals."""
    structures = recording.inputs.structures
    if len(tangents) != len(structures):
        raise errors.structure_mismatch(
            f"{name}, tangents", f"{len(structures)} of them", f"{len(tangents)}"
        )
    flat: list[Any] = []
    start = 0
    for (structure, count), t in zip(structures, tangents, strict=True):
        flat += matching(name, "a tangent", structure, recording.data[start : start + count], t)
        start += count
    return flat


class Pushed(Recording):
    """A run whose tangents are pushed before it ends, so that nothing outlives it."""

    __slots__ = ("name", "tangent", "tangents")

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        primals: tuple[Any, ...],
        tangents: tuple[Any, ...],
        has_aux: bool = False,
    ) -> None:
        self.name = name
        self.tangents = tangents
        super().__init__(name, fun, primals, has_aux, keep=False, forward=True)

    def finish(self) -> None:
        self.tangent = self.push(primal_tangents(self.name, self, self.tangents))
        inputs = {id(x) for x in self.data}
        self.result = tree.map(lambda x: unshared(x, inputs), self.result)


def jvp(
    fun: Callable[..., Any], primals: Any, tangents: Any, *, has_aux: bool = False
) -> tuple[Any, ...]:
    """`(fun(*primals), tangent)`: the directional derivative along `tangents`, in forward mode.

    `primals` and `tangents` are tuples of the same structure. The function is recorded, then its
    tape is walked forwards: memory grows with the number of operations, as in reverse mode.
    With `has_aux`, `fun` returns `(result, aux)`, and `(result, tangent, aux)` is given.

    >>> import tapegrad as tg
    >>> y, t = tg.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    >>> float(y), float(t)
    (6.0, 3.0)
    """
    for what, value in (("primals", primals), ("tangents", tangents)):
        if not isinstance(value, tuple | list):
            raise misuse.not_tuple("jvp", what, value)
    run = Pushed("jvp", fun, tuple(primals), tuple(tangents), has_aux)
    return (run.result, run.tangent, run.aux) if has_aux else (run.result, run.tangent)
