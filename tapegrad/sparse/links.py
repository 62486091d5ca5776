"""Which elements of its inputs each element of an operation's result depends on.

Most of it follows from the record of the operation. An elementwise one links equal places. The
rules of one that is linear (whatever they read is shapes and indices) run on a few vectors, which
shows what they move where; so do those of a multilinear one, with ones in place of its other
inputs: a zero in there is no structure. Axes named by `axis` are linked as lines, and what the
batch rule leaves as it is as a stack of blocks. What remains is one block.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy
from scipy import sparse

from ..backend import is_inexact
from ..core.forward import tangent
from ..core.op import NOTHING, SHAPE, WHOLE, Op, amounts
from ..core.record import raw
from ..ops.sparse import Structure
from .probing import Indices, Map, alike, places, sources

Link = tuple[Any, ...]
"""Boolean sparse matrices: their product is the structure of a derivative. Empty: the identity.

In place of a matrix that picks elements there may be an array: of their places, -1 for a zero.
"""

SHORT = 256
"""So many elements of another input at most are looked at one by one."""


class Call:
    """An operation with its inputs and result, as recorded, and what its rules see of them."""

    __slots__ = ("code", "inputs", "op", "out", "params")

    def __init__(
        self, op: Op, code: int, inputs: Sequence[Any], params: dict[str, Any], out: Any
    ) -> None:
        self.op = op
        self.code = code
        self.inputs = [raw(x) for x in inputs]
        self.params = params
        self.out = out

    def differentiable(self, index: int) -> bool:
        """Whether the result has a derivative in the input at `index`."""
        return self.op.differentiable(index) and is_inexact(self.inputs[index].dtype)

    def value_free(self) -> bool:
        """Whether no rule reads a value that has a derivative."""
        *inputs, out = amounts[self.code]
        return out != WHOLE and not any(
            amount == WHOLE and self.differentiable(i) for i, amount in enumerate(inputs)
        )

    def seen(self, values: Sequence[Any]) -> list[Any]:
        """Inputs, or inputs and the result, as the rules see them."""
        return [
            None if amount == NOTHING else x.shape if amount == SHAPE else x
            for amount, x in zip(amounts[self.code], values, strict=False)
        ]

    def maps(self, index: int, inputs: Sequence[Any]) -> tuple[Map, Map]:
        """The derivative in one input of an operation that is linear in it, and its transpose."""
        op, params = self.op, self.params
        *seen, out = self.seen([*inputs, self.out])
        rule = op.rule(index)
        assert rule is not None

        def push(t: Any) -> Any:
            ts = tuple(t if i == index else None for i in range(len(inputs)))
            if op.jvp in ("linear", "multilinear"):
                args = (t if i == index else x for i, x in enumerate(inputs))
                return op.function(*args, **params)
            return tangent(op, ts, seen, out, params, careful=False)

        def pull(g: Any) -> Any:
            if isinstance(op.vjp, tuple):
                return rule(g, out, *seen, **params)
            return rule(g, out, *seen, argnum=index, **params)

        return push, pull


def link(call: Call, index: int) -> Link:
    """The structure of the derivative of one result in the input at `index`."""
    op, x = call.op, call.inputs[index]
    if op.elementwise:
        return ()
    if not x.size or not call.out.size:
        return (sparse.csr_array((call.out.size, x.size), dtype=bool),)
    if not op.outputs and not op.joint:
        found: Link | None = None
        if call.value_free():
            found = moved(call, index, call.inputs)
        elif op.jvp == "multilinear":
            found = multiplied(call, index)
        if found is not None:
            return found
        found = lines(x.shape, call.out.shape, call.params)
        if found is not None:
            return found
    return blocks(x.size, call.out.size, stacked(call))


APART = ("as_pairs", "of_pairs")
"""Operations that take complex numbers apart, or make them: tests by real numbers miss a part."""


def moved(call: Call, index: int, inputs: Sequence[Any]) -> Link | None:
    """The structure where each result depends on elements that only count together."""
    x = inputs[index]
    if call.op.name in APART:
        return None
    push, pull = call.maps(index, inputs)
    at = places(push, x.shape)
    if at is not None:
        return (at,)
    count, numbers = alike(pull, call.out.shape)
    chosen = sources(push, count, lambda w: w[numbers].reshape(x.shape)[()])
    if chosen is None:
        return None
    if count == x.size:
        order = numpy.empty(count, dtype=numpy.int64)
        order[numbers] = numpy.arange(count)
        return (selection(numpy.where(chosen < 0, -1, order[chosen]), count),)
    return selection(chosen, count), members(numbers, count)


def multiplied(call: Call, index: int) -> Link | None:
    """The structure of a multilinear operation, whatever its other inputs are."""
    structure = call.params.get("structure")
    if isinstance(structure, Structure) and index == 1:  # of a sparse matrix, for the columns of x
        columns = sparse.eye_array(prod(call.inputs[1].shape[1:]), dtype=bool)
        matrix = structure.matrix(numpy.ones(structure.size, dtype=bool))
        own = matrix.T if call.params["transposed"] else matrix
        return (sparse.kron(own, columns, format="csr"),)
    x = call.inputs[index]
    others = [
        x if i == index else numpy.ones(y.shape)[()] if call.differentiable(i) else y
        for i, y in enumerate(call.inputs)
    ]
    found = moved(call, index, others)
    if found is not None or len(others) != 2 or others[1 - index].size > SHORT:
        return found
    other = others[1 - index]
    total: Any = None
    for k in range(other.size):  # a short kernel, of which each element moves the whole
        unit = numpy.zeros(other.size)
        unit[k] = 1
        others[1 - index] = unit.reshape(other.shape)
        part = moved(call, index, others)
        if part is None:
            return None
        matrix = combined(part, x.size)
        total = matrix if total is None else total + matrix
    return None if total is None else (total,)


def lines(own: tuple[int, ...], to: tuple[int, ...], params: dict[str, Any]) -> Link | None:
    """The structure where results depend on lines along `axis`, which may be gone in them."""
    axes = params.get("axis", params.get("axes"))
    axes = (axes,) if isinstance(axes, int) else axes
    if not isinstance(axes, tuple) or any(type(a) is not int or a >= len(own) for a in axes):
        return None
    kept = tuple(1 if i in axes else n for i, n in enumerate(own))
    count = prod(kept)
    numbers = numpy.arange(count).reshape(kept)
    if to == tuple(n for i, n in enumerate(own) if i not in axes):
        chosen = numpy.arange(count)
    elif tuple(1 if i in axes else n for i, n in enumerate(to)) == kept:
        chosen = numpy.broadcast_to(numbers, to).ravel()
    else:
        return None
    return selection(chosen, count), members(numpy.broadcast_to(numbers, own).ravel(), count)


def stacked(call: Call) -> int:
    """How many matrices there are in a stack, each of which gives its own part of the result.

    That is what a batch rule says that calls the operation with the inputs as they are.
    """
    op, inputs = call.op, call.inputs
    stack = inputs[0].shape[:-2]
    if op.batch is None or any(x.ndim < 3 or x.shape[:-2] != stack for x in inputs):
        return 1
    if any(not isinstance(value, bool | str) for value in call.params.values()):
        return 1  # it may name axes or lengths

    made: list[Any] = []

    def called(*args: Any, **params: Any) -> Any:
        out = op.function(*args, **params)
        if all(map(operator.is_, args, inputs)) and params == call.params:
            made.append(out)
        return out

    out = op.batch(called, (True,) * len(inputs), *inputs, **call.params)
    return prod(stack) if made and out is made[0] else 1


def blocks(size: int, to: int, count: int) -> Link:
    """The structure where each of `count` parts of the result depends on a part of the input."""
    count = max(count, 1)
    return (
        selection(numpy.repeat(numpy.arange(count), to // count), count),
        members(numpy.repeat(numpy.arange(count), size // count), count),
    )


def selection(chosen: Indices, count: int) -> Any:
    """A matrix with a one in column ``chosen[i]`` of row i; nothing in it where that is -1."""
    present = chosen >= 0
    pointers = numpy.concatenate([[0], numpy.cumsum(present)])
    ones = numpy.ones(int(pointers[-1]), dtype=bool)
    return sparse.csr_array((ones, chosen[present], pointers), shape=(chosen.size, count))


def members(numbers: Indices, count: int) -> Any:
    """A matrix with ones in row k for those of `numbers` that are k."""
    order = numpy.argsort(numbers, kind="stable")
    pointers = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(numbers, minlength=count))])
    ones = numpy.ones(numbers.size, dtype=bool)
    return sparse.csr_array((ones, order, pointers), shape=(count, numbers.size))


def combined(link: Link, size: int) -> Any:
    """The product of the matrices of a link, for an input of some size."""
    first, *rest = link
    if isinstance(first, numpy.ndarray):
        return selection(first, size)
    for matrix in rest:
        first = first @ matrix
    return first
