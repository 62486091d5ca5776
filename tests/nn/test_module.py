"""Modules: attributes, members, conversion, text, copies."""

import copy
import pickle

import pytest

import tapegrad.torch as torch
from tapegrad import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.second = nn.Sequential(nn.ReLU(), nn.Linear(3, 1))
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("hidden", torch.zeros(1), persistent=False)
        self.plain = torch.ones(2)

    def forward(self, x):
        return self.second(self.first(x) - self.mean) * self.scale


def test_members_by_name_in_order():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == [
        "scale",
        "first.weight",
        "first.bias",
        "second.1.weight",
        "second.1.bias",
    ]
    assert [name for name, _ in net.named_parameters(prefix="net", recurse=False)] == ["net.scale"]
    assert [name for name, _ in net.named_buffers()] == ["mean", "hidden"]
    assert [name for name, _ in net.named_modules()] == [
        "",
        "first",
        "second",
        "second.0",
        "second.1",
    ]
    assert [name for name, _ in net.named_children()] == ["first", "second"]
    assert len([*net.parameters()]) == 5
    assert "plain" not in dict(net.named_buffers())
    assert {"first", "scale", "mean", "forward"} <= {*dir(net)}


def test_shared_parameters_come_once():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert len([*net.parameters()]) == 3
    assert len([*net.named_parameters(remove_duplicate=False)]) == 4
    layer = nn.Linear(1, 1)
    twice = nn.Sequential(layer, layer)
    assert len([*twice.modules()]) == 2
    assert [*twice.state_dict()] == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_assignment_of_parameters():
    net = nn.Module()
    net.x = 3
    net.x = nn.Parameter(torch.ones(1))
    assert [*net._parameters] == ["x"]
    assert "x" not in net.__dict__
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'x' "):
        net.x = torch.ones(1)
    with pytest.raises(TypeError, match=r"cannot assign 'int' as parameter 'x' "):
        net.x = 3
    net.x = None
    assert net.x is None
    assert [*net.parameters()] == []
    del net.x
    with pytest.raises(AttributeError, match="'Module' object has no attribute 'x'"):
        _ = net.x


def test_assignment_keeps_the_order():
    net = nn.Linear(2, 2)
    net.weight = nn.Parameter(torch.ones(2, 2))
    assert [*net.state_dict()] == ["weight", "bias"]


def test_assignment_of_modules_and_buffers():
    net = nn.Module()
    net.child = nn.ReLU()
    with pytest.raises(TypeError, match=r"cannot assign 'str' as child module 'child' "):
        net.child = "relu"
    net.child = nn.Parameter(torch.ones(1))
    assert [*net._modules] == []
    net.register_buffer("b", torch.zeros(1))
    with pytest.raises(TypeError, match=r"cannot assign 'int' as buffer 'b' "):
        net.b = 1
    net.b = torch.ones(2)
    assert net._buffers["b"].tolist() == [1.0, 1.0]
    net.c = nn.Buffer(torch.zeros(1), persistent=False)
    assert [*net._buffers] == ["b", "c"]
    assert [*net.state_dict()] == ["child", "b"]


def test_assignment_before_init():
    class Late(nn.Module):
        def __init__(self, value):
            self.value = value
            super().__init__()

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__"):
        Late(nn.Parameter(torch.ones(1)))
    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__"):
        Late(nn.ReLU())
    assert Late(3).value == 3


def test_registration():
    net = nn.Module()
    p = nn.Parameter(torch.ones(1))
    with pytest.raises(KeyError, match=r'parameter name can.+t contain "\."'):
        net.register_parameter("a.b", p)
    with pytest.raises(KeyError, match=r'parameter name can.+t be empty string ""'):
        net.register_parameter("", p)
    with pytest.raises(TypeError, match=r"parameter name should be a string. Got int"):
        net.register_parameter(1, p)
    with pytest.raises(KeyError, match="attribute 'forward' already exists"):
        net.register_parameter("forward", p)
    with pytest.raises(
        TypeError,
        match=r"cannot assign 'torch.FloatTensor' object to parameter 'a' "
        r"\(torch.nn.Parameter or None required\)",
    ):
        net.register_parameter("a", torch.ones(1))
    with pytest.raises(
        TypeError,
        match=r"cannot assign 'int' object to buffer 'a' \(torch Tensor or None required\)",
    ):
        net.register_buffer("a", 1)
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        net.add_module("a", 1)
    with pytest.raises(KeyError, match=r'module name can.+t contain "\.", got: a\.b'):
        net.add_module("a.b", nn.ReLU())


def test_paths():
    net = Net()
    assert net.get_submodule("second.1") is net.second[1]
    assert net.get_submodule("") is net
    assert net.get_parameter("second.1.bias") is net.second[1].bias
    assert net.get_buffer("mean") is net.mean
    with pytest.raises(AttributeError, match="Net has no attribute `third`"):
        net.get_submodule("third")
    with pytest.raises(AttributeError, match=r"`scale` is not an nn.Module"):
        net.get_submodule("scale")
    with pytest.raises(AttributeError, match=r"`mean` is not an nn.Parameter"):
        net.get_parameter("mean")
    with pytest.raises(AttributeError, match="`scale` is not a buffer"):
        net.get_buffer("scale")
    net.set_submodule("second.0", nn.Tanh())
    assert type(net.second[0]) is nn.Tanh
    with pytest.raises(AttributeError, match="Net has no attribute `third`"):
        net.set_submodule("third", nn.Tanh(), strict=True)


