"""Reductions. Values are PyTorch's."""

from math import inf, nan

import pytest

import tapegrad.torch as torch

from .values import B, E, S, U, W, X, same

CASES = [
    (lambda: X.sum(), ("float32", 2.25)),
    (lambda: X.sum(0), ("float32", [4.5, -1.5, -0.75])),
    (lambda: X.sum(-1, keepdim=True), ("float32", [[-0.25], [2.5]])),
    (lambda: X.sum((0, 1), keepdim=True), ("float32", [[2.25]])),
    (lambda: X.sum(()), ("float32", 2.25)),
    (lambda: X.sum(torch.tensor(1)), ("float32", [-0.25, 2.5])),
    (lambda: S.sum(0), ("float32", 2.0)),
    (lambda: E.sum(), ("float32", 0.0)),
    (lambda: E.sum(0), ("float32", [0.0, 0.0, 0.0])),
    (lambda: E.prod(1), ("float32", [], (0,))),
    (lambda: X.mean(1), ("float32", [-0.0833333358, 0.833333313])),
    (lambda: X.mean((0, 1)), ("float32", 0.375)),
    (lambda: X.prod(), ("float32", 1.125)),
    (lambda: X.prod(0, keepdim=True), ("float32", [[4.5, -1.0, -0.25]])),
    (lambda: X.var(), ("float32", 3.14374995)),
    (lambda: X.var(0, correction=0), ("float32", [0.5625, 1.5625, 0.390625])),
    (lambda: X.std(1, unbiased=False), ("float32", [1.44817889, 1.64991581])),
    (
        lambda: torch.std_mean(X, 1),
        [("float32", [1.77364969, 2.02072597]), ("float32", [-0.0833333358, 0.833333313])],
    ),
    (
        lambda: torch.var_mean(X, dim=0, keepdim=True),
        [("float32", [[1.125, 3.125, 0.78125]]), ("float32", [[2.25, -0.75, -0.375]])],
    ),
    (lambda: X.max(), ("float32", 3.0)),
    (lambda: X.max(1), [("float32", [1.5, 3.0]), ("int64", [0, 0])]),
    (lambda: X.min(0, keepdim=True), [("float32", [[1.5, -2.0, -1.0]]), ("int64", [[0, 0, 1]])]),
    (lambda: torch.tensor([1.0, nan, 2.0]).max(0), [("float32", nan), ("int64", 1)]),
    (lambda: torch.max(X, S), ("float32", [[2.0, 2.0, 2.0], [3.0, 2.0, 2.0]])),
    (lambda: S.max(0), [("float32", 2.0), ("int64", 0)]),
    (lambda: X.amax((0, 1)), ("float32", 3.0)),
    (lambda: X.amin(1, keepdim=True), ("float32", [[-2.0], [-1.0]])),
    (lambda: torch.aminmax(X, dim=1), [("float32", [-2.0, -1.0]), ("float32", [1.5, 3.0])]),
    (lambda: X.argmax(), ("int64", 3)),
    (lambda: X.argmin(1, keepdim=True), ("int64", [[1], [2]])),
    (lambda: B.all(), ("bool", False)),
    (lambda: B.any(), ("bool", True)),
    (lambda: X.all(1), ("bool", [True, True])),
    (lambda: U.all(), ("uint8", 0)),
    (lambda: E.all(), ("bool", True)),
    (lambda: E.any(1), ("bool", [], (0,))),
    (lambda: X.count_nonzero(1), ("int64", [3, 3])),
    (lambda: X.logsumexp(1), ("float32", [1.77513027, 3.09567428])),
    (lambda: torch.tensor([-inf, -inf]).logsumexp(0), ("float32", -inf)),
    (lambda: torch.tensor([1.0, nan]).nansum(), ("float32", 1.0)),
    (lambda: torch.tensor([1.0, nan]).nanmean(), ("float32", 1.0)),
    (lambda: X.norm(), ("float32", 4.06970501)),
    (lambda: X.norm(1, dim=1), ("float32", [3.75, 4.5])),
    (lambda: X.median(), ("float32", 0.25)),
    (lambda: X.median(1), [("float32", [0.25, 0.5]), ("int64", [2, 1])]),
    (lambda: torch.tensor([1.0, nan, 3.0]).median(), ("float32", nan)),
    (lambda: torch.tensor([1.0, nan, 3.0]).nanmedian(), ("float32", 1.0)),
    (lambda: X.quantile(0.5), ("float32", 0.375)),
    (
        lambda: X.quantile(torch.tensor([0.25, 1.0]), dim=1),
        ("float32", [[-0.875, -0.25], [1.5, 3.0]]),
    ),
    (lambda: X.mode(1), [("float32", [-2.0, -1.0]), ("int64", [1, 2])]),
    (lambda: X.kthvalue(2), [("float32", [0.25, 0.5]), ("int64", [2, 1])]),
    (lambda: X.cumsum(1), ("float32", [[1.5, -0.5, -0.25], [3.0, 3.5, 2.5]])),
    (lambda: X.cumprod(0), ("float32", [[1.5, -2.0, 0.25], [4.5, -1.0, -0.25]])),
    (
        lambda: X.cummax(1),
        [("float32", [[1.5, 1.5, 1.5], [3.0, 3.0, 3.0]]), ("int64", [[0, 0, 0], [0, 0, 0]])],
    ),
    (
        lambda: X.cummin(0),
        [("float32", [[1.5, -2.0, 0.25], [1.5, -2.0, -1.0]]), ("int64", [[0, 0, 0], [0, 0, 1]])],
    ),
    (
        lambda: X.logcumsumexp(1),
        ("float32", [[1.5, 1.52975047, 1.77513027], [3.0, 3.07888985, 3.09567428]]),
    ),
    (lambda: X.diff(), ("float32", [[-3.5, 2.25], [-2.5, -1.5]])),
    (
        lambda: X.softmax(1),
        (
            "float32",
            [[0.759473205, 0.0229341034, 0.217592716], [0.908759892, 0.0745955557, 0.0166445188]],
        ),
    ),
    (lambda: W.sum(dtype=torch.float32), ("float32", 15.0)),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_names_of_results():
    found = X.max(1)
    assert found.values is found[0]
    assert found.indices.tolist() == [0, 0]
    assert torch.aminmax(X).min.item() == -2


def test_no_elements():
    for compute in (lambda: E.max(), lambda: E.argmax(), lambda: E.amin(0)):
        with pytest.raises((RuntimeError, IndexError), match="Expected reduction dim"):
            compute()


def test_integers_have_no_spread():
    with pytest.raises(RuntimeError, match="std and var only support floating point"):
        W.std()


def test_the_gradient_of_the_deviation_of_equals_is_zero():
    x = torch.ones(3, requires_grad=True)
    torch.std_mean(x)[0].backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_ties_share_the_gradient():
    x = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
    x.max().backward()
    assert x.grad.tolist() == [0.5, 0, 0.5]
    x.grad = None
    x.max(0).values.backward()
    assert x.grad.tolist() == [1, 0, 0]
