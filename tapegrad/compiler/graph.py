"""`Graph`: a program as nodes without names or order, equal ones being one and the same.

A node is an operation with its inputs, its static parameters, and what it gives: a shape and a
dtype. `op` is one of

- the name of an operation of `tapegrad.core.op.table`, or of an operation of its own (a custom
  function's): ``op.forward(numpy, *inputs, **params)`` computes it, with `inputs` as given here.
  Elementwise ones broadcast their inputs; `lower` makes all these of one dtype.
- ``input``: the argument number ``params["index"]``.
- ``constant``: the array ``params["value"]``. It is never written to.
- ``number``: the Python number ``params["value"]``, which takes the dtype of what it meets, as in
  NumPy. `dtype` is the one it has alone.
- ``cast``: its input in another dtype, as `ndarray.astype` converts (complex to real drops the
  imaginary part). What `astype` of the table becomes.
- ``copy``: its input as an array of its own; put in where a view would not do.
- ``pick``: result number ``params["index"]`` of an operation that has several. Such an operation
  has the dtype None and the shape ().

The emitters see elementwise nodes as bodies of loops: one scalar function of scalars of one dtype
(for comparisons, of the inputs' dtype, giving bool; for `where`, a bool and two of the result's).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy

from ..core.op import Op, table
from . import errors

Shape = tuple[int, ...]

LEAVES = ("input", "constant", "number")

BARE = (*LEAVES, "cast", "copy")
"""Operations that are the compiler's own."""


class Node:
    """One value of a program. Made by `Graph.node` alone, which gives the same for the same."""

    __slots__ = ("call", "dtype", "inputs", "number", "op", "params", "shape")

    op: str
    call: Op | None
    """How it is computed in NumPy; None for what is in `BARE`."""
    inputs: tuple[Node, ...]
    params: dict[str, Any]
    shape: Shape
    dtype: Any
    number: int
    """Counts the nodes of a graph as they were made; inputs have smaller numbers."""

    @property
    def size(self) -> int:
        size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def nbytes(self) -> int:
        return 0 if self.dtype is None else self.size * self.dtype.itemsize

    @property
    def elementwise(self) -> bool:
        """Whether each element of the result comes from one element of each input, broadcast."""
        return self.op in ("cast", "copy") or (self.call is not None and self.call.elementwise)

    @property
    def name(self) -> str:
        return f"%{self.number}"

    def __repr__(self) -> str:
        return line(self)


class Graph:
    """The nodes of a program under construction, and its inputs and outputs."""

    def __init__(self) -> None:
        self.inputs: list[Node] = []
        self.outputs: list[Node] = []
        self.known: dict[Any, Node] = {}
        self.kept: list[Any] = []  # what keys tell by `id`

    def node(
        self,
        op: str,
        inputs: tuple[Node, ...] = (),
        params: dict[str, Any] | None = None,
        shape: Shape = (),
        dtype: Any = None,
        call: Op | None = None,
    ) -> Node:
        """The node of these parts. `call` is looked up where it is not given."""
        params = params or {}
        if call is None and op not in BARE:
            call = table[op]
        key = (op, id(call), inputs, self.frozen(params), shape, dtype)
        found = self.known.get(key)
        if found is None:
            found = Node()
            found.op, found.call, found.inputs, found.params = op, call, inputs, params
            found.shape, found.dtype, found.number = shape, dtype, len(self.known)
            self.known[key] = found
        return found

    def input(self, shape: Shape, dtype: Any) -> Node:
        """A further argument."""
        node = self.node("input", (), {"index": len(self.inputs)}, shape, numpy.dtype(dtype))
        self.inputs.append(node)
        return node

    def constant(self, value: Any) -> Node:
        """An array, or a Python number, as a node."""
        if type(value) in (bool, int, float, complex):
            return self.node("number", (), {"value": value}, (), numpy.result_type(value))
        value = numpy.asarray(value)
        return self.node("constant", (), {"value": value}, value.shape, value.dtype)

    def elementwise(self, op: str, *inputs: Node, dtype: Any = None) -> Node:
        """An elementwise operation on nodes, of the dtype of the last unless given."""
        shape = numpy.broadcast_shapes(*(x.shape for x in inputs))
        return self.node(op, inputs, {}, shape, dtype or inputs[-1].dtype)

    def cast(self, x: Node, dtype: Any) -> Node:
        return x if x.dtype == dtype else self.node("cast", (x,), {}, x.shape, numpy.dtype(dtype))

    def broadcast(self, x: Node, shape: Shape) -> Node:
        if x.shape == shape:
            return x
        return self.node("broadcast_to", (x,), {"to": shape}, shape, x.dtype)

    def reshape(self, x: Node, shape: Shape) -> Node:
        if x.shape == shape:
            return x
        return self.node("reshape", (x,), {"to": shape}, shape, x.dtype)

    def again(self, node: Node, inputs: tuple[Node, ...]) -> Node:
        """`node` with other inputs of the same shapes and dtypes."""
        if inputs == node.inputs:
            return node
        return self.node(node.op, inputs, node.params, node.shape, node.dtype, node.call)

    def order(self) -> list[Node]:
        """The nodes that the outputs depend on, inputs before what is computed from them."""
        return ordered(self.outputs)

    def frozen(self, value: Any) -> Any:
        """A key that is equal for parameters that mean the same."""
        if isinstance(value, dict):
            return tuple((k, self.frozen(v)) for k, v in sorted(value.items()))
        if isinstance(value, tuple | list):
            return (type(value), *map(self.frozen, value))
        if isinstance(value, slice):
            return (slice, value.start, value.stop, value.step)
        if isinstance(value, numpy.ndarray) and value.size <= 64 and value.dtype.kind in "biufc":
            return (value.dtype, value.shape, value.tobytes())
        if isinstance(value, float | complex | numpy.generic):
            return (type(value), repr(value))  # tells zeros by their sign, and NaN equal
        if type(value) in (int, bool, str, type(None)) or isinstance(value, numpy.dtype):
            return (type(value), value)
        self.kept.append(value)
        return id(value)

    def __str__(self) -> str:
        given = ", ".join(f"{x.name}: {kind(x)}" for x in self.inputs)
        lines = [f"program({given}):"]
        lines += [f"    {line(n)}" for n in self.order() if n.op not in ("input", "number")]
        lines.append(f"    return {', '.join(map(operand, self.outputs))}".rstrip())
        return "\n".join(lines)


