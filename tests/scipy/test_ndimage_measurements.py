"""Statistics of regions, and filters of spectra, in `tapegrad.scipy.ndimage`."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage

import tapegrad as tg
from tapegrad.scipy import ndimage as ndi
from tests.numpy.agreement import agree, gradient

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 5))
Z = X + 1j * RNG.standard_normal((4, 5))
LABELS = np.array([[0, 1, 1, 2, 2], [0, 1, 1, 2, 3], [0, 1, 3, 3, 3], [2, 2, 0, 0, 0]])
NAMES = ["sum_labels", "sum", "mean", "variance", "standard_deviation", "maximum", "minimum"]


@pytest.mark.parametrize("name", [*NAMES, "median"])
def test_regions(name):
    f = getattr(ndi, name)
    agree(lambda x: f(x), X)
    agree(lambda x: f(x, LABELS), X)
    agree(lambda x: f(x, LABELS, 3), X)
    agree(lambda x: f(x, LABELS, [2, 1, 3, 2]), X)
    agree(lambda x: f(x, LABELS[1], [1, 2, 3]), X)


@pytest.mark.parametrize("name", ["sum_labels", "maximum", "minimum"])
def test_a_region_that_is_not_there(name):
    agree(lambda x: getattr(ndi, name)(x, LABELS, [1, 5]), X)


def test_centers_and_extrema():
    positive = X * X + 1
    agree(lambda x: ndi.center_of_mass(x), positive)
    agree(lambda x: ndi.center_of_mass(x, LABELS, [3, 1]), positive)
    agree(lambda x: ndi.extrema(x, LABELS, [3, 1])[:2], X, lanes=False)
    places = []

    def f(x):
        low, high, *found = ndi.extrema(x)
        places.extend(found)
        return high - low

    g = gradient(f, X)
    assert tuple(places[0]) == ndi.minimum_position(X)
    assert tuple(places[1]) == ndi.maximum_position(X)
    assert g[ndi.maximum_position(X)] == 1
    assert g[ndi.minimum_position(X)] == -1


def test_labels_must_be_known():
    with pytest.raises(tg.errors.ConcretizationError, match="labels of scipy"):
        tg.vmap(lambda labels: ndi.mean(X, labels))(LABELS[None])
    with pytest.raises(ValueError, match="index without defined labels"):
        gradient(lambda x: ndi.mean(x, index=1), X)


@pytest.mark.parametrize("name", ["fourier_gaussian", "fourier_uniform", "fourier_shift"])
def test_filters_of_spectra(name):
    f = getattr(ndi, name)
    agree(lambda x, s: f(x, s), Z, np.float64(0.7))
    agree(lambda x, s: f(x, s, n=6, axis=0), Z, np.array([0.7, 1.3]))
    agree(lambda x: f(x, (0.7, 1.3)), X)
    out, pull = tg.vjp(lambda x: f(x, 0.7), Z.astype(np.complex64))
    assert out.dtype == pull(out)[0].dtype == np.complex64


def test_an_ellipsoid():
    agree(lambda x: ndi.fourier_ellipsoid(x, 2.5), Z)
    with pytest.raises(TypeError, match="the size"):
        tg.grad(lambda s: np.sum(ndi.fourier_ellipsoid(X, s)))(2.5)


def test_of_values_that_have_no_derivative():
    def f(x):
        regions, count = ndi.label(x > 0)
        assert count == ndi.label(X > 0)[1]
        far = ndi.distance_transform_edt(x > 0)  # of truth values, which have no derivative
        np.testing.assert_array_equal(far.raw, ndi.distance_transform_edt(X > 0))
        inside = ndi.binary_erosion(ndi.binary_closing(x > 0))
        assert inside.dtype == bool
        return np.sum(ndi.sum_labels(x, regions, np.arange(1, count + 1)))

    np.testing.assert_array_equal(gradient(f, X), X > 0)


@pytest.mark.parametrize(
    ("f", "match"),
    [
        (lambda x: ndi.generic_filter(x, np.ptp, 3), "generic_filter has no rule .* every pixel"),
        (lambda x: ndi.distance_transform_edt(x), "no rule .* which elements are zero"),
        (lambda x: ndi.generic_laplace(x, ndi.sobel), "generic_laplace has no rule"),
    ],
)
def test_what_has_no_rule_says_why(f, match):
    with pytest.raises(TypeError, match=match):
        gradient(f, X)


def test_every_public_name_is_here():
    assert set(scipy.ndimage.__all__) <= set(dir(ndi))
