"""One program at every stage of the compiler: what `docs/compiler.md` shows.

``python -m tests.compiler.stages`` writes it into the page.
"""

import re
from pathlib import Path

import numpy as np

import tapegrad as tg
from tapegrad.compiler.llvm.columns import write_group
from tapegrad.compiler.llvm.host import Host
from tapegrad.compiler.llvm.program import in_loops, native_step
from tapegrad.compiler.llvm.runs import Runs
from tapegrad.compiler.llvm.storage import Storage
from tapegrad.compiler.loops.groups import schedule
from tapegrad.compiler.loops.prepare import Prepared
from tapegrad.compiler.loops.stages import stages_of
from tapegrad.compiler.numpy_source import readable
from tapegrad.compiler.passes import optimise
from tapegrad.compiler.trace import Trace

PAGE = Path(__file__).parents[2] / "docs" / "compiler.md"

FEATURES = "+avx2,+fma,+avx512f,+avx512dq,+avx512bw,+avx512vl"
HOST = Host("x86_64-unknown-linux-gnu", "x86-64-v4", FEATURES)


def program(x, w):
    """A softmax of rows, weighted and summed: its value and its gradient."""

    def f(x):
        e = np.exp(x - np.max(x, axis=1, keepdims=True))
        return np.sum(e / np.sum(e, axis=1, keepdims=True) * w)

    return list(tg.value_and_grad(f)(x))


def stages():
    """The stages' names and texts, in order."""
    x, w = np.random.default_rng(0).standard_normal((2, 6, 20))
    trace = Trace(program, [x, w])
    graph, _ = optimise(trace.graph, careful=False)
    plan = schedule(Prepared(graph, in_loops), in_loops, native_step)
    storage = Storage(plan, Runs(plan, 1))
    lines = []
    for group in plan.steps:
        rows, columns = group.domain
        lines.append(f"loop over {rows} rows of {columns} columns")
        passes = stages_of(group, plan.stored).passes
        for number, stage in enumerate(passes):
            lines.append(f"  pass {number}")
            for role, nodes in (
                ("once a row", stage.rows),
                ("elements", stage.elements),
                ("reductions", stage.reductions),
            ):
                for node in nodes:
                    kept = " -> memory" if node in plan.stored else ""
                    kept = " from scratch" if node in stage.load else kept
                    inputs = ", ".join(x.name for x in node.inputs)
                    lines.append(f"    {role:<11} {node.name} = {node.op}({inputs}){kept}")
    (group, *_) = plan.steps
    function = write_group("step0", group, plan.stored, set(), storage.address, HOST, False)
    assembly = function.text().splitlines()
    start = next(i for i, line in enumerate(assembly) if "fsub" in line) - 6
    return {
        "graph": str(trace.graph),
        "rewritten": str(graph),
        "numpy": readable(graph),
        "groups": "\n".join(lines),
        "assembly": "\n".join(assembly[start : start + 16]),
    }


def page(text):
    """The page with today's stages in it."""
    for name, stage in stages().items():
        pattern = rf"(<!-- {name} -->\n```\w*\n).*?(```\n)"
        text = re.sub(
            pattern, lambda m, s=stage: m[1] + s.rstrip() + "\n" + m[2], text, flags=re.DOTALL
        )
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
