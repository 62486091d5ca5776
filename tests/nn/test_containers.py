"""Containers: sequences and dictionaries of modules and of parameters."""

from collections import OrderedDict

import pytest

import tapegrad.torch as torch
from tapegrad import nn


def test_sequential():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert len(net) == 3
    assert type(net[-2]) is nn.ReLU
    assert [*net._modules] == ["0", "1", "2"]
    part = net[1:]
    assert [*part._modules] == ["1", "2"]
    assert part[1] is net[2]
    net[1] = nn.Tanh()
    assert type(net[1]) is nn.Tanh
    del net[0]
    assert [*net._modules] == ["0", "1"]
    net.append(nn.ReLU()).extend([nn.Sigmoid()])
    assert [type(m).__name__ for m in net] == ["Tanh", "Linear", "ReLU", "Sigmoid"]
    assert type(net.pop(-1)) is nn.Sigmoid
    net.insert(0, nn.ELU())
    assert [type(m).__name__ for m in net] == ["ELU", "Tanh", "Linear", "ReLU"]
    assert len(net + net) == 8
    assert len(net * 2) == 8
    with pytest.raises(IndexError, match="index 4 is out of range"):
        _ = net[4]
    with pytest.raises(ValueError, match="Non-positive multiplication factor 0"):
        _ = net * 0


def test_sequential_with_names():
    net = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
    assert type(net.b) is nn.Tanh
    assert repr(net) == "Sequential(\n  (a): ReLU()\n  (b): Tanh()\n)"


def test_module_list():
    layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    layers.append(nn.ReLU())
    assert repr(layers) == (
        "ModuleList(\n"
        "  (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)\n"
        "  (3): ReLU()\n"
        ")"
    )
    assert repr(nn.ModuleList()) == "ModuleList()"
    assert len([*layers.parameters()]) == 6
    assert len(layers[:2]) == 2
    assert len([*layers + nn.ModuleList([nn.ReLU()])]) == 5
    layers.insert(0, nn.Tanh())
    assert type(layers[0]) is nn.Tanh
    assert type(layers.pop(0)) is nn.Tanh
    with pytest.raises(NotImplementedError, match="forward"):
        layers(1)
    with pytest.raises(TypeError, match=r"ModuleList.extend should be called with an iterable"):
        layers.extend(1)


def test_module_dict():
    layers = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
    layers["c"] = nn.Linear(1, 1)
    layers.update([("d", nn.ELU())])
    assert [*layers] == ["a", "b", "c", "d"]
    assert [*layers.keys()] == ["a", "b", "c", "d"]
    assert "a" in layers
    assert type(layers.pop("a")) is nn.ReLU
    del layers["b"]
    assert [type(m).__name__ for m in layers.values()] == ["Linear", "ELU"]
    assert [*layers.state_dict()] == ["c.weight", "c.bias"]
    layers.clear()
    assert len(layers) == 0
    with pytest.raises(ValueError, match="element #0 has length 3; 2 is required"):
        layers.update([("a", nn.ReLU(), 1)])
    with pytest.raises(TypeError, match=r"ModuleDict.update should be called with an iterable"):
        layers.update(1)


def test_parameter_list():
    params = nn.ParameterList([torch.ones(2, 3), nn.Parameter(torch.zeros(1)), 3])
    assert isinstance(params[0], nn.Parameter)
    assert len(params) == 3
    assert [*params.state_dict()] == ["0", "1"]
    params.append(torch.ones(()))
    params[1] = torch.ones(4)
    assert params[-1].shape == ()
    assert [tuple(p.shape) for p in params.parameters()] == [(2, 3), (4,), ()]
    assert len(params[1:]) == 3
    assert repr(params) == (
        "ParameterList(\n"
        "    (0): Parameter containing: [torch.float32 of size 2x3]\n"
        "    (1): Parameter containing: [torch.float32 of size 4]\n"
        "    (2): Object of type: int\n"
        "    (3): Parameter containing: [torch.float32 of size ]\n"
        ")"
    )
    assert repr(nn.ParameterList()) == "ParameterList()"
    with pytest.raises(IndexError, match="index 9 is out of range"):
        _ = params[9]


def test_parameter_dict():
    params = nn.ParameterDict({"a": torch.ones(2), "b": torch.zeros(1)})
    params["c"] = torch.ones(3)
    assert [*params] == ["a", "b", "c"]
    assert isinstance(params["c"], nn.Parameter)
    assert params.get("x") is None
    assert params.setdefault("a", None) is params["a"]
    assert [*params.copy().keys()] == ["a", "b", "c"]
    assert params.pop("a").shape == (2,)
    assert params.popitem()[0] == "c"
    assert [*reversed(params | nn.ParameterDict({"z": torch.ones(1)}))] == ["z", "b"]
    assert [*params.fromkeys(["p", "q"], 1.0)] == ["p", "q"]
    assert (
        repr(params) == "ParameterDict(  (b): Parameter containing: [torch.FloatTensor of size 1])"
    )
    assert [*params.state_dict()] == ["b"]
    del params["b"]
    assert len([*params.parameters()]) == 0
    with pytest.raises(AttributeError):
        _ = params["b"]
