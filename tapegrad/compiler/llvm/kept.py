"""Programs on disk by their graphs: one that was made before is there again in a few milliseconds.

What is kept is the object code of a program, and what its entry refers to, if it has one. Then all
else, its plan and what calls its steps, is made when it is asked for: for a report, or where the
entry does not take the arguments.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from numpy import ndarray

from ...core.op import table
from ...ops.index import ARRAY
from ..graph import BARE, Graph
from .cache import Cache, key
from .driver import contiguous
from .entry import Argument, Description, Result, builtin, trustworthy
from .host import host
from .jit import load
from .program import Assembled, LlvmProgram, assembled
from .team import threads

SOURCES = Path(__file__).parents[1]


def program(
    graph: Graph,
    watched: Sequence[int],
    kinds: Sequence[type],
    donated: Sequence[int],
    fast: bool,
) -> LlvmProgram | KeptProgram:
    """A graph's machine code: that of an earlier run if there is."""
    make = functools.partial(LlvmProgram, graph, watched, kinds, donated, fast)
    options = repr((list(watched), [k.__name__ for k in kinds], list(donated), fast, threads()))
    digest = digest_of(graph, options)
    if digest is None:
        return make()
    cache, name = Cache(), key(digest, host(), sources())
    found = cache.get(name)
    if found is None:
        made = make(made=assembled)
        content = packed(graph, made)
        if content is not None:
            cache.put(name, content)
        return made
    entry, code = unpacked(found)
    again = functools.partial(make, made=code)
    if entry is None or not trustworthy():
        return again()
    return KeptProgram(graph, entry, code, again)


class KeptEntry(NamedTuple):
    """What an entry is made of: its description, the constants of the graph that it takes, by their
    number, and the name of its table of steps."""

    wanted: Description
    places: Sequence[int]
    steps: str


def packed(graph: Graph, made: LlvmProgram) -> bytes | None:
    """What is kept of a program; None where it has no machine code, or an entry that cannot be made
    again."""
    if not isinstance(made.assembled, Assembled):
        return None
    entry = None
    if made.description is not None:
        values = [x.params["value"] for x in constants(graph)]
        places = [
            next((i for i, value in enumerate(values) if value is node.params["value"]), None)
            for node in made.storage.constants
        ]
        if None in places:
            return None
        entry = made.description, places, *made.names
    head = json.dumps([entry, sorted(made.assembled.imports)]).encode()
    return len(head).to_bytes(8, "little") + head + made.assembled.code


def unpacked(content: bytes) -> tuple[KeptEntry | None, Assembled]:
    """What was kept of a program."""
    size = 8 + int.from_bytes(content[:8], "little")
    entry, imports = json.loads(content[8:size])
    code = Assembled(content[size:], addresses_of(imports))
    if entry is None:
        return None, code
    (arguments, results, *rest), places, steps = entry
    wanted = Description([Argument(*x) for x in arguments], [Result(*x) for x in results], *rest)
    return KeptEntry(wanted, places, steps), code


class KeptProgram:
    """A program of which the entry is there, and the rest is made when it is needed."""

    def __init__(
        self, graph: Graph, kept: KeptEntry, made: Assembled, make: Callable[[], LlvmProgram]
    ) -> None:
        self.make = make
        values = [x.params["value"] for x in constants(graph)]
        arrays = [contiguous(values[i]) for i in kept.places]
        library = load(made.code, [kept.steps], made.imports)
        steps = library[kept.steps]
        self.entry: Callable[..., Any] = builtin(kept.wanted, arrays, steps, library)

    @functools.cached_property
    def whole(self) -> LlvmProgram:
        """The program as it is made of the graph."""
        return self.make()

    def report(self) -> tuple[tuple[str, ...], int, int]:
        """Its steps in words, the bytes that they read and write, those of intermediate arrays."""
        return self.whole.report()

    def __call__(self, *inputs: Any) -> list[Any] | None:
        results = self.entry(*inputs)
        return self.whole(*inputs) if results is NotImplemented else list(results)


def addresses_of(names: Sequence[str]) -> dict[str, int]:
    """The addresses of functions that code calls: of the BLAS, and kernels."""
    from . import blas, team, tiles

    known: dict[str, int] = {}
    if team.SHARE in names:
        known.update(team.imports())
    for dtype in tiles.DTYPES:
        if any(name not in known for name in names):
            known.update(tiles.imports(dtype, host()))
        if f"tapegrad.{blas.ROUTINES[dtype]}" in names:
            known.update(blas.imports(dtype))
    return {name: known[name] for name in names}


def constants(graph: Graph) -> list[Any]:
    """The arrays that a graph holds, in order."""
    return [x for x in graph.order() if x.op == "constant"]


@functools.cache
def sources() -> str:
    """What the compiler's own code is, which the code that it makes depends on."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def digest_of(graph: Graph, options: str) -> bytes | None:
    """What a program is found by; None where something in it has no name that lasts."""
    digest = hashlib.sha256(options.encode())
    order = graph.order()
    number = {node: i for i, node in enumerate([*graph.inputs, *order])}
    for node in [*graph.inputs, *order]:
        if node.op not in BARE and table.get(node.op) is not node.call:
            return None
        params = node.params
        if node.op == "constant":
            value = numpy.asarray(params["value"])
            digest.update(value.tobytes())
            params = {}
        words = [*described(params)]
        if None in words:
            return None
        inputs = [number[x] for x in node.inputs]
        dtype = None if node.dtype is None else node.dtype.char  # None for tuples
        digest.update(repr((node.op, inputs, words, node.shape, dtype)).encode())
    digest.update(repr([number[x] for x in graph.outputs]).encode())
    return digest.digest()


PLAIN = (int, bool, str, float, complex, type(None))


def described(value: Any) -> Iterator[str | None]:
    """A parameter in words that mean the same in every process; None for what has none."""
    if type(value) in PLAIN:
        yield f"{type(value).__name__} {value!r}"
    elif value is ARRAY or value is Ellipsis:
        yield repr(value)
    elif isinstance(value, dict):
        for name in sorted(value):
            yield name
            yield from described(value[name])
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__} of {len(value)}"
        for part in value:
            yield from described(part)
    elif isinstance(value, slice):
        yield "slice"
        yield from described((value.start, value.stop, value.step))
    elif isinstance(value, numpy.dtype):
        yield f"dtype {value.char}"
    elif isinstance(value, ndarray | numpy.generic) and value.dtype.kind in "biufc":
        array = numpy.asarray(value)
        yield f"{type(value).__name__} {array.dtype.char} {array.shape} {array.tobytes().hex()}"
    else:
        yield None
