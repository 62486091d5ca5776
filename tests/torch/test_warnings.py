"""Nothing warns as NumPy does, whatever filters are set: infinite results are results."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tapegrad.torch as torch

HUGE, NAN = torch.tensor([3e38, -3e38, 1e-45]), float("nan")
ZERO = torch.zeros(3)

CALLS = {
    "log": lambda: torch.log(torch.tensor([0.0, -1.0])),
    "log of a number": lambda: torch.tensor(0.0).log(),
    "divide": lambda: ZERO / 0,
    "divide a number": lambda: torch.tensor(0.0) / torch.tensor(0.0),
    "divide numbers": lambda: 1 / ZERO,
    "floor divide": lambda: ZERO // 0,
    "remainder": lambda: ZERO % 0,
    "integers": lambda: torch.tensor([1, 2]) / torch.tensor([0, 0]),
    "power": lambda: ZERO**-1,
    "overflow": lambda: HUGE * 10,
    "in place": lambda: HUGE.clone().mul_(10),
    "in place, general": lambda: ZERO.clone().log_(),
    "augmented": lambda: exec("x = HUGE.clone(); x /= 0", {"HUGE": HUGE}),
    "sum": lambda: HUGE.abs().sum() - HUGE.abs().sum(),
    "sum along": lambda: HUGE.abs().expand(3, 3).sum(0),
    "matmul": lambda: HUGE @ HUGE,
    "einsum": lambda: torch.einsum("i,i->", HUGE, HUGE),
    "empty means": lambda: (ZERO[:0].mean(), torch.nn.functional.l1_loss(ZERO[:0], ZERO[:0])),
    "empty loss": lambda: torch.nn.functional.mse_loss(ZERO[:0], ZERO[:0]),
    "large mean": lambda: HUGE.abs().expand(3, 3).mean(),
    "cast": lambda: torch.tensor([1e40], dtype=torch.float64).float(),
    "cast to integers": lambda: torch.tensor([NAN, 1e30]).int(),
    "creation": lambda: torch.tensor([1e40]),
    "full": lambda: torch.full((2,), 1e40),
    "fill": lambda: torch.zeros(2).fill_(1e40),
    "assignment": lambda: torch.zeros(2).__setitem__(0, torch.tensor(1e40, dtype=torch.float64)),
    "copy": lambda: torch.zeros(2).copy_(torch.tensor([1e40, 1], dtype=torch.float64)),
    "out": lambda: torch.add(HUGE.double(), 1e39, out=torch.zeros(3)),
    "mean": lambda: torch.tensor([]).mean(),
    "mean along": lambda: torch.zeros(0, 2).mean(0),
    "mean of an empty leaf": lambda: torch.zeros(0, requires_grad=True).mean(),
    "norm": lambda: HUGE.norm(),
    "softmax": lambda: torch.tensor([-torch.inf, -torch.inf]).softmax(0),
    "normalise": lambda: torch.nn.functional.normalize(ZERO * NAN, dim=0),
    "cumulative": lambda: HUGE.abs().cumsum(0),
    "sqrt": lambda: torch.tensor([-1.0]).sqrt(),
    "acos": lambda: torch.tensor([2.0]).acos(),
    "exp": lambda: torch.tensor([1000.0]).exp(),
    "sigmoid": lambda: torch.tensor([-1000.0]).sigmoid(),
    "compare": lambda: torch.tensor([NAN]) < 1,
    "maximum": lambda: torch.maximum(torch.tensor([NAN]), torch.tensor([1.0])),
    "inverse": lambda: torch.linalg.inv(HUGE[0].reshape(1, 1)),
    "infinite difference": lambda: torch.tensor([torch.inf]) - torch.inf,
    "half": lambda: torch.tensor([6e4], dtype=torch.float16) * 10,
    "bfloat16": lambda: torch.tensor([3e38], dtype=torch.bfloat16) * 10,
    "arange": lambda: torch.arange(3.0) / torch.zeros(3),
    "cross entropy": lambda: torch.nn.functional.cross_entropy(
        torch.tensor([[torch.inf, -torch.inf]]), torch.tensor([1])
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("action", ["error", "always"])
def test_silence(name, action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action, RuntimeWarning)
        CALLS[name]()
    assert [str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)] == []


SWEEPS = {
    "sum": lambda x: (x * 3e38).sum() * (x * 3e38).sum(0),
    "mean": lambda x: (x * 3e38).mean() * (x * 3e38).mean(0),
    "product": lambda x: (x * 3e38 * 10 * x).sum(),
    "matmul": lambda x: (x * 1e30) @ (x * 1e30),
    "exp": lambda x: (x * 1000).exp().sum(),
    "sqrt": lambda x: (x - 1).sqrt().sum(),
    "division": lambda x: (x / (x - 1)).sum(),
    "norm": lambda x: (x * 1e30).norm() * 1e30,
    "subtraction": lambda x: (x * 1e38 * 10 - x * 1e38 * 10).sum() * 1e38 * 10,
}


@pytest.mark.parametrize("name", SWEEPS)
def test_silence_backwards(name):
    x = torch.ones(3, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SWEEPS[name](x).backward()
        (g,) = torch.autograd.grad(SWEEPS[name](x), x, create_graph=True)
        if g.requires_grad:
            g.sum().backward()


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_degrees_of_freedom(name):
    with pytest.warns(UserWarning, match=r"\(\): degrees of freedom is <= 0\. Correction should"):
        getattr(torch, name)(torch.ones(1, 3), 0)


def test_the_setting_of_numpy_stays():
    for kind in ("warn", "ignore"):
        with np.errstate(all=kind):
            before = np.geterr()
            torch.log(torch.zeros(3)).sum()
            torch.zeros(0).mean()
            with pytest.raises(IndexError):
                torch.zeros(2).cumsum(5)
            assert np.geterr() == before
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        np.log(np.zeros(1))


def test_raising_is_left_to_who_asks_for_it():
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        torch.log(torch.zeros(3))
