"""Random networks: layers, activations, losses and moves one after the other, on a small matrix."""

import numpy as np

import tapegrad as tg
import tapegrad.torch as torch

F = torch.nn.functional


def activation(rng, x):
    choices = [
        torch.sigmoid,
        F.gelu,
        lambda v: F.gelu(v, approximate="tanh"),
        F.silu,
        F.softplus,
        lambda v: F.elu(v, alpha=0.7),
        F.selu,
        F.mish,
        F.logsigmoid,
        F.leaky_relu,
        F.hardswish,
        F.relu6,
        lambda v: torch.where(torch.isfinite(v), v, 0.0),
    ]
    return choices[rng.integers(len(choices))](x)


def layer(rng, x):
    n = x.shape[1]
    scaled = rng.standard_normal((n, int(rng.integers(2, 9)))) / np.sqrt(n)
    weight = torch.from_numpy(scaled).to(x.dtype)
    even = x[:, : max(n // 2 * 2, 2)] if n > 1 else torch.cat([x, x], 1)
    causal = bool(rng.integers(2))
    choices = [
        lambda: x @ weight,
        lambda: F.linear(x, weight.T),
        lambda: F.layer_norm(x, (n,)),
        lambda: F.rms_norm(x, (n,)),
        lambda: F.softmax(x, -1),
        lambda: F.log_softmax(x, 0),
        lambda: x - torch.logsumexp(x, 1, keepdim=True),
        lambda: F.normalize(x),
        lambda: x / (1 + torch.linalg.norm(x)),
        lambda: F.scaled_dot_product_attention(x, x, x, is_causal=causal),
        lambda: F.batch_norm(torch.cat([x, -x]), None, None, training=True, eps=1e-2),
        lambda: F.avg_pool1d(even[None], 2)[0],
        lambda: F.glu(even),
        lambda: torch.einsum("ij,kj->ik", x, x) / n,
        lambda: torch.einsum("ij,ij->i", x, x)[:, None] + x,
        lambda: x.var(1, keepdim=True, unbiased=False) + x,
    ]
    return choices[rng.integers(len(choices))]()


def move(rng, x):
    rows, n = x.shape
    labels = torch.from_numpy(rng.integers(0, n, rows))
    chosen = torch.from_numpy(rng.integers(0, rows, int(rng.integers(1, 6))))
    places = torch.from_numpy(rng.integers(0, n, (rows, int(rng.integers(1, 4)))))
    shift, axis = int(rng.integers(-3, 4)), int(rng.integers(2))
    choices = [
        lambda: F.embedding(chosen, x),
        lambda: x.gather(1, places),
        lambda: x + F.cross_entropy(x, labels),
        lambda: x * F.huber_loss(x, torch.zeros_like(x), delta=0.5),
        lambda: torch.cat([x, x * x], axis),
        lambda: torch.cat([2 * x[:1], x[1:]]),
        lambda: torch.roll(x, shift, axis),
        lambda: torch.stack([x, -x], 1).flatten(1),
        lambda: F.pad(x, (1, 0, 0, 1)),
        lambda: x.flip(axis),
        lambda: x.max(1).values[:, None] - x,
        lambda: x.cumsum(1),
        lambda: x.T,
    ]
    return choices[rng.integers(len(choices))]()


KINDS = (activation, layer, layer, move)


def network(seed):
    """A function of a matrix that gives another."""

    def function(x):
        rng = np.random.default_rng(seed)
        for _ in range(rng.integers(2, 9)):
            x = KINDS[rng.integers(len(KINDS))](rng, x)
            if x.numel() > 600:
                x = x[:6, :8]
        return x

    return function


def derivative(function, kind):
    """A network with its gradient, or a Hessian, a tangent, or gradients of several matrices."""

    def loss(x):
        return torch.tanh(0.3 * function(x)).sum()

    return (
        lambda x: (function(x), tg.grad(loss)(x)),
        lambda x: tg.hessian(loss)(x),
        lambda x: tg.jvp(function, (x,), (torch.cos(x),)),
        lambda x: tg.vmap(tg.grad(loss))(torch.stack([x, 0.5 * x])),
    )[kind]


def matrix(seed):
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.standard_normal(rng.integers(1, 8, 2)))
