"""Initial values: bounds, moments, structure, errors."""

import math

import pytest

import tapegrad.torch as torch
from tapegrad.nn import init


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def test_gains():
    assert init.calculate_gain("linear") == init.calculate_gain("conv2d") == 1
    assert init.calculate_gain("relu") == math.sqrt(2)
    assert init.calculate_gain("leaky_relu", 0.5) == math.sqrt(2 / 1.25)
    assert init.calculate_gain("selu") == 0.75
    with pytest.raises(ValueError, match="Unsupported nonlinearity gelu"):
        init.calculate_gain("gelu")
    with pytest.raises(ValueError, match="negative_slope True not a valid number"):
        init.calculate_gain("leaky_relu", True)


@pytest.mark.parametrize(
    ("fill", "bound"),
    [
        (init.uniform_, 1.0),
        (init.xavier_uniform_, math.sqrt(6 / 300)),
        (init.kaiming_uniform_, math.sqrt(6 / 200)),
    ],
)
def test_uniform(fill, bound):
    x = torch.empty(100, 200)
    assert fill(x) is x
    assert x.max().item() <= bound
    assert x.max().item() > 0.98 * bound
    assert not x.requires_grad


@pytest.mark.parametrize(
    ("fill", "std"),
    [
        (lambda x: init.normal_(x, 0.0, 3.0), 3.0),
        (init.xavier_normal_, math.sqrt(2 / 300)),
        (
            lambda x: init.kaiming_normal_(x, mode="fan_out", nonlinearity="relu"),
            math.sqrt(2 / 100),
        ),
    ],
)
def test_normal(fill, std):
    x = fill(torch.empty(100, 200))
    assert x.mean().item() == pytest.approx(0, abs=0.03 * std)
    assert x.std().item() == pytest.approx(std, rel=0.03)


def test_truncated_normal():
    x = init.trunc_normal_(torch.empty(10000), 1.0, 2.0, 0.0, 1.5)
    assert 0 <= x.min().item() < 0.01
    assert 1.49 < x.max().item() <= 1.5
    with pytest.warns(UserWarning, match="mean is more than 2 std from"):
        init.trunc_normal_(torch.empty(3), 10.0)


def test_constants_and_identities():
    assert init.constant_(torch.empty(2), 3).tolist() == [3, 3]
    assert init.ones_(torch.empty(1)).tolist() == [1]
    assert init.zeros_(torch.empty(1)).tolist() == [0]
    assert init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    x = init.dirac_(torch.empty(4, 2, 3), 2)
    assert x.sum().item() == 4
    assert x[0, 0, 1].item() == x[1, 1, 1].item() == x[2, 0, 1].item() == 1
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions are supported"):
        init.eye_(torch.empty(2))
    with pytest.raises(ValueError, match="dim 0 must be divisible by groups"):
        init.dirac_(torch.empty(3, 2, 3), 2)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 2, 3)])
def test_orthogonal(shape):
    x = init.orthogonal_(torch.empty(shape, dtype=torch.float64), 2.0)
    m = x.reshape(shape[0], -1)
    small = m @ m.T if m.shape[0] < m.shape[1] else m.T @ m
    assert torch.allclose(small, 4 * torch.eye(small.shape[0], dtype=torch.float64))


def test_sparse():
    x = init.sparse_(torch.empty(10, 5), 0.3, 1.0)
    assert (x == 0).sum(0).tolist() == [3] * 5


def test_fans():
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        init.xavier_uniform_(torch.empty(3))
    with pytest.raises(ValueError, match="Mode fan_all not supported"):
        init.kaiming_uniform_(torch.empty(3, 3), mode="fan_all")
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        init.kaiming_uniform_(torch.empty(0, 3))


def test_leaves_may_be_filled():
    x = torch.zeros(2, requires_grad=True)
    init.ones_(x)
    assert x.is_leaf
    assert x.tolist() == [1.0, 1.0]


def test_old_names():
    with pytest.warns(FutureWarning, match=r"`nn.init.constant` is now deprecated"):
        init.constant(torch.empty(1), 1.0)
