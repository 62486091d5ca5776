"""Convolutions of a plan: which have machine code, and the functions that call it."""

from __future__ import annotations

from ..graph import Node
from ..loops.groups import Step
from ..loops.memory import aligned
from ..loops.parts import partial_bytes
from ..loops.views import View
from . import tiles
from .arguments import BYTE, PART, Beside, Pointer
from .convolution import (
    Convolution,
    shape_of,
    write_forward,
    write_input_gradient,
    write_turn,
    write_weight_gradient,
)
from .elements import native_dtype
from .host import Host
from .text import Function, Kind

WRITERS = {
    "convolve": write_forward,
    "convolve_transposed": write_input_gradient,
    "convolve_kernel": write_weight_gradient,
}


def convolution_of(node: Node) -> Convolution | None:
    """The sizes of an operation that is a convolution of images, or one of its gradients.

    None for others, and where there is no code for it.
    """
    if node.op not in WRITERS or len(node.inputs) != 2 or not native_dtype(node.dtype):
        return None
    x, y = node.inputs
    if node.dtype.kind != "f" or not x.dtype == y.dtype == node.dtype:
        return None
    images, weights, results = {
        "convolve": (x, y, node),
        "convolve_transposed": (node, y, x),
        "convolve_kernel": (x, node, y),
    }[node.op]
    stride, dilation, padding, groups = (
        node.params[name] for name in ("stride", "dilation", "padding", "groups")
    )
    if len(stride) != 2:
        return None
    (top, left) = padding
    conv = shape_of(
        images.shape,
        weights.shape,
        node.dtype,
        stride,
        dilation,
        ((top, top), (left, left)),
        groups,
    )
    return conv if conv is not None and conv.out == results.shape[2:] else None


def turns(node: Node) -> bool:
    """Whether the weights of an operation have to be turned round before it."""
    conv = convolution_of(node) if node.op == "convolve_transposed" else None
    return conv is not None and conv.turns


def memory_of(node: Node) -> dict[Beside, int]:
    """What memory an operation needs beside its result, in bytes."""
    conv = convolution_of(node)
    if conv is None:
        return {}
    needed = {Beside(node, "scratch"): conv.scratch}
    if turns(node):
        needed[Beside(node, "turned")] = node.inputs[1].nbytes
    return needed


class Convolutions:
    """The convolutions of one program: equal ones share a function."""

    def __init__(self, machine: Host) -> None:
        self.machine = machine
        self.names: dict[tuple[str, Convolution], str] = {}
        self.functions: list[Function] = []
        self.imports: dict[str, int] = {}

    def write(self, step: Step, name: str, pointer: Pointer, by_parts: bool) -> Function:
        """The function of a convolution of the plan, which takes the table of pointers.

        If it is done by parts, weights have been turned before, where that is needed.
        """
        f = Function(
            f"define internal i32 @{name}({PART if by_parts else 'ptr %table'})", glue=True
        )
        node, conv = step.node, convolution_of(step.node)
        assert conv is not None, "the plan has it as one that there is code for"
        x, y = (address(f, view, pointer) for view in step.operands)
        place = pointer(f, Beside(node, "scratch"))
        if turns(node):
            turned = pointer(f, Beside(node, "turned"))
            if not by_parts:
                f.do(f"call void @{self.turning(conv)}({pointers([y, turned])})")
            y = turned
        if by_parts and node.op == "convolve_kernel":
            parts = pointer(f, Beside(node, "partial"))
            out = f.at(BYTE, parts, f.times("%part", partial_bytes(node)))
        else:
            out = pointer(f, node)
        images = f"i64 0, i64 {conv.batch}"
        if by_parts:
            images = "i64 %low, i64 %high"
            place = f.at(BYTE, place, f.times("%thread", aligned(conv.scratch)))
        given = pointers([x, y, out, place])
        f.do(f"call void @{self.called(node.op, conv)}({given}, {images})")
        f.do("ret i32 0")
        return f

    def write_before(self, step: Step, name: str, pointer: Pointer) -> Function:
        """The function of what comes before the parts of a convolution, which turns weights."""
        f = Function(f"define internal i32 @{name}(ptr %table)", glue=True)
        conv = convolution_of(step.node)
        assert conv is not None, "the plan has it as one that there is code for"
        y = address(f, step.operands[1], pointer)
        turned = pointer(f, Beside(step.node, "turned"))
        f.do(f"call void @{self.turning(conv)}({pointers([y, turned])})")
        f.do("ret i32 0")
        return f

    def called(self, op: str, conv: Convolution) -> str:
        """The name of the function that computes a convolution."""
        if (op, conv) not in self.names:
            name = self.names[op, conv] = f"convolution{len(self.names)}"
            self.functions.append(WRITERS[op](name, conv, self.machine))
            self.imports.update(tiles.imports(conv.dtype, self.machine))
        return self.names[op, conv]

    def turning(self, conv: Convolution) -> str:
        """The name of the function that turns weights."""
        if ("turn", conv) not in self.names:
            name = self.names["turn", conv] = f"convolution{len(self.names)}"
            self.functions.append(write_turn(name, conv))
        return self.names["turn", conv]


def address(function: Function, view: View, pointer: Pointer) -> str:
    """Where what a convolution is given begins."""
    return function.at(Kind(view.base.dtype, 1), pointer(function, view.base), view.offset)


def pointers(addresses: list[str]) -> str:
    return ", ".join(f"ptr {address}" for address in addresses)
