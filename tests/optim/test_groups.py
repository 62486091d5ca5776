"""Groups of parameters, their options and states, hooks; and mistakes, in PyTorch's words."""

import warnings

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad import optim


def leaf(*values):
    return torch.tensor([*map(float, values)], requires_grad=True)


def test_options_of_groups():
    a, b = leaf(1), leaf(1, 2)
    optimizer = optim.SGD([{"params": a}, {"params": [b], "lr": 0.5}], lr=0.1)
    a.grad, b.grad = torch.ones(1), torch.ones(2)
    optimizer.step()
    assert a.item() == pytest.approx(0.9)
    assert b.tolist() == pytest.approx([0.5, 1.5])
    c = leaf(4)
    optimizer.add_param_group({"params": c, "lr": 2.0})
    c.grad = torch.ones(1)
    optimizer.step()
    assert c.item() == 2.0
    assert optimizer.param_groups[2]["momentum"] == 0


def test_parameters_without_gradient_stay():
    a, b = leaf(1), leaf(1)
    optimizer = optim.Adam([a, b])
    b.grad = torch.ones(1)
    optimizer.step()
    assert a.item() == 1
    assert [*optimizer.state] == [b]


def test_zero_grad():
    a = leaf(1, 2)
    optimizer = optim.SGD([a])
    (a * a).sum().backward()
    kept = a.grad
    optimizer.zero_grad(set_to_none=False)
    assert a.grad is kept
    assert kept.tolist() == [0, 0]
    optimizer.zero_grad()
    assert a.grad is None


def test_closures_run_with_gradients_on():
    a = leaf(2)
    optimizer = optim.SGD([a], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (a * a).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 4
    assert a.item() == 1


def test_repr():
    assert repr(optim.SGD([leaf(1)], lr=0.1)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n"
        "    fused: None\n    lr: 0.1\n    maximize: False\n    momentum: 0\n    nesterov: False\n"
        "    weight_decay: 0\n)"
    )


def test_state_dict():
    a, b = leaf(1), leaf(1, 2)
    optimizer = optim.Adam([("a", a), ("b", b)], lr=0.1)
    a.grad, b.grad = torch.ones(1), torch.ones(2)
    optimizer.step()
    saved = optimizer.state_dict()
    assert saved["param_groups"] == [
        {
            "lr": 0.1,
            "betas": (0.9, 0.999),
            "eps": 1e-8,
            "weight_decay": 0,
            "amsgrad": False,
            "maximize": False,
            "foreach": None,
            "capturable": False,
            "differentiable": False,
            "fused": None,
            "decoupled_weight_decay": False,
            "param_names": ["a", "b"],
            "params": [0, 1],
        }
    ]
    assert {*saved["state"][1]} == {"step", "exp_avg", "exp_avg_sq"}
    assert saved["state"][1]["step"].dtype is torch.float32
    assert saved["state"][1]["exp_avg"].tolist() == pytest.approx([0.1, 0.1])


def test_a_loaded_state_is_a_copy_in_the_dtype_of_the_parameter():
    a = leaf(1)
    optimizer = optim.NAdam([a])
    a.grad = torch.ones(1)
    optimizer.step()
    double = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    other = optim.NAdam([double], lr=7.0)
    other.load_state_dict(optimizer.state_dict())
    assert other.param_groups[0]["lr"] == 2e-3
    state = other.state[double]
    assert state["exp_avg"].dtype is torch.float64
    assert state["mu_product"].dtype is state["step"].dtype is torch.float32
    optimizer.step()
    assert state["step"].item() == 1


def test_loading_what_does_not_fit():
    optimizer = optim.SGD([leaf(1)])
    two = optim.SGD([leaf(1), leaf(2)]).state_dict()
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        optimizer.load_state_dict(two)
    groups = optim.SGD([{"params": leaf(1)}, {"params": leaf(2)}]).state_dict()
    with pytest.raises(ValueError, match="different number of parameter groups"):
        optimizer.load_state_dict(groups)


def test_hooks_of_steps():
    seen = []
    a = leaf(1)
    optimizer = optim.SGD([a], lr=1.0)
    a.grad = torch.ones(1)
    handles = [
        optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append(("before", a.item()))),
        optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(("after", a.item()))),
        optim.optimizer.register_optimizer_step_pre_hook(lambda o, *_: seen.append(type(o))),
        optim.optimizer.register_optimizer_step_post_hook(lambda o, *_: seen.append("end")),
    ]
    optimizer.step()
    assert seen == [optim.SGD, ("before", 1.0), ("after", 0.0), "end"]
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert len(seen) == 4


def test_hooks_may_change_arguments():
    optimizer = optim.SGD([leaf(1)])
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: 5), kwargs))
    assert optimizer.step() == 5
    optimizer.register_step_pre_hook(lambda *_: 3)
    with pytest.raises(RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwarg"):
        optimizer.step()


def test_hooks_of_states():
    seen = []
    optimizer = optim.SGD([leaf(1)])
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("saving"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: seen.append(state.pop("more")))
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append("first"), prepend=True)
    optimizer.load_state_dict(optimizer.state_dict())
    assert seen == ["saving", 1, "first", "loaded"]


