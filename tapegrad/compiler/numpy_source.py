"""Graphs as readable Python: one line a node, in NumPy's names.

The program runs on its own. Large results go to buffers that are planned once (`buffers`), the
others are allocated as NumPy does; very large ones are computed in tiles. An operation that NumPy
has no name for is called by its record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from ..backend import broadcast_view
from ..core.op import Op, table
from .graph import LEAVES, Graph, Node
from .numpy_text import is_expression, key_text, literal, parameter_text
from .numpy_tiles import Tiled, tiled

LARGE = 1 << 14
"""From this many bytes on, writing to a buffer pays for naming it."""

SYMBOLS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "pow": "**",
}
"""Operators, which are ten times as fast as functions for single numbers."""


@dataclass
class Source:
    """A program in Python: `def program(buffers, x0, ...)`, which returns a list.

    `names` are what it refers to beside `np`; `buffers` the shapes and dtypes of the arrays that it
    works in, which must not be used by two calls at once.
    """

    text: str = ""
    names: dict[str, Any] = field(default_factory=dict)
    buffers: list[tuple[tuple[int, ...], Any]] = field(default_factory=list)

    def function(self) -> Any:
        names = {"np": numpy, "broadcast_to": broadcast_view, **self.names}
        exec(compile(self.text, "<compiled by tapegrad>", "exec"), names)
        return names["program"]


def source_of(graph: Graph) -> Source:
    """The program of a graph."""
    return Writer(graph).write()


def readable(graph: Graph, further: Sequence[str] = ()) -> str:
    """The program of a graph as Python that runs on its own: ``program(*arrays)``.

    `further` says what the last of its inputs are. Operations that are not NumPy's are taken from
    tapegrad's table; those of a custom function, and of loops, have to be defined.
    """
    source = Writer(graph, large=None).write()
    defined = [definition(name, value) for name, value in source.names.items()]
    imports = ["import numpy as np"]
    if any("ml_dtypes." in line for line in defined):
        imports.insert(0, "import ml_dtypes")
    if any("partial" in line for line in defined):
        imports += ["from functools import partial", "from tapegrad.core.op import table"]
    if any("ARRAY" in line for line in defined):
        imports.append("from tapegrad.ops.index import ARRAY")
    first = len(graph.inputs) - len(further)
    defined += [f"# x{first + i}: {what}" for i, what in enumerate(further)]
    text = source.text.replace("(buffers, ", "(", 1).replace("(buffers)", "()", 1)
    return "\n".join([*imports, "", *defined, *([""] if defined else []), text])


def definition(name: str, value: Any) -> str:
    """The line that defines a name of a program."""
    if isinstance(value, Forward):
        if table.get(value.op.name) is value.op:
            return f"{name} = partial(table[{value.op.name!r}].forward, np)"
        return f"# {name}: {value.op.name}, a custom function's operation"
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc":
        numbers = ", ".join(literal(x) for x in value.ravel().tolist())
        return f"{name} = np.array([{numbers}], {value.dtype.str!r}).reshape({value.shape})"
    if isinstance(value, numpy.generic) and value.dtype.kind in "biufc":
        return f"{name} = np.{value.dtype.name}({literal(value.item())})"
    if isinstance(value, numpy.dtype) and value.type.__module__ == "ml_dtypes":
        return f"{name} = np.dtype(ml_dtypes.{value.name})"
    if isinstance(value, numpy.generic | numpy.ndarray) and value.dtype.kind == "V":
        numbers = definition(name, numpy.asarray(value).astype(numpy.float64))
        return f"{numbers}.astype(ml_dtypes.{value.dtype.name})"
    text = repr(value)
    if is_expression(text):
        return f"{name} = {text}"
    return f"# {name}: {type(value).__name__.lower()} of a loop or a custom function"


class Writer:
    """Writes the lines of a graph's program, and plans its buffers on the way."""

    def __init__(self, graph: Graph, large: int | None = LARGE) -> None:
        self.graph = graph
        self.large = large  # bytes from which on a result goes to a buffer, None for never
        self.plan = tiled(graph.order(), graph.outputs) if large is not None else graph.order()
        parts = [step.nodes if isinstance(step, Tiled) else [step] for step in self.plan]
        self.nodes = [node for part in parts for node in part]
        self.source = Source()
        self.named: dict[Node, str] = {}
        self.buffer_of: dict[Node, int] = {}
        self.free: dict[Any, list[int]] = {}
        self.target: dict[Node, str] = {}  # where what is computed in tiles goes
        self.values = 0
        self.position = {node: i for i, part in enumerate(parts) for node in part}
        self.last = dict(self.position)  # when a value is read last, be it through a view of it
        for node in reversed(self.nodes):
            end = self.last[node] if shares(node) else self.position[node]
            for x in node.inputs:
                self.last[x] = max(self.last[x], end)
        self.returned: set[Node] = set()  # the outputs, and what they may be views of
        waiting = list(graph.outputs)
        while waiting:
            node = waiting.pop()
            self.returned.add(node)
            if shares(node):
                waiting.extend(node.inputs)
        self.ending: dict[int, list[Node]] = {}
        for node, end in self.last.items():
            if node not in self.returned and node.op not in LEAVES:
                self.ending.setdefault(end, []).append(node)

    def write(self) -> Source:
        lines: list[str] = []
        for node in self.graph.inputs:
            self.named[node] = f"x{node.params['index']}"
        for position, step in enumerate(self.plan):
            if isinstance(step, Tiled):
                lines += self.tiles(step)
            elif step.op not in LEAVES:
                self.named[step] = self.value()
                lines.append(self.line(step))
            for x in self.ending.get(position, ()):
                if x is not step and x in self.buffer_of:
                    self.release(x)
        if self.source.buffers:
            names = ", ".join(f"b{i}" for i in range(len(self.source.buffers)))
            lines.insert(0, f"{names}, = buffers")
        lines.append(f"return [{', '.join(map(self.operand, self.graph.outputs))}]")
        given = ", ".join(["buffers", *(self.named[x] for x in self.graph.inputs)])
        body = "\n".join(f"    {line}" for line in lines)
        self.source.text = f"def program({given}):\n{body}\n"
        return self.source

    def value(self) -> str:
        """A name for a value."""
        self.values += 1
        return f"v{self.values - 1}"

    def tiles(self, step: Tiled) -> list[str]:
        """The loop over some rows at a time, and before it the arrays that its results go to."""
        shape = step.nodes[0].shape
        lines = []
        results = [node for node in step.nodes if node not in step.inner]
        for node in results:
            if node in self.returned:
                self.named[node] = self.value()
                array = f"np.empty({node.shape}, {self.dtype(node.dtype)})"
                lines.append(f"{self.named[node]} = {array}")
            else:
                self.named[node] = f"b{self.buffer(node)}"
        own = set(step.nodes)
        read = dict.fromkeys(x for node in step.nodes for x in node.inputs if x not in own)
        sliced = [x for x in read if len(x.shape) == len(shape) and x.shape[0] == shape[0]]
        inside = [f"rows = slice(i, i + {step.step})"]
        whole = {x: self.operand(x) for x in (*sliced, *results)}
        outer, self.named = self.named, dict(self.named)
        for x in sliced:
            self.named[x] = self.value()
            inside.append(f"{self.named[x]} = {whole[x]}[rows]")
        for node in step.nodes:
            self.named[node] = self.value()
            self.target[node] = f", out={whole[node]}[rows]" if node in whole else ""
            inside.append(self.line(node))
            if node in whole and not is_ufunc(node):
                inside.append(f"{whole[node]}[rows] = {self.named[node]}")
        self.named = outer
        lines.append(f"for i in range(0, {shape[0]}, {step.step}):")
        return lines + [f"    {line}" for line in inside]

    def constant(self, node: Node) -> str:
        value = node.params["value"]
        name = f"c{len(self.source.names)}"
        self.source.names[name] = value if value.shape else value[()]
        return name

    def operand(self, node: Node) -> str:
        if node.op == "number":
            return literal(node.params["value"])
        if node not in self.named:
            self.named[node] = self.constant(node)
        return self.named[node]

    def line(self, node: Node) -> str:
        name = self.named[node]
        values = node.inputs[1:] if node.op == "where" else node.inputs
        takes_numbers = is_ufunc(node) or node.op in SYMBOLS
        if node.op == "where":
            takes_numbers = node.dtype.kind in "biufc"  # others become float64 beside one
        in_place = takes_numbers and any(x.op not in LEAVES or x.op == "input" for x in values)
        arguments = [
            literal(x.params["value"].item())
            if in_place and x.op == "constant" and not x.shape
            else self.operand(x)
            for x in node.inputs
        ]
        return f"{name} = {self.expression(node, arguments)}"

    def expression(self, node: Node, args: list[str]) -> str:
        op, params = node.op, node.params
        if op == "cast":
            (x,) = node.inputs
            real = ".real" if x.dtype.kind == "c" and node.dtype.kind not in "cb" else ""
            dtype = self.dtype(node.dtype)
            if x.op == "number":
                return f"{dtype}.type({args[0]})"
            return f"{args[0]}{real}.astype({dtype})"
        if op == "pick":
            return f"{args[0]}[{params['index']}]"
        if op == "reshape":
            return f"{args[0]}.reshape({params['to']})" + ("" if node.shape else "[()]")
        if op == "permute_dims":
            return f"{args[0]}.transpose({params['axes']})"
        if op == "broadcast_to":
            return f"{'np.' if self.large is None else ''}broadcast_to({args[0]}, {params['to']})"
        if op == "getitem" and len(args) == 1:
            return f"{args[0]}[{key_text(params['key'])}]"
        if op == "matmul" and node.size > 1:
            out = self.destination(node)
            return f"np.matmul({args[0]}, {args[1]}{out})" if out else f"{args[0]} @ {args[1]}"
        if op == "sum" and node.dtype.kind in "biufc":  # others are added up in single precision
            where = f"axis={params['axis']}" + (", keepdims=True" if params["keepdims"] else "")
            return f"np.add.reduce({args[0]}, {where})"
        out = self.destination(node) if is_ufunc(node) else ""
        if op == "where":
            return f"np.where({', '.join(args)})" + ("" if node.shape else "[()]")
        if op in SYMBOLS and not out and not params:
            return f" {SYMBOLS[op]} ".join(args)
        if op == "negative" and not out:
            return f"-{args[0]}"
        if is_ufunc(node):
            return f"np.{op}({', '.join(args)}{out})"
        return f"{self.function(node)}({', '.join([*args, *self.keywords(node)])})"

    def dtype(self, dtype: Any) -> str:
        """A dtype as an expression; one that is not NumPy's own gets a name."""
        if dtype.kind in "biufc":
            return f"np.dtype({dtype.str!r})"
        self.source.names[dtype.name] = dtype
        return str(dtype.name)

    def function(self, node: Node) -> str:
        """The name of an operation's forward on NumPy arrays."""
        op = node.call
        assert op is not None
        name = op.name if op.name.isidentifier() else "operation"
        compute = self.source.names.setdefault(name, Forward(op))
        if compute.op is not op:
            name = f"{name}_{len(self.source.names)}"
            self.source.names[name] = Forward(op)
        return name

    def keywords(self, node: Node) -> list[str]:
        texts = []
        for key, value in node.params.items():
            text = parameter_text(value)
            if text is None:
                text = f"p{len(self.source.names)}"
                self.source.names[text] = value
            texts.append(f"{key}={text}")
        return texts

    def destination(self, node: Node) -> str:
        """`, out=...` where the result of a node is to go to a buffer."""
        if node in self.target:
            return self.target[node]
        if (
            self.large is None
            or node.nbytes < self.large
            or node in self.returned
            or node.dtype.kind not in "biufc"
        ):
            return ""
        key = (node.shape, node.dtype)
        for x in node.inputs if node.elementwise else ():
            if (
                x in self.buffer_of
                and self.last[x] == self.position[node]
                and (x.shape, x.dtype) == key
                and all(y is x or not shares(y) for y in node.inputs)
            ):
                self.buffer_of[node] = index = self.buffer_of.pop(x)
                return f", out=b{index}"
        return f", out=b{self.buffer(node)}"

    def buffer(self, node: Node) -> int:
        """The number of a buffer for the result of a node."""
        key = (node.shape, node.dtype)
        free = self.free.setdefault(key, [])
        if not free:
            free.append(len(self.source.buffers))
            self.source.buffers.append(key)
        self.buffer_of[node] = index = free.pop()
        return index

    def release(self, node: Node) -> None:
        index = self.buffer_of.pop(node)
        self.free.setdefault(self.source.buffers[index], []).append(index)


class Forward:
    """An operation's forward on NumPy arrays, as a function of its own."""

    __slots__ = ("forward", "op")

    def __init__(self, op: Op) -> None:
        self.op = op
        self.forward = op.forward

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        return self.forward(numpy, *inputs, **params)


def is_ufunc(node: Node) -> bool:
    """Whether NumPy has a ufunc of the name of the operation that does the same."""
    return (
        node.elementwise
        and not node.params
        and node.op != "pow"
        and isinstance(getattr(numpy, node.op, None), numpy.ufunc)
    )


def shares(node: Node) -> bool:
    """Whether a node's NumPy result may share memory with an input."""
    return not (is_ufunc(node) or node.op in ("cast", "sum", "matmul", "pow", "where"))
