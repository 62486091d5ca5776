"""Segments and hashes: values recorded from PyTorch 2.13."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad.torch as torch

X = torch.tensor([1.0, 2, 3, 4])


@pytest.mark.parametrize(
    ("reduce", "options", "expected"),
    [
        ("max", {"lengths": [1, 3]}, [1, 4]),
        ("max", {"lengths": [0, 4]}, [-np.inf, 4]),
        ("max", {"lengths": [4], "initial": 7}, [7]),
        ("min", {"lengths": [2, 2]}, [1, 3]),
        ("sum", {"lengths": [1, 0, 3]}, [1, 0, 9]),
        ("prod", {"lengths": [1, 3]}, [1, 24]),
        ("mean", {"offsets": [0, 1, 4]}, [1, 3]),
        ("sum", {"lengths": [1, 2], "unsafe": True}, [1, 5]),
    ],
)
def test_segments(reduce, options, expected):
    given = {k: torch.tensor(v) if isinstance(v, list) else v for k, v in options.items()}
    assert torch.segment_reduce(X, reduce, **given).tolist() == expected


@pytest.mark.filterwarnings("ignore:invalid value")  # NaN of no elements is meant
def test_mean_of_no_elements_is_nan():
    result = torch.segment_reduce(X, "mean", offsets=torch.tensor([0, 1, 1, 4]))
    np.testing.assert_equal(result.tolist(), [1, np.nan, 3])


def test_segments_along_a_later_axis():
    lengths = torch.tensor([[1, 3], [2, 2]])
    result = torch.segment_reduce(torch.ones(2, 4), "sum", lengths=lengths, axis=1)
    assert result.tolist() == [[1, 3], [2, 2]]


def test_gradient_of_segments():
    x = X.clone().requires_grad_()
    (
        torch.segment_reduce(x, "mean", lengths=torch.tensor([1, 3])) * torch.tensor([2.0, 3])
    ).sum().backward()
    assert x.grad.tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.segment_reduce(X, "max"), "Either lengths or offsets must be defined"),
        (lambda: torch.segment_reduce(X, "x", lengths=torch.tensor([4])), "reduce argument must"),
        (lambda: torch.segment_reduce(X, "sum", lengths=torch.tensor([1])), "sum to data.size"),
        (lambda: torch.hash_tensor(X, mode=1), "Only mode=0 is supported"),
    ],
)
def test_errors(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


def test_hashes_are_exclusive_ors_of_bits():
    assert torch.hash_tensor(torch.tensor([1, 2])).item() == 3
    assert torch.hash_tensor(torch.tensor([True] * 3)).item() == 1
    rows = torch.hash_tensor(torch.tensor([[1.5, 2], [3, 4]]), 1)
    assert rows.dtype is torch.uint64
    assert rows.tolist() == [9221120237041090560, 6755399441055744]
