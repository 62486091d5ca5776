"""Arithmetic and comparison. Values are PyTorch's."""

from math import inf, nan

import numpy as np
import pytest

import tapegrad.torch as torch

from .values import B, C, E, N, S, U, W, X, same

CASES = [
    (lambda: X * 2 - 1, ("float32", [[2.0, -5.0, -0.5], [5.0, 0.0, -3.0]])),
    (lambda: X / X, ("float32", [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])),
    (lambda: 2 / X, ("float32", [[1.33333337, -1.0, 8.0], [0.666666687, 4.0, -2.0]])),
    (lambda: X % 2, ("float32", [[1.5, -0.0, 0.25], [1.0, 0.5, 1.0]])),
    (lambda: -7 % W[0, 1:], ("int64", [0, 1])),
    (lambda: torch.remainder(torch.tensor([-3.0, 3.0]), 2), ("float32", [1.0, 1.0])),
    (lambda: torch.fmod(torch.tensor([-3.0, 3.0]), 2), ("float32", [-1.0, 1.0])),
    (lambda: X // 0.5, ("float32", [[3.0, -4.0, 0.0], [6.0, 1.0, -2.0]])),
    (lambda: W // -2, ("int64", [[0, -1, -1], [-2, -2, -3]])),
    (lambda: torch.div(torch.tensor([-7, 7]), 2, rounding_mode="trunc"), ("int64", [-3, 3])),
    (lambda: torch.div(torch.tensor([-7, 7]), 2, rounding_mode="floor"), ("int64", [-4, 3])),
    (lambda: X**2, ("float32", [[2.25, 4.0, 0.0625], [9.0, 0.25, 1.0]])),
    (lambda: X[0] ** torch.tensor([2.0, 3.0, 0.5]), ("float32", [2.25, -8.0, 0.5])),
    (lambda: torch.add(X, S, alpha=3), ("float32", [[7.5, 4.0, 6.25], [9.0, 6.5, 5.0]])),
    (lambda: torch.sub(W, 1, alpha=2), ("int64", [[-2, -1, 0], [1, 2, 3]])),
    (lambda: torch.rsub(X, 1), ("float32", [[-0.5, 3.0, 0.75], [-2.0, 0.5, 2.0]])),
    (lambda: X == 0.5, ("bool", [[False, False, False], [False, True, False]])),
    (lambda: W < 3, ("bool", [[True, True, True], [False, False, False]])),
    (lambda: B & False, ("bool", [False, False, False])),
    (lambda: B | True, ("bool", [True, True, True])),
    (lambda: ~B, ("bool", [False, True, False])),
    (lambda: U & 8, ("uint8", [0, 0, 8])),
    (lambda: W ^ 1, ("int64", [[1, 0, 3], [2, 5, 4]])),
    (lambda: W << 1, ("int64", [[0, 2, 4], [6, 8, 10]])),
    (lambda: U >> 3, ("uint8", [0, 0, 25])),
    (lambda: torch.maximum(torch.tensor([1.0, nan]), S), ("float32", [2.0, nan])),
    (lambda: torch.fmax(torch.tensor([1.0, nan]), S), ("float32", [2.0, 2.0])),
    (lambda: torch.clamp(X, -1, 1), ("float32", [[1.0, -1.0, 0.25], [1.0, 0.5, -1.0]])),
    (lambda: torch.clamp(X, min=S), ("float32", [[2.0, 2.0, 2.0], [3.0, 2.0, 2.0]])),
    (lambda: torch.clamp(torch.tensor([0.0, 1.0]), min=nan), ("float32", [nan, nan])),
    (lambda: torch.clamp(torch.tensor([0.0, 1.0]), max=torch.tensor(nan)), ("float32", [nan, nan])),
    (lambda: torch.clamp(W, 1, 4), ("int64", [[1, 1, 2], [3, 4, 4]])),
    (
        lambda: torch.addcmul(X, X, X, value=0.5),
        ("float32", [[2.625, 0.0, 0.28125], [7.5, 0.625, -0.5]]),
    ),
    (lambda: torch.lerp(X, S, 0.25), ("float32", [[1.625, -1.0, 0.6875], [2.75, 0.875, -0.25]])),
    (lambda: torch.hypot(S, N.float()), ("float32", 3.60555124)),
    (lambda: torch.logaddexp(S, S), ("float32", 2.69314718)),
    (lambda: torch.copysign(X, -1), ("float32", [[-1.5, -2.0, -0.25], [-3.0, -0.5, -1.0]])),
    (lambda: torch.kron(U, N), ("int64", [0, 3, 600])),
    (lambda: X.abs(), ("float32", [[1.5, 2.0, 0.25], [3.0, 0.5, 1.0]])),
    (lambda: C.abs(), ("float32", [2.23606801, 0.5])),
    (lambda: X.sign(), ("float32", [[1.0, -1.0, 1.0], [1.0, 1.0, -1.0]])),
    (lambda: X.round(), ("float32", [[2.0, -2.0, 0.0], [3.0, 0.0, -1.0]])),
    (lambda: torch.tensor([0.5, 1.5, 2.5]).round(), ("float32", [0.0, 2.0, 2.0])),
    (lambda: X.reciprocal(), ("float32", [[0.666666687, -0.5, 4.0], [0.333333343, 2.0, -1.0]])),
    (
        lambda: X.exp(),
        ("float32", [[4.48168898, 0.135335281, 1.28402543], [20.085537, 1.64872122, 0.36787945]]),
    ),
    (lambda: E + 1, ("float32", [], (0, 3))),
    (lambda: E == E, ("bool", [], (0, 3))),
    (lambda: E.exp(), ("float32", [], (0, 3))),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_methods_take_names():
    one = torch.ones(1)
    for result in (one.mul(other=2), one.add(other=1), torch.div(input=one * 4, other=2)):
        assert result.item() == 2
    assert one.eq(other=1).item()


def test_what_is_no_operand():
    for compute in (lambda: X.mul([1, 2, 3]), lambda: torch.add(X, "a"), lambda: X.lt(None)):
        with pytest.raises(TypeError, match="must be Tensor, not"):
            compute()
    with pytest.raises(TypeError, match="unsupported operand"):
        X + "a"
    with pytest.raises(TypeError, match=r"'mask' \(position 2\) must be Tensor, not int"):
        X.masked_fill(1, 0.0)


@pytest.mark.parametrize(
    "divide", [lambda x: x // 0, lambda x: x % 0, lambda x: x.fmod(0), lambda x: x // (x - x)]
)
def test_integers_by_zero(divide):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        divide(W)


def test_truth_values_have_no_difference():
    for compute in (lambda: X[0] - B, lambda: 1 - B, lambda: X - True):
        with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
            compute()
    with pytest.raises(RuntimeError, match="with two bool tensors"):
        B - B
    with pytest.raises(RuntimeError, match="Negation, the `-` operator, on a bool tensor"):
        torch.neg(B)


def test_complex_numbers_have_no_order():
    for compute in (lambda: C < 1, lambda: C.max()):
        with pytest.raises(NotImplementedError, match="not implemented for 'ComplexFloat'"):
            compute()
    with pytest.raises(RuntimeError, match="Sort does not support complex dtypes on CPU"):
        C.sort()
    with pytest.raises(RuntimeError, match="maximum not implemented for complex tensors"):
        torch.maximum(C, C)


def test_sizes_that_do_not_match():
    for compute in (
        lambda: X + torch.ones(2),
        lambda: X * torch.arange(2),
        lambda: X.lt(torch.ones(2)),
        lambda: X.mul(torch.ones(2, requires_grad=True)),
    ):
        with pytest.raises(
            RuntimeError, match=r"size of tensor a \(3\) must match the size of tensor b \(2\)"
        ):
            compute()


@pytest.mark.parametrize(
    ("bounds", "values", "gradient"),
    [
        ({"min": -1}, [-1.0, -1.0, 0.5, 1.0, nan, inf], [0.0, 1.0, 1.0, 1.0, 0.0, 1.0]),
        ({"max": 0.5}, [-inf, -1.0, 0.5, 0.5, nan, 0.5], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        ({"min": 1.0, "max": -1.0}, [-1.0, -1.0, -1.0, -1.0, nan, -1.0], [0.0] * 6),
        ({"min": 0.5, "max": 1}, [0.5, 0.5, 0.5, 1.0, nan, 1.0], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
    ],
)
def test_clamping_by_numbers(bounds, values, gradient):
    x = torch.tensor([-inf, -1.0, 0.5, 1.0, nan, inf], requires_grad=True)
    y = torch.clamp(x, **bounds)
    np.testing.assert_array_equal(y.detach().numpy(), np.float32(values))
    y.sum().backward()
    assert x.grad.tolist() == gradient


@pytest.mark.parametrize("kind", [torch.bool, torch.complex64])
def test_what_has_no_remainder(kind):
    x = torch.ones(2, dtype=kind)
    with pytest.raises(NotImplementedError, match='"div_floor_cpu" not implemented for'):
        x // x
    with pytest.raises(NotImplementedError, match='"remainder_cpu" not implemented for'):
        x % x
    assert (torch.ones(2, dtype=torch.bool) % 2).dtype is torch.int64