def test_an_optimiser_of_ones_own():
    class Signs(optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p.data.sub_(group["lr"] * p.grad.sign())

    a = leaf(1, 2)
    optimizer = Signs([a], 0.5)
    seen = []
    optimizer.register_step_post_hook(lambda *_: seen.append(1))
    a.grad = torch.tensor([3.0, -1.0])
    optimizer.step()
    assert a.tolist() == [0.5, 2.5]
    assert seen == [1]
    with pytest.raises(NotImplementedError, match="neither a rule nor a method step"):
        optim.Optimizer([a], {}).step()


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        (lambda: leaf(1), TypeError, "should be an iterable of Tensors or dicts, but got torch.Te"),
        (list, ValueError, "got an empty parameter list"),
        (lambda: [1.0], TypeError, "can only optimize Tensors, but one of the params is float"),
        (lambda: [leaf(1) * 2], ValueError, "can't optimize a non-leaf Tensor"),
        (lambda: [{"params": {leaf(1)}}], TypeError, "need to be organized in ordered collections"),
        (lambda: [("a", leaf(1)), leaf(1)], ValueError, "Some param names are missing"),
        (
            lambda: [{"params": [("a", leaf(1))]}, {"params": [leaf(1)]}],
            ValueError,
            "cannot add param group without names",
        ),
    ],
)
def test_mistakes_with_parameters(params, error, text):
    with pytest.raises(error, match=text):
        optim.SGD(params())


def test_parameters_given_twice():
    a = leaf(1)
    with pytest.warns(UserWarning, match="parameter group with duplicate parameters"):
        optim.SGD([a, a])
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        optim.SGD([{"params": a}, {"params": a}])
    with pytest.raises(TypeError, match="param_group must be a dict"):
        optim.SGD([a]).add_param_group([a])


@pytest.mark.parametrize(
    ("kind", "options", "error", "text"),
    [
        ("SGD", {"lr": -1}, ValueError, "Invalid learning rate: -1"),
        ("SGD", {"momentum": -1}, ValueError, "Invalid momentum value: -1"),
        ("SGD", {"nesterov": True}, ValueError, "Nesterov momentum requires a momentum and zero"),
        ("SGD", {"foreach": True, "fused": True}, RuntimeError, "cannot be `True` together"),
        ("SGD", {"fused": True, "differentiable": True}, RuntimeError, "does not support `diff"),
        ("Adam", {"eps": -1}, ValueError, "Invalid epsilon value: -1"),
        ("Adam", {"betas": (0.9, 1.0)}, ValueError, "Invalid beta parameter at index 1: 1.0"),
        ("Adadelta", {"rho": 2}, ValueError, "Invalid rho value: 2"),
        ("Rprop", {"etas": (1, 2)}, ValueError, "Invalid eta values: 1, 2"),
        ("Adafactor", {"d": 0.5}, ValueError, r"Clipping threshold d should be >= 1 but is: 0.5"),
        ("Muon", {}, ValueError, "Muon only supports 2D parameters"),
        ("Muon", {"ns_steps": 100}, ValueError, "Number of steps must be less than 100"),
        ("Muon", {"ns_coefficients": (1, 2)}, ValueError, "must be a tuple of exactly 3 values"),
    ],
)
def test_mistakes_with_options(kind, options, error, text):
    with pytest.raises(error, match=text):
        getattr(optim, kind)([leaf(1)], **options)


def test_a_required_option():
    from tapegrad.optim.groups import required

    with pytest.raises(ValueError, match="didn't specify a value of required optimization param"):
        optim.Optimizer([leaf(1)], {"lr": required})


def test_loading_into_an_older_form():
    a = leaf(1)
    optimizer = optim.SGD([a], momentum=0.9)
    saved = optimizer.state_dict()
    del saved["param_groups"][0]["nesterov"]
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["nesterov"] is False


def test_gradients_that_are_views_or_of_another_memory_order():
    a = torch.from_numpy(np.zeros((2, 3), np.float32)).requires_grad_()
    a.grad = torch.from_numpy(np.arange(6, dtype=np.float32).reshape(3, 2).T)
    optim.SGD([a], lr=1.0).step()
    assert a.tolist() == [[0, -2, -4], [-1, -3, -5]]


def test_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a = leaf(1e30)
        optimizer = optim.Adam([a])
        a.grad = torch.tensor([1e38])
        optimizer.step()


def test_options_of_groups_may_come_in_any_order():
    """What was made for one flag is not to be taken for another in its place."""
    first = {"lr": 0.1, "rho": 0.9, "eps": 1e-6, "weight_decay": 0.1, "maximize": False}
    first |= {"capturable": False, "foreach": True, "differentiable": False}
    moved = []
    for options in (first, {"lr": 0.1, "weight_decay": 0.1, "foreach": False, "maximize": True}):
        p = leaf(0, 0)
        p.grad = torch.ones(2)
        optim.Adadelta([{"params": [p], **options}] if options is first else [p], **options).step()
        moved.append(p[0].item())
    assert moved[0] < 0 < moved[1]
