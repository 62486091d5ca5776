"""Shapes that change in place or fit each other, and filling: values are PyTorch's."""

from __future__ import annotations

import pytest

import tapegrad.torch as torch


def test_broadcast_shapes_and_tensors():
    assert torch.broadcast_shapes((2, 1), 3, (1, 3)) == (2, 3)
    a, b = torch.broadcast_tensors(torch.ones(2, 1), torch.arange(3.0))
    assert a.shape == b.shape == (2, 3)
    assert b.tolist() == [[0, 1, 2]] * 2
    with pytest.raises(RuntimeError, match="cannot be broadcast to a single shape"):
        torch.broadcast_shapes((2,), (3,))


def test_sum_to_size_undoes_broadcasting():
    x = torch.ones(2, 3, requires_grad=True)
    assert x.sum_to_size(1, 3).tolist() == [[2, 2, 2]]
    assert x.sum_to_size((3,)).tolist() == [2, 2, 2]
    assert x.sum_to_size(2, 3) is x
    x.sum_to_size(1, 3).sum().backward()
    assert x.grad.tolist() == [[1] * 3] * 2
    with pytest.raises(RuntimeError, match=r"size \{\[2, 2\]\} is not expandable"):
        x.sum_to_size(2, 2)


def test_resize_shares_memory_while_it_can():
    x = torch.arange(6.0)
    y = x.view(2, 3)
    assert x.resize_(2, 2) is x
    assert x.tolist() == [[0, 1], [2, 3]]
    x[0, 0] = 9
    assert y[0, 0].item() == 9
    assert x.resize_(5).tolist() == [9, 1, 2, 3, 0]
    assert torch.resize_as_(x, torch.ones(1, 2)).tolist() == [[9, 1]]
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.ones(2, requires_grad=True).resize_(3)


def test_fill():
    assert torch.fill(torch.tensor([1, 2]), 2.5).tolist() == [2, 2]
    value = torch.tensor(3.0, requires_grad=True)
    torch.fill(torch.ones(2, 2), value).sum().backward()
    assert value.grad.item() == 4
    x = torch.ones(2, requires_grad=True)
    assert torch.fill(x, 1.0).requires_grad
    with pytest.raises(RuntimeError, match="0-dimensional value tensor"):
        torch.fill(torch.ones(2), torch.ones(1))


def test_nonzero_of_a_fixed_size():
    x = torch.tensor([1, 0, 2])
    assert torch.nonzero_static(x, size=4).tolist() == [[0], [2], [-1], [-1]]
    assert torch.nonzero_static(x, size=1).tolist() == [[0]]
    assert torch.nonzero_static(torch.tensor(10), size=2).shape == (2, 0)
    with pytest.raises(RuntimeError, match="must be an non-negative integer"):
        torch.nonzero_static(x, size=-1)


def test_functions_in_place():
    x = torch.tensor([-1.0, 4.0])
    assert torch.abs_(x) is x
    assert torch.sqrt_(x).tolist() == [1, 2]
    assert torch.zero_(x).tolist() == [0, 0]


def test_operators_of_libraries():
    x = torch.arange(4.0)
    mask = torch.tensor([True, False])
    index = [torch.tensor([2, 9])]
    assert torch._unsafe_masked_index(x, mask, index, -1.0).tolist() == [2, -1]
    added = torch._unsafe_masked_index_put_accumulate(x, mask, index, torch.ones(2))
    assert added.tolist() == [0, 1, 3, 3]
    parts = torch._chunk_cat([torch.arange(6.0).view(3, 2), torch.ones(4, 2)], 0, 2)
    assert parts.tolist() == [[0, 1, 2, 3, 1, 1, 1, 1], [4, 5, 0, 0, 1, 1, 1, 1]]


def test_windows_on_memory_are_of_the_whole():
    x = torch.arange(10.0, requires_grad=True)
    part = (x * 1)[2:]
    assert part.as_strided((2,), (1,)).tolist() == [2, 3]
    window = part.as_strided((2,), (1,), 0)
    assert window.tolist() == [0, 1]
    window.sum().backward()
    assert x.grad.tolist() == [1, 1] + [0] * 8
    y = torch.zeros(4)
    y.as_strided((2,), (2,)).fill_(1.0)
    assert y.tolist() == [1, 0, 1, 0]


def test_scattering_into_a_window_of_no_axes():
    x, value = torch.ones(1, requires_grad=True), torch.tensor(5.0, requires_grad=True)
    result = torch.as_strided_scatter(x, value, (), (), 0)
    assert result.tolist() == [5]
    result.sum().backward()
    assert x.grad.tolist() == [0]
    assert value.grad.item() == 1


def test_diagonals_are_filled():
    assert torch.zeros(2, 3).fill_diagonal_(1.0).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert torch.zeros(3, 3, 3).fill_diagonal_(1.0).sum().item() == 3
    tall = torch.zeros(5, 2).fill_diagonal_(1.0, wrap=True)
    assert tall.tolist() == [[1, 0], [0, 1], [0, 0], [1, 0], [0, 1]]
    with pytest.raises(RuntimeError, match="dimensions must larger than 1"):
        torch.zeros(3).fill_diagonal_(1.0)
    with pytest.raises(RuntimeError, match="must be of equal length"):
        torch.zeros(3, 2, 3).fill_diagonal_(1.0)


def test_tensors_tell_where_they_are():
    x = torch.arange(6.0).view(2, 3)
    assert x[1].storage_offset() == 3
    assert x[1].data_ptr() == x.data_ptr() + 12
    assert x.is_cpu
    assert not x.is_sparse
    assert x.layout is torch.strided
    assert torch.get_device(x) == -1
    assert torch.is_same_size(x, torch.ones(2, 3))
    assert not torch.is_signed(torch.ones(1, dtype=torch.uint8))


def test_comparisons_in_place():
    assert torch.tensor([1.0, 2]).greater_(1.5).tolist() == [0, 1]
    assert torch.tensor([1, 2]).not_equal_(1).tolist() == [0, 1]
