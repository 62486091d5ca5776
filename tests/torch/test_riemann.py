"""Every public name of the Riemann framework is there (`riemann.txt`), and does what it does."""

from __future__ import annotations

import operator
from pathlib import Path

import numpy as np
import pytest

import tapegrad.torch as torch

HOMES: dict[str, list[str]] = {}
for line in (Path(__file__).parent / "riemann.txt").read_text().splitlines():
    if line.startswith("["):
        names = HOMES[line.strip("[]")] = []
    else:
        names.extend(line.split())

ELSEWHERE = {
    # its sweep keeps modules' hooks in an object of this class; here a module keeps its own
    "BackwardHookManager": "nn.Module.register_full_backward_hook",
}


@pytest.mark.parametrize("home", HOMES)
def test_names(home):
    found = torch if home == "torch" else operator.attrgetter(home)(torch)
    missing = [name for name in HOMES[home] if not hasattr(found, name)]
    assert [name for name in missing if name not in ELSEWHERE] == []
    for name in missing:
        operator.attrgetter(ELSEWHERE[name])(torch)


FUNCTIONS = {
    "cot": lambda x: 1 / np.tan(x),
    "coth": lambda x: 1 / np.tanh(x),
    "csc": lambda x: 1 / np.sin(x),
    "csch": lambda x: 1 / np.sinh(x),
    "sec": lambda x: 1 / np.cos(x),
    "sech": lambda x: 1 / np.cosh(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_reciprocals(name):
    points = np.array([-30.0, -2.0, -0.3, 0.4, 1.2, 25.0])
    x = torch.tensor(points, requires_grad=True)
    y = getattr(torch, name)(x)
    np.testing.assert_allclose(y.detach().numpy(), FUNCTIONS[name](points), rtol=1e-13)
    assert torch.equal(getattr(x, name)(), y)
    assert torch.autograd.gradcheck(getattr(torch, name), (x[1:5],))


def test_reciprocals_far_out():
    x = torch.tensor([1000.0, -1000.0, 50.0], requires_grad=True)
    for name, values in {
        "coth": [1, -1, 1],
        "csch": [0, -0.0, 2 * np.exp(-50.0)],
        "sech": [0, 0, 2 * np.exp(-50.0)],
    }.items():
        y = getattr(torch, name)(x)
        np.testing.assert_allclose(y.detach().numpy(), values, rtol=1e-6)
        assert torch.isfinite(torch.autograd.grad(y.sum(), x)[0]).all()
    assert torch.coth(torch.tensor(0.0)).item() == torch.csch(torch.tensor(0.0)).item() == torch.inf
    assert torch.sec(torch.tensor(0)).dtype is torch.float32


def test_sums():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.sumall(x, 1.0, x, np.ones(2, np.float32)).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert torch.isum(x, dim=0, keepdim=True).tolist() == [3.0]
    assert torch.isum(np.ones(3)) == 3.0
    assert torch.isum(x, x).tolist() == [2.0, 4.0]
    assert torch.isum([1, 2], 4) == 7
    assert torch.var2(x).item() == 0.5
    assert torch.var2(x, unbiased=False).item() == 0.25
    with pytest.raises(ValueError, match=r"sumall\(\) must have at least one argument"):
        torch.sumall()


UPDATES = {
    "setat": ([3.0, 2.0, 3.0], [0.0, 1.0, 1.0]),
    "addat": ([6.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
    "subat": ([-4.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
    "mulat": ([6.0, 2.0, 3.0], [6.0, 1.0, 1.0]),
    "divat": ([1 / 6, 2.0, 3.0], [1 / 6, 1.0, 1.0]),
    "powat": ([1.0, 2.0, 3.0], [6.0, 1.0, 1.0]),
}


@pytest.mark.parametrize("name", UPDATES)
def test_changes_at_repeated_indices(name):
    values, slopes = UPDATES[name]
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    index, other = torch.tensor([0, 0]), torch.tensor([2.0, 3.0])
    y = getattr(x, name)(index, other)
    np.testing.assert_allclose(y.tolist(), values, rtol=1e-6)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), slopes, rtol=1e-6)
    assert x.tolist() == [1.0, 2.0, 3.0]
    z = torch.tensor([1.0, 2.0, 3.0])
    assert getattr(z, f"{name}_")(index, other) is z
    np.testing.assert_allclose(z.tolist(), values, rtol=1e-6)


def test_changes_at_a_part():
    x = torch.zeros(2, 3)
    assert x.setat((slice(None), 1), 5).tolist() == [[0, 5, 0], [0, 5, 0]]
    x.addat_((torch.tensor([0, 0]), torch.tensor([2, 2])), torch.tensor([1.0, 2.0]))
    assert x.tolist() == [[0, 0, 3], [0, 0, 0]]


MERGED = [
    (slice(2, 8), slice(1, 3), (slice(3, 5, None),)),
    (slice(None, None, -1), slice(1, 4), (slice(8, 5, -1),)),
    (slice(1, None, 2), 2, (5,)),
    (slice(None, None, -1), slice(None), (slice(9, None, -1),)),
]


@pytest.mark.parametrize(("base", "index", "expected"), MERGED)
def test_merged_indices(base, index, expected):
    x = torch.arange(10)
    merged = torch.merge_indices(x, base, index)
    assert merged == expected
    assert x.numpy()[merged].tolist() == x.numpy()[base][index].tolist()


def test_merged_indices_of_several_axes():
    x = torch.arange(60).reshape(3, 4, 5)
    base, index = (1, Ellipsis, slice(1, 4)), (slice(2), 2)
    assert torch.equal(x[x.merge_indices(base, index)], x[1, :2, 3])
    (places, _, _) = x.merge_indices([0, 2], [1])
    assert places.tolist() == [2]
    with pytest.raises(IndexError, match="too many indices"):
        torch.merge_indices(x, 0, (0, 0, 0))


def test_shapes():
    v = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert torch.batch_diag(v).tolist() == [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
    assert torch.batch_outer(v, v)[1].tolist() == [[9, 12], [12, 16]]
    assert torch.repeat(v[0], (2,)).tolist() == [1, 2, 1, 2]
    assert torch.fill_diagonal(torch.zeros(2, 3), 5).tolist() == [[5, 0, 0], [0, 5, 0]]
    assert torch.fill_diagonal(v, v[0, :1], offset=1).tolist() == [[1, 1], [3, 4]]
    assert torch.linalg.skew(v).tolist() == [[0, -0.5], [0.5, 0]]
    assert v.zeros_like().shape == v.ones_like().shape == v.full_like(2.0).shape == (2, 2)
    with pytest.raises(RuntimeError, match="must be batches of square matrices"):
        torch.linalg.skew(torch.ones(2, 3))


def test_fold_is_the_transpose_of_unfold():
    x = torch.arange(12.0, dtype=torch.float64).reshape(2, 6).requires_grad_()
    windows = x.unfold(1, 3, 1)
    assert windows.fold(1, 3, 1).tolist() == (x * torch.tensor([1, 2, 3, 3, 2, 1])).tolist()
    assert torch.equal(x.unfold(1, 2, 2).fold(1, 2), x)
    assert x.unfold(0, 2, 2).fold(0, 2, output_size=3).shape == (3, 6)
    apart = windows.detach().clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda w: w.fold(1, 3, 1), (apart,))
    with pytest.raises(ValueError, match="the windows have 3 elements, not 2"):
        windows.fold(1, 2)


def test_zero_gradients():
    x = torch.tensor([torch.inf, torch.nan], requires_grad=True)
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    (a + torch.fwbw_all_zero(x)).sum().backward()
    assert a.grad.tolist() == [1, 1]
    assert x.grad.tolist() == [0, 0]


@pytest.mark.parametrize("leaf", [True, False])
def test_attached_sources(leaf):
    a, b, c = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(3))
    y = c if leaf else c * 1
    assert y.attach_zero_grad_sources([a, b, y, 3]) is y
    (y * 2).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist(), c.grad.tolist()) == ([0, 0], [0, 0], [2, 2])


def test_shared_graph():
    a, b, c = (torch.tensor([i, i + 1.0], requires_grad=True) for i in (1.0, 3.0, 5.0))
    x, y, _, n = torch.share_grad_map((a, b, c, 7))
    (x * y).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist(), c.grad.tolist(), n) == ([3, 4], [1, 2], [0, 0], 7)
    with pytest.raises(ValueError, match="need to be tuple or list"):
        torch.share_grad_map({a})


def test_partial_derivatives_by_hand():
    @torch.track_grad(lambda x, y, scale: (y * scale, None))
    def product(x, y, scale):
        return torch.tensor(x.detach().numpy() * y.detach().numpy() * scale)

    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.tensor(5.0, requires_grad=True)
    z = product(x, y, scale=2.0)
    assert z.tolist() == [20, 30]
    z.sum().backward()
    assert x.grad.tolist() == [10, 10]
    assert y.grad is None


def test_mixed_derivatives():
    x, y = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    z = x**3 * y
    assert (z.d(x).item(), z.d(x, x).item(), z.d(x, y).item(), z.d(y, y).item()) == (36, 36, 12, 0)
    assert z.d(x, create_graph=True).requires_grad
    with pytest.raises(ValueError, match="must be a scalar that requires grad"):
        torch.ones(2).d(x)
    with pytest.raises(ValueError, match="give the variables"):
        z.d()


def test_what_a_tensor_was_made_of():
    x = torch.ones(2, 3, requires_grad=True)
    y = (x * 2).sum(1)
    assert x.fromvars == x.gradfuncs == x.parms == ()
    assert (x * 2).fromvars == (x,)
    assert [node.name() for node in y.fromvars] == ["MulBackward0"]
    assert y.gradfuncs == (y.grad_fn,)
    assert y.parms == ((1,), False)
    assert y.grad_value is None
    assert y.rcv_grad_count == 0


def test_copies():
    x = torch.tensor([1.0, 2.0])
    array, other = np.zeros(2), torch.zeros(2)
    assert x.copy_to(array) is array
    assert x.copy_to(other) is other
    assert array.tolist() == other.tolist() == x.copy_to().tolist() == [1, 2]
    with pytest.raises(TypeError, match="must be a tensor, an ndarray or None"):
        x.copy_to([0, 0])


def test_formats():
    x = torch.tensor([1.0, 2.5], requires_grad=True)
    assert x.__disp__("8.4f") == "tensor([  1.0000,   2.5000], requires_grad=True)"
    assert torch.tensor(2.0).__disp__(".1f") == "tensor(2.0)"


def test_kinds():
    assert (torch.bool_, torch.int_, torch.float_) == (torch.bool, torch.int32, torch.float32)
    assert torch.complex_ is torch.get_default_complex() is torch.complex64
    assert torch.default_float is torch.get_default_dtype()
    assert torch.TN is torch.Tensor
    assert torch.Device is torch.device
    assert torch.Parameter is torch.nn.Parameter
    assert torch.ninf == -torch.inf
    assert isinstance(torch.ones(2).max(0), torch.MaxMinReturnType)
    assert torch.is_float(torch.float16)
    assert not torch.is_float(torch.complex64)
    assert torch.is_float_or_complex(torch.complex64)
    assert torch.is_complex(torch.complex64)
    assert not torch.is_complex(torch.ones(1))
    assert torch.is_number(np.float32(1))
    assert not torch.is_number("1")
    assert torch.is_numeric_array(np.ones(1))
    assert not torch.is_numeric_array(np.array(["a"]))
    assert torch.is_scalar(torch.tensor(1))
    assert not torch.is_scalar(torch.ones(1))
    assert torch.type_value_dict[torch.uint8] == (8, 0)
    assert torch.init_grad_mode_stack() is None
    assert not torch.is_in_cuda_context()
    with torch.device_context(torch.ones(1)):
        assert torch.ones(1).device.type == "cpu"
    assert torch.PROTOCOL_VERSION == 1001


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, torch.bool),
        (1, torch.int64),
        (1.0, torch.float32),
        (1j, torch.complex64),
        (np.float16(1), torch.float16),
        ([1, 2.0], torch.float32),
        ([], torch.float32),
        ([np.int8(1), np.uint8(1)], torch.int16),
        (torch.ones(1, dtype=torch.float64), torch.float64),
    ],
)
def test_inferred_dtypes(value, expected):
    assert torch.infer_data_type(value) is expected


def test_inferred_dtypes_beside_tensors():
    assert torch.infer_dtype_in_binoper(1, torch.float16) is torch.float16
    assert torch.infer_dtype_in_binoper(1j, torch.complex128) is torch.complex128
    assert torch.infer_dtype_in_binoper(1.0, torch.int64) is torch.float32
    with pytest.raises(TypeError, match="elements of v need to be number"):
        torch.infer_data_type("1")
