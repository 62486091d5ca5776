"""Small pictures of shapes, to train on where there are no others."""

import math
import pickle
from pathlib import Path
from typing import ClassVar

import numpy as np
from PIL import Image, ImageDraw

from tapegrad.vision.datasets import CIFAR10

KINDS = ("circle", "ring", "square", "triangle", "star", "cross")
SIDE = 32


def shape(kind, rng):
    """A picture of a shape: of any colour, at any place, turned, on a grey ground, with noise."""
    radius = rng.uniform(0.28, 0.42) * SIDE
    x, y = rng.uniform(radius, SIDE - radius, 2)
    colour = tuple(int(v) for v in rng.integers(0, 256, 3))
    ground = int(rng.integers(60, 200))
    big = 4  # drawn large, then reduced, for smooth edges
    picture = Image.new("RGB", (big * SIDE, big * SIDE), (ground, ground, ground))
    draw = ImageDraw.Draw(picture)
    box = [big * v for v in (x - radius, y - radius, x + radius, y + radius)]
    if kind == "circle":
        draw.ellipse(box, colour)
    elif kind == "ring":
        draw.ellipse(box, None, colour, int(big * radius * 0.4))
    else:
        turn = rng.uniform(0, 2 * math.pi)
        corners = [
            (big * (x + r * math.cos(a + turn)), big * (y + r * math.sin(a + turn)))
            for a, r in outline(kind, radius)
        ]
        draw.polygon(corners, colour)
    pixels = np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BOX), float)
    noisy = pixels + rng.normal(0, 12, pixels.shape)
    return Image.fromarray(noisy.clip(0, 255).astype(np.uint8))


def outline(kind, radius):
    """The corners of a shape: angles and distances from its middle."""
    if kind == "square":
        return [(k * math.pi / 2, radius) for k in range(4)]
    if kind == "triangle":
        return [(k * math.pi * 2 / 3, radius) for k in range(3)]
    if kind == "star":
        return [(k * math.pi / 5, radius * (1, 0.42)[k % 2]) for k in range(10)]
    narrow = 0.3  # a cross: each arm has two corners, and one lies between the arms
    arm = math.atan(narrow)
    corners = []
    for k in range(4):
        middle = k * math.pi / 2
        corners += [(middle - arm, radius), (middle + arm, radius)]
        corners += [(middle + math.pi / 4, radius * narrow * math.sqrt(2) * math.cos(arm))]
    return corners


class Shapes(CIFAR10):
    """Shapes in files like CIFAR-10's: made with `write`, and read like these."""

    base_folder = "shapes-batches-py"
    train_list: ClassVar = [["data_batch_1", None]]
    test_list: ClassVar = [["test_batch", None]]
    meta: ClassVar = {"filename": "batches.meta", "key": "label_names", "md5": None}

    @classmethod
    def write(cls, root, train, test, seed=0):
        """Draw so many shapes to train and to test with, unless they are there."""
        folder = Path(root) / cls.base_folder
        if folder.exists():
            return
        folder.mkdir(parents=True)
        rng = np.random.default_rng(seed)
        for (name, _), count in ((cls.train_list[0], train), (cls.test_list[0], test)):
            labels = [int(k) for k in rng.integers(0, len(KINDS), count)]
            pictures = np.stack([np.asarray(shape(KINDS[k], rng)) for k in labels])
            planes = pictures.transpose(0, 3, 1, 2).reshape(count, -1)
            (folder / name).write_bytes(pickle.dumps({"data": planes, "labels": labels}))
        names = {cls.meta["key"]: list(KINDS)}
        (folder / cls.meta["filename"]).write_bytes(pickle.dumps(names))
