"""Functions of tensors under `vmap`, `grad` and `compile`: as one call after the other."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.torch as torch

F = torch.nn.functional
ROWS = torch.tensor(np.random.default_rng(0).normal(size=(4, 3, 5)))
LABELS = torch.tensor([1, 2, 3])
EDGES = torch.tensor([-1.0, 0.0, 1.0], dtype=torch.float64)

ACTIVATIONS = (
    "relu softshrink hardshrink hardtanh relu6 celu elu selu leaky_relu hardsigmoid hardswish gelu "
    "silu mish softplus logsigmoid tanhshrink softsign"
)
ELEMENTARY = "floor ceil trunc round sign sgn frac angle abs signbit isnan nan_to_num"

FUNCTIONS = {
    **{name: getattr(F, name) for name in ACTIVATIONS.split()},
    **{name: getattr(torch, name) for name in ELEMENTARY.split()},
    "threshold": lambda x: F.threshold(x, 0.1, 2.0),
    "cumsum": lambda x: torch.cumsum(x, 0),
    "sort": lambda x: torch.sort(x, -1)[0],
    "kthvalue": lambda x: torch.kthvalue(x, 2, -1)[0],
    "topk": lambda x: torch.topk(x, 2, -1)[0],
    "quantile": lambda x: torch.quantile(x, 0.3, dim=-1),
    "logcumsumexp": lambda x: torch.logcumsumexp(x, -1),
    "clamp": lambda x: torch.clamp(x, -0.3, 0.4),
    "max": lambda x: x.max(-1)[0],
    "prelu": lambda x: F.prelu(x, torch.tensor([0.1], dtype=torch.float64)),
    "norm": torch.linalg.norm,
    "cdist": lambda x: torch.cdist(x, x + 1),
    "softmax": lambda x: F.softmax(x, -1),
    "cross_entropy": lambda x: F.cross_entropy(x, LABELS),
    "nll_loss": lambda x: F.nll_loss(F.log_softmax(x, -1), LABELS),
    "smooth_l1_loss": lambda x: F.smooth_l1_loss(x, x * 0 + 0.3),
    "huber_loss": lambda x: F.huber_loss(x, x * 0 + 0.3),
    "hinge": lambda x: F.hinge_embedding_loss(x, torch.ones(3, 5)),
    "multi_margin": lambda x: F.multi_margin_loss(x, LABELS),
    "binary": lambda x: F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(x * 0 + 1)),
    "layer_norm": lambda x: F.layer_norm(x, (5,)),
    "cosine_similarity": lambda x: F.cosine_similarity(x, x + 1),
    "interpolate": lambda x: F.interpolate(x[None], size=7, mode="linear"),
    "isclose": lambda x: torch.isclose(x, x + 1e-9),
    "floor_divide": lambda x: torch.div(x, 0.3, rounding_mode="floor"),
    "masked_fill": lambda x: x.masked_fill(x > 0, 1.0),
    "where": lambda x: torch.where(x > 0, x, x * 2),
    "gather": lambda x: x.gather(1, torch.tensor([[0, 1], [1, 2], [3, 4]])),
    "max_pool": lambda x: F.max_pool1d(x, 2),
    "avg_pool": lambda x: F.avg_pool1d(x, 2),
    "conv": lambda x: F.conv1d(x, torch.ones(2, 3, 2, dtype=torch.float64)),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "group_norm": lambda x: F.group_norm(x[None], 3),
    "instance_norm": lambda x: F.instance_norm(x[None]),
}

every_function = pytest.mark.parametrize("name", FUNCTIONS)


def one_by_one(f):
    return np.stack([f(ROWS[i]).numpy() for i in range(4)])


@every_function
def test_vmap(name):
    f = FUNCTIONS[name]
    result = tg.vmap(f)(ROWS)
    assert isinstance(result, torch.Tensor)
    np.testing.assert_allclose(result.numpy(), one_by_one(f), rtol=1e-9, atol=1e-12)


@every_function
def test_gradients_in_lanes(name):
    f = FUNCTIONS[name]

    def loss(x):
        y = f(x)
        return (y * y).sum() if y.dtype is torch.float64 else (x * y).sum()

    result = tg.vmap(tg.grad(loss))(ROWS)
    np.testing.assert_allclose(result.numpy(), one_by_one(tg.grad(loss)), rtol=1e-9, atol=1e-12)


@every_function
def test_compile(name):
    f = FUNCTIONS[name]
    compiled = tg.compile(f, backend="numpy")
    for i in range(4):
        result = compiled(ROWS[i])
        assert isinstance(result, torch.Tensor)
        np.testing.assert_allclose(result.numpy(), f(ROWS[i]).numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: torch.median(x, -1)[0],
        lambda x: torch.mode(x, -1)[0],
        lambda x: torch.searchsorted(EDGES, x),
    ],
)
def test_what_reads_values_says_so(f):
    with pytest.raises(tg.errors.ConcretizationError, match="differs between the lanes of vmap"):
        tg.vmap(f)(ROWS)
