"""Updates of many parameters: those on a device in one kernel, whatever their number and shapes.

The kernel finds its arrays by a table of addresses, so that parameters and the arrays of states
stay where they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy

from ..backend import Place, namespace, on_device, place_of
from ..core.array import Array
from .cuda import CHUNK, STORED, element_of, is_passed, text_of
from .rule import Arrays, Options, Rule
from .updating import kinds, update_pure

THREADS = 256
"""How many threads are in a block."""

kernels: dict[Any, Any] = {}
"""Kernels, by what their text depends on."""


class Update(NamedTuple):
    """A parameter to update, its gradient, the arrays of its state, and the coefficients."""

    p: Any
    g: Any
    state: Arrays
    c: dict[str, Any]


def updated(rule: Rule, updates: Sequence[Update], options: Options) -> list[tuple[Any, Arrays]]:
    """The parameters and their arrays after a step, in new memory."""
    return results_of(rule, updates, options, in_place=False)


def update_in_place(rule: Rule, updates: Sequence[Update], options: Options) -> None:
    """Do a step on parameters and arrays on devices, in their own memory."""
    results = results_of(rule, updates, options, in_place=True)
    for (p, _, state, _), (new, after) in zip(updates, results, strict=True):
        for array, value in ((p, new), *((state[name], x) for name, x in after.items())):
            if value is not array:
                array[...] = value


def results_of(
    rule: Rule, updates: Sequence[Update], options: Options, in_place: bool
) -> list[tuple[Any, Arrays]]:
    """The results of all updates, for which those that one kernel can do are brought together."""
    results: dict[int, tuple[Any, Arrays]] = {}
    groups: defaultdict[Any, list[int]] = defaultdict(list)
    for i, update in enumerate(updates):
        if rule.elementwise and is_there(update):
            groups[in_common(update)].append(i)
        else:
            results[i] = update_pure(rule, *update, options)
    for (place, *_), members in groups.items():
        together = run(rule, [updates[i] for i in members], options, place, in_place)
        results.update(zip(members, together, strict=True))
    return [results[i] for i in range(len(updates))]


def is_there(update: Update) -> bool:
    """Whether all arrays of an update are raw ones on a device, and of types that kernels take."""
    arrays = update.p, update.g, *update.state.values()
    if not all(on_device(x) and x.dtype.name in STORED for x in arrays):
        return False
    complexes = {x.dtype.kind == "c" for x in arrays}
    return len(complexes) == 1 and not any(isinstance(x, Array) for x in update.c.values())


def in_common(update: Update) -> tuple[Any, ...]:
    """What the updates that one kernel does are equal in; the place comes first."""
    dtypes = tuple([x.dtype for x in (update.p, update.g, *update.state.values())])
    numbers = tuple([id(x) if on_device(x) else plain(x) for x in update.c.values()])
    return place_of(update.p), dtypes, tuple(update.state), numbers


def plain(coefficient: Any) -> Any:
    """A coefficient of the host's as a flag or a number of Python's."""
    return coefficient.item() if hasattr(coefficient, "item") else coefficient


def run(
    rule: Rule, updates: Sequence[Update], options: Options, place: Place, in_place: bool
) -> list[tuple[Any, Arrays]]:
    """Launch the kernel for updates that are alike but for their arrays."""
    p, g, state, given = updates[0]
    xp = namespace(p)
    c = {name: x if on_device(x) else plain(x) for name, x in given.items()}
    dtypes = tuple([x.dtype for x in (p, g, *state.values())])
    there = tuple([on_device(x) for x in c.values()])
    key = xp.__name__, rule.update, dtypes, (*state,), kinds(options), kinds(c), there
    with xp.cuda.Device(place[1]):
        rows, results, read = [], [], []
        for p, g, state, _ in updates:
            arrays = p, g, *state.values()
            own = [in_one_piece(xp, x, p.shape) for x in arrays]
            new = [
                x if in_place and x is old else xp.empty(p.shape, x.dtype)
                for i, (old, x) in enumerate(zip(arrays, own, strict=True))
                if i != 1  # the gradient
            ]
            size = p.size * (2 if p.dtype.kind == "c" else 1)
            rows.append([*[x.data.ptr for x in (*own, *new)], size])
            results.append((new[0], dict(zip(state, new[1:], strict=True))))
            read.append(own)  # copies have to be there when the kernel is launched
        chunks = chunks_of(place, tuple([row[-1] for row in rows]))
        if len(chunks):
            kernel = kernels.get(key)
            if kernel is None:
                text = text_of(rule, dtypes, [*state], c, options)
                kernel = kernels[key] = xp.RawKernel(text, "update")
            element = element_of(dtypes[0])
            numbers = [
                x.astype(element) if on_device(x) else element(x)
                for x in c.values()
                if is_passed(x)
            ]
            table = xp.asarray(numpy.array(rows, numpy.int64))
            kernel((len(chunks),), (THREADS,), (chunks, table, *numbers))
    return results


def in_one_piece(xp: Any, x: Any, shape: tuple[int, ...]) -> Any:
    """An array with its elements in order: itself, or a copy."""
    if x.shape != shape:
        x = xp.broadcast_to(x, shape)
    return x if x.flags.c_contiguous else xp.ascontiguousarray(x)


@lru_cache(maxsize=32)
def chunks_of(place: Place, sizes: tuple[int, ...]) -> Any:
    """For each block of threads the array that it is for, and where it begins there."""
    xp = import_module(place[0])
    starts = [numpy.arange(0, size, CHUNK) for size in sizes]
    owners = numpy.repeat(numpy.arange(len(sizes)), [len(x) for x in starts])
    return xp.asarray(numpy.stack([owners, numpy.concatenate(starts)], 1))
