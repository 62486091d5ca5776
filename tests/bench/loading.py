"""Loaders of MNIST-like data: pictures with transforms, and arrays."""

from importlib.util import find_spec

import numpy as np
from PIL import Image

import tapegrad.torch
from tapegrad.data import DataLoader, TensorDataset
from tapegrad.vision import transforms

from .programs import rng, torch

COUNT, BATCH = 2000, 100

pixels = rng.integers(0, 256, (COUNT, 28, 28), dtype=np.uint8)
labels = rng.integers(0, 10, COUNT)


class Pictures:
    """Images of Pillow, each with its transform, as torchvision's MNIST gives them."""

    def __init__(self, library):
        steps = [library.ToTensor(), library.Normalize((0.1307,), (0.3081,))]
        self.transform = library.Compose(steps)

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        return self.transform(Image.fromarray(pixels[index])), int(labels[index])


def epoch(loader):
    """Go through a loader once."""
    return lambda: [None for _ in loader]


def pictures():
    """An epoch of pictures that are transformed one by one."""
    programs = {"tapegrad": epoch(DataLoader(Pictures(transforms), BATCH, shuffle=True))}
    if torch is not None and find_spec("torchvision"):
        from tests.parity.drawing import name_missing_operators

        name_missing_operators()
        from torchvision import transforms as peers

        data = Pictures(peers)
        programs["torch"] = epoch(torch.utils.data.DataLoader(data, BATCH, shuffle=True))
    return programs


def arrays():
    """An epoch of batches of arrays."""

    def data(lib, kind):
        images = lib.from_numpy(pixels[:, None] / np.float32(255))
        return kind(images, lib.from_numpy(labels))

    ours = data(tapegrad.torch, TensorDataset)
    programs = {"tapegrad": epoch(DataLoader(ours, BATCH, shuffle=True))}
    if torch is not None:
        theirs = data(torch, torch.utils.data.TensorDataset)
        programs["torch"] = epoch(torch.utils.data.DataLoader(theirs, BATCH, shuffle=True))
    return programs
