"""Numbers, dtypes and arrays of tensors. Values are PyTorch's."""

import pytest

import tapegrad.torch as torch

from .values import B, C, N, S, W, X, same

CASES = [
    (lambda: X.to(torch.float64), ("float64", [[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]])),
    (lambda: X.int(), ("int32", [[1, -2, 0], [3, 0, -1]])),
    (lambda: X.bool(), ("bool", [[True, True, True], [True, True, True]])),
    (lambda: X.long(), ("int64", [[1, -2, 0], [3, 0, -1]])),
    (lambda: B.float(), ("float32", [1.0, 0.0, 1.0])),
    (lambda: W.half(), ("float16", [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])),
    (lambda: C.real.double(), ("float64", [1.0, -0.0])),
    (lambda: X.type(torch.int8), ("int8", [[1, -2, 0], [3, 0, -1]])),
    (lambda: X.to(W), ("int64", [[1, -2, 0], [3, 0, -1]])),
    (lambda: S.item(), 2.0),
    (lambda: N.item(), 3),
    (lambda: B[0].item(), True),
    (lambda: C[1].item(), complex(-0.0, -0.5)),
    (lambda: X.tolist(), [[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]]),
    (lambda: float(S), 2.0),
    (lambda: int(torch.tensor(2.9)), 2),
    (lambda: bool(torch.tensor([[0.0]])), False),
    (lambda: complex(C[0]), complex(1.0, 2.0)),
    (lambda: [0, 1, 2, 3][N], 3),
    (lambda: torch.tensor([1.9, -1.9]).int(), ("int32", [1, -1])),
    (lambda: torch.tensor([300.0]).to(torch.int16), ("int16", [300])),
    (lambda: torch.is_tensor(X), True),
    (lambda: torch.is_floating_point(W), False),
    (lambda: torch.is_complex(C), True),
    (lambda: X.element_size(), 4),
    (lambda: len(X), 2),
    (lambda: 2.0 in X, False),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_an_array_shares_the_memory():
    x = torch.zeros(3)
    array, part = x.numpy(), x[1]
    array[1] = 5
    assert x.tolist() == [0, 5, 0]
    assert part.item() == 5
    x.add_(1)
    assert array.tolist() == [1, 6, 1]


def test_a_conversion_that_changes_nothing_gives_the_tensor():
    assert X.to(torch.float32) is X
    assert X.float() is X
    assert X.contiguous() is X
    assert +X is X
    assert X.to(torch.float32, copy=True) is not X


def test_numbers_of_several_elements():
    with pytest.raises(RuntimeError, match="a Tensor with 6 elements cannot be converted"):
        X.item()
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        bool(X)
