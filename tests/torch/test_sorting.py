"""Sorting and sets. Values are PyTorch's."""

from math import nan

import pytest

import tapegrad.torch as torch

from .values import E, S, X, same

CASES = [
    (
        lambda: X.sort(),
        [("float32", [[-2.0, 0.25, 1.5], [-1.0, 0.5, 3.0]]), ("int64", [[1, 2, 0], [2, 1, 0]])],
    ),
    (
        lambda: X.sort(0, descending=True),
        [("float32", [[3.0, 0.5, 0.25], [1.5, -2.0, -1.0]]), ("int64", [[1, 1, 0], [0, 0, 1]])],
    ),
    (
        lambda: torch.tensor([1.0, nan, -1.0]).sort(),
        [("float32", [-1.0, 1.0, nan]), ("int64", [2, 0, 1])],
    ),
    (
        lambda: torch.tensor([3.0, nan, 1.0], dtype=torch.bfloat16).sort(),
        [("bfloat16", [1.0, 3.0, nan]), ("int64", [2, 0, 1])],
    ),
    (
        lambda: torch.tensor([2, 1, 2, 1]).sort(stable=True, descending=True),
        [("int64", [2, 2, 1, 1]), ("int64", [0, 2, 1, 3])],
    ),
    (lambda: X.argsort(1), ("int64", [[1, 2, 0], [2, 1, 0]])),
    (lambda: X.topk(2), [("float32", [[1.5, 0.25], [3.0, 0.5]]), ("int64", [[0, 2], [0, 1]])]),
    (lambda: X.topk(1, largest=False), [("float32", [[-2.0], [-1.0]]), ("int64", [[1], [2]])]),
    (lambda: torch.tensor([nan, 1.0]).topk(1), [("float32", [nan]), ("int64", [0])]),
    (lambda: S.sort(), [("float32", 2.0), ("int64", 0)]),
    (lambda: E.sort(), [("float32", [], (0, 3)), ("int64", [], (0, 3))]),
    (lambda: X.msort(), ("float32", [[1.5, -2.0, -1.0], [3.0, 0.5, 0.25]])),
    (lambda: torch.tensor([3, 1, 3]).unique(), ("int64", [1, 3])),
    (
        lambda: torch.tensor([3, 1, 3]).unique(return_inverse=True, return_counts=True),
        [("int64", [1, 3]), ("int64", [1, 0, 1]), ("int64", [1, 2])],
    ),
    (lambda: torch.tensor([[1, 2], [1, 2]]).unique(dim=0), ("int64", [[1, 2]])),
    (
        lambda: torch.tensor([1, 1, 2, 1]).unique_consecutive(return_counts=True),
        [("int64", [1, 2, 1]), ("int64", [2, 1, 1])],
    ),
    (lambda: torch.bincount(torch.tensor([0, 2, 2]), minlength=4), ("int64", [1, 0, 2, 0])),
    (lambda: torch.histc(X, 4, -2, 2), ("float32", [1.0, 1.0, 2.0, 1.0])),
    (
        lambda: torch.searchsorted(
            torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 0.0]), right=True
        ),
        ("int64", [2, 0]),
    ),
    (lambda: torch.bucketize(X, torch.tensor([0.0, 1.0])), ("int64", [[2, 0, 1], [2, 1, 0]])),
    (lambda: torch.isin(torch.tensor([1, 2]), torch.tensor([2])), ("bool", [False, True])),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)
