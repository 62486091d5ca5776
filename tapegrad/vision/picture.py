"""Pictures of digits with what a network takes them for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy

SIDE = 84  # pixels of a digit
CAPTION = 22
GAP = 8
PAPER, INK, WRONG = (255, 255, 255), (40, 40, 40), (200, 30, 30)


def picture_of_predictions(
    path: str | Path, images: Any, labels: Any, predictions: Any, *, columns: int = 8
) -> None:
    """Save a picture of images of digits in rows, each with its prediction; wrong ones in red.

    `images` is (n, height, width), from 0 to 1.
    """
    from PIL import Image, ImageDraw, ImageFont

    rows = -(-len(images) // columns)
    size = (columns * (SIDE + GAP) + GAP, rows * (SIDE + CAPTION + GAP) + GAP)
    picture = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(16)
    for i, (image, label, prediction) in enumerate(zip(images, labels, predictions, strict=True)):
        row, column = divmod(i, columns)
        x, y = GAP + column * (SIDE + GAP), GAP + row * (SIDE + CAPTION + GAP)
        pixels = numpy.rint(255 * (1 - image)).astype(numpy.uint8)
        digit = Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.NEAREST)
        picture.paste(digit, (x, y))
        right = prediction == label
        text = str(prediction) if right else f"{prediction}, is {label}"
        middle = (x + SIDE // 2, y + SIDE + CAPTION // 2)
        draw.text(middle, text, fill=INK if right else WRONG, font=font, anchor="mm")
    picture.save(path)
