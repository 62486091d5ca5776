"""What PyTorch 2.13 gives for layers with fixed weights: `recorded.json`.

`python -m tests.nn.recorded`, where PyTorch is installed, writes the file anew.
"""

import json
import math
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")


def fill(torch, module):
    """The module with fixed numbers for parameters."""
    with torch.no_grad():
        for k, param in enumerate(module.parameters()):
            values = (torch.arange(param.numel(), dtype=torch.float64) * 0.7 + k).sin()
            param.copy_(values.reshape(param.shape))
    return module


def data(torch, *shape, shift=0.3):
    """Fixed numbers of a shape."""
    values = (torch.arange(math.prod(shape), dtype=torch.float64) * 0.9 + shift).cos()
    return values.reshape(shape).requires_grad_()


def cases(torch):
    """Modules by name, with their inputs."""
    nn = torch.nn

    def x(*shape, shift=0.3):
        return data(torch, *shape, shift=shift)

    def i(values):
        return torch.tensor(values)

    image, volume = (2, 2, 4, 5), (1, 2, 4, 4, 4)
    given = {
        "LSTM": (nn.LSTM(3, 4, 2, bidirectional=True), x(5, 2, 3)),
        "LSTM projected": (nn.LSTM(3, 4, 2, proj_size=2, batch_first=True), x(2, 5, 3)),
        "GRU": (nn.GRU(3, 4, 2, bias=False), x(5, 2, 3)),
        "RNN": (nn.RNN(3, 4, nonlinearity="relu"), x(5, 3)),
        "LSTMCell": (nn.LSTMCell(3, 4), x(2, 3)),
        "GRUCell": (nn.GRUCell(3, 4), x(3)),
        "RNNCell": (nn.RNNCell(3, 4, nonlinearity="relu"), x(2, 3)),
        "Linear": (nn.Linear(3, 2), x(4, 3)),
        "Bilinear": (nn.Bilinear(2, 3, 2), x(4, 2), x(4, 3)),
        "Conv1d": (nn.Conv1d(2, 3, 3, padding="same", dilation=2), x(2, 2, 7)),
        "Conv2d": (nn.Conv2d(2, 4, 3, 2, 1, groups=2, padding_mode="reflect"), x(*image)),
        "Conv3d": (nn.Conv3d(2, 2, 2, bias=False), x(*volume)),
        "ConvTranspose1d": (nn.ConvTranspose1d(2, 3, 3, 2, output_padding=1), x(2, 2, 4)),
        "ConvTranspose2d": (nn.ConvTranspose2d(2, 4, (3, 2), 2, 1, dilation=2), x(*image)),
        "ConvTranspose3d": (nn.ConvTranspose3d(2, 2, 2, groups=2), x(*volume)),
        "AdaptiveLogSoftmaxWithLoss": (
            nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4], 2.0),
            x(5, 4),
            i([0, 3, 5, 1, 2]),
        ),
        "BatchNorm1d": (nn.BatchNorm1d(3, momentum=None), x(4, 3)),
        "BatchNorm2d": (nn.BatchNorm2d(2, affine=False), x(*image)),
        "InstanceNorm2d": (nn.InstanceNorm2d(2, affine=True), x(*image)),
        "GroupNorm": (nn.GroupNorm(2, 4), x(2, 4, 3)),
        "LayerNorm": (nn.LayerNorm((2, 3), bias=False), x(4, 2, 3)),
        "RMSNorm": (nn.RMSNorm(3), x(4, 3)),
        "LocalResponseNorm": (nn.LocalResponseNorm(3), x(1, 4, 2, 2)),
        "Embedding": (nn.Embedding(5, 3, padding_idx=-1), i([[0, 2], [4, 1]])),
        "EmbeddingBag": (nn.EmbeddingBag(5, 3, mode="sum"), i([0, 2, 4, 1]), i([0, 1])),
        "MaxPool2d": (nn.MaxPool2d(2, return_indices=True), x(*image)),
        "AvgPool1d": (nn.AvgPool1d(3, 2, 1, count_include_pad=False), x(2, 2, 7)),
        "AvgPool3d": (nn.AvgPool3d(2, divisor_override=3), x(*volume)),
        "LPPool2d": (nn.LPPool2d(2, 2), x(*image)),
        "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d((3, None)), x(*image)),
        "AdaptiveMaxPool1d": (nn.AdaptiveMaxPool1d(3), x(2, 2, 7)),
        "ReflectionPad2d": (nn.ReflectionPad2d((1, 2, 0, 1)), x(*image)),
        "CircularPad1d": (nn.CircularPad1d(2), x(2, 2, 7)),
        "ConstantPad3d": (nn.ConstantPad3d(1, 0.5), x(*volume)),
        "PReLU": (nn.PReLU(2), x(*image)),
        "Hardtanh": (nn.Hardtanh(-0.5, 0.7), x(3, 4)),
        "Softplus": (nn.Softplus(2.0, 1.0), x(3, 4)),
        "GLU": (nn.GLU(0), x(4, 3)),
        "GELU": (nn.GELU("tanh"), x(3, 4)),
        "Softmax2d": (nn.Softmax2d(), x(*image)),
        "Unfold": (nn.Unfold((2, 3), padding=1), x(*image)),
        "Fold": (nn.Fold((4, 5), (2, 2)), x(2, 12, 12)),
        "PixelShuffle": (nn.PixelShuffle(2), x(1, 4, 2, 3)),
        "Unflatten": (nn.Unflatten(1, (2, 2)), x(2, 4)),
        "CosineSimilarity": (nn.CosineSimilarity(), x(3, 4), x(3, 4, shift=1.0)),
        "CrossEntropyLoss": (
            nn.CrossEntropyLoss(i([1.0, 2.0, 0.5]).double(), label_smoothing=0.1),
            x(4, 3),
            i([0, 2, 1, 1]),
        ),
        "HuberLoss": (nn.HuberLoss(delta=0.4), x(3, 4), x(3, 4, shift=1.0)),
        "MultiMarginLoss": (nn.MultiMarginLoss(2), x(4, 3), i([0, 2, 1, 1])),
        "GaussianNLLLoss": (
            nn.GaussianNLLLoss(full=True),
            x(3, 4),
            x(3, 4, shift=1.0),
            x(3, 4).detach().abs(),
        ),
        "TripletMarginLoss": (
            nn.TripletMarginLoss(swap=True, reduction="none"),
            x(3, 4),
            x(3, 4, shift=1.0),
            x(3, 4, shift=2.0),
        ),
        "CTCLoss": (
            nn.CTCLoss(),
            x(5, 2, 4),
            i([[1, 2], [3, 3]]),
            i([5, 4]),
            i([2, 1]),
        ),
        "MultiheadAttention": (
            nn.MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True, add_zero_attn=True),
            x(3, 2, 4),
            x(5, 2, 3),
            x(5, 2, 5),
        ),
        "Transformer": (nn.Transformer(4, 2, 1, 1, 8, 0.0), x(3, 2, 4), x(2, 2, 4)),
        "TransformerEncoderLayer": (
            nn.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", norm_first=True, batch_first=True),
            x(3, 2, 4),
        ),
        "Upsample": (nn.Upsample(scale_factor=2, mode="bilinear"), x(*image)),
    }
    return {
        name: (fill(torch, module.to(torch.float64)), inputs)
        for name, (module, *inputs) in given.items()
    }


def flat(x):
    """The tensors in a result."""
    return [t for part in x for t in flat(part)] if isinstance(x, tuple) else [x]


def summary(x):
    """A tensor's shape, first elements, sum, and sum of squares."""
    values = x.detach().reshape(-1)
    head = [float(v) for v in values[:3]]
    return [list(x.shape), *head, float(values.sum()), float((values * values).sum())]


def measured(module, inputs):
    """The representation of a module, its results, and its gradients."""
    outputs = flat(module(*inputs))
    first = outputs[0]
    learned = [x for x in (*inputs, *module.parameters()) if x.requires_grad]
    if first.requires_grad:
        (first * first).sum().backward()
    return {
        "repr": repr(module),
        "outputs": [summary(x) for x in outputs],
        "gradients": [summary(x.grad) for x in learned if x.grad is not None],
    }


def main():
    import torch

    values = {name: measured(*case) for name, case in cases(torch).items()}
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in values.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
