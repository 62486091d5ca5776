"""Views share memory, both ways, and are differentiated through what is written to them."""

import pytest

import tapegrad.torch as torch

VIEWS = [
    (lambda x: x[0], [[7, 7, 7], [1, 1, 1]]),
    (lambda x: x[1, 2], [[1, 1, 1], [1, 1, 7]]),
    (lambda x: x[:, 1:], [[1, 7, 7], [1, 7, 7]]),
    (lambda x: x[None, ..., 0], [[7, 1, 1], [7, 1, 1]]),
    (lambda x: x.select(1, 2), [[1, 1, 7], [1, 1, 7]]),
    (lambda x: x.narrow(1, 0, 1), [[7, 1, 1], [7, 1, 1]]),
    (lambda x: x.view(6)[::2], [[7, 1, 7], [1, 7, 1]]),
    (lambda x: x.reshape(3, 2)[0], [[7, 7, 1], [1, 1, 1]]),
    (lambda x: x.t()[0], [[7, 1, 1], [7, 1, 1]]),
    (lambda x: x.permute(1, 0)[2], [[1, 1, 7], [1, 1, 7]]),
    (lambda x: x.diagonal(), [[7, 1, 1], [1, 7, 1]]),
    (lambda x: x.unsqueeze(0).squeeze()[1], [[1, 1, 1], [7, 7, 7]]),
    (lambda x: x.chunk(2)[1], [[1, 1, 1], [7, 7, 7]]),
    (lambda x: x.unbind(1)[0], [[7, 1, 1], [7, 1, 1]]),
    (lambda x: x.unfold(1, 2, 2)[0], [[7, 7, 1], [1, 1, 1]]),
    (lambda x: x.as_strided((2,), (4,), 1), [[1, 7, 1], [1, 1, 7]]),
    (lambda x: x.expand(1, 2, 3)[0, 1], [[1, 1, 1], [7, 7, 7]]),
    (lambda x: x.detach()[1], [[1, 1, 1], [7, 7, 7]]),
    (lambda x: x.data[0, 0], [[7, 1, 1], [1, 1, 1]]),
    (lambda x: next(iter(x)), [[7, 7, 7], [1, 1, 1]]),
    (lambda x: x.flatten()[3], [[1, 1, 1], [7, 1, 1]]),
]


@pytest.mark.parametrize(("view", "expected"), VIEWS)
@pytest.mark.parametrize("recording", [True, False])
def test_writing_to_a_view(view, expected, recording):
    x = torch.ones(2, 3)
    with torch.set_grad_enabled(recording):
        view(x).fill_(7)
        assert x.tolist() == expected


@pytest.mark.parametrize(("view", "expected"), VIEWS)
@pytest.mark.parametrize("recording", [True, False])
def test_writing_to_what_is_viewed(view, expected, recording):
    x = torch.zeros(2, 3)
    part = view(x)
    with torch.set_grad_enabled(recording):
        x.add_(3).mul_(2)
    assert (part == 6).all()


@pytest.mark.parametrize(("view", "expected"), [v for v in VIEWS if v[1]][:17])
def test_what_is_written_to_a_view_is_differentiated(view, expected):
    leaf = torch.ones(2, 3, requires_grad=True)
    x = leaf * 2
    view(x).mul_(5)
    (x * x).sum().backward()
    written = torch.tensor(expected) == 7
    assert (leaf.grad == torch.where(written, 200.0, 8.0)).all()


def test_elements_that_share_memory():
    x = torch.ones(1)
    wide = x.expand(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        wide.add_(1)
    wide.fill_(4)
    assert x.item() == 4
    wide.zero_()
    assert wide.tolist() == [0, 0, 0]


def test_numbers_without_axes_share_memory():
    x = torch.tensor(1.0) * 2
    constant, line = x.detach(), x.view(1)
    x.add_(1)
    assert constant.item() == 3
    assert line.tolist() == [3]
