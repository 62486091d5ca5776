"""The walk that pushes index sets: from each input's elements to those of the results.

A set says which elements of the arguments a value depends on. The sets of an array are the rows of
a boolean sparse matrix; an operation's structure (see `links.py`) multiplies it from the left.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy
from scipy import sparse

from ..core.op import codes
from ..core.program import Program, trace
from ..core.record import PICK, has_derivative, raw
from ..core.tape import Entry, ReplayTape
from . import errors
from .links import Call, Link, link

Sets = Any
"""A boolean sparse matrix: a row an element. None: no element depends on an argument."""

LARGEST = 1 << 28
"""The most elements that a pattern may have, also on the way."""


class PatternTape(ReplayTape):
    """A tape that notes where the program looks at values: then its pattern may depend on them."""

    __slots__ = ("looked",)

    def __init__(self) -> None:
        super().__init__("sparsity", lanes=1)
        self.looked: list[str] = []

    def read(self, x: Any, what: str) -> Any:
        self.looked.append(what)
        return x.raw


def push_sets(program: Program, inputs: list[Sets], tape: PatternTape) -> list[Sets]:
    """The sets of a program's outputs, for those of its inputs."""
    sets: dict[int, Sets] = dict(zip(program.inputs, inputs, strict=True))
    last = last_uses(program)
    for position, entry in enumerate(program.entries):
        op, arity = codes[entry[0]]
        slots = entry[2 : 2 + arity]
        if op is PICK:
            whole = sets.get(slots[0])
            sets[entry[1]] = None if whole is None else whole[entry[3]["index"]]
        elif any(sets.get(slot) is not None for slot in slots):
            given = [sets.get(slot) for slot in slots]
            sets[entry[1]] = pushed(entry, given, tape)
        for slot in slots:
            if last.get(slot) == position:
                sets.pop(slot, None)
    return [sets.get(o) if type(o) is int else None for o in program.outputs]


def last_uses(program: Program) -> dict[int, int]:
    """By slot: the position of the last entry that uses it. Not of the outputs."""
    last = {}
    for position, entry in enumerate(program.entries):
        for slot in entry[2 : 2 + codes[entry[0]][1]]:
            last[slot] = position
    for output in program.outputs:
        if type(output) is int:
            last.pop(output, None)
    return last


def pushed(entry: Entry, given: list[Sets], tape: PatternTape) -> Any:
    """The sets of an entry's result; a tuple of them where it has several."""
    op, arity = codes[entry[0]]
    out = entry[-1]
    if not has_derivative(op, out):
        return None
    params = entry[2 + arity] or {}
    inside = WITH_FUNCTIONS.get(op.name)
    if inside is not None:
        data = [raw(x) for x in entry[3 + arity : -1]]
        return tuple(inside(data, out, given, tape, **params))
    results = []
    for result in out if op.outputs else (out,):
        call = Call(op, entry[0], entry[3 + arity : -1], params, result)
        total: Sets = None
        for i, own in enumerate(given):
            if own is not None and call.differentiable(i):
                part = applied(link(call, i), own, op.name)
                if total is None:
                    total = part
                elif part is not total:
                    total = total + part
        results.append(total)
    if not op.elementwise:
        note_indices(entry, tape)
    return tuple(results) if op.outputs else results[0]


def traced(
    function: Callable[..., list[Any]], data: list[Any], given: list[Sets], tape: PatternTape
) -> list[Sets]:
    """The sets of the results of a function at `data`, for those of its arguments."""
    inner = PatternTape()
    program = trace(function, data, [own is not None for own in given], inner)
    results = push_sets(program, given, inner)
    tape.looked += inner.looked
    return results


def through_program(
    data: list[Any], _out: Any, given: list[Sets], tape: PatternTape, program: Program, **_: Any
) -> list[Sets]:
    """The sets of the results of a `checkpoint`."""
    return traced(program.run, data, given, tape)


