"""Training steps on the stand-in: the host's losses, few kernels, no waiting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.optim import functional

from .networks import NETWORKS, mlp, trained
from .standin import counts, to_device, to_host

LAUNCHES = {"MLP": 31, "LeNet": 129, "transformer block": 112}
"""At most so many kernels a step, with Adam's, which is one."""


RULES = [
    *("sgd", "adam", "adamw", "adamax", "nadam", "radam", "rmsprop"),
    *("adagrad", "adadelta", "asgd", "rprop"),
]
"""Those that see one element at a time."""


def there(network):
    """The network on the device."""
    return replace(
        network,
        params=to_device(network.params),
        inputs=to_device(network.inputs),
        labels=to_device(network.labels),
    )


@pytest.mark.parametrize("name", NETWORKS)
def test_training_steps(name):
    network = NETWORKS[name]()
    expected, _ = trained(network, 3)
    on_device = there(network)
    trained(on_device, 1)  # what is made once, such as masks, are there now
    counts.clear()
    trained(on_device, 1)
    first = counts["launches"]
    counts.clear()
    losses, _ = trained(on_device, 3)
    assert not counts["waits"]
    assert not counts["downloads"]
    assert counts["uploads"] == 3  # in each step, the addresses of what the rule updates
    assert counts["launches"] - first <= 2 * LAUNCHES[name]
    np.testing.assert_allclose([to_host(x) for x in losses], expected, rtol=1e-5)
    gradients = tg.grad(network.loss)(network.params, network.inputs, network.labels)
    actual = tg.grad(network.loss)(on_device.params, on_device.inputs, on_device.labels)
    for found, g in zip(tg.tree.leaves(actual), tg.tree.leaves(gradients), strict=True):
        np.testing.assert_allclose(to_host(found), g, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", RULES)
def test_rules_are_one_kernel_a_type(name):
    rule = getattr(functional, name)(lr=1e-2)
    p = {"w": np.ones((2, 3), np.float32), "b": np.zeros(2)}
    g = {"w": np.full((2, 3), 0.5, np.float32), "b": np.ones(2)}
    expected, state = rule.update(g, rule.init(p), p)
    expected, _ = rule.update(g, state, expected)
    p, g = to_device(p), to_device(g)
    state = rule.init(p)
    counts.clear()
    actual, state = rule.update(g, state, p)
    actual, _ = rule.update(g, state, actual)
    assert counts["launches"] == 4
    assert not counts["waits"]
    for key, value in expected.items():
        found = to_host(actual[key])
        assert found.dtype == value.dtype
        np.testing.assert_allclose(found, value, rtol=1e-6)


@pytest.mark.parametrize("name", ["muon", "adafactor"])
def test_other_rules_stay_on_the_device(name):
    rule = getattr(functional, name)(lr=1e-2)
    p = {"w": np.ones((2, 3), np.float32)}
    g = {"w": np.full((2, 3), 0.5, np.float32)}
    expected, _ = rule.update(g, rule.init(p), p)
    there = to_device(p)
    actual, _ = rule.update(to_device(g), rule.init(there), there)
    np.testing.assert_allclose(to_host(actual["w"]), expected["w"], rtol=1e-5)


def test_stages_beside_rules():
    rule = functional.chain(
        functional.clip_by_global_norm(1.0), functional.adam(lr=functional.cosine(0.1, steps=9))
    )
    network = mlp(batch=4, inner=6, hidden=5)
    expected, _ = trained(network, 2, rule)
    losses, _ = trained(there(network), 2, rule)
    np.testing.assert_allclose([to_host(x) for x in losses], expected, rtol=1e-5)


def test_a_step_for_each_of_many_parameters():
    """`vmap` over copies of a network's parameters."""
    network = mlp(batch=4, inner=6, hidden=5)
    many = tg.tree.map(lambda x: np.stack([x, 2 * x]), network.params)
    step = tg.vmap(tg.grad(network.loss), in_axes=(0, None, None))
    expected = step(many, network.inputs, network.labels)
    on_device = there(network)
    actual = step(to_device(many), on_device.inputs, on_device.labels)
    for found, g in zip(tg.tree.leaves(actual), tg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(to_host(found), g, rtol=1e-4, atol=1e-6)


def test_the_loss_is_read_by_one_wait():
    network = there(mlp(batch=4, inner=6, hidden=5))
    losses, _ = trained(network, 1)
    counts.clear()
    assert isinstance(float(losses[0]), float)
    assert counts == {"waits": 1}
    assert tnp.isfinite(to_host(losses[0]))
