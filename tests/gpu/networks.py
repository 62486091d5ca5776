"""Three small networks with their training steps: on the host, on the stand-in, on a GPU.

Each is a function of parameters, inputs and labels; the tests train it and compare the losses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.ops.affine import affine
from tapegrad.ops.cross_entropy import cross_entropy
from tapegrad.ops.neural.activations import gelu
from tapegrad.ops.neural.attention import attention
from tapegrad.ops.neural.convolution import convolve
from tapegrad.ops.neural.normalisation import layer_norm
from tapegrad.ops.neural.pooling import max_pool
from tapegrad.ops.selection import relu
from tapegrad.optim.functional import Stage, adam

WINDOW = {"kernel": (2, 2), "stride": (2, 2), "padding": (0, 0), "dilation": (1, 1)}
PLAIN = {"stride": (1, 1), "dilation": (1, 1), "groups": 1}


@dataclass(frozen=True)
class Network:
    """A network, where its training begins, and what it learns from."""

    loss: Callable[[Any, Any, Any], Any]
    params: Any
    inputs: Any
    labels: Any


def mean_loss(logits: Any, labels: Any) -> Any:
    return tnp.mean(cross_entropy(logits, labels))


def layer(rng: Any, inner: int, outer: int) -> dict[str, Any]:
    """The parameters of an affine layer."""
    w = rng.uniform(-1, 1, (outer, inner)) / sqrt(inner)
    return {"w": w.astype(np.float32), "b": np.zeros(outer, np.float32)}


def through(x: Any, p: Any) -> Any:
    return affine(x, p["w"], p["b"])


def mlp(batch: int = 64, inner: int = 784, hidden: int = 128) -> Network:
    """Two layers."""

    def loss(p: Any, x: Any, y: Any) -> Any:
        return mean_loss(through(relu(through(x, p["first"])), p["second"]), y)

    rng = np.random.default_rng(0)
    params = {"first": layer(rng, inner, hidden), "second": layer(rng, hidden, 10)}
    x = rng.standard_normal((batch, inner)).astype(np.float32)
    return Network(loss, params, x, rng.integers(0, 10, batch))


def lenet(batch: int = 32) -> Network:
    """Two convolutions with pooling, and three layers, on images of 28 by 28."""

    def pooled(x: Any, p: Any, padding: int) -> Any:
        y = relu(convolve(x, p["w"], p["b"], padding=(padding, padding), **PLAIN))
        return max_pool(y, to=tuple(n // 2 for n in y.shape[2:]), **WINDOW)

    def loss(p: Any, x: Any, y: Any) -> Any:
        x = pooled(pooled(x, p["conv1"], 2), p["conv2"], 0)
        x = x.reshape(x.shape[0], -1)
        x = relu(through(relu(through(x, p["fc1"])), p["fc2"]))
        return mean_loss(through(x, p["fc3"]), y)

    def kernels(rng: Any, outer: int, inner: int) -> dict[str, Any]:
        w = rng.uniform(-1, 1, (outer, inner, 5, 5)) / sqrt(25 * inner)
        return {"w": w.astype(np.float32), "b": np.zeros(outer, np.float32)}

    rng = np.random.default_rng(0)
    params = {
        "conv1": kernels(rng, 6, 1),
        "conv2": kernels(rng, 16, 6),
        "fc1": layer(rng, 400, 120),
        "fc2": layer(rng, 120, 84),
        "fc3": layer(rng, 84, 10),
    }
    x = rng.standard_normal((batch, 1, 28, 28)).astype(np.float32)
    return Network(loss, params, x, rng.integers(0, 10, batch))


def block(batch: int = 4, length: int = 16, width: int = 32, heads: int = 4) -> Network:
    """A transformer's block on sequences, with a head that names the next of ten symbols."""

    def split(x: Any) -> Any:
        n, t, _ = x.shape
        return tnp.transpose(x.reshape(n, t, heads, width // heads), (0, 2, 1, 3))

    def loss(p: Any, x: Any, y: Any) -> Any:
        n, t, _ = x.shape
        h = layer_norm(x, p["norm1"]["w"], p["norm1"]["b"], eps=1e-5)
        q, k, v = (split(through(h, p[name])) for name in ("q", "k", "v"))
        a, _ = attention(q, k, v, scale=1 / sqrt(width // heads), causal=True)
        a = tnp.transpose(a, (0, 2, 1, 3)).reshape(n, t, width)
        x = x + through(a, p["out"])
        h = layer_norm(x, p["norm2"]["w"], p["norm2"]["b"], eps=1e-5)
        x = x + through(gelu(through(h, p["up"])), p["down"])
        return mean_loss(through(x, p["head"]).reshape(n * t, 10), y.reshape(n * t))

    rng = np.random.default_rng(0)
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    params = {
        **{name: layer(rng, width, width) for name in ("q", "k", "v", "out")},
        "up": layer(rng, width, 4 * width),
        "down": layer(rng, 4 * width, width),
        "head": layer(rng, width, 10),
        "norm1": {"w": ones, "b": zeros},
        "norm2": {"w": ones, "b": zeros},
    }
    x = rng.standard_normal((batch, length, width)).astype(np.float32)
    return Network(loss, params, x, rng.integers(0, 10, (batch, length)))


NETWORKS = {"MLP": mlp, "LeNet": lenet, "transformer block": block}


def trained(network: Network, steps: int, rule: Stage | None = None) -> tuple[list[Any], Any]:
    """The losses of some steps by Adam, where the parameters are, and the parameters after them."""
    rule = rule or adam(lr=1e-3)
    params, state = network.params, rule.init(network.params)
    step = tg.value_and_grad(network.loss)
    losses = []
    for _ in range(steps):
        loss, gradients = step(params, network.inputs, network.labels)
        params, state = rule.update(gradients, state, params)
        losses.append(loss)
    return losses, params
