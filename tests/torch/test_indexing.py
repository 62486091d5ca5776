"""Indexing. Values are PyTorch's."""

import pytest

import tapegrad.torch as torch

from .values import B, E, S, U, W, X, same

CASES = [
    (lambda: X[0], ("float32", [1.5, -2.0, 0.25])),
    (lambda: X[1, 2], ("float32", -1.0)),
    (lambda: X[-1, -1], ("float32", -1.0)),
    (lambda: X[:, 1], ("float32", [-2.0, 0.5])),
    (lambda: X[..., 0], ("float32", [1.5, 3.0])),
    (lambda: X[None].shape, (1, 2, 3)),
    (lambda: X[:, None, 1:].shape, (2, 1, 2)),
    (lambda: X[1:1].shape, (0, 3)),
    (lambda: X[[0, 1], [2, 0]], ("float32", [0.25, 3.0])),
    (lambda: X[torch.tensor([1, 1])], ("float32", [[3.0, 0.5, -1.0], [3.0, 0.5, -1.0]])),
    (lambda: X[torch.tensor([[-1], [0]])].shape, (2, 1, 3)),
    (lambda: X.T[torch.tensor([-1, 0])], ("float32", [[0.25, -1.0], [1.5, 3.0]])),
    (lambda: X[torch.tensor([], dtype=torch.int64)].shape, (0, 3)),
    (lambda: X[:, torch.tensor([2, 0])], ("float32", [[0.25, 1.5], [-1.0, 3.0]])),
    (
        lambda: X[torch.tensor([[0], [1]]), torch.tensor([0, 1])],
        ("float32", [[1.5, -2.0], [3.0, 0.5]]),
    ),
    (lambda: X[X > 0], ("float32", [1.5, 0.25, 3.0, 0.5])),
    (lambda: X[B[:2]], ("float32", [[1.5, -2.0, 0.25]])),
    (lambda: X[:, B], ("float32", [[1.5, 0.25], [3.0, -1.0]])),
    (lambda: X[True].shape, (1, 2, 3)),
    (lambda: X[False].shape, (0, 2, 3)),
    (lambda: W[torch.tensor(1)], ("int64", [3, 4, 5])),
    (lambda: U[torch.tensor([0, 1, 1], dtype=torch.uint8)], ("uint8", [1, 200])),
    (lambda: S[...], ("float32", 2.0)),
    (lambda: S[None], ("float32", [2.0])),
    (lambda: E[0:0].shape, (0, 3)),
    (lambda: [r.tolist() for r in W], [[0, 1, 2], [3, 4, 5]]),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_assignment():
    x = torch.zeros(2, 3)
    x[0] = 1
    x[:, 1] = torch.tensor([5.0, 6.0])
    x[x > 5] = -1
    x[torch.tensor([1]), torch.tensor([0])] = 7
    x[..., 2] += 1
    assert x.tolist() == [[1, 5, 2], [7, -1, 1]]


def test_assigned_numbers_take_the_dtype():
    x = torch.ones(3, dtype=torch.uint8)
    x[0] = -1
    x[1] = 1.9
    assert x.tolist() == [255, 1, 1]
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t"):
        x[2] = 300


def test_assignment_is_differentiated():
    x = torch.ones(3, requires_grad=True)
    v = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    y[1] = v * v
    (y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [3, 0, 9]
    assert v.grad.item() == 8


def test_a_flag_assigns_to_all_or_nothing():
    x = torch.zeros(2, 3)
    x[False] = 5
    assert not x.any()
    x[torch.tensor(True)] = 7
    assert (x == 7).all()
    x[True] = x[True] * 2
    assert (x == 14).all()
    with pytest.raises(IndexError, match="a truth value beside other indices"):
        x[0, True] = 1


def test_lists_of_lists_are_tuples():
    x = torch.arange(6).reshape(2, 3)
    assert x[[[0, 1], [1, 2]]].tolist() == [1, 5]
    assert x[[0, 1]].shape == (2, 3)
    x[[[0, 1], [1, 2]]] = 9
    assert x.tolist() == [[0, 9, 2], [3, 4, 9]]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (2, "index 2 is out of bounds for dimension 0 with size 2"),
        ((0, 0, 0), "too many indices for tensor of dimension 2"),
        (torch.tensor([5]), "index 5 is out of bounds for dimension 0 with size 2"),
        (1.5, r"None and long or byte Variables are valid indices \(got float\)"),
        (torch.tensor([1.5]), "tensors used as indices must be long, int, byte or bool tensors"),
    ],
)
@pytest.mark.parametrize("assign", [False, True])
def test_what_is_wrong_with_an_index(key, text, assign):
    x = torch.zeros(2, 3)
    with pytest.raises(IndexError, match=text):
        x.__setitem__(key, 1.0) if assign else x[key]
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[::-1] = 1.0
