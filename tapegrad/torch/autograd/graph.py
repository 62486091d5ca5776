"""The graph as PyTorch shows it: `grad_fn`, its `next_functions` and hooks, made when asked.

Nothing refers to a graph but the tape, so a node is a slot and what the tape has there. Where a
graph was freed, the nodes know what they were asked for before, and that of a backward's result
its name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakValueDictionary, ref

from ...core import leaf as core_leaves
from ...core.array import Array
from ...core.gradient import present
from ...core.op import WHOLE, amounts, codes
from ...core.record import PICK
from ...core.sweep import Sweep, running
from ...core.tape import Entry, Tape, following, hooks, leaves, local, shared
from ...core.versions import stamp
from ...core.watch import unpacked
from .. import errors
from ..calls import as_core
from ..tensor import Tensor, wrap, writable
from .handle import Handle
from .names import end_of, name_of
from .saving import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    restored,
    save_on_cpu,
    saved_tensors_hooks,
)

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class Node:
    """An entry of the tape as a node of a graph: its slot, and what it was asked for."""

    def __init__(self, slot: int, inputs: tuple[int, ...]) -> None:
        self.slot = slot
        self.inputs = inputs

    def name(self) -> str:
        """PyTorch's name of the node."""
        return type(self).__name__

    @functools.cached_property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes of the inputs, each with the number of the output that was used."""
        return tuple(edge(slot) for slot in self.inputs)

    def register_hook(self, hook: Callable[[Any, Any], Any]) -> Handle:
        """Have ``hook(grad_inputs, grad_outputs)`` called after each backward through the node.

        What it returns, if not None, takes the place of `grad_inputs`. Where an input was used
        twice, its gradients come as one sum, in the first place.
        """

        def after(pulled: dict[int, Any], g: Any) -> None:
            slots = dict.fromkeys(slot for slot in self.inputs if slot)
            first = {slot: self.inputs.index(slot) for slot in slots}
            shown = [
                seen(pulled.get(s)) if first.get(s) == i else None
                for i, s in enumerate(self.inputs)
            ]
            result = hook(tuple(shown), outputs_of(g))
            if result is None:
                return
            if len(result) != len(self.inputs):
                raise errors.hook_results(len(self.inputs), len(result))
            for slot, i in first.items():
                given = hidden(result[i])
                if given is None:
                    pulled.pop(slot, None)
                else:
                    pulled[slot] = given

        return Handle(core_leaves.enter(following.setdefault(copied(self.slot), []), after))

    def register_prehook(self, hook: Callable[[Any], Any]) -> Handle:
        """Have ``hook(grad_outputs)`` called before each backward through the node.

        What it returns, if not None, takes their place.
        """

        def before(g: Any) -> Any:
            result = hook((g,))
            return None if result is None else result[0]

        own = hooks.setdefault(copied(self.slot), [])
        return Handle(core_leaves.enter(own, (before, core_leaves.sample(wrap(None)))))

    def __getattr__(self, name: str) -> Any:
        if name not in SAVED:
            raise AttributeError(f"{self.name()!r} object has no attribute {name!r}")
        entry, _ = find(self.slot)
        if entry is None:
            raise errors.saved_are_freed()
        n = len(self.inputs)
        place = SAVED[name] if SAVED[name] >= 0 else n
        if SAVED[name] >= n or amounts[entry[0]][place] != WHOLE:
            raise AttributeError(f"{self.name()!r} object has no attribute {name!r}")
        saved = unpacked(entry[3 + n + place])
        return None if saved is None else restored(saved, (*self.inputs, self.slot)[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.slot == other.slot

    def __hash__(self) -> int:
        return hash(self.slot)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {self.slot:#x}>"


SAVED = {"_saved_self": 0, "_saved_other": 1, "_saved_result": -1}
"""PyTorch's names of what a node has saved, and of which input that is; the last is the output."""


class FunctionNode(Node):
    """The node of a `Function`: it shows what its `ctx` has."""

    def __init__(self, slot: int, inputs: tuple[int, ...], entry: Entry) -> None:
        super().__init__(slot, inputs)
        self.call = entry[2 + len(inputs)]["call"]

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that were saved, as long as the graph was not freed."""
        entry, _ = find(self.slot)
        if entry is None:
            raise errors.saved_are_freed()
        n = 3 + len(self.inputs)
        inputs = [
            None if x is None else restored(unpacked(x), slot)
            for slot, x in zip(self.inputs, entry[n:-1], strict=True)
        ]
        outs = [None if x is None else wrap(unpacked(x)) for x in entry[-1]]
        found: tuple[Any, ...] = self.call.saved(self.call.sources, inputs, outs)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.call.ctx, name)


class AccumulateGrad(Node):
    """The node at which a leaf's gradient arrives."""

    def __init__(self, variable: Tensor) -> None:
        super().__init__(variable.slot, ())
        self.variable = variable

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def register_prehook(self, hook: Callable[[Any], Any]) -> Handle:
        def before(g: Any) -> Any:
            result = hook((g,))
            return None if result is None else result[0]

        return Handle(core_leaves.add_hook(self.variable, before))

    def register_hook(self, hook: Callable[[Any, Any], Any]) -> Handle:
        arrived: list[Any] = []
        ends = (
            core_leaves.add_hook(self.variable, arrived.append),
            core_leaves.add_hook_after(self.variable, lambda _: hook((), (arrived.pop(),))),
        )

        def remove() -> None:
            for end in ends:
                end()

        return Handle(remove)


