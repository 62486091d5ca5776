"""Convolutions of a plan: which have machine code, and the functions that call it."""

from __future__ import annotations

from collections.abc import Callable

from ..graph import Node
from ..loops.groups import Step
from . import tiles
from .convolution import (
    Convolution,
    shape_of,
    write_forward,
    write_input_gradient,
    write_weight_gradient,
)
from .elements import native_dtype
from .host import Host
from .text import Function, Kind

Pointer = Callable[[Function, Node], str]

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


def scratch_of(node: Node) -> int:
    """How many bytes of memory an operation needs beside its result."""
    conv = convolution_of(node)
    return conv.scratch if conv is not None else 0


class Convolutions:
    """The convolutions of one program: equal ones share a function."""

    def __init__(self, machine: Host) -> None:
        self.machine = machine
        self.names: dict[tuple[str, Convolution], str] = {}
        self.functions: list[Function] = []
        self.imports: dict[str, int] = {}

    def write(
        self, step: Step, name: str, pointer: Pointer, scratch: Callable[[Function], str]
    ) -> Function:
        """The function of a convolution of the plan, which takes the table of pointers.

        `scratch` puts the address of spare memory into a function.
        """
        f = Function(f"define internal i32 @{name}(ptr %table)", glue=True)
        conv = convolution_of(step.node)
        assert conv is not None, "the plan has it as one that there is code for"
        given = [f.at(Kind(x.base.dtype, 1), pointer(f, x.base), x.offset) for x in step.operands]
        addresses = [*given, pointer(f, step.node), scratch(f)]
        f.do(f"call void @{self.called(step.node.op, conv)}({pointers(addresses)})")
        f.do("ret i32 0")
        return f

    def called(self, op: str, conv: Convolution) -> str:
        """The name of the function that computes a convolution."""
        if (op, conv) not in self.names:
            name = self.names[op, conv] = f"convolution{len(self.names)}"
            self.functions.append(WRITERS[op](name, conv, self.machine))
            self.imports.update(tiles.imports(conv.dtype, self.machine))
        return self.names[op, conv]


def pointers(addresses: list[str]) -> str:
    return ", ".join(f"ptr {address}" for address in addresses)
