"""From a function to a graph: the function runs once on a replay tape, and its entries are nodes.

Values that were read for a Python branch become guards: nodes that must have the same value again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from numpy import ndarray

from ..core.array import Array
from ..core.op import Op, codes, table
from ..core.program import Program, needed, trace
from ..core.record import raw
from ..core.tape import Entry, tick
from ..core.versions import version_of
from .graph import Graph, Node
from .outside import Outside
from .tape import CompileTape


class Trace:
    """A function's run as a program and as a graph.

    Both have the inputs that were given, those of `captured` arrays of enclosing tapes, one for
    each of `samplers`, and the arrays of NumPy's that were `read` from `outside`, as can be reached
    from `roots`; `kinds` are the types of all. The program gives the results that are
    computed; the graph has the values of `guards` after them. `results` has for each result of the
    function None, or a tuple that holds what depends on no input; `structure` is that of the
    function's results, where they have one. Of a step, `swept` says that it called `backward()`,
    and `overwritten` which of its arrays it has changed. `constants` are arrays that it has found
    somewhere else, with their versions.
    """

    def __init__(
        self,
        function: Callable[..., list[Any]],
        data: Sequence[Any],
        drawn: Sequence[Any] = (),
        roots: Sequence[tuple[str, Any]] = (),
    ) -> None:
        tape = CompileTape(drawn)
        self.outside = Outside(roots)
        self.structure: Any = None

        def noted(*arrays: Any) -> list[Any]:
            results = function(*arrays)
            self.structure = getattr(results, "structure", None)
            return results

        traced = trace(noted, list(data), [True] * len(data), tape)
        by_slot = {entry[1]: entry[-1] for entry in tape}
        by_slot.update(zip(traced.inputs, data, strict=True))
        by_slot.update(tape.drawn)
        computed = [o for o in traced.outputs if type(o) is int]
        self.results = [None if type(o) is int else o for o in traced.outputs]
        self.values = [by_slot[slot] for slot in computed]
        self.drawn = list(tape.drawn.values())
        self.guards = list(tape.guards.values())
        self.swept = tape.swept
        self.overwritten: Sequence[int] = getattr(self.structure, "changed", ())
        self.samplers = list(tape.samplers.values())
        found = {id(x): (x, version_of(x)) for x in constants(tape)}
        self.constants = list(found.values())
        wanted = Program(list(tape), traced.inputs, computed, quiet=tape.quiet)
        self.program, self.captured = wanted.closed()
        self.program.inputs += tape.samplers
        self.read = take_from_outside(self.program, self.outside, by_slot)
        self.outside.settle(self.read)
        self.graph = Graph()
        values: dict[int, Node] = {}
        given = [*data, *map(raw, self.captured), *tape.drawn.values(), *self.read]
        self.kinds = list(map(type, given))
        for slot, x in zip(self.program.inputs, given, strict=True):
            values[slot] = self.graph.input(x.shape, x.dtype)
        convert(self.program, values, by_slot, self.graph)
        slots = [*self.program.outputs, *tape.guards]
        self.graph.outputs = [values[slot] for slot in slots]
        self.program.entries = needed(self.program.entries, self.program.outputs)

    def take(self) -> list[Any]:
        """The results that were computed in the run. They are kept here no longer."""
        values, self.values = self.values, []
        return values


def constants(entries: Sequence[Entry]) -> Iterator[Any]:
    """The data of arrays that entries have as constants: a tensor's may be written to later."""
    for entry in entries:
        arity = codes[entry[0]][1]
        for slot, saved in zip(entry[2 : 2 + arity], entry[3 + arity : -1], strict=True):
            if not slot and isinstance(saved, Array) and isinstance(saved.raw, ndarray):
                yield saved.raw


def take_from_outside(program: Program, outside: Outside, data: dict[int, Any]) -> list[ndarray]:
    """Turn the constants of a program that can be read from outside into inputs: these arrays.

    `data` gets the values of new slots. Transposed arrays are transposed in the program.
    """
    if not outside.owners:
        return []
    found: list[ndarray] = []
    slots: dict[int, int] = {}
    entries: list[Entry] = []

    def slot_of(x: ndarray) -> int:
        if id(x) not in slots:
            slot = slots[id(x)] = tick()
            data[slot] = given = x
            if x.flags.f_contiguous and not x.flags.c_contiguous:
                result, slot, given = slot, tick(), x.T
                axes = {"axes": tuple(reversed(range(x.ndim)))}
                entries.append((PERMUTE.code(1), result, slot, axes, None, None))
            program.inputs.append(slot)
            found.append(given)
        return slots[id(x)]

    for entry in program.entries:
        op, arity = codes[entry[0]]
        n = 2 + arity
        pairs = [
            (slot_of(x), None) if not slot and x in outside and readable(op, x) else (slot, x)
            for slot, x in zip(entry[2:n], entry[n + 1 : -1], strict=True)
        ]
        slots_of, saved = zip(*pairs, strict=True) if pairs else ((), ())
        entries.append((*entry[:2], *slots_of, entry[n], *saved, None))
    program.entries = entries
    return found


def readable(op: Op, x: ndarray) -> bool:
    """Whether an operation may find other numbers in an array: of a mask, the shape depends."""
    return op.elementwise or x.dtype.kind != "b"


def convert(program: Program, values: dict[int, Node], data: dict[int, Any], graph: Graph) -> None:
    """Enter the node of every slot of a program in `values`; `data` has what was computed."""
    for entry in program.entries:
        arity = codes[entry[0]][1]
        inputs = tuple(
            values[slot] if slot else graph.constant(raw(saved))
            for slot, saved in zip(entry[2 : 2 + arity], entry[3 + arity : -1], strict=True)
        )
        values[entry[1]] = node_of(entry, inputs, data, graph)


def node_of(entry: Entry, inputs: tuple[Node, ...], data: dict[int, Any], graph: Graph) -> Node:
    """The node of an entry."""
    op, arity = codes[entry[0]]
    params = entry[2 + arity] or {}
    if op.name in ("identity", "stop_gradient"):
        return inputs[0]
    if op.name == "broadcast_to":
        return graph.broadcast(inputs[0], tuple(params["to"]))
    if op.outputs:
        return graph.node(op.name, inputs, params, (), None, op)
    out = data[entry[1]]
    if op.name == "astype":
        return graph.cast(inputs[0], out.dtype)
    return graph.node(op.name, inputs, params, out.shape, out.dtype, op)


PERMUTE = table["permute_dims"]
