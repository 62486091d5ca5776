"""Random networks run as they do without the compiler, and so do their derivatives."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.compiler.llvm.host import unavailable

from .random_networks import derivative, matrix, network

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

BACKENDS = ["numpy"] if unavailable() else ["numpy", "llvm"]


def check(seed):
    whole = derivative(network(seed), seed % 4)
    x = matrix(seed)
    expected = [np.asarray(value) for value in tg.tree.leaves(whole(x))]
    moved = [np.asarray(value) for value in tg.tree.leaves(whole(x * (1 + 1e-15)))]
    for backend in BACKENDS:
        compiled = tg.compile(whole, backend=backend)
        compiled(x)
        for actual, right, near in zip(tg.tree.leaves(compiled(x)), expected, moved, strict=True):
            actual = np.asarray(actual)
            assert (actual.dtype, actual.shape) == (right.dtype, right.shape)
            scale = max(1.0, float(np.max(np.abs(right), initial=0.0)))
            change = float(np.max(np.abs(right - near), initial=0.0))  # some are ill-conditioned
            np.testing.assert_allclose(actual, right, rtol=0, atol=1e-9 * scale + 100 * change)


@pytest.mark.parametrize("seed", range(24))
def test_random_networks(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 400, 50))
def test_many_random_networks(start):
    for seed in range(start, start + 50):
        check(seed)
