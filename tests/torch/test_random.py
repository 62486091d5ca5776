"""Random numbers: reproducible, of the right dtypes, ranges and moments."""

import math

import numpy as np
import pytest

import tapegrad.torch as torch

SEEDED = [
    (lambda g: torch.rand(3, generator=g), [0.24754953, 0.54104334, 0.82795268]),
    (lambda g: torch.randn(2, generator=g, dtype=torch.float64), [0.28673592, -1.1450665]),
    (lambda g: torch.randint(10, (4,), generator=g), [2, 5, 8, 0]),
    (lambda g: torch.randperm(5, generator=g), [1, 0, 3, 4, 2]),
    (lambda g: torch.bernoulli(torch.full((4,), 0.5), generator=g), [0.0, 1.0, 0.0, 1.0]),
    (lambda g: torch.multinomial(torch.tensor([1.0, 2.0, 3.0]), 2, generator=g), [0, 1]),
    (lambda g: torch.zeros(2).uniform_(1, 2, generator=g), [1.2475495, 1.5410433]),
    (lambda g: torch.normal(torch.zeros(2), 3.0, generator=g), [0.64853352, -2.5584402]),
]


@pytest.mark.parametrize(("draw", "expected"), SEEDED)
def test_a_seed_gives_the_same_numbers_everywhere(draw, expected):
    drawn = draw(torch.Generator().manual_seed(1234))
    np.testing.assert_allclose(drawn.numpy(), expected, rtol=1e-6)


def test_states():
    torch.manual_seed(3)
    assert torch.initial_seed() == 3
    torch.rand(3, dtype=torch.float32)
    state = torch.get_rng_state()
    assert state.dtype is torch.uint8
    first = torch.rand(5), torch.randn(3), torch.randint(9, (3,))
    torch.set_rng_state(state)
    second = torch.rand(5), torch.randn(3), torch.randint(9, (3,))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    with pytest.raises(RuntimeError, match="state"):
        torch.set_rng_state(torch.zeros(3, dtype=torch.uint8))


def test_a_clone_goes_its_own_way():
    g = torch.Generator().manual_seed(0)
    other = g.clone_state()
    a, b = torch.rand(2, generator=g), torch.rand(2, generator=other)
    assert torch.equal(a, b)
    assert g.initial_seed() == 0


def test_ranges_and_dtypes():
    torch.manual_seed(0)
    x = torch.rand(1000, dtype=torch.float16)
    assert x.dtype is torch.float16
    assert 0 <= x.min() < x.max() <= 1
    n = torch.randint(-2, 3, (1000,))
    assert n.unique().tolist() == [-2, -1, 0, 1, 2]
    assert sorted(torch.randperm(9).tolist()) == list(range(9))
    assert torch.randn(2, 3, dtype=torch.complex64).dtype is torch.complex64
    assert torch.rand(2, requires_grad=True).is_leaf
    assert torch.rand(0, 2).shape == (0, 2)


@pytest.mark.parametrize(
    ("draw", "mean", "deviation"),
    [
        (lambda n: torch.rand(n), 0.5, 1 / math.sqrt(12)),
        (lambda n: torch.randn(n), 0, 1),
        (lambda n: torch.zeros(n).exponential_(2), 0.5, 0.5),
        (lambda n: torch.zeros(n).geometric_(0.5), 2, math.sqrt(2)),
        (lambda n: torch.poisson(torch.full((n,), 4.0)), 4, 2),
        (lambda n: torch.zeros(n).bernoulli_(0.25), 0.25, math.sqrt(3) / 4),
        (lambda n: torch.zeros(n).log_normal_(0, 0.25), math.exp(0.03125), 0.26197),
    ],
)
def test_moments(draw, mean, deviation):
    torch.manual_seed(7)
    x = draw(20000).double()
    assert abs(x.mean().item() - mean) < 4 * deviation / math.sqrt(20000)
    assert abs(x.std().item() - deviation) < 0.05 * deviation


def test_what_cannot_be_drawn():
    with pytest.raises(RuntimeError, match="random_ expects 'from' to be less than 'to'"):
        torch.randint(3, 3, (2,))
    with pytest.raises(RuntimeError, match="p_in >= 0"):
        torch.bernoulli(torch.tensor([2.0]))


DRAWS = [
    lambda x: torch.rand(50),
    lambda x: torch.randn(50, dtype=torch.float64),
    lambda x: torch.rand(50, dtype=torch.complex64).real,
    lambda x: torch.randint(0, 1000, (50,)),
    lambda x: torch.randperm(50),
    torch.rand_like,
    lambda x: x.clone().normal_(),
    lambda x: torch.nn.functional.dropout(x, 0.5),
    torch.nn.functional.gumbel_softmax,
]


@pytest.mark.parametrize("draw", DRAWS)
def test_draws_in_lanes(draw):
    x = torch.ones(4, 50)
    with pytest.raises(RuntimeError, match="random operation while in randomness error mode"):
        torch.func.vmap(draw)(x)
    same = torch.func.vmap(draw, randomness="same")(x)
    different = torch.func.vmap(draw, randomness="different")(x)
    assert same.shape == different.shape == (4, 50)
    assert bool((same == same[0]).all())
    for row in different[1:]:
        assert not bool((row == different[0]).all())


@pytest.mark.parametrize(("within", "count"), [("same", 2), ("different", 6)])
def test_draws_in_nested_lanes(within, count):
    def outer(x):
        return torch.func.vmap(lambda y: torch.rand(()), randomness=within)(torch.ones(3))

    drawn = torch.func.vmap(outer, randomness="different")(torch.ones(2))
    assert drawn.shape == (2, 3)
    assert len(set(drawn.flatten().tolist())) == count
