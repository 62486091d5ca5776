"""A loop's body as a flat function of arrays that is compiled once and run many times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import tree
from ...backend import as_data, python_numbers
from ...core.array import Array
from ...core.program import trace
from ...core.record import raw
from ...core.tape import ReplayTape
from ...errors import ConcretizationError
from .. import errors
from ..flat import FlatFunction, Options

Flat = Callable[..., list[Any]]


class Body:
    """A flat function, compiled; its derivatives, which are bodies of loops too, are kept."""

    def __init__(self, function: Flat) -> None:
        self.function = function
        self.flat = FlatFunction(function, Options())
        self.entry: Callable[..., Any] | None = None
        self.derived: dict[Any, Body] = {}

    def __call__(self, *arrays: Any) -> list[Any]:
        """The results for raw arrays."""
        if self.entry is not None:
            results = self.entry(*arrays)
            if results is not NotImplemented:
                return list(results)
        results = self.flat(*arrays)
        self.entry = self.flat.entry(list(arrays))
        return list(results)

    def derive(self, key: Any, function: Flat) -> Body:
        """A body made from this one; the same for the same key."""
        return self.derived.setdefault(key, Body(function))


class Traced:
    """A user's function as a body: `captured` are arrays of enclosing transforms, its last inputs.

    `structure` is that of its result.
    """

    def __init__(self, name: str, function: Callable[..., Any], arrays: Sequence[Any]) -> None:
        self.structure: Any = None

        def flat(*leaves: Any) -> list[Any]:
            results, self.structure = tree.flatten(function(*leaves))
            return [x if isinstance(x, Array) else as_data(x) for x in results]

        tape = ReplayTape(name, "error")
        data = list(map(raw, arrays))
        try:
            program = trace(flat, data, [True] * len(data), tape)
        except ConcretizationError as error:
            raise errors.value_in_loop(name, error) from None
        values = {entry[1]: entry[-1] for entry in tape}
        values.update(zip(program.inputs, data, strict=True))
        self.results = [values[o] if type(o) is int else raw(o[0]) for o in program.outputs]
        closed, self.captured = program.closed()
        self.body = Body(lambda *xs: list(map(as_result, closed.run(*xs))))


def as_result(x: Any) -> Any:
    return x if isinstance(x, Array) else as_data(x)


def leaves_of(value: Any) -> tuple[list[Any], Any]:
    """The arrays of a tree, with Python numbers as they are, and its structure."""
    leaves, structure = tree.flatten(value)
    return [x if is_number(x) or isinstance(x, Array) else as_data(x) for x in leaves], structure


def is_number(x: Any) -> bool:
    return type(x) in python_numbers


def settled(
    name: str, function: Callable[..., Any], carry: Sequence[Any], rest: Sequence[Any]
) -> list[Any]:
    """What is carried, with Python numbers as what the first turn makes of them.

    They have no dtype of their own: beside arrays in single precision, they are single.
    """
    if not any(map(is_number, carry)):
        return list(carry)
    arrays = [x for x in carry if not is_number(x)]

    def first(*given: Any) -> Any:
        own = iter(given)
        return function(*(x if is_number(x) else next(own) for x in carry), *own)

    results = Traced(name, first, [*arrays, *rest]).results
    return [
        y.dtype.type(x) if is_number(x) and y.shape == () else as_result(x)
        for x, y in zip(carry, results, strict=False)
    ]


def check_carry(name: str, carry: Sequence[Any], results: Sequence[Any]) -> None:
    """Raise where a turn changes a shape or a dtype."""
    for i, (x, y) in enumerate(zip(carry, results, strict=False)):
        if x.shape != y.shape:
            raise errors.carry_changes(name, i, f"shape {x.shape}", f"shape {y.shape}")
        if x.dtype != y.dtype:
            raise errors.carry_changes(name, i, str(x.dtype), str(y.dtype))


def scalar(x: Any) -> Any:
    """An array without axes as a scalar, which is what bodies give."""
    return x[()] if not x.shape and not isinstance(x, Array) else x
