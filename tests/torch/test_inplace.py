"""In-place operations: memory, dtypes, shapes, versions and gradients."""

import gc
import weakref

import pytest

import tapegrad.torch as torch

CHANGES = [
    (lambda x: x.add_(1), [3, -1]),
    (lambda x: x.add_(x, alpha=2), [6, -6]),
    (lambda x: x.sub_(torch.tensor([1.0, 2.0]), alpha=0.5), [1.5, -3]),
    (lambda x: x.mul_(torch.tensor(3)), [6, -6]),
    (lambda x: x.div_(4), [0.5, -0.5]),
    (lambda x: x.div_(3, rounding_mode="floor"), [0, -1]),
    (lambda x: x.pow_(2), [4, 4]),
    (lambda x: x.neg_(), [-2, 2]),
    (lambda x: x.clamp_(-1, 1), [1, -1]),
    (lambda x: x.relu_(), [2, 0]),
    (lambda x: x.copy_(torch.tensor(5)), [5, 5]),
    (lambda x: x.zero_(), [0, 0]),
    (lambda x: x.lt_(0), [0, 1]),
    (lambda x: x.addcmul_(x, x, value=0.5), [4, 0]),
    (lambda x: x.lerp_(torch.zeros(2), 0.5), [1, -1]),
    (lambda x: x.masked_fill_(x < 0, 9), [2, 9]),
    (lambda x: x.remainder_(3), [2, 1]),
    (lambda x: x.maximum(torch.zeros(2)).floor_(), [2, 0]),
    (lambda x: x.__iadd__(1), [3, -1]),
    (lambda x: x.__itruediv__(2), [1, -1]),
]


@pytest.mark.parametrize(("change", "expected"), CHANGES)
@pytest.mark.parametrize("recording", [True, False])
def test_values(change, expected, recording):
    x = torch.tensor([2.0, -2.0])
    with torch.set_grad_enabled(recording):
        assert change(x).tolist() == expected


def test_the_buffer_stays():
    x = torch.ones(3)
    array = x.numpy()
    same = x
    same += 1
    x.mul_(2).sub_(1, alpha=3)
    assert same is x
    assert array.tolist() == [1, 1, 1]
    assert x._version == 3


def test_dtypes_and_shapes_that_do_not_fit():
    with pytest.raises(RuntimeError, match=r"result type Float can't be cast to .* Long"):
        torch.arange(2).add_(0.5)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.ones(1).add_(torch.ones(2))
    x = torch.ones(2, dtype=torch.float32)
    assert x.add_(torch.ones(2, dtype=torch.float64)).dtype is torch.float32


def test_a_failed_change_leaves_all_as_it_was():
    x = torch.ones(2)
    for change in (lambda: x.add_(torch.ones(3)), lambda: x.mul_(1j), lambda: x.div_("a")):
        with pytest.raises((RuntimeError, TypeError)):
            change()
    assert x.tolist() == [1, 1]
    assert x._version == 0


def test_a_leaf():
    p = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        p.add_(1)
    (p * p).sum().backward()
    with torch.no_grad():
        p.add_(p.grad, alpha=-0.25)
    assert p.tolist() == [0.5, 0.5]
    assert p.requires_grad
    assert p.is_leaf


def test_what_was_saved_and_changed():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_gradients():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.mul_(x).add_(x, alpha=2)
    y.sum().backward()
    assert x.grad.tolist() == [8, 14]


def test_changes_in_a_loop_leave_nothing_behind():
    x = torch.zeros(3)
    parts = []
    for _ in range(100):
        part = x[1:]
        part.add_(1)
        parts.append(weakref.ref(part))
        del part
    gc.collect()
    assert x.tolist() == [0, 100, 100]
    assert not any(part() for part in parts)
    assert len(x.views) < 64


def test_gradients_by_what_was_changed_through_a_view():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    base = x * 1.0
    view = base.view(2, 1)
    row = view[0]
    row.mul_(3)
    loss = (base * base).sum() + 10 * row.sum() + 100 * view.sum()
    by_base, by_view, by_row, by_leaf = torch.autograd.grad(loss, (base, view, row, x))
    assert by_base.tolist() == [116, 104]  # with what is done with its views
    assert by_view.flatten().tolist() == [100, 100]  # views come from the base alone
    assert by_row.tolist() == [10]
    assert by_leaf.tolist() == [348, 104]


def test_parts_whose_elements_share_memory_refuse_assignments():
    x = torch.zeros(3).expand(2, 3)
    for value in (1.0, torch.tensor(1.0), torch.ones(2, 2)):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            x[..., 1:] = value
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x.fill_(torch.tensor(1.0))
    x[0] = torch.tensor([1.0, 2.0, 3.0])  # a part of which each element has its place
    assert x.tolist() == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("method", ["copy_", "fill_"])
def test_what_is_overwritten_gets_a_gradient_of_zero(method):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    y = x * 2
    getattr(y, method)(w)
    (y * torch.tensor([1.0, 10.0])).sum().backward()
    assert x.grad.tolist() == [0, 0]
    assert w.grad.item() == 11


