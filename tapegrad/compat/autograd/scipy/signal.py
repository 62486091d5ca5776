"""`convolve` along chosen axes of two arrays, with sums over others; the rest of `scipy.signal`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from scipy import signal as _original

from .... import numpy as np
from ....scipy import signal as _signal
from ..names import enter as _enter

Axes = tuple[Sequence[int], Sequence[int]]

MODES = ("full", "valid", "same")


def convolve(
    A: Any, B: Any, axes: Axes | None = None, dot_axes: Axes = ((), ()), mode: str = "full"
) -> Any:
    """The convolution of `A` and `B` along pairs of axes (by default, all).

    `axes` has the axes of `A` and those of `B` that go together, `dot_axes` those that are
    multiplied and summed. The result has the other axes of `A`, the other axes of `B`, and the
    convolved ones. Its sizes along these follow SciPy's `mode`.

    >>> import numpy
    >>> images, filters = numpy.ones((10, 3, 28, 28)), numpy.ones((3, 16, 5, 5))
    >>> convolve(images, filters, ([2, 3], [2, 3]), ([1], [0]), mode="valid").shape
    (10, 16, 24, 24)
    """
    if mode not in MODES:
        raise ValueError(f"Mode {mode} undefined, it can be one of 'full', 'valid' and 'same'")
    if axes is None:
        axes = range(np.ndim(A)), range(np.ndim(A))
    A, batch_a, summed_a, sizes_a = arranged(A, axes[0], dot_axes[0])
    B, batch_b, summed_b, sizes_b = arranged(B, axes[1], dot_axes[1])
    if summed_a != summed_b:
        raise ValueError(f"the summed axes differ in size: {summed_a} and {summed_b}")
    pairs = list(zip(sizes_a, sizes_b, strict=True))
    if mode == "valid" and any(a < b for a, b in pairs) and any(a > b for a, b in pairs):
        raise ValueError("One array must be larger than the other along all convolved dimensions")
    if mode == "full":
        starts, sizes = [0] * len(pairs), [a + b - 1 for a, b in pairs]
    elif mode == "same":
        starts, sizes = [(b - 1) // 2 for _, b in pairs], list(sizes_a)
    else:
        starts, sizes = [min(pair) - 1 for pair in pairs], [abs(a - b) + 1 for a, b in pairs]
    if math.prod(sizes_b) <= math.prod(sizes_a):
        out = slide(A, B, sizes_b, starts, sizes)
    else:
        out = np.swapaxes(slide(B, A, sizes_a, starts, sizes), 0, 1)
    return np.reshape(out, (*batch_a, *batch_b, *sizes))


def arranged(
    x: Any, convolved: Sequence[int], summed: Sequence[int]
) -> tuple[Any, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """`x` with its other axes as one, its summed axes as one, and its convolved axes, in this
    order; and the sizes of the three groups."""
    x = np.asarray(x)
    convolved, summed = ([axis % x.ndim for axis in group] for group in (convolved, summed))
    others = [axis for axis in range(x.ndim) if axis not in convolved and axis not in summed]
    groups = [tuple(x.shape[axis] for axis in group) for group in (others, summed, convolved)]
    x = np.transpose(x, [*others, *summed, *convolved])
    x = np.reshape(x, (math.prod(groups[0]), math.prod(groups[1]), *groups[2]))
    return x, *groups


def slide(
    image: Any, kernel: Any, widths: Sequence[int], starts: Sequence[int], sizes: Sequence[int]
) -> Any:
    """The part of the full convolution that begins at `starts`: one product with all shifts of the
    image, of shape (other axes of the image, of the kernel, *sizes)."""
    margins = []
    for width, start, size, n in zip(widths, starts, sizes, image.shape[2:], strict=True):
        margins.append((max(width - 1 - start, 0), max(start + size - n, 0)))
    if any(margin != (0, 0) for margin in margins):
        image = np.pad(image, [(0, 0), (0, 0), *margins])
    origins = [
        start - (width - 1) + before
        for width, start, (before, _) in zip(widths, starts, margins, strict=True)
    ]
    shifted = np.stack(
        [
            image[
                (
                    ...,
                    *(
                        slice(o + i, o + i + n)
                        for o, i, n in zip(origins, shift, sizes, strict=True)
                    ),
                )
            ]
            for shift in product(*map(range, widths))
        ]
    )  # (shifts, image's, summed, *sizes)
    flipped = np.flip(kernel, axis=tuple(range(2, kernel.ndim)))
    flipped = np.reshape(flipped, (*kernel.shape[:2], -1))  # (kernel's, summed, shifts)
    out = np.tensordot(flipped, shifted, axes=([1, 2], [2, 0]))
    return np.swapaxes(out, 0, 1)


_enter(globals(), _signal, _original)
