"""Random programs run as they do without the compiler, and so do their derivatives."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.compiler.graph import verify
from tapegrad.compiler.llvm.host import unavailable
from tapegrad.compiler.numpy_program import NumpyProgram
from tapegrad.compiler.passes import optimise
from tapegrad.compiler.trace import Trace

from .random_programs import (
    over_lanes,
    program,
    with_gradient,
    with_second_order,
    with_tangents,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

BACKENDS = ["numpy"] if unavailable() else ["numpy", "llvm"]

KINDS = (with_gradient, with_second_order, with_tangents, over_lanes, with_gradient)


def close(actual, expected, moved, rtol):
    """Equal in kind, and in value to what rounding explains.

    How much it explains is how far the results move when the inputs do by a little: some random
    programs are ill-conditioned.
    """
    assert len(actual) == len(expected)
    for a, e, m in zip(actual, expected, moved, strict=True):
        assert (a.dtype, np.shape(a)) == (e.dtype, np.shape(e))
        if e.dtype.kind in "biu":
            assert np.array_equal(a, e) or not np.array_equal(e, m)
            continue
        with np.errstate(all="ignore"):
            scale = max(1.0, float(np.max(np.abs(e), initial=0.0, where=np.isfinite(e))))
            error = np.abs(e - m)
            error = float(np.max(error, initial=0.0, where=~np.isnan(error)))
        np.testing.assert_allclose(a, e, rtol=0, atol=rtol * scale + 30 * error)


def moved_a_little(x, rng):
    """Double precision numbers, some units in the last place from those of an array."""
    if x.dtype.kind in "biu":
        return x
    return x * (1 + 2e-15 * rng.uniform(-1, 1, np.shape(x)))


def check(seed, backends=BACKENDS):
    """Programs of one seed, traced once, by backends that are used without anything around them."""
    function, inputs = program(seed)
    single = any(x.dtype == np.float32 for x in inputs)
    rng = np.random.default_rng(seed)
    doubles = [moved_a_little(x, rng) for x in inputs]
    whole = KINDS[seed % len(KINDS)](function, inputs)
    expected = tg.tree.leaves(whole(*inputs))
    moved = tg.tree.leaves(whole(*doubles))
    trace = Trace(lambda *arrays: list(whole(*arrays)), inputs)
    assert not trace.guards
    expected = [e for e, r in zip(expected, trace.results, strict=True) if r is None]
    moved = [m for m, r in zip(moved, trace.results, strict=True) if r is None]
    verify(trace.graph)
    graph, watched = optimise(trace.graph, careful=False)
    verify(graph)
    for backend in backends:
        run = made(backend, graph, watched, trace.kinds)
        results = run(*inputs)
        if results is None:  # there is a NaN that must be kept away
            careful, _ = optimise(trace.graph, careful=True)
            results = made(backend, careful, (), trace.kinds)(*inputs)
        close(results, expected, moved, 1e-5 if single else 1e-9)


def made(backend, graph, watched, kinds):
    if backend == "numpy":
        return NumpyProgram(graph, watched)
    from tapegrad.compiler.llvm.program import LlvmProgram

    return LlvmProgram(graph, watched, kinds)


def check_compiled(seed, backend):
    """A program of a seed with branches, compiled as users do, on arrays that take other paths."""
    function, inputs = program(seed, branches=True)
    single = any(x.dtype == np.float32 for x in inputs)
    rng = np.random.default_rng(seed)
    whole = with_gradient(function, inputs)
    compiled = tg.compile(whole, backend=backend)
    others = [-inputs[0], *inputs[1:]]
    for arrays in (inputs, inputs, others, inputs, others):
        doubles = [moved_a_little(x, rng) for x in arrays]
        expected, moved = whole(*arrays), whole(*doubles)
        close(compiled(*arrays), expected, moved, 1e-5 if single else 1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(25))
def test_random_program(seed, backend):
    check(seed, [backend])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(5))
def test_random_program_with_branches(seed, backend):
    check_compiled(seed, backend)


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", range(100))
def test_many_random_programs(block):
    for seed in range(1000 + 100 * block, 1000 + 100 * (block + 1)):
        if seed % 20 == 7:
            check_compiled(seed, BACKENDS[seed // 20 % len(BACKENDS)])
        else:
            check(seed)