def ordered(outputs: Iterable[Node]) -> list[Node]:
    """The nodes that some depend on, inputs before what is computed from them, without recursion.

    Nodes come in the order in which they were made, which is that of the user's program.
    """
    seen: set[Node] = set()
    waiting = list(outputs)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(node.inputs)
    return sorted(seen, key=lambda n: n.number)


def same(one: Graph, other: Graph) -> bool:
    """Whether two graphs are the same program, with the same constants."""
    first, second = one.order(), other.order()
    outputs = [x.number for x in one.outputs], [x.number for x in other.outputs]
    return len(first) == len(second) and outputs[0] == outputs[1] and all(map(alike, first, second))


def alike(x: Node, y: Node) -> bool:
    """Whether two nodes of different graphs are the same but for what they read."""
    if (x.op, x.number, x.shape, x.dtype) != (y.op, y.number, y.shape, y.dtype):
        return False
    if [a.number for a in x.inputs] != [a.number for a in y.inputs]:
        return False
    if x.op not in ("constant", "number"):
        return True
    a, b = x.params["value"], y.params["value"]
    return a is b or bool(numpy.array_equal(a, b, equal_nan=x.dtype.kind in "fc"))


def users(nodes: Iterable[Node]) -> dict[Node, list[Node]]:
    """For each node, those that read it; one that reads it twice is there twice."""
    found: dict[Node, list[Node]] = {}
    for node in nodes:
        for x in node.inputs:
            found.setdefault(x, []).append(node)
    return found


def kind(node: Node) -> str:
    """A node's dtype and shape, as they are printed."""
    if node.dtype is None:
        return "results"
    return f"{node.dtype}[{', '.join(map(str, node.shape))}]" if node.shape else str(node.dtype)


def operand(node: Node) -> str:
    return repr(node.params["value"]) if node.op == "number" else node.name


def line(node: Node) -> str:
    """A node as it is printed: `%7: float64[3] = multiply(%1, 2.0)`."""
    if node.op == "constant" and node.size == 1:
        described = [str(node.params["value"])]
    elif node.op == "constant":
        described = ["..."]
    else:
        described = [*map(operand, node.inputs)]
        described += [f"{k}={brief(v)}" for k, v in node.params.items()]
    return f"{node.name}: {kind(node)} = {node.op}({', '.join(described)})"


def brief(value: Any) -> str:
    name = getattr(value, "name", None)
    text = name if isinstance(name, str) else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def verify(graph: Graph) -> None:
    """Raise if the graph is not well formed: run after every pass in the tests."""
    for node in graph.order():
        for fault in faults(node):
            raise errors.ill_formed(line(node), fault)
    if any(x.op != "input" or x.params["index"] != i for i, x in enumerate(graph.inputs)):
        raise errors.ill_formed("inputs", "are not numbered in order")
    for node in graph.outputs:
        if node.dtype is None:
            raise errors.ill_formed(line(node), "several results cannot be an output")


def faults(node: Node) -> Iterator[str]:
    """What is wrong with a node."""
    if any(x.number >= node.number for x in node.inputs):
        yield "an input is made later than what reads it"
    if any(x.dtype is None for x in node.inputs) and node.op != "pick":
        yield "reads several results without `pick`"
    if node.dtype is None:
        if node.call is None or not node.call.outputs:
            yield "has no dtype"
        return
    if not isinstance(node.dtype, numpy.dtype):
        yield f"its dtype is a {type(node.dtype).__name__}"
    shapes = [x.shape for x in node.inputs]
    if node.elementwise and numpy.broadcast_shapes(*shapes) != node.shape:
        yield "its shape is not what its inputs broadcast to"
    if node.op == "reshape" and node.size != node.inputs[0].size:
        yield "reshape changes the number of elements"
    if node.op in ("reshape", "broadcast_to") and node.params["to"] != node.shape:
        yield "its shape is not the parameter `to`"
    if node.op == "permute_dims":
        (shape,) = shapes
        if sorted(node.params["axes"]) != list(range(len(shape))):
            yield "`axes` is no permutation"
        elif tuple(shape[a] for a in node.params["axes"]) != node.shape:
            yield "its shape is not the permuted one"