def through_tangents(
    data: list[Any], _out: Any, given: list[Sets], tape: PatternTape, rule: Any, **_: Any
) -> list[Sets]:
    """The sets of the results of a `custom_jvp`: of its tangents, whatever its values depend on."""
    zeros = [numpy.zeros_like(x) for x in data]
    return traced(lambda *ts: rule.push(data, list(ts)), zeros, given, tape)


def through_cotangents(
    data: list[Any],
    out: Any,
    given: list[Sets],
    tape: PatternTape,
    rule: Any,
    saved: Any,
    count: int,
    **_: Any,
) -> list[Sets]:
    """The sets of the results of a `custom_vjp`: its rule has the transposed structure."""
    _, residuals, structure = rule.forward(*data)
    own = argument_sets([y.size for y in out[:count]])

    def pull(*gs: Any) -> list[Any]:
        pulled = rule.backward(structure, residuals, list(gs))
        return [numpy.zeros(()) if d is None else d for d in pulled]

    pulled = traced(pull, [numpy.zeros_like(y) for y in out[:count]], own, tape)
    turned = [
        (sets, matrix.T.tocsr())
        for sets, matrix in zip(given, pulled, strict=True)
        if sets is not None and matrix is not None
    ]
    results: list[Sets] = []
    start = 0
    for y in out[:count]:
        total: Sets = None
        for sets, matrix in turned:
            part = applied((matrix[start : start + y.size],), sets, "custom_vjp")
            total = part if total is None else total + part
        results.append(total)
        start += y.size
    if len(out) > count:
        results += traced(lambda *xs: saved.new(rule.forward(*xs)[1]), data, given, tape)
    return results


WITH_FUNCTIONS: dict[str, Callable[..., list[Sets]]] = {
    "checkpoint": through_program,
    "custom_jvp": through_tangents,
    "custom_vjp": through_cotangents,
}
"""Operations whose entries hold a function, which is looked into."""


def note_indices(entry: Entry, tape: PatternTape) -> None:
    """Note where elements are chosen by an index that was computed from the arguments."""
    op, arity = codes[entry[0]]
    inputs = zip(entry[2 : 2 + arity], entry[3 + arity : -1], strict=True)
    if any(slot in tape.mapped and x.dtype.kind in "bui" for slot, x in inputs):
        tape.looked.append(f"an index of the operation {op.name!r}")


def applied(link: Link, sets: Sets, name: str) -> Sets:
    """The sets behind a link."""
    for matrix in reversed(link):
        if isinstance(matrix, numpy.ndarray):
            sets = rows(sets, matrix)
            continue
        size = expected(matrix, sets)
        if size > LARGEST:
            raise errors.too_dense(name, size)
        sets = matrix @ sets
    return sets


def rows(sets: Sets, places: Any) -> Sets:
    """Some rows of `sets`, an empty one where a place is -1."""
    starts = sets.indptr[places]
    counts = numpy.where(places < 0, 0, sets.indptr[places + 1] - starts)
    pointers = numpy.concatenate([[0], numpy.cumsum(counts)])
    chosen = numpy.arange(pointers[-1]) + numpy.repeat(starts - pointers[:-1], counts)
    indices = sets.indices[chosen]
    ones = numpy.ones(indices.size, dtype=bool)
    return sparse.csr_array((ones, indices, pointers), shape=(places.size, sets.shape[1]))


def expected(matrix: Any, sets: Sets) -> int:
    """At most how many elements the product has."""
    return int(numpy.diff(sets.indptr)[matrix.indices].sum())


def argument_sets(sizes: list[int]) -> list[Sets]:
    """The sets of the arguments: each element its own."""
    total = sum(sizes)
    whole = sparse.eye_array(total, dtype=bool, format="csr")
    starts = numpy.concatenate([[0], numpy.cumsum(sizes)])
    return [whole[a:b] for a, b in pairwise(starts)]


def warn_of_values(looked: list[str]) -> None:
    """Warn where the program looked at values: at other ones the pattern may be another."""
    if looked:
        warnings.warn(errors.data_dependent(looked), errors.PatternWarning, stacklevel=4)
