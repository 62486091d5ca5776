"""Gathering and scattering. Values are PyTorch's."""

import pytest

import tapegrad.torch as torch

from .values import B, U, X, same

CASES = [
    (lambda: X.gather(1, torch.tensor([[2, 0], [1, 1]])), ("float32", [[0.25, 1.5], [0.5, 0.5]])),
    (lambda: X.take(torch.tensor([0, 5, -1])), ("float32", [1.5, -1.0, -1.0])),
    (lambda: X.index_select(1, torch.tensor([2, 0])), ("float32", [[0.25, 1.5], [-1.0, 3.0]])),
    (lambda: X.take_along_dim(torch.tensor([[1], [0]]), 1), ("float32", [[-2.0], [3.0]])),
    (
        lambda: torch.zeros(2, 3).scatter(
            1, torch.tensor([[2], [0]]), torch.tensor([[5.0], [6.0]])
        ),
        ("float32", [[0.0, 0.0, 5.0], [6.0, 0.0, 0.0]]),
    ),
    (
        lambda: torch.zeros(2, 3).scatter(1, torch.tensor([[2], [0]]), 4.0),
        ("float32", [[0.0, 0.0, 4.0], [4.0, 0.0, 0.0]]),
    ),
    (
        lambda: torch.zeros(3).scatter_add(
            0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0])
        ),
        ("float32", [3.0, 0.0, 3.0]),
    ),
    (
        lambda: torch.ones(3).scatter_reduce(
            0, torch.tensor([0, 0, 2]), torch.tensor([4.0, 2.0, 3.0]), "amax"
        ),
        ("float32", [4.0, 1.0, 3.0]),
    ),
    (
        lambda: torch.ones(3).scatter_reduce(
            0, torch.tensor([0, 0, 2]), torch.tensor([4.0, 2.0, 3.0]), "mean", include_self=False
        ),
        ("float32", [3.0, 1.0, 3.0]),
    ),
    (
        lambda: torch.zeros(3).index_add(0, torch.tensor([1, 1]), torch.tensor([1.0, 2.0])),
        ("float32", [0.0, 3.0, 0.0]),
    ),
    (
        lambda: torch.zeros(2, 2).index_fill(1, torch.tensor([1]), 3.0),
        ("float32", [[0.0, 3.0], [0.0, 3.0]]),
    ),
    (
        lambda: torch.zeros(3).index_copy(0, torch.tensor([2, 0]), torch.tensor([5.0, 6.0])),
        ("float32", [6.0, 0.0, 5.0]),
    ),
    (
        lambda: torch.zeros(4).put(torch.tensor([1, 3]), torch.tensor([9.0, 8.0])),
        ("float32", [0.0, 9.0, 0.0, 8.0]),
    ),
    (
        lambda: torch.zeros(2, 2).index_put(
            (torch.tensor([0, 0]), torch.tensor([1, 1])), torch.tensor([1.0, 2.0]), accumulate=True
        ),
        ("float32", [[0.0, 3.0], [0.0, 0.0]]),
    ),
    (lambda: X.masked_fill(X > 0, 0.0), ("float32", [[0.0, -2.0, 0.0], [0.0, 0.0, -1.0]])),
    (lambda: U.masked_fill(B, 1.5), ("uint8", [1, 1, 1])),
    (lambda: X.masked_select(X > 0), ("float32", [1.5, 0.25, 3.0, 0.5])),
    (
        lambda: torch.zeros(3).masked_scatter(B, torch.tensor([1.0, 2.0])),
        ("float32", [1.0, 0.0, 2.0]),
    ),
    (lambda: X.nonzero(), ("int64", [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]])),
    (lambda: B.nonzero(as_tuple=True), [("int64", [0, 2])]),
    (lambda: torch.where(X > 0, X, 0), ("float32", [[1.5, 0.0, 0.25], [3.0, 0.5, 0.0]])),
    (
        lambda: X.select_scatter(torch.zeros(3), 0, 1),
        ("float32", [[1.5, -2.0, 0.25], [0.0, 0.0, 0.0]]),
    ),
    (
        lambda: torch.zeros(2, 2).diagonal_scatter(torch.ones(2)),
        ("float32", [[1.0, 0.0], [0.0, 1.0]]),
    ),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_gather_adds_up_gradients():
    x = torch.ones(3, requires_grad=True)
    x.gather(0, torch.tensor([0, 0, 2])).sum().backward()
    assert x.grad.tolist() == [2, 0, 1]
