"""Hooks: when they are called, in which order, with what, and what they change."""

import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.nn.modules import module as hooks


class Double(nn.Module):
    def forward(self, x, factor=2):
        return factor * x


def test_order_and_changes():
    m = Double()
    seen = []
    m.register_forward_pre_hook(lambda m, args: seen.append(("pre", args[0].item())))
    m.register_forward_pre_hook(lambda m, args: args[0] + 1)
    m.register_forward_pre_hook(lambda m, args: seen.append("first"), prepend=True)
    m.register_forward_hook(lambda m, args, out: seen.append((args[0].item(), out.item())))
    m.register_forward_hook(lambda m, args, out: out + 0.5)
    handle = m.register_forward_hook(lambda m, args, out: seen.append("post"), prepend=True)
    assert m(torch.tensor(3.0)).item() == 8.5
    assert seen == ["first", ("pre", 3.0), "post", (4.0, 8.0)]
    handle.remove()
    handle.remove()
    seen.clear()
    m(torch.tensor(3.0))
    assert "post" not in seen


def test_keyword_arguments():
    m = Double()
    m.register_forward_pre_hook(
        lambda m, args, kwargs: (args, {"factor": kwargs["factor"] + 1}), with_kwargs=True
    )
    seen = []
    m.register_forward_hook(
        lambda m, args, kwargs, out: seen.append((kwargs["factor"], out.item())), with_kwargs=True
    )
    assert m(torch.tensor(3.0), factor=4).item() == 15.0
    assert seen == [(5, 15.0)]
    m.register_forward_pre_hook(lambda m, args, kwargs: args, with_kwargs=True)
    with pytest.raises(RuntimeError, match="forward pre-hook must return None or a tuple"):
        m(torch.tensor(3.0), factor=4)


def test_always_called():
    class Failing(nn.Module):
        def forward(self, x):
            raise ValueError("no")

    m = Failing()
    seen = []
    m.register_forward_hook(lambda m, args, out: seen.append("usual"))
    m.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
    with pytest.raises(ValueError, match="no"):
        m(1)
    assert seen == [None]


def test_a_handle_is_a_context():
    m = Double()
    with m.register_forward_hook(lambda m, args, out: out + 1):
        assert m(torch.tensor(3.0)).item() == 7.0
    assert m(torch.tensor(3.0)).item() == 6.0


def test_backward_hooks():
    m = nn.Linear(2, 1)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[2.0, 3.0]]))
    seen = []

    def before(module, grad_output):
        seen.append(("pre", grad_output[0].tolist()))
        return (grad_output[0] * 10,)

    def after(module, grad_input, grad_output):
        seen.append(("post", grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] + 1,)

    m.register_full_backward_pre_hook(before)
    m.register_full_backward_hook(after)
    x = torch.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    assert seen == [("pre", [[1.0]]), ("post", [[20.0, 30.0]], [[10.0]])]
    assert x.grad.tolist() == [[21.0, 31.0]]
    assert m.weight.grad.tolist() == [[10.0, 10.0]]


def test_backward_hooks_of_nested_modules_run_from_the_end():
    order = []
    net = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
    for name, m in net.named_modules():
        m.register_full_backward_hook(lambda m, gi, go, name=name: order.append(name))
    net(torch.ones(1, 1, requires_grad=True)).sum().backward()
    assert order == ["1", "0", ""]


def test_backward_hook_without_input_gradient():
    m = nn.Linear(2, 1)
    seen = []
    m.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go[0].item())))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        m(torch.ones(1, 2)).sum().backward()
    assert seen == [((None,), 1.0)]


def test_backward_hook_with_several_outputs_and_other_arguments():
    class Two(nn.Module):
        def forward(self, x, flag, y):
            return x * y, "text", x + y

    m = Two()
    seen = []
    m.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go)))
    x, y = (torch.tensor(v, requires_grad=True) for v in (2.0, 5.0))
    a, text, b = m(x, True, y)
    assert text == "text"
    (a + 3 * b).backward()
    ((gx, flag, gy), (ga, none, gb)) = seen[0]
    assert (gx.item(), gy.item(), ga.item(), gb.item()) == (8.0, 5.0, 1.0, 3.0)
    assert flag is None
    assert none is None


def test_wrong_number_of_gradients():
    m = Double()
    m.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
    x = torch.tensor(1.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="got 2, but expected 1"):
        m(x).backward()


def test_both_kinds_of_backward_hooks():
    m = Double()
    m.register_full_backward_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full"):
        m.register_backward_hook(lambda *_: None)


def test_no_grad_calls_no_backward_hook():
    m = Double()
    m.register_full_backward_hook(lambda *_: None)
    with torch.no_grad():
        assert m(torch.tensor(1.0, requires_grad=True)).item() == 2.0


def test_hooks_of_all_modules():
    order = []
    m = Double()
    handles = [
        hooks.register_module_forward_pre_hook(lambda m, args: order.append("global pre")),
        hooks.register_module_forward_hook(lambda m, args, out: order.append("global")),
        hooks.register_module_full_backward_hook(lambda m, gi, go: order.append("global back")),
        hooks.register_module_full_backward_pre_hook(lambda m, go: order.append("global first")),
    ]
    try:
        m.register_forward_pre_hook(lambda m, args: order.append("pre"))
        m.register_forward_hook(lambda m, args, out: order.append("post"))
        m.register_full_backward_hook(lambda m, gi, go: order.append("back"))
        m(torch.tensor(1.0, requires_grad=True)).backward()
    finally:
        for handle in handles:
            handle.remove()
    assert order == [
        "global pre",
        "pre",
        "global",
        "post",
        "global first",
        "global back",
        "back",
    ]
    order.clear()
    Double()(torch.tensor(1.0))
    assert order == []


def test_hooks_of_registrations():
    seen = []
    handles = [
        hooks.register_module_parameter_registration_hook(
            lambda m, name, p: seen.append(("parameter", name))
        ),
        hooks.register_module_buffer_registration_hook(
            lambda m, name, b: seen.append(("buffer", name))
        ),
        hooks.register_module_module_registration_hook(
            lambda m, name, c: seen.append(("module", name))
        ),
    ]
    try:
        m = nn.Module()
        m.p = nn.Parameter(torch.ones(1))
        m.register_buffer("b", torch.ones(1))
        m.c = nn.ReLU()
    finally:
        for handle in handles:
            handle.remove()
    assert seen == [("parameter", "p"), ("buffer", "b"), ("module", "c")]


def test_an_error_of_forward_is_heard_before_those_of_hooks():
    class Failing(nn.Module):
        def forward(self, x):
            raise RuntimeError("no result")

    module, seen = Failing(), []
    module.register_forward_hook(lambda *given: 1 / 0, always_call=True)
    module.register_forward_hook(lambda *given: seen.append(given[-1]), always_call=True)
    with (
        pytest.warns(UserWarning, match="silenced as another error was raised in forward: div"),
        pytest.raises(RuntimeError, match="no result"),
    ):
        module(torch.ones(1))
    assert seen == [None]
