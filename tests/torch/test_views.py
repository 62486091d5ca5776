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
    (lambda x: x.unfold(1, 2, 2)[0], [[7, 7, 1], [1, 1, 1]]),
    (lambda x: x.as_strided((2,), (4,), 1), [[1, 7, 1], [1, 1, 7]]),
    (lambda x: x.expand(1, 2, 3)[0, 1], [[1, 1, 1], [7, 7, 7]]),
    (lambda x: x.chunk(2)[1], [[1, 1, 1], [7, 7, 7]]),
    (lambda x: x.unbind(1)[0], [[7, 1, 1], [7, 1, 1]]),
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


@pytest.mark.parametrize(("view", "expected"), [v for v in VIEWS if v[1]][:15])
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


MULTIPLE = {
    "Output 1 of Unbind is": lambda x: x.unbind()[1],
    "Output 0 of Unbind is": lambda x: next(iter(x)),
    "Output 1 of Split is": lambda x: x.split(1)[1],
    "Output 1 of Split is a": lambda x: x.chunk(2)[1],
    "Output 1 of SplitWithSizes is": lambda x: x.split([1, 1])[1],
    "Output 0 of Select is": lambda x: x.unbind()[1][0],
}
"""What PyTorch calls views that a function gave with others, or views of them."""


@pytest.mark.parametrize("text", MULTIPLE)
def test_of_several_views_none_is_changed(text):
    x = torch.ones(2, 3, requires_grad=True) * 2
    for change in (lambda v: v.add_(1), lambda v: v.zero_(), lambda v: v.__setitem__((), 2.0)):
        with pytest.raises(RuntimeError, match=f"{text}.* by an out-of-place one"):
            change(MULTIPLE[text](x))
    with torch.no_grad():
        MULTIPLE[text](x).add_(1)
    for split in (lambda: x.unsafe_split(1), lambda: x.unsafe_chunk(2), lambda: x.tensor_split(2)):
        split()[1].mul_(2)


def test_a_view_made_without_recording():
    x = torch.ones(2, 3, requires_grad=True) * 2
    with torch.no_grad():
        part = x[0]
        part.add_(1)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modif"):
        part.add_(1)
    assert torch.ones(2)[0].add_(1) == 2


def test_pairs_are_views():
    z = torch.tensor([1 + 2j, 3 + 4j])
    pairs = torch.view_as_real(z)
    pairs[0, 1] = 9
    pairs.mul_(2)
    assert z.tolist() == [2 + 18j, 6 + 8j]
    z.real.add_(1)
    z.imag = torch.tensor([0.0, 5.0])
    assert pairs.tolist() == [[3, 0], [7, 5]]
    assert pairs._base is z
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    torch.view_as_complex(x).mul_(1j)
    assert x.tolist() == [[-2, 1], [-4, 3]]
    assert torch.view_as_real(torch.tensor(1 + 2j)).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="last dimension with stride 1"):
        torch.view_as_complex(torch.ones(2, 2).T)
    with pytest.raises(RuntimeError, match="only supported for half, float and double tensors"):
        torch.view_as_complex(torch.ones(2, 2, dtype=torch.int64))


PARTS = [
    (lambda y: torch.view_as_real(y)[:, 0].mul_(3), [18 + 4j, 54 + 8j]),
    (lambda y: (y.real.mul_(3), y.imag.mul_(y.real.detach().clone())), [18 + 36j, 54 + 648j]),
    (lambda y: setattr(y, "real", torch.tensor([5.0, 6.0])), [4j, 8j]),
]
"""Changes of parts, with the gradient of the squares afterwards that PyTorch 2.13 gives."""


@pytest.mark.parametrize(("change", "expected"), PARTS)
def test_what_is_written_to_parts_is_differentiated(change, expected):
    z = torch.tensor([1 + 2j, 3 + 4j], requires_grad=True)
    y = z * 1
    change(y)
    (y * y.conj()).real.sum().backward()
    assert z.grad.tolist() == expected


TURNS = {
    "squeeze_": ((), (3,)),
    "unsqueeze_": ((1,), (1, 1, 3)),
    "t_": ((), (3, 1)),
    "transpose_": ((0, 1), (3, 1)),
    "swapaxes_": ((0, -1), (3, 1)),
    "swapdims_": ((0, 1), (3, 1)),
    "as_strided_": (((2,), (2,)), (2,)),
}


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("tracked", [False, True])
def test_shapes_change_in_place(name, tracked):
    args, shape = TURNS[name]
    leaf = torch.ones(1, 3, requires_grad=tracked)
    x = leaf * 2
    line = x.view(-1)
    assert getattr(x, name)(*args) is x
    assert x.shape == shape
    assert x._version == 1
    line[0] = 9
    assert x.flatten()[0] == 9
    x.mul_(3)
    assert line[0] == 27
    if tracked:
        x.sum().backward()
        kept = 1.0 if name != "as_strided_" else 0.0
        assert leaf.grad.tolist() == [[0.0, 6.0 * kept, 6.0]]


def test_a_view_changes_its_shape():
    leaf = torch.ones(2, 3, requires_grad=True)
    x = leaf * 2
    row = x[0]
    row.unsqueeze_(0)
    row.mul_(3)
    x.sum().backward()
    assert row._base is x
    assert row.shape == (1, 3)
    assert leaf.grad.tolist() == [[6, 6, 6], [2, 2, 2]]


def test_a_leaf_changes_its_shape():
    x = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used"):
        x.t_()
    with torch.no_grad():
        x.t_()
    (x * torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).sum().backward()
    assert x.is_leaf
    assert x.grad.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_a_tensor_takes_other_memory():
    x, y = torch.zeros(3), torch.ones(4)
    x.set_(y)
    y[0] = 7
    assert x.tolist() == [7, 1, 1, 1]
    assert x.set_(y, 1, (2,), (2,)).tolist() == [1, 1]
    assert x.set_().shape == (0,)
    with pytest.raises(RuntimeError, match="Expected a Storage of type Float"):
        x.set_(torch.ones(2, dtype=torch.int64))


def test_windows_are_noticed():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    with torch.no_grad():
        y.as_strided((2,), (1,)).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
