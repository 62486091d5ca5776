"""Random programs run as they do without the compiler, and so do their derivatives."""

import numpy as np
import pytest

import tapegrad as tg

from .random_programs import program, total

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
BACKENDS = ("numpy", "llvm")


def close(actual, expected, moved, rtol):
    """Equal in kind, and in value to what rounding explains.

    How much it explains is how far the results move when the inputs do by a little: some random
    programs are ill-conditioned.
    """
    assert len(actual) == len(expected)
    for a, e, m in zip(actual, expected, moved, strict=True):
        assert (a.dtype, a.shape) == (e.dtype, e.shape)
        scale = max(1.0, float(np.max(np.abs(e), initial=0.0)))
        error = float(np.max(np.abs(e - m), initial=0.0))
        np.testing.assert_allclose(a, e, rtol=0, atol=rtol * scale + 30 * error)


def moved_a_little(x, rng):
    """Double precision numbers, some units in the last place from those of an array."""
    return x * (1 + 2e-15 * rng.uniform(-1, 1, np.shape(x)))


def check(seed, backends=BACKENDS):
    function, inputs = program(seed)
    single = any(x.dtype == np.float32 for x in inputs)
    rng = np.random.default_rng(seed)
    doubles = [moved_a_little(x, rng) for x in inputs]
    gradient = tg.grad(total(function), argnums=tuple(range(len(inputs))))
    for f in (function, gradient):
        expected, moved = f(*inputs), f(*doubles)
        for backend in backends:
            compiled = tg.compile(f, backend=backend)
            for _ in range(2):  # traced, and run
                close(compiled(*inputs), expected, moved, 1e-5 if single else 1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(25))
def test_random_program(seed, backend):
    check(seed, [backend])


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", range(100))
def test_many_random_programs(block):
    for seed in range(1000 + 100 * block, 1000 + 100 * (block + 1)):
        check(seed)
