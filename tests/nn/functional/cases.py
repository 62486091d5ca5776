"""Calls of `nn.functional`, written once for PyTorch and for us.

`CASES` has by name a function of the functional module and tensors, and the shapes of the tensors.
`record` writes what PyTorch gives for them, values and gradients, to `recorded.json`.
"""

import json
import sys
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).with_name("recorded.json")
IMAGES = (2, 4, 5, 6)
ROWS = (3, 4)


def numbers(shape, place):
    """Numbers without ties and away from kinks, the same everywhere."""
    size = int(np.prod(shape))
    x = np.sin(1.0 + 1.7 * np.arange(size) + place) + 0.01 * np.arange(size)
    return np.asarray(x, np.float64).reshape(shape)


def labels(torch):
    return torch.from_numpy(np.array([1, 0, 3]))


def positive(x):
    return x * x + 0.5


def unit(x):
    return 1 / (1 + (-x).exp())


CASES = {
    # activations
    "relu": (lambda t, f, x: f.relu(x), ROWS),
    "relu6": (lambda t, f, x: f.relu6(4 * x + 3), ROWS),
    "leaky_relu": (lambda t, f, x: f.leaky_relu(x, 0.1), ROWS),
    "elu": (lambda t, f, x: f.elu(x, 1.3), ROWS),
    "celu": (lambda t, f, x: f.celu(x, 0.5), ROWS),
    "selu": (lambda t, f, x: f.selu(x), ROWS),
    "gelu": (lambda t, f, x: f.gelu(3 * x), ROWS),
    "gelu tanh": (lambda t, f, x: f.gelu(3 * x, approximate="tanh"), ROWS),
    "silu": (lambda t, f, x: f.silu(3 * x), ROWS),
    "mish": (lambda t, f, x: f.mish(3 * x), ROWS),
    "softplus": (lambda t, f, x: f.softplus(x, 3, 0.5), ROWS),
    "logsigmoid": (lambda t, f, x: f.logsigmoid(9 * x), ROWS),
    "hardtanh": (lambda t, f, x: f.hardtanh(x, -0.3, 0.4), ROWS),
    "hardswish": (lambda t, f, x: f.hardswish(5 * x), ROWS),
    "hardshrink": (lambda t, f, x: f.hardshrink(x, 0.4), ROWS),
    "softshrink": (lambda t, f, x: f.softshrink(x, 0.4), ROWS),
    "tanhshrink": (lambda t, f, x: f.tanhshrink(x), ROWS),
    "softsign": (lambda t, f, x: f.softsign(x), ROWS),
    "threshold": (lambda t, f, x: f.threshold(x, 0.2, 9.0), ROWS),
    "prelu": (lambda t, f, x, w: f.prelu(x, w), ROWS, (4,)),
    "glu": (lambda t, f, x: f.glu(x, 1), ROWS),
    "softmax": (lambda t, f, x: f.softmax(5 * x, 1), ROWS),
    "softmin": (lambda t, f, x: f.softmin(5 * x, 0), ROWS),
    "log_softmax": (lambda t, f, x: f.log_softmax(5 * x, 1), ROWS),
    # losses
    "mse": (lambda t, f, x, y: f.mse_loss(x, y), ROWS, ROWS),
    "l1": (lambda t, f, x, y: f.l1_loss(x, y, reduction="sum"), ROWS, ROWS),
    "smooth l1": (lambda t, f, x, y: f.smooth_l1_loss(x, y, beta=0.6), ROWS, ROWS),
    "huber": (lambda t, f, x, y: f.huber_loss(x, y, delta=0.6), ROWS, ROWS),
    "kl_div": (
        lambda t, f, x, y: f.kl_div(x, unit(y), reduction="batchmean"),
        ROWS,
        ROWS,
    ),
    "poisson": (lambda t, f, x, y: f.poisson_nll_loss(x, 3 * positive(y), full=True), ROWS, ROWS),
    "gaussian": (
        lambda t, f, x, y, v: f.gaussian_nll_loss(x, y, positive(v), full=True),
        ROWS,
        ROWS,
        ROWS,
    ),
    "cross_entropy": (lambda t, f, x: f.cross_entropy(4 * x, labels(t)), ROWS),
    "cross_entropy weighted": (
        lambda t, f, x: f.cross_entropy(
            x,
            labels(t),
            t.linspace(0.5, 2, 4, dtype=t.float64),
            ignore_index=0,
            label_smoothing=0.2,
        ),
        ROWS,
    ),
    "cross_entropy of probabilities": (
        lambda t, f, x, y: f.cross_entropy(x, f.softmax(y, 1), label_smoothing=0.1),
        ROWS,
        ROWS,
    ),
    "nll of images": (
        lambda t, f, x: f.nll_loss(x, t.from_numpy(np.arange(60).reshape(2, 5, 6) % 4)),
        IMAGES,
    ),
    "bce": (lambda t, f, x, y: f.binary_cross_entropy(unit(x), unit(y)), ROWS, ROWS),
    "bce with logits": (
        lambda t, f, x, y: f.binary_cross_entropy_with_logits(
            x, unit(y), pos_weight=t.linspace(0.5, 2, 4, dtype=t.float64)
        ),
        ROWS,
        ROWS,
    ),
    "multi margin": (lambda t, f, x: f.multi_margin_loss(x, labels(t), p=2), ROWS),
    "multilabel margin": (
        lambda t, f, x: f.multilabel_margin_loss(
            x, t.from_numpy(np.array([[1, 3, -1, 0], [0, -1, 2, 1], [3, 2, 1, 0]]))
        ),
        ROWS,
    ),
    "multilabel soft margin": (
        lambda t, f, x, y: f.multilabel_soft_margin_loss(x, unit(y)),
        ROWS,
        ROWS,
    ),
    "cosine embedding": (
        lambda t, f, x, y: f.cosine_embedding_loss(
            x, y, t.from_numpy(np.array([1.0, -1.0, 1.0])), margin=-0.5
        ),
        ROWS,
        ROWS,
    ),
    "triplet": (
        lambda t, f, x, y, z: f.triplet_margin_loss(x, y, z, margin=2.0, swap=True),
        ROWS,
        ROWS,
        ROWS,
    ),
    "ctc": (
        lambda t, f, x: f.ctc_loss(
            f.log_softmax(x, 2),
            t.from_numpy(np.array([[1, 1, 2], [3, 1, 0]])),
            t.from_numpy(np.array([6, 5])),
            t.from_numpy(np.array([3, 2])),
        ),
        (6, 2, 4),
    ),
    # maps
    "linear": (lambda t, f, x, w, b: f.linear(x, w, b), (2, 3, 4), (5, 4), (5,)),
    "bilinear": (lambda t, f, x, y, w, b: f.bilinear(x, y, w, b), (3, 2), (3, 4), (5, 2, 4), (5,)),
    "embedding": (
        lambda t, f, w: f.embedding(t.from_numpy(np.array([[2, 0], [2, 1]])), w, padding_idx=0),
        ROWS,
    ),
    "embedding_bag": (
        lambda t, f, w, s: f.embedding_bag(
            t.from_numpy(np.array([2, 0, 2, 1])),
            w,
            t.from_numpy(np.array([0, 1, 1])),
            mode="sum",
            per_sample_weights=s,
        ),
        ROWS,
        (4,),
    ),
    "embedding_bag max": (
        lambda t, f, w: f.embedding_bag(
            t.from_numpy(np.array([[2, 0], [2, 1]])), w, mode="max", padding_idx=1
        ),
        ROWS,
    ),
    "attention": (
        lambda t, f, q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True),
        (2, 3, 4),
        (2, 5, 4),
        (2, 5, 2),
    ),
    "attention shared": (
        lambda t, f, q, k, v, m: f.scaled_dot_product_attention(q, k, v, m, enable_gqa=True),
        (1, 4, 3, 2),
        (1, 2, 5, 2),
        (1, 2, 5, 2),
        (3, 5),
    ),
    "multi head": (
        lambda t, f, x, w, b, o: f.multi_head_attention_forward(
            x, x, x, 4, 2, w, b, None, None, True, 0.0, o, None
        )[0],
        (3, 2, 4),
        (12, 4),
        (12,),
        (4, 4),
    ),
    # images
    "conv1d": (
        lambda t, f, x, w, b: f.conv1d(x, w, b, stride=2, padding=1, dilation=2),
        (2, 3, 9),
        (4, 3, 3),
        (4,),
    ),
    "conv2d": (lambda t, f, x, w, b: f.conv2d(x, w, b, padding=1), IMAGES, (3, 4, 3, 2), (3,)),
    "conv2d groups": (
        lambda t, f, x, w: f.conv2d(x, w, stride=(2, 1), groups=2),
        IMAGES,
        (6, 2, 2, 3),
    ),
    "conv2d same": (lambda t, f, x, w: f.conv2d(x, w, padding="same"), IMAGES, (3, 4, 2, 3)),
    "conv3d": (lambda t, f, x, w: f.conv3d(x, w, padding=1), (1, 2, 3, 4, 3), (2, 2, 2, 2, 3)),
    "conv_transpose2d": (
        lambda t, f, x, w, b: f.conv_transpose2d(
            x, w, b, stride=2, padding=1, output_padding=1, groups=2
        ),
        IMAGES,
        (4, 2, 3, 3),
        (4,),
    ),
    "max_pool2d": (lambda t, f, x: f.max_pool2d(x, 3, 2, 1, ceil_mode=True), IMAGES),
    "max_pool3d": (lambda t, f, x: f.max_pool3d(x, 2, 1, dilation=(2, 1, 1)), (1, 2, 4, 3, 3)),
    "max_unpool2d": (
        lambda t, f, x: f.max_unpool2d(*f.max_pool2d(x, 2, return_indices=True), 2),
        (1, 2, 4, 6),
    ),
    "avg_pool2d": (
        lambda t, f, x: f.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        IMAGES,
    ),
    "lp_pool2d": (lambda t, f, x: f.lp_pool2d(x, 2, 2), IMAGES),
    "adaptive_avg_pool2d": (lambda t, f, x: f.adaptive_avg_pool2d(x, (3, 4)), IMAGES),
    "adaptive_max_pool2d": (lambda t, f, x: f.adaptive_max_pool2d(x, (3, 4)), IMAGES),
    "fractional_max_pool2d": (
        lambda t, f, x: f.fractional_max_pool2d(
            x, 2, (3, 4), _random_samples=t.full((2, 4, 2), 0.3, dtype=t.float64)
        ),
        IMAGES,
    ),
    "layer_norm": (lambda t, f, x, w, b: f.layer_norm(x, (5, 6), w, b), IMAGES, (5, 6), (5, 6)),
    "rms_norm": (lambda t, f, x, w: f.rms_norm(x, (6,), w), IMAGES, (6,)),
    "batch_norm": (
        lambda t, f, x, w, b: f.batch_norm(x, None, None, w, b, training=True),
        IMAGES,
        (4,),
        (4,),
    ),
    "batch_norm fixed": (
        lambda t, f, x, w: f.batch_norm(
            x, t.linspace(0, 1, 4, dtype=t.float64), t.linspace(1, 2, 4, dtype=t.float64), w
        ),
        IMAGES,
        (4,),
    ),
    "group_norm": (lambda t, f, x, w, b: f.group_norm(x, 2, w, b), IMAGES, (4,), (4,)),
    "instance_norm": (lambda t, f, x, w: f.instance_norm(x, weight=w), IMAGES, (4,)),
    "local_response_norm": (lambda t, f, x: f.local_response_norm(x, 3, 0.5), IMAGES),
    "pad": (lambda t, f, x: f.pad(x, (1, -2, 0, 3), value=1.5), IMAGES),
    "pad reflect": (lambda t, f, x: f.pad(x, (2, 1, 0, 3), "reflect"), IMAGES),
    "pad replicate": (lambda t, f, x: f.pad(x, (2, 1, 0, 3), "replicate"), IMAGES),
    "pad circular": (lambda t, f, x: f.pad(x, (2, 1, 0, 3), "circular"), IMAGES),
    "unfold": (lambda t, f, x: f.unfold(x, (2, 3), padding=1, stride=2), IMAGES),
    "fold": (lambda t, f, x: f.fold(x, (4, 5), 2), (2, 8, 12)),
    "pixel_shuffle": (lambda t, f, x: f.pixel_shuffle(x, 2), IMAGES),
    "pixel_unshuffle": (lambda t, f, x: f.pixel_unshuffle(x, 2), (1, 2, 4, 6)),
    "channel_shuffle": (lambda t, f, x: f.channel_shuffle(x, 2), IMAGES),
    "interpolate nearest": (lambda t, f, x: f.interpolate(x, scale_factor=1.7), IMAGES),
    "interpolate bilinear": (lambda t, f, x: f.interpolate(x, (7, 4), mode="bilinear"), IMAGES),
    "interpolate aligned": (
        lambda t, f, x: f.interpolate(x, (7, 4), mode="bicubic", align_corners=True),
        IMAGES,
    ),
    "interpolate smooth": (
        lambda t, f, x: f.interpolate(x, (3, 2), mode="bicubic", antialias=True),
        IMAGES,
    ),
    "interpolate area": (lambda t, f, x: f.interpolate(x, (3, 4), mode="area"), IMAGES),
    "grid_sample": (
        lambda t, f, x, g: f.grid_sample(x, g, align_corners=False),
        IMAGES,
        (2, 3, 3, 2),
    ),
    "grid_sample reflected": (
        lambda t, f, x, g: f.grid_sample(2 * x, 1.5 * g, "bicubic", "reflection", True),
        IMAGES,
        (2, 3, 3, 2),
    ),
    "affine_grid": (lambda t, f, m: f.affine_grid(m, (2, 1, 3, 4), align_corners=True), (2, 2, 3)),
    # distances
    "cosine_similarity": (lambda t, f, x, y: f.cosine_similarity(x, y), ROWS, ROWS),
    "pairwise_distance": (lambda t, f, x, y: f.pairwise_distance(x, y, 3.0), ROWS, ROWS),
    "pdist": (lambda t, f, x: f.pdist(x), ROWS),
    "normalize": (lambda t, f, x: f.normalize(x, 3.0, 1), ROWS),
}  # fmt: skip


def outcome(torch, name):
    """The value of a case and its gradients, for a cotangent of sines."""
    function, *shapes = CASES[name]
    tensors = [
        torch.from_numpy(numbers(shape, place)).requires_grad_()
        for place, shape in enumerate(shapes)
    ]
    value = function(torch, torch.nn.functional, *tensors)
    g = np.cos(np.arange(int(np.prod(value.shape)), dtype=np.float64)).reshape(tuple(value.shape))
    gradients = torch.autograd.grad(value, tensors, torch.from_numpy(g))
    return [np.asarray(x.detach().numpy()) for x in (value, *gradients)]


def record():
    """Write what PyTorch gives."""
    import torch

    found = {
        name: [
            {"shape": x.shape, "data": x.reshape(-1).round(10).tolist()}
            for x in outcome(torch, name)
        ]
        for name in CASES
    }
    RECORDED.write_text(json.dumps(found, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    sys.exit(record())
