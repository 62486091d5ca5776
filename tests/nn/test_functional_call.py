"""Modules under transforms: functional calls with any arrays, modules as pytrees."""

import copy

import numpy
import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad import nn


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)).double()


X = numpy.linspace(-1.0, 1.0, 10).reshape(5, 2)


def backward_gradients(model):
    model.zero_grad()
    (model(torch.from_numpy(X)) ** 2).sum().backward()
    return {name: p.grad.numpy() for name, p in model.named_parameters()}


def test_state_is_a_copy():
    model = nn.BatchNorm1d(2)
    params, buffers = nn.state(model)
    assert type(params["weight"]) is numpy.ndarray
    params["weight"][:] = 5
    assert model.weight.tolist() == [1.0, 1.0]
    assert buffers["num_batches_tracked"].dtype == numpy.int64


def test_grad_of_a_functional_call():
    model = net()
    state = nn.state(model)

    def loss(params, x):
        return (nn.functional_call(model, (params, state[1]), x) ** 2).sum()

    found = tg.grad(loss)(state[0], X)
    expected = backward_gradients(model)
    assert all(type(g) is numpy.ndarray for g in found.values())
    for name, g in expected.items():
        numpy.testing.assert_allclose(found[name], g, rtol=1e-12)
    assert tg.value_and_grad(loss)(state[0], X)[0].item() == pytest.approx(
        (model(torch.from_numpy(X)) ** 2).sum().item()
    )


def test_gradients_of_each_example():
    model = net()
    params, buffers = nn.state(model)

    def loss(params, x):
        return (nn.functional_call(model, (params, buffers), x) ** 2).sum()

    each = tg.vmap(tg.grad(loss), in_axes=(None, 0))(params, X)
    expected = backward_gradients(model)
    for name, g in each.items():
        numpy.testing.assert_allclose(numpy.asarray(g).sum(0), expected[name], rtol=1e-12)


def test_an_ensemble():
    models = [net().double() for _ in range(3)]
    for i, model in enumerate(models):
        with torch.no_grad():
            model[0].weight.add_(i)
    params, buffers = torch.func.stack_module_state(models)

    def run(params, buffers, x):
        return nn.functional_call(models[0], (params, buffers), x)

    x = torch.from_numpy(X)
    out = torch.func.vmap(run, in_dims=(0, 0, None))(params, buffers, x)
    for model, y in zip(models, out, strict=True):
        assert torch.allclose(model(x), y)


def test_second_derivatives():
    model = net()
    params, buffers = nn.state(model)
    name = "2.weight"

    def loss(w):
        given = {**params, name: w}
        return (nn.functional_call(model, (given, buffers), X) ** 2).sum()

    found = numpy.asarray(tg.hessian(loss)(params[name])).reshape(4, 4)
    hidden = numpy.tanh(X @ params["0.weight"].T + params["0.bias"])
    numpy.testing.assert_allclose(found, 2 * hidden.T @ hidden, rtol=1e-10)


def test_running_averages_change_in_the_given_buffers():
    model = nn.BatchNorm1d(2).double()
    params, buffers = nn.state(model)
    nn.functional_call(model, (params, buffers), X)
    assert buffers["num_batches_tracked"] == 1
    numpy.testing.assert_allclose(buffers["running_mean"], 0.1 * X.mean(0))
    assert model.num_batches_tracked.item() == 0


def test_names_of_a_functional_call():
    model = net()
    with pytest.raises(RuntimeError, match=r"(?s)reparametrizing for .*: 'unknown'"):
        nn.functional_call(model, {"unknown": X}, X, strict=True)
    before = model[0].weight
    with pytest.raises(RuntimeError):
        nn.functional_call(model, {"0.weight": numpy.ones((4, 3))}, X)
    assert model[0].weight is before


def test_a_module_is_a_pytree():
    model = net()
    assert [x is p for x, p in zip(tg.tree.leaves(model), model.parameters(), strict=True)] == [
        True
    ] * 4
    x = torch.from_numpy(X)
    grads = tg.grad(lambda m: (m(x) ** 2).sum())(model)
    assert isinstance(grads, nn.Sequential)
    for (name, g), expected in zip(
        grads.named_parameters(), backward_gradients(model).values(), strict=True
    ):
        numpy.testing.assert_allclose(g.detach().numpy(), expected, rtol=1e-12, err_msg=name)
    stepped = tg.tree.map(lambda p, g: p.detach() - 0.1 * g.detach(), model, grads)
    assert (stepped(x) ** 2).sum().item() < (model(x) ** 2).sum().item()


def test_trees_of_equal_modules():
    model = net()
    mean = tg.tree.map(lambda a, b: (a + b) / 2, model, copy.deepcopy(model))
    assert torch.equal(mean[0].weight.detach(), model[0].weight.detach())
    with pytest.raises(ValueError, match="structures differ"):
        tg.tree.map(lambda a, b: a, model, copy.deepcopy(model).eval())
    with pytest.raises(ValueError, match="structures differ"):
        tg.tree.map(lambda a, b: a, nn.Dropout(0.1), nn.Dropout(0.2))


def test_tied_parameters_in_a_tree():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    assert len(tg.tree.leaves(model)) == 3
    other = tg.tree.map(lambda p: p.detach() + 1, model)
    assert other[1].weight is other[0].weight


def test_jacobian_through_a_module():
    model = net()
    jacobian = tg.jacobian(lambda x: model(x))(torch.from_numpy(X[0]))
    w1, b1 = model[0].weight.detach().numpy(), model[0].bias.detach().numpy()
    inner = 1 - numpy.tanh(w1 @ X[0] + b1) ** 2
    expected = model[2].weight.detach().numpy() * inner @ w1
    numpy.testing.assert_allclose(jacobian.detach().numpy(), expected, rtol=1e-12)


def test_a_checkpoint_gives_gradients_to_the_parameters_inside():
    layer = nn.Linear(2, 2).double()
    x = torch.from_numpy(X).requires_grad_()
    tg.checkpoint(lambda x: layer(x).tanh())(x).sum().backward()
    found = layer.weight.grad.clone()
    layer.zero_grad()
    layer(x).tanh().sum().backward()
    assert torch.allclose(found, layer.weight.grad)
