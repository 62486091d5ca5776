"""Functions of tensors in half precision compute in single precision, and round once."""

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.nn import functional

rng = np.random.default_rng(0)


def halves(*shape):
    return torch.from_numpy(rng.normal(size=shape).astype("float32")).bfloat16()


x, y, image, scores = halves(3, 4), halves(3, 4), halves(1, 4, 6, 6), halves(3, 4)
signs = torch.sign(y)
weight = halves(4)

CASES = {
    "activations": [
        lambda x: functional.leaky_relu(x, 0.3),
        functional.elu,
        functional.celu,
        functional.selu,
        functional.hardswish,
        functional.hardsigmoid,
        functional.logsigmoid,
        lambda x: functional.softplus(x, beta=3, threshold=0.2),
        lambda x: functional.rrelu(x, 0.2, 0.4),
        lambda x: functional.normalize(x, p=1.0),
    ],
    "losses": [
        lambda x: functional.smooth_l1_loss(x, same(y, x)),
        lambda x: functional.huber_loss(x, same(y, x), delta=0.7),
        lambda x: functional.poisson_nll_loss(x, same(y, x).abs(), full=True),
        lambda x: functional.gaussian_nll_loss(x, same(y, x), same(y, x).abs(), full=True),
        lambda x: functional.soft_margin_loss(x, same(signs, x)),
        lambda x: functional.hinge_embedding_loss(x, same(signs, x), 0.3),
        lambda x: functional.margin_ranking_loss(x, same(y, x), same(signs, x), 0.3),
        lambda x: functional.multilabel_soft_margin_loss(x, same(signs, x)),
        lambda x: functional.cosine_embedding_loss(x, same(y, x), same(signs, x)[:, 0], 0.1),
        lambda x: functional.triplet_margin_loss(x, same(y, x), same(signs, x)),
        lambda x: functional.pairwise_distance(x, same(y, x)),
        lambda x: functional.binary_cross_entropy_with_logits(x, target=same(signs, x) * 0.5 + 0.5),
    ],
    "images": [
        lambda x: functional.adaptive_avg_pool2d(x, 4),
        lambda x: functional.interpolate(x, 4, mode="bilinear"),
        lambda x: functional.interpolate(x, 9, mode="bicubic", align_corners=True),
        lambda x: functional.interpolate(x, 4, mode="area"),
        lambda x: functional.local_response_norm(x, 3),
        lambda x: functional.batch_norm(x, *running(x), same(weight, x), same(weight, x), True),
        lambda x: functional.batch_norm(x, *running(x), same(weight, x), same(weight, x)),
        lambda x: functional.grid_sample(x, same(grid, x), align_corners=False),
    ],
}
grid = torch.linspace(-0.9, 0.9, 18, dtype=torch.float32).reshape(1, 3, 3, 2).bfloat16()


def same(t, x):
    return t.to(x.dtype)


def running(x):
    return torch.zeros(4, dtype=x.dtype), torch.ones(4, dtype=x.dtype)


@pytest.mark.parametrize(
    ("kind", "function"), [(kind, f) for kind, functions in CASES.items() for f in functions]
)
def test_one_rounding(kind, function):
    given = (image if kind == "images" else x).clone().requires_grad_()
    wide = given.detach().float().requires_grad_()
    found, expected = function(given), function(wide)
    assert found.dtype is torch.bfloat16
    assert torch.equal(found, expected.bfloat16())
    found.sum().backward()
    expected.sum().backward()
    assert given.grad.dtype is torch.bfloat16
    np.testing.assert_allclose(given.grad.float(), wide.grad, rtol=0.02, atol=0.02)


def test_wider_arguments_of_losses_decide():
    wide = y.float()
    for loss in (
        functional.smooth_l1_loss,
        functional.huber_loss,
        functional.soft_margin_loss,
        functional.pairwise_distance,
    ):
        assert loss(x, wide).dtype is torch.float32
        assert torch.equal(loss(x, wide), loss(x.float(), wide))


def test_running_statistics_in_single_precision_stay_exact():
    centre, spread = torch.zeros(4), torch.ones(4)
    functional.batch_norm(image, centre, spread, training=True, momentum=1.0)
    np.testing.assert_allclose(centre, image.float().mean((0, 2, 3)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(spread, image.float().var((0, 2, 3)), rtol=1e-5)


def test_top_level_functions_round_once_too():
    for function in (
        torch.sinc,
        torch.special.logit,
        lambda t: torch.mvlgamma(t.abs() + 2, 2),
        lambda t: torch.dist(t, t * 0.5, 4),
        lambda t: torch.renorm(t, 2, 0, 0.5),
        lambda t: torch.addmm(t, t @ t.T, t, beta=0.5, alpha=0.3),
        lambda t: torch.linalg.multi_dot([t, t.T, t]),
        lambda t: torch.frexp(t).mantissa,
    ):
        assert function(scores).dtype is torch.bfloat16
