"""Charts for the examples: lines, bands and dots in a frame, drawn with Pillow."""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 40
COLOURS = ("#1f6fb4", "#d1495b", "#2e8b57", "#8d6cab", "#e09f3e")
FONT = ImageFont.load_default(13)


class Chart:
    """A frame around x and y from `low` to `high`, in which things are drawn and then saved."""

    def __init__(self, title, x, y, logarithmic=False):
        """`x` and `y` are pairs of bounds; a `logarithmic` chart has powers of ten along y."""
        self.logarithmic = logarithmic
        self.x, self.y = x, tuple(self.height(np.array(y, float)))
        self.image = Image.new("RGB", (WIDTH, HEIGHT), "white")
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self.names = 0
        self.draw.text((LEFT, 12), title, fill="black", font=ImageFont.load_default(15))
        self.frame()

    def height(self, y):
        return np.log10(np.maximum(y, 1e-30)) if self.logarithmic else y

    def places(self, x, y):
        """Where points are in the picture, as a list of pairs."""
        x, y = np.asarray(x, float), self.height(np.asarray(y, float))
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        right = LEFT + np.clip(across, 0, 1) * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - np.clip(up, 0, 1) * (HEIGHT - TOP - BOTTOM)
        return list(zip(right.tolist(), down.tolist(), strict=True))

    def frame(self):
        """The frame, with round numbers beside it."""
        for value in ticks(*self.x):
            ((at, _),) = self.places([value], [1])
            self.draw.line((at, TOP, at, HEIGHT - BOTTOM), fill="#e4e4e4")
            self.draw.text((at, HEIGHT - 30), f"{value:g}", fill="black", font=FONT, anchor="mt")
        for y in (powers if self.logarithmic else ticks)(*self.y):
            ((_, at),) = self.places([self.x[0]], [y])
            self.draw.line((LEFT, at, WIDTH - RIGHT, at), fill="#e4e4e4")
            self.draw.text((LEFT - 8, at), f"{y:.3g}", fill="black", font=FONT, anchor="rm")
        self.draw.rectangle((LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM), outline="#888888")

    def name(self, text):
        """The next colour, with what it stands for written beside it."""
        colour = COLOURS[self.names % len(COLOURS)]
        at = TOP + 14 + 18 * self.names
        self.names += 1
        self.draw.line((WIDTH - 190, at, WIDTH - 170, at), fill=colour, width=3)
        self.draw.text((WIDTH - 162, at), text, fill="black", font=FONT, anchor="lm")
        return colour

    def line(self, name, x, y):
        self.draw.line(self.places(x, y), fill=self.name(name), width=2, joint="curve")

    def band(self, name, x, low, high):
        edge = self.places(x, low) + self.places(x, high)[::-1]
        self.draw.polygon(edge, fill=self.name(name) + "40")

    def dots(self, name, x, y):
        colour = self.name(name)
        for right, down in self.places(x, y):
            self.draw.ellipse((right - 2, down - 2, right + 2, down + 2), fill=colour + "b0")

    def save(self, path):
        self.image.save(path)


def ticks(low, high):
    """Some round numbers from low to high."""
    step = 10 ** math.floor(math.log10((high - low) / 3))
    step *= max(k for k in (1, 2, 5) if k * step <= (high - low) / 3)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def powers(low, high):
    """Round numbers between powers of ten with the exponents low and high."""
    exponents = range(math.floor(low), math.ceil(high))
    numbers = [k * 10.0**e for e in exponents for k in ((1,) if high - low > 3 else (1, 2, 5))]
    return [y for y in numbers if low <= math.log10(y) <= high]


def smoothed(values, window):
    """Means of as many values in a row as `window`; a noisy loss becomes a curve."""
    values = np.asarray(values, float)
    window = min(window, len(values))
    return np.convolve(values, np.ones(window) / window, "valid")


def save_losses(path, title, losses, window=1):
    """Save a chart of losses by step: `losses` maps names to lists; smoothed over a window."""
    curves = {name: smoothed(values, window) for name, values in losses.items()}
    values = np.concatenate([*curves.values()])
    steps = max(len(curve) for curve in curves.values())
    chart = Chart(title, (0, steps), (0.9 * values.min(), 1.1 * values.max()), logarithmic=True)
    for name, curve in curves.items():
        chart.line(name, np.arange(len(curve)), curve)
    chart.save(path)
