"""Pruning: masks, several methods on one parameter, removal."""

import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.nn.utils import prune


def layer():
    m = nn.Linear(4, 2)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[1.0, -2.0, 3.0, -4.0], [0.5, 6.0, -7.0, 8.0]]))
    return m


def test_l1():
    m = layer()
    assert prune.l1_unstructured(m, "weight", 3) is m
    assert m.weight.tolist() == [[0.0, 0.0, 3.0, -4.0], [0.0, 6.0, -7.0, 8.0]]
    assert [*dict(m.named_parameters())] == ["bias", "weight_orig"]
    assert [*dict(m.named_buffers())] == ["weight_mask"]
    assert prune.is_pruned(m)
    m(torch.ones(1, 4)).sum().backward()
    assert m.weight_orig.grad.tolist() == [[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0]]


def test_again():
    m = layer()
    prune.l1_unstructured(m, "weight", 3)
    prune.l1_unstructured(m, "weight", 0.4)  # of the five that are left
    assert m.weight.tolist() == [[0.0, 0.0, 0.0, 0.0], [0.0, 6.0, -7.0, 8.0]]
    (hook,) = m._forward_pre_hooks.values()
    assert isinstance(hook, prune.PruningContainer)
    assert len(hook) == 2
    prune.ln_structured(m, "weight", 1, n=2, dim=1)  # of the three columns that are left
    assert m.weight.tolist() == [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, -7.0, 8.0]]


def test_structured():
    m = layer()
    prune.ln_structured(m, "weight", amount=0.5, n=1, dim=0)
    assert m.weight_mask.tolist() == [[0.0] * 4, [1.0] * 4]
    torch.manual_seed(0)
    m = prune.random_structured(layer(), "weight", 2, dim=1)
    assert m.weight_mask.sum(0).eq(0).sum().item() == 2


def test_random_custom_and_identity():
    torch.manual_seed(0)
    m = prune.random_unstructured(layer(), "weight", 0.25)
    assert m.weight_mask.sum().item() == 6
    m = prune.identity(layer(), "bias")
    assert m.bias_mask.tolist() == [1.0, 1.0]
    m = prune.custom_from_mask(layer(), "bias", torch.tensor([0, 1]))
    assert m.bias[0].item() == 0.0


def test_global():
    a, b = layer(), layer()
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=4)
    assert a.weight_mask.tolist() == b.weight_mask.tolist()
    assert a.weight_mask.sum().item() == 6


def test_removal():
    m = prune.l1_unstructured(layer(), "weight", 3)
    prune.remove(m, "weight")
    assert m.weight.tolist() == [[0.0, 0.0, 3.0, -4.0], [0.0, 6.0, -7.0, 8.0]]
    assert isinstance(m.weight, nn.Parameter)
    assert not prune.is_pruned(m)
    with pytest.raises(ValueError, match="has to be pruned before pruning can be removed"):
        prune.remove(m, "weight")


def test_errors():
    with pytest.raises(ValueError, match=r"should either be a float in the range \[0, 1\]"):
        prune.L1Unstructured(1.5)
    with pytest.raises(TypeError, match="Invalid type for amount"):
        prune.L1Unstructured("half")
    with pytest.raises(ValueError, match="should be smaller than the number of parameters"):
        prune.l1_unstructured(layer(), "weight", 9)
    with pytest.raises(ValueError, match="can only be applied to multidimensional tensors"):
        prune.random_structured(layer(), "bias", 1, dim=0)
