"""Curves as a picture, drawn with Pillow alone."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 44, 52  # margins
PAPER, INK, GRID = (255, 255, 255), (40, 40, 40), (225, 225, 225)
COLOURS = ((31, 119, 180), (214, 39, 40), (44, 160, 44), (148, 103, 189), (255, 127, 14))


def save_curves(path, curves, title="", x_label="", y_label="", log=False):
    """Save a picture of several curves, each an array of y or a pair of arrays x and y.

    `curves` is a dict by the names that the legend shows. With `log`, the y axis is logarithmic.
    """
    pairs = {
        name: tuple(np.asarray(v, float) for v in curve)
        if isinstance(curve, tuple)
        else (np.arange(1.0, len(curve) + 1), np.asarray(curve, float))
        for name, curve in curves.items()
    }
    if log:
        pairs = {name: (x, np.log10(y)) for name, (x, y) in pairs.items()}
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(14)

    def ends(values):
        low, high = min(map(np.min, values)), max(map(np.max, values))
        return (low, high) if low < high else (low - 0.5, high + 0.5)

    xs, ys = (ends([pair[axis] for pair in pairs.values()]) for axis in (0, 1))

    def place(x, y):
        right = LEFT + (x - xs[0]) / (xs[1] - xs[0]) * (WIDTH - LEFT - RIGHT)
        return right, HEIGHT - BOTTOM - (y - ys[0]) / (ys[1] - ys[0]) * (HEIGHT - TOP - BOTTOM)

    for value in ticks(*xs):
        (x, bottom), (_, top) = place(value, ys[0]), place(value, ys[1])
        draw.line((x, top, x, bottom), GRID)
        draw.text((x, bottom + 6), f"{value:g}", INK, font, "ma")
    for value in ticks(*ys):
        (left, y), (right, _) = place(xs[0], value), place(xs[1], value)
        draw.line((left, y, right, y), GRID)
        draw.text((left - 6, y), f"{10**value if log else value:.3g}", INK, font, "rm")
    for i, (name, (x, y)) in enumerate(pairs.items()):
        colour = COLOURS[i % len(COLOURS)]
        draw.line([place(*point) for point in zip(x, y, strict=True)], colour, 2)
        draw.text((WIDTH - RIGHT - 8, TOP + 6 + 18 * i), name, colour, font, "ra")
    draw.text((WIDTH / 2, 12), title, INK, ImageFont.load_default(16), "ma")
    draw.text((WIDTH / 2, HEIGHT - 24), x_label, INK, font, "ma")
    draw.text((LEFT, TOP - 20), y_label, INK, font, "ma")
    picture.save(path)


def ticks(low, high, count=6):
    """About `count` round numbers from `low` to `high`."""
    rough = (high - low) / count
    unit = 10 ** np.floor(np.log10(rough))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step + 0.0
