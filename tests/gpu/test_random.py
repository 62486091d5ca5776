"""Random numbers are made on the device: by its generators, with their own state."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.torch.philox import BLOCKS, Philox

from .standin import counts, to_host

F = torch.nn.functional
pytestmark = pytest.mark.usefixtures("gpus")

PLACE = "standin", 0


@pytest.mark.parametrize(
    ("seed", "offset", "expected"),
    [  # of the method's authors, with a counter and a key of 128 and 64 bits
        (0, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        (0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, None),
    ],
)
def test_the_method(seed, offset, expected):
    drawn = to_host(Philox(PLACE, seed, offset).drawn("uint64", (4,), np.uint64))
    words = [int(part) for x in drawn for part in (x & 0xFFFFFFFF, x >> np.uint64(32))]
    assert words == philox(offset, seed) + philox(offset + 1, seed)
    if expected:
        assert words[:4] == expected


def philox(counter, key):
    """A block of four numbers, in Python's integers."""
    x = [counter & 0xFFFFFFFF, counter >> 32 & 0xFFFFFFFF, 0, 0]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [b >> 32 ^ x[1] ^ k[0], b & 0xFFFFFFFF, a >> 32 ^ x[3] ^ k[1], a & 0xFFFFFFFF]
        k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return x


def moments(x):
    return [float(np.mean(to_host(x).astype(np.float64) ** i)) for i in range(1, 5)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distributions(dtype):
    source = Philox(PLACE, 7)
    np.testing.assert_allclose(
        moments(source.random((40_001,), dtype)), [1 / 2, 1 / 3, 1 / 4, 1 / 5], rtol=0.01
    )
    np.testing.assert_allclose(
        moments(source.standard_normal((40_001,), dtype)), [0, 1, 0, 3], rtol=0.05, atol=0.05
    )


def test_derived_distributions():
    source, n = Philox(PLACE, 7), (40_001,)
    np.testing.assert_allclose(moments(source.standard_exponential(n))[:2], [1, 2], rtol=0.05)
    assert abs(float(np.median(np.abs(to_host(source.standard_cauchy(n))))) - 1) < 0.05
    np.testing.assert_allclose(moments(source.geometric(0.25, n))[0], 4, rtol=0.05)
    logs = np.log(to_host(source.lognormal(1.0, 2.0, n)))
    np.testing.assert_allclose([logs.mean(), logs.std()], [1, 2], rtol=0.05)
    bins = np.bincount(to_host(source.integers(-3, 4, n)) + 3)
    assert bins.shape == (7,)
    assert np.abs(bins / n[0] * 7 - 1).max() < 0.05
    assert sorted(to_host(source.permutation(9)).tolist()) == list(range(9))


def test_numbers_go_on_where_they_ended():
    whole = to_host(Philox(PLACE, 3).random((16,), np.float32))
    source = Philox(PLACE, 3)
    parts = [to_host(source.random((n,), np.float32)) for n in (4, 8, 4)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert source.offset == 4
    assert BLOCKS * 256 * 4 == 1 << 26  # more numbers than this take each thread several turns


def test_tensors():
    made = (
        lambda **o: torch.rand(3, 4, **o),
        lambda **o: torch.randn(3, 4, dtype=torch.float64, **o),
        lambda **o: torch.randn(5, dtype=torch.complex64, **o),
        lambda **o: torch.rand(5, dtype=torch.float16, **o),
        lambda **o: torch.randint(2, 9, (7,), **o),
        lambda **o: torch.randperm(6, **o),
        lambda **o: torch.normal(0.0, 2.0, (4,), **o),
    )
    assert torch.cuda.is_available()  # which runs a kernel when it is first asked
    for make in made:
        counts.clear()
        torch.manual_seed(3)
        x = make(device="cuda")
        assert x.device == torch.device("cuda", 0)
        assert x.dtype == make().dtype
        assert not counts["uploads"]
        assert not counts["waits"]
        y = make(device="cuda")
        assert (x != y).any()
        torch.manual_seed(3)
        assert (make(device="cuda") == x).all()
    x = torch.ones(2, device="cuda")
    assert torch.rand_like(x).is_cuda
    assert torch.randint_like(x, 5).is_cuda
    out = torch.empty(3, device="cuda")
    torch.rand(3, out=out)
    assert out.is_cuda
    with torch.device("cuda"):
        assert torch.randn(2).is_cuda


def test_generators():
    generator = torch.Generator("cuda:1").manual_seed(4)
    x = torch.rand(3, device="cuda:1", generator=generator)
    again = torch.Generator("cuda:1").set_state(
        torch.Generator("cuda:1").manual_seed(4).get_state()
    )
    assert torch.rand(3, device="cuda:1", generator=again).tolist() == x.tolist()
    assert torch.rand(3, device="cuda:1", generator=again.clone_state()).tolist() == (
        torch.rand(3, device="cuda:1", generator=generator).tolist()
    )
    with pytest.raises(
        RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"
    ):
        torch.rand(3, device="cuda", generator=torch.Generator())
    with pytest.raises(
        RuntimeError, match="Expected a 'cpu' device type for generator but found 'cuda'"
    ):
        torch.rand(3, generator=generator)
    with pytest.raises(
        RuntimeError, match="Expected a 'cuda:0' generator device but found 'cuda:1'"
    ):
        torch.rand(3, device="cuda", generator=generator)


FILLED = {
    "uniform_": ((2.0, 3.0), lambda x: 2 <= x < 3),
    "normal_": ((0.0, 1.0), math.isfinite),
    "bernoulli_": ((0.5,), lambda x: x in (0, 1)),
    "exponential_": ((2.0,), lambda x: x >= 0),
    "cauchy_": ((), math.isfinite),
    "log_normal_": ((), lambda x: x > 0),
    "geometric_": ((0.5,), lambda x: x >= 1 and x % 1 == 0),
    "random_": ((3, 5), lambda x: x in (3, 4)),
}


@pytest.mark.parametrize("name", FILLED)
def test_filling(name):
    args, fits = FILLED[name]
    x = torch.zeros(50, device="cuda")
    counts.clear()
    getattr(x, name)(*args)
    assert not counts["uploads"]
    assert not counts["waits"]
    assert x.is_cuda
    assert all(map(fits, x.tolist()))


def test_draws_by_parameters():
    chances = torch.tensor([0.0, 1.0, 1.0], device="cuda")
    counts.clear()
    assert torch.bernoulli(chances).is_cuda
    assert not counts["waits"]
    assert torch.bernoulli(chances).tolist() == [0, 1, 1]
    rates = torch.full((1000,), 4.0, device="cuda")
    assert 3.5 < torch.poisson(rates).mean().item() < 4.5
    weights = torch.tensor([[0.0, 1.0, 0.0], [3.0, 0.0, 1.0]], device="cuda")
    many = torch.multinomial(weights, 400, replacement=True)
    assert many.is_cuda
    assert many.dtype is torch.int64
    assert set(many[0].tolist()) == {1}
    assert 0.6 < (many[1] == 0).float().mean().item() < 0.9
    assert set(many[1].tolist()) == {0, 2}
    assert sorted(torch.multinomial(weights[1], 2).tolist()) == [0, 2]
    mean = torch.tensor([10.0, 20.0], device="cuda")
    assert torch.normal(mean, 1e-3).round().tolist() == [10, 20]
    assert torch.normal(mean, torch.tensor(1e-3)).round().tolist() == [10, 20]


def test_dropout():
    x = torch.ones(2000, device="cuda", requires_grad=True)
    counts.clear()
    y = F.dropout(x, 0.25)
    y.sum().backward()
    assert not counts["uploads"]
    assert not counts["waits"]
    assert x.grad.tolist() == y.tolist()
    kept = y[y != 0]
    np.testing.assert_allclose(kept.tolist(), 4 / 3, rtol=1e-6)
    assert 1400 < kept.numel() < 1600
    for function in (F.alpha_dropout, F.feature_alpha_dropout):
        assert function(torch.ones(2, 3, 4, device="cuda"), 0.5, True).is_cuda
    assert F.rrelu(-x, training=True).is_cuda
    assert F.gumbel_softmax(torch.ones(3, 4, device="cuda"), hard=True).sum().item() == 3
