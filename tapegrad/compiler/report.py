"""What a compiled function has become: `f.report()`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .graph import LEAVES, Graph, Node


@dataclass(frozen=True)
class ProgramReport:
    """One program: of one signature, on one path through the branches.

    `operations` counts elementary operations of a run (those of opaque operations are not known);
    `traffic` the bytes that its steps read and write; `memory` those of its intermediate arrays;
    `times` the seconds that each step takes, if they were measured.
    `problem` says why there is no machine code, None where there is.
    """

    hits: int
    guards: tuple[Any, ...]
    nodes: int
    operations: int
    problem: str | None
    steps: tuple[str, ...] = ()
    traffic: int | None = None
    memory: int | None = None
    times: tuple[float, ...] | None = None

    def lines(self) -> list[str]:
        guarded = f", {len(self.guards)} guards" if self.guards else ""
        text = (
            f"{self.hits} calls{guarded}, {self.nodes} nodes, {amount(self.operations)} operations"
        )
        lines = [text]
        if self.problem is not None:
            lines.append(f"  run by NumPy: {self.problem}")
        else:
            assert self.traffic is not None
            assert self.memory is not None
            lines.append(
                f"  run as machine code: {len(self.steps)} steps, {amount(self.traffic)}B through "
                f"memory, {amount(self.memory)}B of intermediate arrays"
            )
            if self.times is None:
                lines += [f"    {step}" for step in self.steps]
            else:
                timed = zip(self.times, self.steps, strict=True)
                lines += [f"    {seconds * 1e6:8.1f} us  {step}" for seconds, step in timed]
        return lines


@dataclass(frozen=True)
class SignatureReport:
    """What is known for one combination of shapes, dtypes and static values."""

    arguments: str
    refused: str | None
    programs: tuple[ProgramReport, ...] = ()


@dataclass(frozen=True)
class Report:
    """What a compiled function has become. Print it to read it."""

    name: str
    signatures: tuple[SignatureReport, ...] = field(default=())

    def __str__(self) -> str:
        count = len(self.signatures)
        lines = [f"{self.name}: {count} signature{'s' if count != 1 else ''}"]
        for s in self.signatures:
            lines.append(f"{s.arguments}:")
            if s.refused:
                lines.append(f"  not compiled: {s.refused}")
            for program in s.programs:
                lines += [f"  {line}" for line in program.lines()]
        return "\n".join(lines)

    __repr__ = __str__


def operations(graph: Graph) -> int:
    """How many elementary operations the nodes of a graph take, where that is known."""
    return sum(map(operations_of, graph.order()))


def operations_of(node: Node) -> int:
    if node.op in LEAVES or node.dtype is None:
        return 0
    if node.op == "matmul":
        return 2 * node.size * node.inputs[0].shape[-1]
    if node.op == "convolve":
        return 2 * node.size * (node.inputs[1].size // max(node.inputs[1].shape[0], 1))
    if node.op == "convolve_transposed":
        return 2 * node.inputs[0].size * (node.inputs[1].size // max(node.inputs[1].shape[0], 1))
    if node.op == "convolve_kernel":
        return 2 * node.inputs[1].size * (node.size // max(node.shape[0], 1))
    if node.op in ("sum", "prod", "max", "min"):
        return node.inputs[0].size
    return node.size if node.elementwise and node.op != "copy" else 0


def amount(number: int) -> str:
    """A number with a unit: 12, 3.4 k, 5.6 M."""
    value, units = float(number), iter(("", " k", " M", " G", " T"))
    unit = next(units)
    while value >= 1000 and unit != " T":
        value, unit = value / 1000, next(units)
    return f"{value:.3g}{unit}"
