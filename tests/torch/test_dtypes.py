"""Promotion, and the dtypes as objects. Values are PyTorch's."""

import copy
import pickle

import pytest

import tapegrad.torch as torch

from .values import B, C, D, N, S, U, W, X, same

CASES = [
    (lambda: X + 1, ("float32", [[2.5, -1.0, 1.25], [4.0, 1.5, 0.0]])),
    (lambda: X + True, ("float32", [[2.5, -1.0, 1.25], [4.0, 1.5, 0.0]])),
    (lambda: W + 1, ("int64", [[1, 2, 3], [4, 5, 6]])),
    (lambda: W + 1.5, ("float32", [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]])),
    (lambda: W + True, ("int64", [[1, 2, 3], [4, 5, 6]])),
    (lambda: B + 1, ("int64", [2, 1, 2])),
    (lambda: B + B, ("bool", [True, False, True])),
    (lambda: U + 1, ("uint8", [1, 2, 201])),
    (lambda: U + 100, ("uint8", [100, 101, 44])),
    (lambda: U + (-1), ("uint8", [255, 0, 199])),
    (lambda: U + W[0], ("int64", [0, 2, 202])),
    (lambda: U + torch.tensor([-1, 0, 1], dtype=torch.int8), ("int16", [-1, 1, 201])),
    (lambda: W + S, ("float32", [[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]])),
    (lambda: W + D[0], ("float64", [[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]])),
    (lambda: X[0] + torch.ones(3, dtype=torch.float64), ("float64", [2.5, -1.0, 1.25])),
    (
        lambda: X + torch.tensor(1.0, dtype=torch.float64),
        ("float32", [[2.5, -1.0, 1.25], [4.0, 1.5, 0.0]]),
    ),
    (lambda: S + torch.tensor(1.0, dtype=torch.float64), ("float64", 3.0)),
    (lambda: W / 2, ("float32", [[0.0, 0.5, 1.0], [1.5, 2.0, 2.5]])),
    (lambda: B / 2, ("float32", [0.5, 0.0, 0.5])),
    (lambda: W // 2, ("int64", [[0, 0, 1], [1, 2, 2]])),
    (lambda: W**2, ("int64", [[0, 1, 4], [9, 16, 25]])),
    (lambda: 2**W, ("int64", [[1, 2, 4], [8, 16, 32]])),
    (
        lambda: W * 1j,
        (
            "complex64",
            [
                [complex(0.0, 0.0), complex(0.0, 1.0), complex(0.0, 2.0)],
                [complex(0.0, 3.0), complex(0.0, 4.0), complex(0.0, 5.0)],
            ],
        ),
    ),
    (lambda: D + 1j, ("complex128", [complex(0.5, 1.0), complex(-1.5, 1.0)])),
    (lambda: C + D, ("complex128", [complex(1.5, 2.0), complex(-1.5, -0.5)])),
    (lambda: U.half() + torch.tensor(1.0), ("float16", [1.0, 2.0, 201.0])),
    (lambda: U.half() + X[0], ("float32", [1.5, -1.0, 200.25])),
    (lambda: U.half() + U.bfloat16(), ("float32", [0.0, 2.0, 400.0])),
    (lambda: C * 2, ("complex64", [complex(2.0, 4.0), complex(0.0, -1.0)])),
    (lambda: N + 1.5, ("float32", 4.5)),
    (lambda: N / N, ("float32", 1.0)),
    (lambda: W == 1.0, ("bool", [[False, True, False], [False, False, False]])),
    (lambda: W.sum(), ("int64", 15)),
    (lambda: B.sum(), ("int64", 2)),
    (lambda: U.sum(), ("int64", 201)),
    (lambda: U.cumsum(0), ("int64", [0, 1, 201])),
    (lambda: U.prod(), ("int64", 0)),
    (lambda: X.double().mean(), ("float64", 0.375)),
    (lambda: torch.where(B, 1.0, 2), ("float32", [1.0, 2.0, 1.0])),
    (lambda: torch.where(B, N, S), ("float32", [3.0, 2.0, 3.0])),
    (lambda: torch.cat([W[0], X[0]]), ("float32", [0.0, 1.0, 2.0, 1.5, -2.0, 0.25])),
    (lambda: torch.maximum(W[0], U), ("int64", [0, 1, 200])),
    (lambda: torch.exp(N), ("float32", 20.085537)),
    (lambda: torch.sqrt(U), ("float32", [0.0, 1.0, 14.1421356])),
    (lambda: torch.result_type(W, 1.5), "torch.float32"),
    (lambda: torch.result_type(X, D), "torch.float64"),
    (lambda: torch.result_type(N, D[0]), "torch.float64"),
    (lambda: torch.promote_types(torch.uint8, torch.int8), "torch.int16"),
    (lambda: torch.promote_types(torch.float16, torch.bfloat16), "torch.float32"),
    (lambda: torch.promote_types(torch.int64, torch.complex64), "torch.complex64"),
    (lambda: torch.can_cast(torch.float64, torch.int32), False),
    (lambda: torch.can_cast(torch.int32, torch.uint8), True),
    (lambda: torch.finfo(torch.float32).eps, 1.1920929e-07),
    (lambda: torch.finfo(torch.float16).max, 65504.0),
    (lambda: torch.finfo(torch.bfloat16).smallest_normal, 1.17549435e-38),
    (lambda: torch.finfo(torch.complex64).bits, 32),
    (lambda: torch.iinfo(torch.int16).min, -32768),
    (lambda: torch.iinfo(torch.uint8).max, 255),
    (lambda: repr(torch.iinfo(torch.int8)), "iinfo(min=-128, max=127, dtype=int8)"),
    (lambda: torch.float32.to_complex(), "torch.complex64"),
    (lambda: torch.complex128.to_real(), "torch.float64"),
    (lambda: torch.bfloat16.itemsize, 2),
    (lambda: torch.uint8.is_signed, False),
    (lambda: torch.float16.is_floating_point, True),
    (lambda: torch.get_default_dtype(), "torch.float32"),
    (lambda: str(torch.device("cuda", 1)), "cuda:1"),
    (lambda: torch.device("cuda:1").index, 1),
    (lambda: torch.device("cpu").type, "cpu"),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_dtypes_are_single_objects():
    assert torch.float is torch.float32
    assert torch.zeros(2).dtype is torch.float32
    for dtype in (torch.bool, torch.uint8, torch.bfloat16, torch.complex64):
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert copy.deepcopy(dtype) is dtype
        assert {dtype: 1}[dtype] == 1


def test_default_dtype():
    torch.set_default_dtype(torch.float64)
    try:
        same(torch.tensor(0.5), ("float64", 0.5))
        same(torch.arange(2) / 2, ("float64", [0.0, 0.5]))
        same(torch.arange(2) + 0.5, ("float64", [0.5, 1.5]))
        assert torch.zeros(1).dtype is torch.float64
        assert torch.tensor(1j).dtype is torch.complex128
    finally:
        torch.set_default_dtype(torch.float32)
    same(torch.arange(2) + 0.5, ("float32", [0.5, 1.5]))


def test_wide_unsigned_integers_do_not_combine():
    with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64"):
        torch.ones(1, dtype=torch.uint16) + torch.ones(1, dtype=torch.int32)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_accumulate_in_single_precision(dtype):
    ones = torch.ones(600, 2, dtype=dtype)
    for total in (ones.sum(0)[0], ones.cumsum(0)[-1, 0], (ones.t() @ ones)[0, 1]):
        assert total.dtype is dtype
        assert total.item() == 600
    assert ones.mean().item() == 1
    x = torch.ones(1, dtype=dtype, requires_grad=True)
    x.expand(600).sum().backward()
    assert x.grad.item() == 600
    large = torch.full((1000,), 10.0, dtype=dtype)
    assert abs(large.norm().item() - 316.25) < 0.5
    assert abs(torch.arange(100, dtype=dtype).std().item() - 29.0115) < 0.02


def test_bfloat16_adds_up_in_single_precision_wherever_sums_are_hidden():
    functional = torch.nn.functional
    ones = torch.ones(600, dtype=torch.bfloat16)
    zeros, places = torch.zeros(2, dtype=torch.bfloat16), torch.zeros(600, dtype=torch.int64)
    table = torch.ones(2, 3, dtype=torch.bfloat16)
    for total in (
        zeros.scatter_add(0, places, ones)[0],
        zeros.index_add(0, places, ones)[0],
        zeros.scatter_reduce(0, places, ones, "sum")[0],
        functional.embedding_bag(places[None], table, mode="sum")[0, 0],
        600 * functional.avg_pool1d(ones[None], 600)[0, 0],
        (0 * ones).logcumsumexp(0)[-1].exp(),
    ):
        assert total.dtype is torch.bfloat16
        assert abs(total.item() - 600) <= 10  # a few units in the last place, of 4 each
    for pick in (
        lambda x: x.gather(0, places),
        lambda x: x[places],
        lambda x: functional.embedding(places, x[:, None]),
    ):
        x = zeros.clone().requires_grad_()
        pick(x).sum().backward()
        assert x.grad.tolist() == [600, 0]
