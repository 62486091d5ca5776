"""The graph as PyTorch shows it: `grad_fn` and `next_functions`, built from the tape when asked."""

from __future__ import annotations

from typing import Any

from ...core.op import codes
from ...core.tape import leaves, local, shared
from ..tensor import Tensor

NAMES = {
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "negative": "Neg",
    "matmul": "Mm",
    "broadcast_to": "Expand",
    "permute_dims": "Permute",
    "getitem": "Index",
    "setitem": "CopySlices",
    "astype": "ToCopy",
    "identity": "Clone",
    "reshape": "View",
}
"""PyTorch's names of the core's operations where they are not simply capitalised."""


def node_name(op: str) -> str:
    """PyTorch's name of an operation's node."""
    plain = NAMES.get(op) or "".join(part.capitalize() for part in op.split("_"))
    return f"{plain}Backward0"


class Node:
    """An entry of the tape as a node of a graph. It refers to nothing but the slot."""

    def __init__(self, slot: int, name: str, inputs: tuple[int, ...]) -> None:
        self.slot = slot
        self._name = name
        self.inputs = inputs

    def name(self) -> str:
        """PyTorch's name of the node."""
        return self._name

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes of the inputs, each with the number of the output that was used."""
        return tuple((node_of(slot) if slot else None, 0) for slot in self.inputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.slot == other.slot

    def __hash__(self) -> int:
        return hash(self.slot)

    def __repr__(self) -> str:
        return f"<{self._name} object at {self.slot:#x}>"


class AccumulateGrad(Node):
    """The node at which a leaf's gradient arrives."""

    def __init__(self, variable: Tensor) -> None:
        super().__init__(variable.slot, "torch::autograd::AccumulateGrad", ())
        self.variable = variable


def node_of(slot: int) -> Node | None:
    """The node of a slot; None where the tape has nothing there any more."""
    if slot < 0:
        leaf = leaves.get(slot)
        return None if leaf is None else AccumulateGrad(leaf)
    with shared.lock:
        for tape in (local.root, *(root for _, root in shared.roots)):
            index = tape.find(slot)
            if index is not None:
                entry = tape[index]
                op, arity = codes[entry[0]]
                return Node(slot, node_name(op.name), entry[2 : 2 + arity])
    return None


def grad_fn(self: Tensor) -> Node | None:
    """The operation that computed the tensor, None for leaves and constants."""
    if self.slot <= 0:
        return None
    return node_of(self.slot) or Node(self.slot, "FreedBackward0", ())


for _name, _attribute in (("grad_fn", property(grad_fn)),):
    setattr(Tensor, _name, _attribute)
