"""Graphs: equal nodes are one, faults are found, every pass keeps them well formed."""

import numpy as np
import pytest

from tapegrad.compiler.errors import CompilerError
from tapegrad.compiler.graph import Graph, Node, ordered, verify
from tapegrad.compiler.loops.prepare import Prepared
from tapegrad.compiler.numpy_program import NumpyProgram
from tapegrad.compiler.passes import optimise
from tapegrad.compiler.trace import Trace

from .random_programs import program, total

FLOAT = np.dtype(float)


def test_equal_nodes_are_the_same():
    graph = Graph()
    x, y = graph.input((3,), FLOAT), graph.input((3,), FLOAT)
    assert graph.elementwise("add", x, y) is graph.elementwise("add", x, y)
    assert graph.elementwise("add", x, y) is not graph.elementwise("add", y, x)
    assert graph.constant(np.arange(3.0)) is graph.constant(np.arange(3.0))
    assert graph.constant(0.0) is not graph.constant(-0.0)
    assert graph.constant(np.nan) is graph.constant(float("nan"))
    assert graph.constant(1) is not graph.constant(1.0)
    assert graph.constant(np.float32(1)) is not graph.constant(np.float64(1))


def test_order_is_that_of_the_program():
    graph = Graph()
    x = graph.input((), FLOAT)
    y = graph.elementwise("exp", x)
    graph.elementwise("sin", x)
    z = graph.elementwise("add", y, x)
    assert ordered([z]) == [x, y, z]


def test_prints_as_a_program():
    graph = Graph()
    x = graph.input((2, 3), "float32")
    y = graph.node("sum", (x,), {"axis": (0,), "keepdims": False}, (3,), np.dtype("float32"))
    graph.outputs = [graph.elementwise("multiply", y, graph.constant(2.0), dtype=y.dtype)]
    assert str(graph).splitlines() == [
        "program(%0: float32[2, 3]):",
        "    %1: float32[3] = sum(%0, axis=(0,), keepdims=False)",
        "    %3: float32[3] = multiply(%1, 2.0)",
        "    return %3",
    ]


def broken(change):
    graph = Graph()
    x = graph.input((2, 3), FLOAT)
    y = graph.node("permute_dims", (x,), {"axes": (1, 0)}, (3, 2), FLOAT)
    z = graph.elementwise("exp", y)
    graph.outputs = [graph.reshape(z, (6,))]
    verify(graph)
    change(graph, x, y, z)
    return graph


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda g, x, y, z: setattr(z, "shape", (2, 3)), "not what its inputs broadcast to"),
        (lambda g, x, y, z: setattr(y, "shape", (2, 3)), "not the permuted one"),
        (lambda g, x, y, z: y.params.update(axes=(0, 0)), "no permutation"),
        (lambda g, x, y, z: setattr(z, "number", 0), "made later than what reads it"),
        (lambda g, x, y, z: setattr(z, "dtype", "float64"), "its dtype is a str"),
        (lambda g, x, y, z: setattr(z, "dtype", None), "has no dtype"),
        (lambda g, x, y, z: x.params.update(index=1), "not numbered in order"),
        (lambda g, x, y, z: g.outputs[0].params.update(to=(3, 2)), "is not the parameter `to`"),
        (lambda g, x, y, z: setattr(g.outputs[0], "shape", (5,)), "changes the number of elements"),
    ],
)
def test_faults_are_found(change, fault):
    with pytest.raises(CompilerError, match=fault):
        verify(broken(change))


def looped(node: Node) -> bool:
    return node.op == "copy" or node.elementwise or node.op in ("sum", "max", "min", "prod")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_every_pass_keeps_graphs_well_formed(seed, fast):
    function, inputs = program(seed)
    for f in (function, lambda *xs: [total(function)(*xs)]):
        trace = Trace(lambda *xs, f=f: list(f(*xs)), inputs)
        verify(trace.graph)
        expected = NumpyProgram(trace.graph)(*inputs)
        for careful in (True, False):
            graph, _ = optimise(trace.graph, careful, fast)
            verify(graph)
            verify(Prepared(graph, looped))
            for actual, wanted in zip(NumpyProgram(graph)(*inputs), expected, strict=True):
                assert (actual.shape, actual.dtype) == (wanted.shape, wanted.dtype)
                scale = max(1.0, float(np.max(np.abs(wanted), initial=0)))
                rtol = 1e-3 if any(x.dtype == "float32" for x in inputs) else 1e-9
                np.testing.assert_allclose(actual, wanted, rtol=rtol, atol=rtol * scale)
