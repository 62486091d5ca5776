"""`torch.testing`, with the messages that PyTorch 2.13 gave."""

import re

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.torch.testing import assert_close, make_tensor

t = torch.tensor
CLOSE = [
    (t([1.0, 2.0]), t([1.0, 2.0 + 1e-6])),
    ([t(1.0), {"a": t([1])}], (t(1.0), {"a": t([1])})),
    (np.ones(2), np.ones(2)),
    (1.0, 1.0),
    (None, None),
    (t([]), t([])),
    (t([float("inf")]), t([float("inf")])),
]


@pytest.mark.parametrize(("actual", "expected"), CLOSE)
def test_close(actual, expected):
    assert_close(actual, expected)


APART = [
    (
        t([1.0, 2.0, 3.0]),
        t([1.0, 2.0, 4.0]),
        "Tensor-likes are not close!\n\nMismatched elements: 1 / 3 (33.3%)\n"
        "Greatest absolute difference: 1.0 at index (2,) (up to 1e-05 allowed)\n"
        "Greatest relative difference: 0.25 at index (2,) (up to 1.3e-06 allowed)",
    ),
    (
        t([True]),
        t([False]),
        "Tensor-likes are not equal!\n\nMismatched elements: 1 / 1 (100.0%)\n"
        "Greatest absolute difference: 1 at index (0,)\n"
        "Greatest relative difference: inf at index (0,)",
    ),
    (
        1.0,
        2.0,
        "Scalars are not close!\n\nExpected 2.0 but got 1.0.\n"
        "Absolute difference: 1.0 (up to 1e-07 allowed)\n"
        "Relative difference: 0.5 (up to 1e-07 allowed)",
    ),
    (t([float("nan")]), t([float("nan")]), "Tensor-likes are not close!"),
    (t([1.0]), t([1.0, 2.0]), "attribute 'shape' do not match: torch.Size([1]) != torch.Size([2])"),
    (t([1]), t([1.0]), "attribute 'dtype' do not match: torch.int64 != torch.float32."),
    ([1.0], [1.0, 2.0], "The length of the sequences mismatch: 1 != 2"),
    ({"a": 1}, {"b": 1}, "Missing keys in the actual mapping: ['b']"),
    ({"a": [1, 2]}, {"a": [1, 3]}, "The failure occurred for item ['a'][1]"),
    (True, False, "Booleans mismatch: True is not False"),
    (None, 1.0, "None mismatch: None is not 1.0"),
    (1, 1.0, "The (d)types do not match: <class 'int'> != <class 'float'>."),
]


@pytest.mark.parametrize(("actual", "expected", "text"), APART)
def test_apart(actual, expected, text):
    with pytest.raises(AssertionError, match=re.escape(text)):
        assert_close(actual, expected)


def test_options():
    nan = t([float("nan")])
    assert_close(nan, nan, equal_nan=True)
    assert_close(t([1.0]), t([1.5]), rtol=0, atol=0.5)
    assert_close(t([1]), t([1.0]), check_dtype=False)
    with pytest.raises(AssertionError, match="stride"):
        assert_close(torch.ones(2, 2)[:, :1], torch.ones(2, 1), check_stride=True)
    with pytest.raises(AssertionError, match=r"^layer 1$"):
        assert_close(t(1.0), t(2.0), msg="layer 1")
    with pytest.raises(AssertionError, match=r"^layer 1: Scalars"):
        assert_close(t(1.0), t(2.0), msg=lambda text: f"layer 1: {text}")
    with pytest.raises(ValueError, match="must be either specified or omitted, but got no atol"):
        assert_close(1.0, 1.0, rtol=1e-3)
    with pytest.raises(TypeError, match="No comparison pair was able to handle"):
        assert_close(t(1.0), "1")


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.uint8, torch.bool])
def test_tensors_to_test_on(dtype):
    x = make_tensor((50, 4), dtype=dtype, noncontiguous=True, exclude_zero=True)
    assert x.dtype is dtype
    assert tuple(x.shape) == (50, 4)
    assert not x.is_contiguous()
    assert (x != 0).all()
    y = make_tensor(3, 2, dtype=torch.float64, low=2, high=3, requires_grad=True)
    assert ((y >= 2) & (y < 3)).all()
    assert y.requires_grad


def test_there_are_no_sparse_layouts():
    with pytest.raises(NotImplementedError, match=r"torch\.sparse_coo_tensor makes a"):
        torch.sparse_coo_tensor([[0], [1]], [1.0], (2, 2))
    with pytest.raises(NotImplementedError, match="accumulate=True"):
        torch.eye(2).to_sparse()
