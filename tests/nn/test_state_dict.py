"""Saving and loading: names, memory, errors, hooks, versions."""

import copy
import pickle
import re
from collections import OrderedDict

import pytest

import tapegrad.torch as torch
from tapegrad import nn


def net():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))


def test_names_and_memory():
    model = net()
    state = model.state_dict()
    assert type(state) is OrderedDict
    assert [*state] == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
        "1.running_mean",
        "1.running_var",
        "1.num_batches_tracked",
    ]
    assert not state["0.weight"].requires_grad
    with torch.no_grad():
        model[0].bias.fill_(7)
    assert state["0.bias"].tolist() == [7.0, 7.0, 7.0]
    assert model.state_dict(keep_vars=True)["0.bias"] is model[0].bias
    assert next(iter(model.state_dict(prefix="net."))) == "net.0.weight"
    assert state._metadata == {"": {"version": 1}, "0": {"version": 1}, "1": {"version": 2}}
    assert pickle.loads(pickle.dumps(state))._metadata == state._metadata


def test_loading_copies():
    first, second = net(), net()
    given = first.state_dict()
    result = second.load_state_dict(given)
    assert repr(result) == str(result) == "<All keys matched successfully>"
    assert torch.equal(second[0].weight, first[0].weight)
    with torch.no_grad():
        first[0].weight.zero_()
    assert not torch.equal(second[0].weight, first[0].weight)
    assert second[0].weight.requires_grad


def test_assign():
    model = nn.Linear(2, 1)
    weight = torch.ones(1, 2, dtype=torch.float64)
    model.load_state_dict({"weight": weight, "bias": torch.zeros(1)}, assign=True)
    assert model.weight.dtype == torch.float64
    assert isinstance(model.weight, nn.Parameter)
    weight[0, 0] = 5.0
    assert model.weight.tolist() == [[5.0, 1.0]]


def test_strict_errors():
    model = nn.Sequential(OrderedDict(a=nn.Linear(2, 3), b=nn.Linear(3, 1)))
    state = {"a.weight": torch.ones(3, 3), "a.bias": torch.ones(3), "c": torch.ones(1)}
    with pytest.raises(
        RuntimeError,
        match=re.escape(
            "Error(s) in loading state_dict for Sequential:\n"
            '\tMissing key(s) in state_dict: "b.weight", "b.bias". \n'
            '\tUnexpected key(s) in state_dict: "c". \n'
            "\tsize mismatch for a.weight: copying a param with shape torch.Size([3, 3]) from "
            "checkpoint, the shape in current model is torch.Size([3, 2])."
        ),
    ):
        model.load_state_dict(state)
    with pytest.raises(RuntimeError, match=r"size mismatch for a.weight"):
        model.load_state_dict(state, strict=False)
    del state["a.weight"]
    result = model.load_state_dict(state, strict=False)
    assert result.missing_keys == ["a.weight", "b.weight", "b.bias"]
    assert result.unexpected_keys == ["c"]
    assert repr(result) == (
        "_IncompatibleKeys(missing_keys=['a.weight', 'b.weight', 'b.bias'], unexpected_keys=['c'])"
    )
    assert model.a.bias.tolist() == [1.0, 1.0, 1.0]


def test_what_is_no_state():
    with pytest.raises(TypeError, match=r"Expected state_dict to be dict-like, got <class 'list'>"):
        nn.ReLU().load_state_dict([])
    with pytest.raises(
        RuntimeError, match=r"expected torch.Tensor or Tensor-like object from checkpoint"
    ):
        nn.Linear(1, 1).load_state_dict({"weight": 1, "bias": torch.ones(1)})


def test_a_scalar_from_an_old_file():
    model = nn.Module()
    model.x = nn.Parameter(torch.tensor(0.0))
    model.load_state_dict({"x": torch.tensor([3.0])})
    assert model.x.item() == 3.0


def test_a_batch_norm_without_a_count():
    model = nn.BatchNorm1d(1)
    state = OrderedDict((k, v) for k, v in model.state_dict().items() if k[:3] != "num")
    model.load_state_dict(state)  # of a format that had none
    state._metadata = {"": {"version": 2}}
    with pytest.raises(RuntimeError, match=r'Missing key.*"num_batches_tracked"'):
        model.load_state_dict(state)


def test_extra_state():
    class Counting(nn.Module):
        count = 3

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    first, second = nn.Sequential(Counting()), nn.Sequential(Counting())
    first[0].count = 5
    state = first.state_dict()
    assert state == {"0._extra_state": {"count": 5}}
    second.load_state_dict(state)
    assert second[0].count == 5
    with pytest.raises(RuntimeError, match=r'Missing key.*"0._extra_state"'):
        second.load_state_dict({})
    with pytest.raises(RuntimeError, match=r'Unexpected key.*"_extra_state"'):
        nn.ReLU().load_state_dict({"_extra_state": 1})


def test_hooks_of_saving():
    model = nn.Sequential(nn.Linear(1, 1))
    seen = []
    model.register_state_dict_pre_hook(lambda *args: seen.append(args))

    def drop(module, state, prefix, metadata):
        seen.append((prefix, metadata))
        del state["0.bias"]

    model.register_state_dict_post_hook(drop)
    assert [*model.state_dict()] == ["0.weight"]
    assert seen == [(model, "", False), ("", {"version": 1})]
    model.register_state_dict_post_hook(lambda *_: {})
    model.add_module("1", nn.Linear(1, 1))
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        model.state_dict()


def test_hooks_of_loading():
    model = nn.Sequential(nn.Linear(1, 1))
    order = []

    def before(module, state, prefix, metadata, strict, missing, unexpected, errors):
        order.append((module, prefix, strict))
        state.pop("junk", None)

    model.register_load_state_dict_pre_hook(before)
    handle = model.register_load_state_dict_post_hook(
        lambda module, keys: order.append((module, [*keys.missing_keys]))
    )
    model.load_state_dict({**model.state_dict(), "junk": torch.ones(1)})
    assert order == [(model, "", True), (model, [])]
    handle.remove()
    model.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
    model.load_state_dict({"0.weight": torch.ones(1, 1)})
    copied = copy.deepcopy(model)
    order.clear()
    copied.load_state_dict(model.state_dict())
    assert order == [(copied, "", True)]
