"""Random programs in arrays between pages that must not be touched: a step aside ends the process.

``python -m tests.compiler.guarded 0 40`` runs the programs of these seeds, and some networks. Each
runs twice: with every array right before a forbidden page, and with every array right behind one.
Every other program is done in parts, however small it is.
"""

import ctypes
import mmap
import sys
import warnings

import numpy as np

import tapegrad as tg
from tapegrad.compiler.llvm import runs
from tapegrad.compiler.llvm import storage as storage_module
from tapegrad.compiler.llvm.program import LlvmProgram
from tapegrad.compiler.numpy_program import NumpyProgram
from tapegrad.compiler.passes import optimise
from tapegrad.compiler.trace import Trace
from tapegrad.ops.neural.convolution import convolve
from tapegrad.ops.neural.pooling import max_pool
from tapegrad.ops.selection import relu

from .random_programs import differentiable, program, total

PAGE = mmap.PAGESIZE
kept = []  # the pages, for as long as the process lives


def guarded(shape, dtype, before):
    """An uninitialised array, with a forbidden page on each side, next to one of them."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    pages = -(-max(size, 1) // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    kept.append(memory)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for page in (start, start + (pages + 1) * PAGE):
        assert protect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), 0) == 0
    offset = PAGE + (pages * PAGE - size if before else 0)
    return np.ndarray(shape, dtype, memory, offset)


def copied(x, before):
    array = guarded(x.shape, x.dtype, before)
    array[...] = x
    return array


def network(shape, kernel, window, padding=(0, 0)):
    """Images through a convolution, maxima over windows, positions of the largest, and a layer."""
    rng = np.random.default_rng(0)
    stride, to = (
        window,
        tuple(
            (n + 2 * p - k + 1) // w
            for n, p, k, w in zip(shape[2:], padding, kernel[2:], window, strict=True)
        ),
    )
    pooled = {"kernel": window, "stride": stride, "dilation": (1, 1), "padding": (0, 0), "to": to}
    plain = {"stride": (1, 1), "padding": padding, "dilation": (1, 1), "groups": 1}

    def function(x, w):
        y = max_pool(relu(convolve(x, w, **plain)), **pooled)
        layer = np.tanh(np.tanh(y).reshape(len(x), -1) @ y.reshape(len(x), -1).T + y[:, 0, 0, 0])
        return y, np.argmax(y, axis=3), y.sum(axis=(0, 2, 3)), layer

    return function, [rng.standard_normal(s).astype("f4") for s in (shape, kernel)]


NETWORKS = [
    network((2, 1, 12, 12), (3, 1, 5, 5), (2, 2)),
    network((1, 2, 9, 41), (2, 2, 2, 3), (3, 2)),
    network((3, 3, 6, 5), (1, 3, 3, 3), (1, 3)),
    network((7, 9, 5, 6), (2, 9, 3, 3), (2, 2), (1, 1)),
]

USUAL = runs.LARGE, runs.ROWS, runs.CACHE


def cut(small):
    """Have programs done in parts from now on, even `small` ones, or only large ones as usual."""
    runs.LARGE, runs.ROWS, runs.CACHE = (16, 3, 1 << 8) if small else USUAL


def check(function, inputs, before):
    gradient = tg.grad(total(function), argnums=differentiable(inputs))
    for f in (function, gradient):
        trace = Trace(lambda *xs, f=f: tg.tree.leaves(f(*xs)), inputs)
        graph, _ = optimise(trace.graph, careful=False)
        native = LlvmProgram(graph, (), ())
        native.driver.results.array = lambda node: guarded(node.shape, node.dtype, before)
        given = [copied(x, before) for x in inputs]
        found = native(*given)
        for a, e in zip(found, NumpyProgram(graph)(*inputs), strict=True):
            scale = max(1.0, float(np.max(np.abs(e), initial=0)))
            np.testing.assert_allclose(a, e, rtol=1e-2, atol=1e-2 * scale)


class Numpy:
    """NumPy, for the module that allocates blocks: these are guarded too."""

    def __init__(self, before):
        self.before = before

    def empty(self, size, dtype):
        return guarded((size,), dtype, self.before)

    def __getattr__(self, name):
        return getattr(np, name)


def main(first, last):
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for seed in range(first, last):
        cut(seed % 2 == 1)
        for before in (True, False):
            storage_module.numpy = Numpy(before)
            check(*program(seed), before)
    for before in (True, False):
        storage_module.numpy = Numpy(before)
        for small in (True, False):
            cut(small)
            for function, inputs in NETWORKS:
                check(function, inputs, before)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