def test_retained_gradients_are_those_by_the_last_value():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    part = y[0]
    y.retain_grad()
    part.retain_grad()
    y.mul_(3)
    (y * 5).sum().backward(retain_graph=True)
    assert y.retains_grad
    assert y.grad.tolist() == [5, 5]
    assert x.grad.tolist() == [30, 30]
    (part * 7).backward()
    assert part.grad.item() == 7


def first_copy(x):
    x.expand(2, 2, 3)[:1].mul_(2)


def last_copy(x):
    x.expand(2, 2, 3)[1].mul_(2)


def part_of_a_copy(x):
    x.unsqueeze(0).expand(4, 2, 3)[2, 0].mul_(2)


def other_copies(x):
    x[:, :1].expand(2, 3).diagonal()[:2].mul_(torch.tensor([2.0, 3.0]))


def nothing(x):
    x.expand(2, 2, 3)[2:].mul_(2)


COPIES = [
    (first_copy, [[2, 2, 2], [2, 2, 2]]),
    (last_copy, [[2, 2, 2], [2, 2, 2]]),
    (part_of_a_copy, [[2, 2, 2], [1, 1, 1]]),
    (other_copies, [[2, 1, 1], [3, 1, 1]]),
    (nothing, [[1, 1, 1], [1, 1, 1]]),
]


@pytest.mark.parametrize(("write", "factors"), COPIES)
def test_a_copy_of_an_expanded_tensor_is_written(write, factors):
    def changed(x):
        y = x * 1
        write(y)
        return y

    factors = torch.tensor(factors, dtype=torch.float32)
    weights = torch.tensor([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]])
    x = torch.arange(1.0, 7.0).view(2, 3).requires_grad_()
    y = changed(x)
    assert torch.equal(y, x * factors)
    (y * weights).sum().backward()
    assert torch.equal(x.grad, weights * factors)
    x = x.detach()
    assert torch.equal(
        torch.func.grad(lambda x: (changed(x) * weights).sum())(x), weights * factors
    )
    assert torch.equal(torch.func.jvp(changed, (x,), (weights,))[1], weights * factors)
    assert torch.equal(torch.func.vmap(changed)(torch.stack([x, x + 1]))[1], (x + 1) * factors)


def test_imaginary_parts_of_a_copy_are_written():
    z = torch.tensor([1 + 2j, 3 + 4j], requires_grad=True)
    y = z * 1
    y.expand(3, 2)[2].imag[1:].mul_(5)
    assert y.tolist() == [1 + 2j, 3 + 20j]
    (y.real + 10 * y.imag).sum().backward()
    assert z.grad.tolist() == [1 + 10j, 1 + 50j]


def overlapping_rows(y):
    y.view(6).as_strided((2, 3), (2, 1))[0, 1:].mul_(2)


def one_number_for_overlapping_rows(y):
    y.view(6).as_strided((2, 3), (2, 1))[0] = 7.0


def one_element_again_and_again(y):
    y.view(6).as_strided((3,), (0,))[1:2].mul_(3)


def overlapping_slices(y):
    y.view(6).unfold(0, 3, 1)[1].mul_(2)


def element_of_a_copy(y):
    y[:, :1].expand(2, 3)[0, 2] = y.sum()


def copies_in_turn(y):
    copies = y.expand(2, 2, 3)
    copies[0].mul_(2)
    copies[1].add_(1)
    y.mul_(copies[0] * 1)


WRITES = [  # the values and the gradients are PyTorch's
    (overlapping_rows, [[1, 4, 6], [4, 5, 6]], [[1, 20, 200], [1, 10, 100]]),
    (one_number_for_overlapping_rows, [[7, 7, 7], [4, 5, 6]], [[0, 0, 0], [1, 10, 100]]),
    (one_element_again_and_again, [[3, 2, 3], [4, 5, 6]], [[3, 10, 100], [1, 10, 100]]),
    (overlapping_slices, [[1, 4, 6], [8, 5, 6]], [[1, 20, 200], [2, 10, 100]]),
    (element_of_a_copy, [[21, 2, 3], [4, 5, 6]], [[1, 11, 101], [2, 11, 101]]),
    (copies_in_turn, [[9, 25, 49], [81, 121, 169]], [[12, 200, 2800], [36, 440, 5200]]),
]


@pytest.mark.parametrize(("write", "values", "gradient"), WRITES)
def test_views_whose_elements_share_memory_are_written_in_parts(write, values, gradient):
    def changed(x):
        y = x * 1
        write(y)
        return y

    x = torch.arange(1.0, 7.0).view(2, 3).requires_grad_()
    weights = torch.tensor([1.0, 10.0, 100.0])
    y = changed(x)
    (y * weights).sum().backward()
    assert y.tolist() == values
    assert x.grad.tolist() == gradient
    x = x.detach()
    assert torch.func.grad(lambda x: (changed(x) * weights).sum())(x).tolist() == gradient
    tangents = torch.func.jvp(changed, (x,), (torch.ones(2, 3),))[1]
    assert (tangents * weights).sum().item() == sum(map(sum, gradient))
    both = torch.func.vmap(changed)(torch.stack([x, x + 1]))
    assert both.tolist() == [values, changed(x + 1).tolist()]
