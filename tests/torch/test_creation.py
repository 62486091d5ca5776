"""New tensors. Values are PyTorch's."""

from math import nan

import pytest

import tapegrad.torch as torch

from .values import D, U, W, X, same

CASES = [
    (lambda: torch.zeros(2, 3), ("float32", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])),
    (lambda: torch.zeros((2,), dtype=torch.int32), ("int32", [0, 0])),
    (lambda: torch.ones(()), ("float32", 1.0)),
    (lambda: torch.ones(2, 0), ("float32", [[], []], (2, 0))),
    (lambda: torch.full((2,), 1), ("int64", [1, 1])),
    (lambda: torch.full((2,), 1.5), ("float32", [1.5, 1.5])),
    (lambda: torch.full((2,), True), ("bool", [True, True])),
    (lambda: torch.full((2,), -1, dtype=torch.uint8), ("uint8", [255, 255])),
    (lambda: torch.arange(3), ("int64", [0, 1, 2])),
    (lambda: torch.arange(1, 2, 0.25), ("float32", [1.0, 1.25, 1.5, 1.75])),
    (lambda: torch.arange(5, 0, -2), ("int64", [5, 3, 1])),
    (lambda: torch.arange(3.0), ("float32", [0.0, 1.0, 2.0])),
    (lambda: torch.linspace(0, 1, 5), ("float32", [0.0, 0.25, 0.5, 0.75, 1.0])),
    (lambda: torch.linspace(0, 10, 4, dtype=torch.int64), ("int64", [0, 3, 6, 10])),
    (lambda: torch.linspace(2, 2, 1), ("float32", [2.0])),
    (lambda: torch.logspace(0, 2, 3), ("float32", [1.0, 10.0, 100.0])),
    (lambda: torch.eye(2, 3), ("float32", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])),
    (lambda: torch.eye(2, dtype=torch.bool), ("bool", [[True, False], [False, True]])),
    (lambda: torch.zeros_like(U), ("uint8", [0, 0, 0])),
    (lambda: torch.ones_like(X, dtype=torch.int8), ("int8", [[1, 1, 1], [1, 1, 1]])),
    (lambda: torch.full_like(W, 7), ("int64", [[7, 7, 7], [7, 7, 7]])),
    (lambda: torch.tensor(2), ("int64", 2)),
    (lambda: torch.tensor(2.5), ("float32", 2.5)),
    (lambda: torch.tensor([]), ("float32", [], (0,))),
    (
        lambda: torch.tensor([[1, 2], [3, 4]], dtype=torch.float16),
        ("float16", [[1.0, 2.0], [3.0, 4.0]]),
    ),
    (lambda: torch.tensor([1, 2.5]), ("float32", [1.0, 2.5])),
    (lambda: torch.tensor([True, 2]), ("int64", [1, 2])),
    (lambda: torch.tensor(1 + 1j), ("complex64", complex(1.0, 1.0))),
    (lambda: torch.tensor([-1], dtype=torch.uint8), ("uint8", [255])),
    (lambda: torch.as_tensor([1, 2]), ("int64", [1, 2])),
    (lambda: torch.scalar_tensor(3), ("float32", 3.0)),
    (lambda: X.new_zeros(2), ("float32", [0.0, 0.0])),
    (lambda: W.new_ones((1, 2)), ("int64", [[1, 1]])),
    (lambda: U.new_full((2,), 5), ("uint8", [5, 5])),
    (lambda: D.new_tensor([1, 2]), ("float64", [1.0, 2.0])),
    (lambda: torch.tril_indices(2, 3), ("int64", [[0, 1, 1], [0, 0, 1]])),
    (lambda: torch.triu_indices(3, 3, 1), ("int64", [[0, 0, 1], [1, 2, 2]])),
    (
        lambda: torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy"),
        [("int64", [[0, 1], [0, 1], [0, 1]]), ("int64", [[0, 0], [1, 1], [2, 2]])],
    ),
    (
        lambda: torch.complex(torch.tensor(1.0), torch.tensor(-2.0)),
        ("complex64", complex(1.0, -2.0)),
    ),
    (
        lambda: torch.polar(torch.tensor(2.0), torch.tensor(0.5)),
        ("complex64", complex(1.7551651, 0.958851099)),
    ),
    (lambda: torch.vander(torch.tensor([1, 2, 3])), ("int64", [[1, 1, 1], [4, 2, 1], [9, 3, 1]])),
    (lambda: torch.empty(2, 3).shape, (2, 3)),
    (lambda: torch.empty_strided((2, 3), (1, 2)).stride(), [1, 2]),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_numbers_out_of_range_raise():
    for make in (
        lambda: torch.tensor(300, dtype=torch.uint8),
        lambda: torch.tensor([[1, -200]], dtype=torch.int8),
        lambda: torch.full((2,), 200, dtype=torch.int8),
        lambda: torch.zeros(2, dtype=torch.uint8).fill_(256),
        lambda: torch.zeros(2, dtype=torch.int32).fill_(nan),
        lambda: torch.zeros(2).fill_(1j),
    ):
        with pytest.raises(RuntimeError, match=r"cannot be converted to type .* without overflow"):
            make()


def test_new_tensors_own_their_memory():
    data = torch.ones(2)
    copied, same_one = torch.tensor(data.tolist()), torch.as_tensor(data)
    data.fill_(3)
    assert copied.tolist() == [1, 1]
    assert same_one is data