def test_access_by_path():
    net = Net()
    assert net.has_parameter("first.weight")
    assert net.has_buffer("mean")
    assert net.has_submodule("second.1")
    assert not net.has_parameter("first.scale")
    assert not net.has_submodule("third.first")
    net.set_parameter("first.bias", torch.ones(3))
    assert isinstance(net.first.bias, nn.Parameter)
    net.set_buffer("first.count", torch.zeros(1))
    net.delete_buffer("mean")
    net.delete_parameter("scale")
    assert net.delete_submodule("second.0")
    assert not net.delete_submodule("second.0")
    assert [*net.state_dict()] == [
        "first.weight",
        "first.bias",
        "first.count",
        "second.1.weight",
        "second.1.bias",
    ]
    net.register_parameters_batch({"a": nn.Parameter(torch.ones(1)), "b": None})
    net.register_buffers_batch({"c": torch.ones(1)}, persistent=False)
    assert "a" in net.state_dict()
    assert "c" not in net.state_dict()
    shallow, deep = net.copy(), net.deepcopy()
    assert shallow.first is net.first
    shallow.added = nn.ReLU()
    assert not net.has_submodule("added")
    assert deep.first is not net.first


def test_conversion():
    net = Net()
    net(torch.ones(1, 2)).sum().backward()
    weight = net.first.weight
    assert net.double() is net
    assert net.first.weight is weight
    assert weight.dtype == weight.grad.dtype == net.mean.dtype == torch.float64
    assert net.to(torch.float16).mean.dtype == torch.float16
    assert net.to(torch.ones(1)).mean.dtype == torch.float32
    assert net.half().float().scale.dtype == torch.float32
    assert net.bfloat16().scale.dtype == torch.bfloat16
    with pytest.raises(TypeError, match=r"nn.Module.to only accepts floating point or complex"):
        net.to(torch.int64)


def test_integer_buffers_stay():
    norm = nn.BatchNorm1d(2).double()
    assert norm.running_mean.dtype == torch.float64
    assert norm.num_batches_tracked.dtype == torch.int64


def test_modes():
    net = Net()
    assert net.training
    assert net.eval() is net
    assert not any(module.training for module in net.modules())
    net.train()
    assert net.second[1].training
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train(1)


def test_gradients():
    net = Net()
    net(torch.ones(1, 2)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert all(p.grad.abs().sum().item() == 0 for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())
    net.requires_grad_(False)
    assert not net(torch.ones(1, 2)).requires_grad


def test_apply():
    seen = []
    net = Net()
    assert net.apply(lambda module: seen.append(type(module).__name__)) is net
    assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Net"]


def test_representation():
    assert repr(Net()) == (
        "Net(\n"
        "  (first): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (second): Sequential(\n"
        "    (0): ReLU()\n"
        "    (1): Linear(in_features=3, out_features=1, bias=True)\n"
        "  )\n"
        ")"
    )

    class Described(nn.Module):
        def extra_repr(self):
            return "a=1\nb=2"

    assert repr(Described()) == "Described(\n  a=1\n  b=2\n)"


def test_no_forward():
    with pytest.raises(
        NotImplementedError, match=r'Module \[Module\] is missing the required "forward" function'
    ):
        nn.Module()(1)


def test_arguments_of_init():
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'a'"):
        nn.Module(a=1)
    with pytest.raises(TypeError, match=r"takes 1 positional argument but 2 were given"):
        nn.Module(1)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_copies(copied):
    net = Net()
    net.tied = net.first.weight
    other = copied(net)
    x = torch.ones(3, 2)
    assert torch.equal(net(x), other(x))
    assert other.tied is other.first.weight
    assert other.tied is not net.tied
    with torch.no_grad():
        other.scale.add_(1)
    assert net.scale.item() == 1.0
    assert "hidden" in other._non_persistent_buffers_set


def test_a_copy_has_hooks_of_its_own():
    net = nn.ReLU()
    net.register_forward_hook(lambda *_: None)
    other = copy.deepcopy(net)
    other._forward_hooks.clear()
    assert len(net._forward_hooks) == 1


def test_batch_norms_of_several_processes():
    net = nn.Sequential(nn.BatchNorm1d(2), nn.ReLU())
    other = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert type(other[0]) is nn.SyncBatchNorm
    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    assert torch.allclose(other(x), torch.tensor([[0.0, 0.0], [1.0, 1.0]]), atol=1e-4)
    with pytest.raises(ValueError, match=r"expected at least 2D input \(got 1D input\)"):
        other[0](torch.ones(2))


def test_data_parallel_is_the_module_on_one_device():
    net = nn.DataParallel(nn.Linear(1, 1))
    x = torch.ones(1, 1)
    assert torch.equal(net(x), net.module(x))
