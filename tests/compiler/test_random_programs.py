"""Random programs run as they do without the compiler, and so do their derivatives."""

import numpy as np
import pytest

import tapegrad as tg

from .random_programs import program, total

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
BACKENDS = ("numpy", "llvm")


def close(actual, expected, single):
    """Equal in kind, and in value to what a different order of rounding explains."""
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert (a.dtype, a.shape) == (e.dtype, e.shape)
        scale = max(1.0, float(np.max(np.abs(e), initial=0.0)))
        rtol = 1e-3 if single else 1e-9
        np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * scale)


def check(seed, backend):
    function, inputs = program(seed)
    single = any(x.dtype == np.float32 for x in inputs)
    close(tg.compile(function, backend=backend)(*inputs), function(*inputs), single)
    gradient = tg.grad(total(function), argnums=tuple(range(len(inputs))))
    close(tg.compile(gradient, backend=backend)(*inputs), gradient(*inputs), single)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(25))
def test_random_program(seed, backend):
    check(seed, backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("block", range(100))
def test_many_random_programs(block, backend):
    for seed in range(1000 + 100 * block, 1000 + 100 * (block + 1)):
        check(seed, backend)
