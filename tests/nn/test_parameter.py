"""Parameters and buffers: flags, memory, copies, pickles, text."""

import copy
import pickle

import pytest

import tapegrad.torch as torch
from tapegrad import nn


def test_a_parameter_is_a_tensor_with_a_flag():
    x = torch.tensor([1.0, 2.0])
    p = nn.Parameter(x)
    assert isinstance(p, nn.Parameter)
    assert isinstance(p, torch.Tensor)
    assert not isinstance(x, nn.Parameter)
    assert not isinstance(p * 2, nn.Parameter)
    assert p.requires_grad
    assert p.is_leaf
    assert not nn.Parameter(x, requires_grad=False).requires_grad


def test_a_parameter_shares_memory():
    x = torch.zeros(2)
    p = nn.Parameter(x)
    x[0] = 5.0
    assert p[0].item() == 5.0


def test_representation():
    assert repr(nn.Parameter(torch.tensor([1.0, 2.0]))) == (
        "Parameter containing:\ntensor([1., 2.], requires_grad=True)"
    )


def test_integers_are_no_parameters():
    with pytest.raises(RuntimeError, match="Tensors of floating point"):
        nn.Parameter(torch.tensor([1, 2]))
    assert nn.Parameter(torch.tensor([1, 2]), requires_grad=False).dtype == torch.int64


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies(copied):
    p = nn.Parameter(torch.tensor([1.0, 2.0]))
    q = copied(p)
    assert isinstance(q, nn.Parameter)
    assert q.requires_grad
    (q * 3).sum().backward()
    assert p.grad is None
    assert q.grad.tolist() == [3.0, 3.0]
    with torch.no_grad():
        q.add_(1)
    assert p.tolist() == [1.0, 2.0]


def test_a_computed_tensor_is_not_copied_deeply():
    x = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x)


def test_buffers():
    b = nn.Buffer(torch.ones(2), persistent=False)
    assert isinstance(b, nn.Buffer)
    assert not isinstance(b, nn.Parameter)
    assert not b.requires_grad
    assert not b.persistent
    assert isinstance(copy.deepcopy(b), nn.Buffer)


def test_a_subclass_of_the_users():
    class Own(nn.Parameter):
        pass

    p = Own(torch.ones(2))
    assert isinstance(p, Own)
    assert isinstance(p, nn.Parameter)
    assert not isinstance(nn.Parameter(torch.ones(2)), Own)
    (p * 2).sum().backward()
    assert p.grad.tolist() == [2.0, 2.0]
