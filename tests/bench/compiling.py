"""How long it takes to compile a training step of more and more layers, and to find it on disk."""

import os
from functools import partial
from tempfile import TemporaryDirectory
from time import process_time
from unittest import mock

import numpy as np

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.compiler.llvm.host import unavailable

rng = np.random.default_rng(0)

ROUNDS = 5
NODES = (50, 100, 150, 200, 400, 800)
NODES_OF_A_LAYER = 22
BAR = 100 / 150  # milliseconds a node


def network(nodes):
    """A step of a network of as many layers as give about so many nodes, and its arguments."""
    layers = [
        (rng.standard_normal((16, 16)) / 4, np.zeros(16)) for _ in range(nodes // NODES_OF_A_LAYER)
    ]
    x, target = rng.standard_normal((2, 8, 16))

    def loss(layers, x, target):
        for weight, bias in layers:
            x = tnp.tanh(x @ weight + bias)
        return tnp.mean((x - target) ** 2)

    def step(layers, x, target):
        value, gradients = tg.value_and_grad(loss)(layers, x, target)
        moved = [
            (weight - 0.1 * g, bias - 0.1 * h)
            for (weight, bias), (g, h) in zip(layers, gradients, strict=True)
        ]
        return value, moved

    return step, (layers, x, target)


def first_call(function, arguments, backend="llvm"):
    """The milliseconds of CPU time of a call that compiles, and the compiled function."""
    compiled = tg.compile(function, backend=backend, check=False)
    start = process_time()
    compiled(*arguments)
    return 1000 * (process_time() - start), compiled


def milliseconds(nodes):
    """The time to record and compile a step, for so many recorded nodes."""
    if unavailable():
        return None
    function, arguments = network(nodes)
    times = []
    with TemporaryDirectory() as folder:
        for i in range(ROUNDS):
            with mock.patch.dict(os.environ, TAPEGRAD_CACHE=os.path.join(folder, str(i))):
                spent, compiled = first_call(function, arguments)
                times.append(spent)
    return min(times) / recorded(compiled) * nodes


def recorded(compiled):
    """How many nodes a function is recorded as, before anything is rewritten."""
    (call,) = compiled.calls.values()
    (signature,) = call.flat.signatures.values()
    return len(signature.variants[0].trace.graph.order())


def from_disk():
    """The time to find machine code of 150 nodes on disk, beyond what NumPy's program takes."""
    if unavailable():
        return None
    function, arguments = network(150)
    with TemporaryDirectory() as folder, mock.patch.dict(os.environ, TAPEGRAD_CACHE=folder):
        found, plain = (
            [first_call(function, arguments, backend)[0] for _ in range(ROUNDS)]
            for backend in ("llvm", "numpy")
        )
    return min(found) - min(plain)


NUMBERS = [
    *((f"compile {n} nodes", partial(milliseconds, n), max(n * BAR, 100), "ms") for n in NODES),
    ("find 150 nodes on disk", from_disk, 5, "ms"),
]
