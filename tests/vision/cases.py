"""Transforms by name with arguments, and the images they are applied to.

Run with torchvision installed, ``python -m tests.vision.cases`` writes its results to
``recorded/transforms.npz``, which `test_transforms` compares with ours. The file holds those of
torchvision 0.28.0 with Pillow 13.0.0.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

RECORDED = Path(__file__).parent / "recorded" / "transforms.npz"


def array(kind):
    """Pixels that are smooth in places and noisy in others, (12, 16) or (12, 16, 3)."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:12, :16]
    smooth = np.stack([x * 15, y * 20, (x * y) % 200], -1)
    pixels = (smooth + rng.integers(0, 40, (12, 16, 3)) * (x > 7)[..., None]).astype(np.uint8)
    pixels[2:5, 3:6] = 200
    return pixels if kind == "RGB" else pixels[..., 0]


def image(kind):
    return Image.fromarray(array(kind))


MODES = ["nearest", "bilinear", "bicubic", "lanczos", "box", "hamming", "nearest-exact"]
TENSOR_MODES = ["nearest", "bilinear"]
BOTH = [
    ("hflip", (), {}),
    ("vflip", (), {}),
    ("crop", (2, 3, 5, 7), {}),
    ("crop", (-2, 10, 9, 9), {}),
    ("crop", (9, -3, 9, 25), {}),
    ("center_crop", (7,), {}),
    ("center_crop", ([20, 5],), {}),
    ("center_crop", ([25, 23],), {}),
    *(("adjust_brightness", (f,), {}) for f in (0, 0.4, 1.7)),
    *(("adjust_contrast", (f,), {}) for f in (0, 0.4, 1.7)),
    *(("adjust_saturation", (f,), {}) for f in (0, 0.4, 1.7)),
    *(("adjust_sharpness", (f,), {}) for f in (0, 0.4, 1.7)),
    *(("adjust_hue", (f,), {}) for f in (-0.5, -0.1, 0.25)),
    *(("adjust_gamma", (f, 1.2), {}) for f in (0.5, 2.2)),
    ("rgb_to_grayscale", (), {}),
    ("rgb_to_grayscale", (3,), {}),
    ("invert", (), {}),
    *(("posterize", (bits,), {}) for bits in (1, 3, 8)),
    *(("solarize", (t,), {}) for t in (0, 100.0, 255)),
    ("autocontrast", (), {}),
    ("equalize", (), {}),
    *(("pad", (2,), {"padding_mode": m}) for m in ("constant", "edge", "reflect", "symmetric")),
    ("pad", ([1, 2],), {"fill": 7}),
    *(("pad", ([3, 0, -2, 1],), {"padding_mode": m}) for m in ("constant", "edge", "reflect")),
    ("gaussian_blur", (3,), {}),
    ("gaussian_blur", ([5, 3], [0.5, 2.0]), {}),
    *(("resize", (7,), {"interpolation": m}) for m in ("nearest", "bilinear", "bicubic")),
    *(("resize", ([20, 9],), {"interpolation": m}) for m in ("nearest", "bilinear", "bicubic")),
    ("resize", (9,), {"max_size": 10}),
    ("resized_crop", (1, 2, 8, 9, [5, 6]), {}),
    *(("rotate", (30,), {"interpolation": m}) for m in TENSOR_MODES),
    ("rotate", (77,), {"expand": True}),
    ("rotate", (-20.5,), {"center": [3, 4], "fill": 9}),
    ("affine", (25, [2, -1], 1.3, [10, -5]), {}),
    ("affine", (-10, [0, 0], 0.7, 8.0), {"interpolation": "bilinear", "fill": 3}),
    ("affine", (0.0, [3, 0], 1.0, [0.0, 0.0]), {"center": [0, 0]}),
    *(
        ("perspective", (CORNERS, MOVED), {"interpolation": m})
        for CORNERS in ([[0, 0], [15, 0], [15, 11], [0, 11]],)
        for MOVED in ([[2, 1], [14, 0], [12, 10], [1, 11]],)
        for m in TENSOR_MODES
    ),
]
ONLY_PICTURES = [
    *(("resize", ([5, 21],), {"interpolation": m}) for m in MODES),
    ("rotate", (30,), {"interpolation": "bicubic"}),
    ("pad", (1,), {"fill": 4}),
]
ONLY_TENSORS = [
    ("resize", ([5, 9],), {"antialias": False}),
    ("resize", ([5, 9],), {"antialias": False, "interpolation": "bicubic"}),
    ("resize", ([5, 21],), {"interpolation": "nearest-exact"}),
]


def kinds():
    """The kinds of images."""
    return [(form, kind) for form in ("picture", "uint8", "float32") for kind in ("RGB", "L")]


def cases():
    """Each case: its name, the kind of image, and what is called."""
    for form, kind in kinds():
        some = ONLY_PICTURES if form == "picture" else ONLY_TENSORS
        for i, (name, args, options) in enumerate([*BOTH, *some]):
            if form == "float32" and name in ("posterize", "equalize"):
                continue
            if form != "picture" and kind == "L" and (name, args) == ("rgb_to_grayscale", (3,)):
                continue  # of one channel torchvision's has one, where its text says three
            if form == "float32" and name == "solarize":
                args = (args[0] / 255,)
            yield f"{form}-{kind}-{i}-{name}", form, kind, name, args, options


def result(transforms, torch, form, kind, name, args, options):
    """What one library makes of a case, as an array."""
    functional = transforms.functional
    options = dict(options)
    if "interpolation" in options:
        options["interpolation"] = transforms.InterpolationMode(options["interpolation"])
    if form == "picture":
        return np.asarray(getattr(functional, name)(image(kind), *args, **options))
    pixels = array(kind)
    pixels = pixels.transpose(2, 0, 1) if pixels.ndim == 3 else pixels[None]
    if form == "float32":
        pixels = pixels.astype(np.float32) / np.float32(255)
    x = torch.from_numpy(np.ascontiguousarray(pixels))
    return getattr(functional, name)(x, *args, **options).numpy()


def main():
    import torch
    from torchvision import transforms

    found = {case: result(transforms, torch, *rest) for case, *rest in cases()}
    RECORDED.parent.mkdir(exist_ok=True)
    np.savez_compressed(RECORDED, **found)
    sys.stdout.write(f"{len(found)} results, {RECORDED.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
