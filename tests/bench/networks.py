"""Networks made of modules, in one program for tapegrad and PyTorch."""

from functools import partial

import numpy as np

import tapegrad as tg
import tapegrad.torch as own
from tapegrad.compiler.llvm.host import unavailable
from tapegrad.vision import load_digits

from .digits import Digits
from .footprint import number_printed
from .language import language_model
from .programs import torch

rng = np.random.default_rng(0)


def both(build):
    """A program for tapegrad, and one for PyTorch if that is installed."""
    programs = {"tapegrad": build(own)}
    if torch is not None:
        programs["torch"] = build(torch)
    return programs


def digits_epoch(count=6000):
    """An epoch of as many images; MNIST has ten times as many."""
    images = rng.standard_normal((count, 784)).astype(np.float32)
    labels = rng.integers(0, 10, count)
    return both(lambda torch: Digits(torch, images, labels).epoch)


def standardised(images):
    return (images.reshape(len(images), -1) - np.float32(0.1307)) / np.float32(0.3081)


def misread_digits():
    """The share of MNIST's test images that is misread after three epochs; None without MNIST."""
    digits = load_digits()
    if digits.name != "MNIST":
        return None
    network = Digits(own, standardised(digits.train_images), digits.train_labels)
    for _ in range(3):
        network.epoch()
    return network.misread(standardised(digits.test_images), digits.test_labels)


PEAK = """
import numpy as np
import {module} as torch
from tests.bench.digits import Digits

images = np.zeros((60000, 784), np.float32)
Digits(torch, images, np.zeros(60000, np.int64)).epoch()
with open("/proc/self/status") as lines:  # what getrusage tells has the parent's in it
    print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


def peak_memory():
    """The peak memory of a process that trains for an epoch, over PyTorch's (Linux)."""
    if torch is None:
        return None
    peaks = [number_printed(PEAK.format(module=name)) for name in ("tapegrad.torch", "torch")]
    return peaks[0] / peaks[1]


def recurrent(kind, inputs=64, width=128, steps=50, batch=32):
    """A gradient of a layer over some steps."""
    x = rng.standard_normal((steps, batch, inputs)).astype(np.float32)

    def build(torch):
        layer, data = getattr(torch.nn, kind)(inputs, width), torch.tensor(x)

        def step():
            layer.zero_grad()
            layer(data)[0].square().sum().backward()

        return step

    return both(build)


def transformer_layer(width=128, heads=4, length=64, batch=8):
    """A gradient of a layer of a transformer, with respect to its parameters."""
    x = rng.standard_normal((batch, length, width)).astype(np.float32)

    def build(torch):
        layer = torch.nn.TransformerEncoderLayer(
            width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True
        )
        mask = torch.nn.Transformer.generate_square_subsequent_mask(length)
        data = torch.tensor(x)

        def step():
            layer.zero_grad()
            layer(data, mask, is_causal=True).square().sum().backward()

        return step

    return both(build)


def lenet(batch=64):
    """A step of LeNet-5 on images of 28 x 28."""
    images = rng.standard_normal((batch, 1, 28, 28)).astype(np.float32)
    labels = rng.integers(0, 10, batch)

    def build(torch):
        nn = torch.nn
        model = nn.Sequential(
            *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
            *(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)
        x, y = torch.tensor(images), torch.tensor(labels)

        def step():
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()

        return step

    return both(build)


def small_gpt(tokens=65, length=32, batch=16):
    """A step of a language model of 110,000 parameters, with AdamW."""
    index, following = rng.integers(0, tokens, (2, batch, length))

    def build(torch):
        model = language_model(torch, tokens, length=length)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        x, y = torch.tensor(index), torch.tensor(following)

        def step():
            optimizer.zero_grad()
            scores = model(x).flatten(0, 1)
            torch.nn.functional.cross_entropy(scores, y.flatten()).backward()
            optimizer.step()

        return step

    return both(build)


def compiled(build):
    """The programs of `build`, tapegrad's as machine code, if there is any."""
    programs = build()
    backend = "numpy" if unavailable() else "llvm"
    return {**programs, "tapegrad": tg.compile(programs["tapegrad"], backend=backend)}


RATIOS = [
    ("epoch of 784-200-10 by modules", digits_epoch, {"torch": 0.85}),
    ("LeNet by modules", lenet, {"torch": 2}),
    ("layer of a transformer", transformer_layer, {"torch": 1.5}),
    ("LSTM", partial(recurrent, "LSTM"), {"torch": 1.5}),
    ("small GPT", small_gpt, {"torch": 1.5}),
    ("LeNet by modules, compiled", partial(compiled, lenet), {"torch": 1}),
    ("layer of a transformer, compiled", partial(compiled, transformer_layer), {"torch": 1}),
    ("small GPT, compiled", partial(compiled, small_gpt), {"torch": 1}),
    ("GRU", partial(recurrent, "GRU"), {"torch": 1}),
    ("RNN", partial(recurrent, "RNN"), {"torch": 1}),
]

NUMBERS = [
    ("misread digits of MNIST after three epochs", misread_digits, 3, "%"),
    ("peak memory of 784-200-10, over torch", peak_memory, 1, "x"),
]