def copied(slot: int) -> int:
    """The slot as another object, which does not keep its entry from compaction."""
    return int(str(slot))


def seen(g: Any) -> Any:
    """A cotangent as people see it."""
    return None if g is None or type(g) is dict else present(g, core_leaves.sample(wrap(None)))


def outputs_of(g: Any) -> tuple[Any, ...]:
    """The gradients of a node's outputs."""
    if type(g) is not dict:
        return (seen(g),)
    return tuple(seen(g.get(i)) for i in range(max(g) + 1))


def hidden(g: Any) -> Any:
    """A gradient from people as the core has it."""
    if g is None:
        return None
    if g.raw.dtype.kind == "c":
        g = g.conj()
    return as_core(g) if g.slot else g.raw


@functools.cache
def node_class(name: str, base: type[Node]) -> type[Node]:
    """The class of the nodes of a name."""
    return type(name, (base,), {})


def find(slot: int) -> tuple[Entry | None, Tape | None]:
    """The entry of a slot, and the tape it is on."""
    with shared.lock:
        for tape in (local.root, *(root for _, root in shared.roots)):
            index = tape.find(slot)
            if index is not None:
                return tape[index], tape
    return None, None


nodes: WeakValueDictionary[int, Node] = WeakValueDictionary()
"""By slot: the nodes that somebody has."""


def edge(slot: int) -> tuple[Node | None, int]:
    """The node of a slot and which of its outputs it is; None for constants and lost leaves."""
    if not slot:
        return None, 0
    if slot < 0:
        leaf = leaves.get(slot)
        return None if leaf is None else AccumulateGrad(leaf), 0
    entry, tape = find(slot)
    if entry is None or tape is None:
        return nodes.get(slot) or freed(slot), 0
    op, _ = codes[entry[0]]
    if op is PICK:
        node, _ = edge(entry[2])
        return node, entry[3]["index"]
    node = nodes.get(slot)
    if node is None:
        node = nodes[copied(slot)] = made(slot, entry, name_of(entry, tape))
    return node, 0


def made(slot: int, entry: Entry, name: str) -> Node:
    """The node of an entry."""
    op, arity = codes[entry[0]]
    inputs = entry[2 : 2 + arity]
    if op.name == "function":
        kind: Any = node_class(name, FunctionNode)
        node: Node = kind(copied(slot), inputs, entry)
        return node
    return node_class(name, Node)(copied(slot), inputs)


def freed(slot: int) -> Node:
    """The node of a slot whose entry is gone."""
    entry = end_of(slot)
    if entry is None:
        return node_class("FreedBackward0", Node)(copied(slot), ())
    return made(slot, entry, name_of(entry, local.root))


def grad_fn(self: Tensor) -> Node | None:
    """The operation that computed the tensor, None for leaves and constants."""
    return edge(self.slot)[0] if self.slot > 0 else None


def output_nr(self: Tensor) -> int:
    """Which of the results of its `grad_fn` the tensor is."""
    return edge(self.slot)[1] if self.slot > 0 else 0


class GradientEdge(NamedTuple):
    """A place of the graph, to be given to `torch.autograd.grad` in place of its tensor."""

    node: Node
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place of a tensor in the graph."""
    if not tensor.slot:
        raise errors.edge_without_grad()
    node, number = edge(tensor.slot)
    assert node is not None  # the tensor keeps a leaf alive
    return GradientEdge(node, number, tensor)


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Count a change of the tensor's memory that was made without its knowing."""
    for x in [tensor] if isinstance(tensor, Tensor) else tensor:
        stamp(writable(x), "increment_version")


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all"
) -> Handle:
    """Have `fn` called in each backward: once the gradients of several tensors are there.

    With mode `"all"`, ``fn(grads)`` gets a list, with None for those that get none. With `"any"`,
    ``fn(grad)`` gets the first.
    """
    if mode not in ("all", "any"):
        raise errors.bad_hook_mode(mode)
    state: dict[str, Any] = {"sweep": lambda: None}  # refers to the sweep weakly

    def begin(sweep: Sweep) -> None:
        reached = sweep.slots()
        state.update(sweep=ref(sweep), grads=[None] * len(tensors), left=0)
        state["left"] = sum(x.slot in reached for x in tensors)

    def hook_of(i: int) -> Callable[[Array], None]:
        def hook(g: Array) -> None:
            assert running.sweep is not None
            first = state["sweep"]() is not running.sweep
            if first:
                begin(running.sweep)
            if mode == "any":
                if first:
                    fn(g)
                return
            state["grads"][i] = g
            state["left"] -= 1
            if not state["left"]:
                grads, state["grads"] = state["grads"], None
                fn(grads)

        return hook

    handles = [core_leaves.add_hook(x, hook_of(i)) for i, x in enumerate(tensors)]

    def remove() -> None:
        for own in handles:
            own()

    return Handle(remove)


for _name, _attribute in (("grad_fn", property(grad_fn)), ("output_nr", property(output_nr))):
    setattr(Tensor, _name, _attribute)
