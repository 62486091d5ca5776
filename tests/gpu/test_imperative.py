"""`backward()` on the stand-in: gradients are there, nothing is copied back or waited for."""

from __future__ import annotations

import numpy as np

import tapegrad.numpy as tnp
from tapegrad.core.backward import backward
from tapegrad.core.leaf import requires_grad

from .networks import lenet, mean_loss, through
from .standin import counts, to_device, to_host, xp


def test_gradients_add_up():
    w = requires_grad(to_device(np.array([1.0, -2.0, 3.0])))
    counts.clear()
    for _ in range(2):
        backward((tnp.sin(w) * w).sum())
    assert type(w.grad.raw) is xp.ndarray
    assert not counts["waits"]
    x = np.array([1.0, -2.0, 3.0])
    np.testing.assert_allclose(to_host(w.grad.raw), 2 * (np.cos(x) * x + np.sin(x)))


def test_a_zero_stays_zero_beside_a_singularity():
    w = requires_grad(to_device(np.array([0.0, 4.0, -1.0])))
    backward(tnp.where(w > 0, tnp.sqrt(w), 0.0).sum())
    np.testing.assert_allclose(to_host(w.grad.raw), [0.0, 0.25, 0.0])


def test_shapes_broadcast():
    w = requires_grad(to_device(np.ones((3, 1), np.float32)))
    b = requires_grad(to_device(np.ones(2, np.float32)))
    backward((w * b + b).sum())
    np.testing.assert_array_equal(to_host(w.grad.raw), [[2], [2], [2]])
    np.testing.assert_array_equal(to_host(b.grad.raw), [6, 6])
    assert w.grad.raw.dtype == np.float32


def test_a_layer_learns():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((5, 3)).astype(np.float32), rng.integers(0, 10, 5)
    params = {
        "w": rng.standard_normal((10, 3)).astype(np.float32),
        "b": np.zeros(10, np.float32),
    }
    found = []
    for place in (lambda v: v, to_device):
        leaves = {name: requires_grad(place(value)) for name, value in params.items()}
        backward(mean_loss(through(place(x), leaves), place(y)))
        found.append([leaf.grad.raw for leaf in leaves.values()])
    for host, device in zip(*found, strict=True):
        np.testing.assert_allclose(to_host(device), host, rtol=1e-5, atol=1e-7)


def test_images_of_a_network_have_gradients():
    network = lenet(batch=2)
    found = []
    for place in (lambda v: v, to_device):
        x = requires_grad(place(network.inputs))
        backward(network.loss(place(network.params), x, place(network.labels)))
        found.append(x.grad.raw)
    np.testing.assert_allclose(to_host(found[1]), found[0], rtol=1e-4, atol=1e-7)
