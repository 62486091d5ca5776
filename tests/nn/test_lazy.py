"""Lazy modules: shapes from the first input, loading, conversion before it."""

import copy
import pickle

import pytest

import tapegrad.torch as torch
from tapegrad import nn


def test_the_first_call_makes_the_parameters():
    m = nn.LazyLinear(3)
    assert repr(m) == "LazyLinear(in_features=0, out_features=3, bias=True)"
    assert repr(m.weight) == "<UninitializedParameter>"
    assert m.has_uninitialized_params()
    assert m(torch.ones(4, 2)).shape == (4, 3)
    assert type(m) is nn.Linear
    assert repr(m) == "Linear(in_features=2, out_features=3, bias=True)"
    assert isinstance(m.weight, nn.Parameter)
    assert m.weight.requires_grad
    assert not m._forward_pre_hooks
    assert not m._load_state_dict_pre_hooks


def test_what_has_no_shape_cannot_be_used():
    m = nn.LazyLinear(3)
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        _ = m.weight.shape
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
        _ = m.weight + 1
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        nn.Linear(2, 3).load_state_dict(m.state_dict())


def test_loading_makes_the_parameters():
    full = nn.Linear(2, 3)
    m = nn.LazyLinear(3)
    m.load_state_dict(full.state_dict())
    assert torch.equal(m.weight, full.weight)
    x = torch.ones(1, 2)
    assert torch.equal(m(x), full(x))
    assert m.in_features == 2


def test_loading_a_lazy_state():
    state = nn.LazyLinear(3).state_dict()
    m = nn.LazyLinear(3)
    m.load_state_dict(state)
    assert m.has_uninitialized_params()


def test_conversion_and_copies_before_the_first_call():
    m = nn.LazyConv1d(2, 3).double()
    assert m.weight.dtype == torch.float64
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert other(torch.ones(1, 4, 5, dtype=torch.float64)).dtype == torch.float64
        assert type(other) is nn.Conv1d
    assert m.has_uninitialized_params()


def test_lazy_norms():
    m = nn.LazyBatchNorm2d()
    assert [*m.state_dict()] == [
        "weight",
        "bias",
        "running_mean",
        "running_var",
        "num_batches_tracked",
    ]
    m(torch.ones(2, 3, 4, 4))
    assert m.num_features == 3
    assert m.running_mean.tolist() == pytest.approx([0.1, 0.1, 0.1])
    assert m.weight.tolist() == [1.0, 1.0, 1.0]


def test_wrong_axes():
    with pytest.raises(RuntimeError, match=r"Expected 3D \(unbatched\) or 4D \(batched\) input"):
        nn.LazyConv2d(2, 3)(torch.ones(2, 2))
