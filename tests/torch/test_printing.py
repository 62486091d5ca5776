"""How tensors print: as PyTorch's."""

import pytest

import tapegrad.torch as torch

CASES = [
    (lambda: torch.tensor(1.0), "tensor(1.)"),
    (lambda: torch.tensor([1.0, 2.5]), "tensor([1.0000, 2.5000])"),
    (lambda: torch.tensor([1, 20]), "tensor([ 1, 20])"),
    (lambda: torch.tensor([1.0, 2.0]), "tensor([1., 2.])"),
    (lambda: torch.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
    (lambda: torch.tensor([1e10]), "tensor([1.0000e+10])"),
    (lambda: torch.tensor([float("nan"), -float("inf"), 1]), "tensor([nan, -inf, 1.])"),
    (lambda: torch.tensor([True, False]), "tensor([ True, False])"),
    (lambda: torch.tensor([1 + 2.5j]), "tensor([1.+2.5000j])"),
    (lambda: torch.tensor([1.0], dtype=torch.float64), "tensor([1.], dtype=torch.float64)"),
    (lambda: torch.tensor([1], dtype=torch.uint8), "tensor([1], dtype=torch.uint8)"),
    (lambda: torch.tensor([1.5], dtype=torch.bfloat16), "tensor([1.5000], dtype=torch.bfloat16)"),
    (lambda: torch.tensor([]), "tensor([])"),
    (lambda: torch.zeros(0, 3), "tensor([], size=(0, 3))"),
    (lambda: torch.zeros(0, dtype=torch.int32), "tensor([], dtype=torch.int32)"),
    (lambda: torch.eye(2), "tensor([[1., 0.],\n        [0., 1.]])"),
    (
        lambda: torch.arange(8).reshape(2, 2, 2),
        "tensor([[[0, 1],\n         [2, 3]],\n\n        [[4, 5],\n         [6, 7]]])",
    ),
    (lambda: torch.tensor([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
    (lambda: torch.tensor([1.0], requires_grad=True) * 2, "tensor([2.], grad_fn=<MulBackward0>)"),
    (
        lambda: torch.tensor([1.0], requires_grad=True).exp().sum(),
        "tensor(2.7183, grad_fn=<SumBackward0>)",
    ),
    (
        lambda: torch.zeros(2, 2, requires_grad=True)[0],
        "tensor([0., 0.], grad_fn=<SelectBackward0>)",
    ),
    (lambda: torch.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    (lambda: torch.float32, "torch.float32"),
    (lambda: torch.Size([2, 3]), "torch.Size([2, 3])"),
    (lambda: torch.device("cpu"), "device(type='cpu')"),
    (lambda: torch.tensor([0.1, 1000.0, 123456.0]), "tensor([1.0000e-01, 1.0000e+03, 1.2346e+05])"),
    (lambda: torch.tensor([[1, -10], [100, 5]]), "tensor([[  1, -10],\n        [100,   5]])"),
]


@pytest.mark.parametrize(("make", "text"), CASES)
def test_text(make, text):
    assert repr(make()) == text


def test_options():
    torch.set_printoptions(precision=2)
    try:
        assert repr(torch.tensor([0.123456])) == "tensor([0.12])"
        torch.set_printoptions(sci_mode=True)
        assert repr(torch.tensor([123.0])) == "tensor([1.23e+02])"
    finally:
        torch.set_printoptions(profile="default")
    assert f"{torch.tensor(2.5):.2f}" == "2.50"


def test_formats():
    assert f"{torch.tensor(2.5):.2f}" == "2.50"
    assert f"{torch.tensor([2.5])}" == "tensor([2.5000])"
    with pytest.raises(TypeError, match=r"unsupported format string passed to Tensor\.__format__"):
        format(torch.tensor([2.5]), ".2f")


def test_zeros_decide_no_width():
    assert repr(torch.tensor([-0.0, 0.0])) == "tensor([-0., 0.])"
    assert repr(torch.tensor([-0.0, 10.0])) == "tensor([-0., 10.])"
