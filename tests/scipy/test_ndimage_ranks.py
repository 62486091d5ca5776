"""Filters of `tapegrad.scipy.ndimage` that choose among neighbours, and morphology."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.scipy import ndimage as ndi
from tests.numpy.agreement import agree, gradient

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 5))
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)
HEIGHTS = np.array([[0.1, 0.5], [0.3, -0.2], [0.0, 0.7]])
MODES = ["reflect", "constant", "nearest", "mirror", "wrap"]


@pytest.mark.parametrize("mode", MODES)
def test_ranks_in_all_modes(mode):
    agree(lambda x: ndi.maximum_filter(x, (2, 3), mode=mode, cval=0.3, origin=(0, 1)), X)
    agree(lambda x: ndi.minimum_filter(x, footprint=CROSS, mode=mode, cval=0.3), X)
    agree(lambda x: ndi.median_filter(x, 3, mode=mode, cval=0.3), X)
    agree(lambda x: ndi.grey_dilation(x, (2, 3), mode=mode, cval=0.3), X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ndi.maximum_filter1d(x, 4, 0, origin=1),
        lambda x: ndi.minimum_filter1d(x, 3),
        lambda x: ndi.maximum_filter(x, 3, mode=("wrap", "nearest")),
        lambda x: ndi.maximum_filter(x, 1),
        lambda x: ndi.minimum_filter(x, 2, axes=(1,)),
        lambda x: ndi.rank_filter(x, 2, size=2),
        lambda x: ndi.rank_filter(x, -2, footprint=CROSS, origin=-1),
        lambda x: ndi.rank_filter(x, 0, size=(1, 3)),
        lambda x: ndi.median_filter(x, 4, axes=(0,)),
        lambda x: ndi.median_filter(x[0], 3),
        lambda x: ndi.percentile_filter(x, 30, size=(2, 3)),
        lambda x: ndi.percentile_filter(x, -20, footprint=CROSS),
        lambda x: ndi.percentile_filter(x, 100, size=2),
    ],
)
def test_ranks(f):
    agree(f, X)


@pytest.mark.parametrize(
    "name",
    [
        *["grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "white_tophat"],
        *["black_tophat", "morphological_gradient", "morphological_laplace"],
    ],
)
def test_morphology(name):
    f = getattr(ndi, name)
    agree(lambda x: f(x, 3), X)
    agree(lambda x: f(x, footprint=CROSS[:2], origin=(-1, 1)), X)
    agree(lambda x: f(x, structure=HEIGHTS), X)
    agree(lambda x, s: f(x, footprint=CROSS, structure=s, mode="nearest"), X, X[:3, :3] / 5)
    image = (X * 10).astype(int)
    out = tg.vmap(lambda x: f(x, 3))(image[None])[0]
    np.testing.assert_array_equal(out, f(image, 3))
    assert out.dtype == image.dtype


def test_the_constant_beyond_the_edge_has_a_derivative():
    agree(lambda c: ndi.maximum_filter(X, 3, mode="constant", cval=c), np.float64(0.3))
    agree(lambda c: ndi.median_filter(X, 3, mode="constant", cval=c), np.float64(0.3))


def test_equal_neighbours():
    flat = np.ones(4)
    # two neighbours each: of the edge both are the same element
    np.testing.assert_array_equal(
        gradient(lambda x: ndi.maximum_filter(x, 2), flat), [1.5, 1.0, 1.0, 0.5]
    )
    # the middle one of three is the first of equals in order, the one before
    np.testing.assert_array_equal(gradient(lambda x: ndi.median_filter(x, 3), flat), [1, 1, 1, 1])


def test_single_precision_is_kept():
    x = X.astype(np.float32)
    for f in (lambda x: ndi.median_filter(x, 3), lambda x: ndi.white_tophat(x, 3)):
        out, pull = tg.vjp(f, x)
        assert out.dtype == pull(out)[0].dtype == np.float32


@pytest.mark.parametrize(
    ("f", "error", "match"),
    [
        (lambda x: ndi.maximum_filter(x), RuntimeError, "no footprint or filter size provided"),
        (lambda x: ndi.maximum_filter(x, footprint=CROSS[0]), RuntimeError, "must match len"),
        (lambda x: ndi.maximum_filter(x, footprint=CROSS & False), ValueError, "All-zero"),
        (lambda x: ndi.maximum_filter(x, 3, origin=2), ValueError, "invalid origin"),
        (lambda x: ndi.maximum_filter1d(x, 0), RuntimeError, "incorrect filter size"),
        (lambda x: ndi.maximum_filter(x * 1j, 3), TypeError, "Complex type not supported"),
        (lambda x: ndi.rank_filter(x, 4, 2), RuntimeError, "rank not within filter footprint"),
        (lambda x: ndi.median_filter(x, 3, mode=["wrap"] * 2), RuntimeError, "sequence of modes"),
        (lambda x: ndi.percentile_filter(x, 101, 3), RuntimeError, "invalid percentile"),
        (lambda x: ndi.grey_erosion(x), ValueError, "size, footprint, or structure must be"),
        (lambda x: ndi.median_filter(x, 3, output=int), TypeError, "Convert the image"),
    ],
)
def test_errors(f, error, match):
    with pytest.raises(error, match=match):
        gradient(f, X)
