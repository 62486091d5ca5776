"""Joining and splitting. Values are PyTorch's."""

import pytest

import tapegrad.torch as torch

from .values import E, S, W, X, same

CASES = [
    (
        lambda: torch.cat([X, X[:1]]),
        ("float32", [[1.5, -2.0, 0.25], [3.0, 0.5, -1.0], [1.5, -2.0, 0.25]]),
    ),
    (lambda: torch.cat([E, X]), ("float32", [[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]])),
    (lambda: torch.cat([torch.tensor([]), W[0]]), ("float32", [0.0, 1.0, 2.0])),
    (lambda: torch.stack([S, S]), ("float32", [2.0, 2.0])),
    (
        lambda: torch.stack([X[0], X[1]], dim=-1),
        ("float32", [[1.5, 3.0], [-2.0, 0.5], [0.25, -1.0]]),
    ),
    (lambda: torch.hstack([S, S]), ("float32", [2.0, 2.0])),
    (lambda: torch.vstack([X[0], X[1]]).shape, (2, 3)),
    (lambda: torch.dstack([X, X]).shape, (2, 3, 2)),
    (lambda: W.split(2, 1), [("int64", [[0, 1], [3, 4]]), ("int64", [[2], [5]])]),
    (lambda: W.split([1, 2], dim=1), [("int64", [[0], [3]]), ("int64", [[1, 2], [4, 5]])]),
    (lambda: W.chunk(2, 1), [("int64", [[0, 1], [3, 4]]), ("int64", [[2], [5]])]),
    (
        lambda: torch.arange(5).tensor_split(3),
        [("int64", [0, 1]), ("int64", [2, 3]), ("int64", [4])],
    ),
    (lambda: W.hsplit(3), [("int64", [[0], [3]]), ("int64", [[1], [4]]), ("int64", [[2], [5]])]),
    (lambda: W.unbind(1), [("int64", [0, 3]), ("int64", [1, 4]), ("int64", [2, 5])]),
    (lambda: W.narrow(1, 1, 2), ("int64", [[1, 2], [4, 5]])),
    (lambda: W.unfold(1, 2, 1), ("int64", [[[0, 1], [1, 2]], [[3, 4], [4, 5]]])),
    (lambda: torch.block_diag(S, X[:, :1]), ("float32", [[2.0, 0.0], [0.0, 1.5], [0.0, 3.0]])),
    (
        lambda: torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])),
        ("int64", [[1, 3], [1, 4], [2, 3], [2, 4]]),
    ),
    (lambda: torch.combinations(torch.tensor([1, 2, 3])), ("int64", [[1, 2], [1, 3], [2, 3]])),
    (
        lambda: torch.column_stack([X[0], X[1]]),
        ("float32", [[1.5, 3.0], [-2.0, 0.5], [0.25, -1.0]]),
    ),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)
