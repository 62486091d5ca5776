"""`torch.masked`: values recorded from PyTorch 2.13."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad.torch as torch

pytestmark = [  # what is computed of no elements is meant
    pytest.mark.filterwarnings("ignore:invalid value"),
    pytest.mark.filterwarnings("ignore:divide by zero"),
]

masked = torch.masked
X = torch.tensor([[1.0, 2, 3], [4, 5, 6]])
MASK = torch.tensor([[True, False, True], [False, False, False]])
inf, nan = np.inf, np.nan


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sum", [4, 0]),
        ("prod", [3, 1]),
        ("amax", [3, -inf]),
        ("amin", [1, inf]),
        ("mean", [2, nan]),
        ("median", [1, nan]),
        ("argmax", [2, 0]),
        ("argmin", [0, 0]),
        ("var", [2, nan]),
        ("logsumexp", [3.126928, -inf]),
        ("cumsum", [[1, 1, 4], [0, 0, 0]]),
        ("cumprod", [[1, 1, 3], [1, 1, 1]]),
        ("softmax", [[0.119203, 0, 0.880797], [nan] * 3]),
        ("softmin", [[0.880797, 0, 0.119203], [nan] * 3]),
        ("log_softmax", [[-2.126928, -inf, -0.126928], [nan] * 3]),
    ],
)
def test_along_rows(name, expected):
    result = getattr(masked, name)(X, 1, mask=MASK)
    assert result.dtype is torch.float32
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_norms():
    np.testing.assert_allclose(masked.norm(X, 2, 1, mask=MASK), [np.sqrt(10), 0], rtol=1e-6)
    assert masked.norm(X, -inf, 1, mask=MASK).tolist() == [1, inf]
    np.testing.assert_allclose(
        masked.normalize(X, 2.0, 1, mask=MASK),
        [[0.316228, 0, 0.948683], [0, 0, 0]],
        rtol=1e-5,
    )
    np.testing.assert_allclose(masked.std(X, 1, unbiased=False, mask=MASK), [1, nan])


def test_logaddexp_adds_what_masks_let_through():
    result = masked.logaddexp(X, X, input_mask=MASK, other_mask=MASK.logical_not())
    np.testing.assert_allclose(result, X)


def test_masks_broadcast_and_dtypes_follow():
    assert masked.sum(X, 1, mask=torch.tensor([True, False, True])).tolist() == [4, 10]
    assert masked.sum(X.int(), mask=MASK).dtype is torch.int64
    assert masked.amax(X.int(), 1, mask=MASK).tolist() == [3, np.iinfo(np.int32).min]
    assert masked.sum(X, dim=()).item() == 21
    assert masked.sum(X, 1, dtype=torch.float64, mask=MASK).dtype is torch.float64
    assert masked.mean(X, mask=MASK).item() == 2


def test_what_a_mask_hides_has_no_gradient():
    x = X.clone().requires_grad_()
    masked.mean(x, 1, mask=MASK)[0].backward()
    assert x.grad.tolist() == [[0.5, 0, 0.5], [0, 0, 0]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: masked.sum(X[0], mask=MASK), IndexError, "expected broadcastable mask"),
        (lambda: masked.mean(X.int(), 1, mask=MASK), ValueError, "Could not infer output dtype"),
        (lambda: masked.median(X.int(), 1, mask=MASK), ValueError, "no fully masked out rows"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
