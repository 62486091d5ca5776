"""Random programs: the sparse matrices are the dense ones, and no element is outside."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

N = 12

STEPS = [
    lambda x, rng: tnp.roll(x, int(rng.integers(1, N))),
    lambda x, rng: x[::-1] * x,
    lambda x, rng: tnp.concatenate([x[3:], x[:3] ** 2]),
    lambda x, rng: tnp.reshape(tnp.transpose(tnp.reshape(x, (3, 4))), (N,)),
    lambda x, rng: x[rng.integers(0, N, N)],
    lambda x, rng: tnp.where(rng.random(N) > 0.5, x, tnp.sin(x)),
    lambda x, rng: tnp.convolve(x, rng.standard_normal(3), "same"),
    lambda x, rng: tnp.repeat(tnp.sum(tnp.reshape(x, (4, 3)), axis=1), 3) + tnp.tanh(x),
    lambda x, rng: tnp.ravel(rng.standard_normal((2, 2)) @ tnp.reshape(x, (3, 2, 2))),
    lambda x, rng: tnp.append(tnp.diff(x), x[0]),
    lambda x, rng: tnp.maximum(x, x[::-1]),
    lambda x, rng: tnp.einsum("ij,ik->ij", x.reshape(6, 2), tnp.cos(x).reshape(6, 2)).ravel(),
    lambda x, rng: tnp.cumsum(x.reshape(2, 6), axis=1).ravel() / 6,
]


def program(seed):
    """A function of N numbers that gives as many."""

    def function(x):
        rng = np.random.default_rng(seed)
        for step in rng.integers(0, len(STEPS), 4):
            x = STEPS[step](x, rng)
        return x

    return function


@pytest.mark.parametrize("seed", range(60))
def test_jacobian_and_hessian(seed):
    function = program(seed)
    x = np.random.default_rng(seed + 1000).standard_normal(N)
    pattern = tg.sparsity(function, x)
    dense = tg.jacobian(function)(x)
    assert not dense[~pattern.matrix().toarray()].any()
    sparse = tg.sparse_jacobian(function, pattern)(x).toarray()
    np.testing.assert_allclose(sparse, dense, rtol=1e-12, atol=1e-12)

    def total(x):
        return tnp.sum(tnp.sin(function(x)))

    dense = tg.hessian(total)(x)
    sparse = tg.sparse_hessian(total)(x).toarray()
    np.testing.assert_allclose(sparse, dense, rtol=1e-11, atol=1e-11)
