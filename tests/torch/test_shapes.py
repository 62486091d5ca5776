"""Shapes and sizes. Values are PyTorch's."""

import pytest

import tapegrad.torch as torch

from .values import C, E, S, W, X, same

CASES = [
    (lambda: X.reshape(3, -1), ("float32", [[1.5, -2.0], [0.25, 3.0], [0.5, -1.0]])),
    (lambda: X.reshape(-1), ("float32", [1.5, -2.0, 0.25, 3.0, 0.5, -1.0])),
    (lambda: X.view(6, 1).shape, (6, 1)),
    (lambda: S.reshape(1, 1), ("float32", [[2.0]])),
    (lambda: E.reshape(3, 0).shape, (3, 0)),
    (lambda: X.t(), ("float32", [[1.5, 3.0], [-2.0, 0.5], [0.25, -1.0]])),
    (lambda: X.transpose(0, -1), ("float32", [[1.5, 3.0], [-2.0, 0.5], [0.25, -1.0]])),
    (lambda: X.permute(1, 0), ("float32", [[1.5, 3.0], [-2.0, 0.5], [0.25, -1.0]])),
    (lambda: X.movedim(0, 1).shape, (3, 2)),
    (lambda: X.unsqueeze(-1).shape, (2, 3, 1)),
    (lambda: X.unsqueeze(0).squeeze().shape, (2, 3)),
    (lambda: X.reshape(1, 2, 3, 1).squeeze(-1).shape, (1, 2, 3)),
    (lambda: X.reshape(1, 2, 3).squeeze((0, 1)).shape, (2, 3)),
    (lambda: X.expand(2, 2, 3).shape, (2, 2, 3)),
    (lambda: X[:1].expand(-1, 3).stride(), [3, 1]),
    (lambda: X[0].expand(2, 3).stride(), [0, 1]),
    (lambda: X.flatten(), ("float32", [1.5, -2.0, 0.25, 3.0, 0.5, -1.0])),
    (lambda: X.unflatten(1, (3, 1)).shape, (2, 3, 1)),
    (lambda: X.swapaxes(0, 1).is_contiguous(), False),
    (lambda: X.stride(), [3, 1]),
    (lambda: X.t().stride(), [1, 3]),
    (lambda: X.t().contiguous().stride(), [2, 1]),
    (lambda: X.size(-1), 3),
    (lambda: X.dim(), 2),
    (lambda: X.numel(), 6),
    (lambda: X.nelement(), 6),
    (lambda: S.shape, ()),
    (lambda: X.mT.shape, (3, 2)),
    (lambda: X.ravel().shape, (6,)),
    (lambda: torch.broadcast_shapes((2, 1), (3,)), (2, 3)),
    (lambda: torch.atleast_2d(S).shape, (1, 1)),
    (lambda: X.view_as(W).shape, (2, 3)),
    (lambda: X.sum_to_size(1, 3), ("float32", [[4.5, -1.5, -0.75]])),
    (
        lambda: X.tile(1, 2),
        ("float32", [[1.5, -2.0, 0.25, 1.5, -2.0, 0.25], [3.0, 0.5, -1.0, 3.0, 0.5, -1.0]]),
    ),
    (lambda: X.repeat(2, 1, 1).shape, (2, 2, 3)),
    (
        lambda: X.repeat_interleave(2, dim=1),
        ("float32", [[1.5, 1.5, -2.0, -2.0, 0.25, 0.25], [3.0, 3.0, 0.5, 0.5, -1.0, -1.0]]),
    ),
    (lambda: W.roll(1, 1), ("int64", [[2, 0, 1], [5, 3, 4]])),
    (lambda: W.flip(0, 1), ("int64", [[5, 4, 3], [2, 1, 0]])),
    (lambda: W.rot90(), ("int64", [[2, 5], [1, 4], [0, 3]])),
    (lambda: C.real, ("float32", [1.0, -0.0])),
    (lambda: C.imag, ("float32", [2.0, -0.5])),
    (lambda: torch.view_as_real(C), ("float32", [[1.0, 2.0], [-0.0, -0.5]])),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_sizes_are_tuples_with_a_count():
    size = X.shape
    assert isinstance(size, torch.Size)
    assert isinstance(size, tuple)
    assert size.numel() == 6
    assert repr(size) == "torch.Size([2, 3])"
    assert isinstance(size[:1], torch.Size)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x.flip(0),
        lambda x: x.rot90(2),
        lambda x: x.diag(),
        lambda x: x.tile(1),
        lambda x: x.roll(0, 0),
        lambda x: x.diff(dim=0, n=0),
        lambda x: x.nan_to_num(),
        lambda x: torch.expand_copy(x, (2, 2)),
        lambda x: x.abs(),
        lambda x: torch.cat([x]),
    ],
)
def test_what_is_no_view_owns_its_memory(compute):
    x = torch.ones(2, 2)
    compute(x).fill_(9)
    assert x.tolist() == [[1, 1], [1, 1]]
