"""`tapegrad.scipy.ndimage` against `scipy.ndimage`, with derivatives in all that is continuous."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.scipy import ndimage as ndi
from tests.numpy.agreement import agree, gradient

RNG = np.random.default_rng(0)
X = RNG.standard_normal((5, 6))
Z = X + 1j * RNG.standard_normal((5, 6))
FILTER_MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-wrap", "grid-constant"]
MODES = [*FILTER_MODES, "grid-mirror"]


@pytest.mark.parametrize("mode", FILTER_MODES)
def test_filters_along_an_axis(mode):
    w = RNG.standard_normal(4)
    agree(lambda x, w: ndi.correlate1d(x, w, 0, mode=mode, cval=0.7, origin=-1), X, w)
    agree(lambda x, w: ndi.convolve1d(x, w, mode=mode, cval=0.7, origin=1), X, w)
    agree(lambda x: ndi.uniform_filter1d(x, 4, 0, mode=mode, cval=0.7), X)


@pytest.mark.parametrize("mode", FILTER_MODES)
def test_filters_of_several_axes(mode):
    w = RNG.standard_normal((2, 3))
    agree(lambda x, w: ndi.correlate(x, w, mode=mode, cval=0.7, origin=(0, 1)), X, w)
    agree(lambda x, w: ndi.convolve(x, w, mode=mode, cval=0.7, origin=-1), X, w)
    agree(lambda x: ndi.uniform_filter(x, (3, 2), mode=mode, cval=0.7), X)
    agree(lambda x: ndi.correlate(x, [1.0, 2.0, 4.0], mode=mode, axes=(0,)), X)


def test_kernels_longer_than_the_image():
    w = RNG.standard_normal(9)
    for mode in FILTER_MODES:
        agree(lambda x, mode=mode: ndi.correlate1d(x, w, mode=mode), X[:, :2])


def test_complex_images_and_kernels():
    w = RNG.standard_normal(3) + 1j * RNG.standard_normal(3)
    agree(lambda x, w: ndi.correlate1d(x, w), Z, w)
    agree(lambda x, w: ndi.convolve1d(x, w), X, w)
    agree(lambda x, w: ndi.correlate(x, w), X, np.outer(w, w))
    agree(lambda x, w: ndi.convolve(x, w), Z, np.outer(w, w))
    agree(lambda x: ndi.uniform_filter(x, 3), Z)


def test_the_constant_beyond_the_edge_has_a_derivative():
    agree(lambda c: ndi.correlate1d(X, [1.0, 2.0, 3.0], mode="constant", cval=c), np.float64(0.3))
    agree(lambda c: ndi.map_coordinates(X, C, mode="grid-constant", cval=c), np.float64(0.3))
    agree(lambda c: ndi.map_coordinates(X, C, order=1, cval=c), np.float64(0.3))


@pytest.mark.parametrize("name", ["sobel", "prewitt"])
def test_differences(name):
    agree(lambda x: getattr(ndi, name)(x, 0), X)
    agree(lambda x: getattr(ndi, name)(x, -1, mode=("wrap", "nearest")), X)


def test_gaussian_filters():
    agree(lambda x: ndi.gaussian_filter1d(x, 1.2), X)
    agree(lambda x: ndi.gaussian_filter(x, (1.2, 0.7), order=(0, 2), mode="wrap"), X)
    agree(lambda x: ndi.gaussian_filter(x, 0.9, axes=(0,), radius=2), X)
    agree(lambda x: ndi.gaussian_laplace(x, (1.0, 0.8)), X)
    agree(lambda x: ndi.gaussian_gradient_magnitude(x, 0.9), X)
    agree(lambda x: ndi.laplace(x, mode="mirror"), X)
    agree(lambda x: ndi.laplace(x, axes=(1,)), X)
    agree(lambda x: ndi.gaussian_filter(x, 0), X)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_the_width_of_a_gaussian_has_a_derivative(order):
    agree(lambda x, s: ndi.gaussian_filter1d(x, s, order=order), X, np.float64(0.83), lanes=False)
    agree(lambda x, s: ndi.gaussian_filter1d(x, s, order=order, radius=3), X, np.float64(0.83))


def test_the_gradient_magnitude_of_a_constant_image_is_smooth():
    flat = np.ones((4, 4))
    np.testing.assert_array_equal(
        gradient(lambda x: ndi.gaussian_gradient_magnitude(x, 1.0), flat), np.zeros((4, 4))
    )


C = np.array([[0.3, 2.6, 3.9, -1.4, 7.3, 4.4], [1.2, 0.1, 4.8, 2.3, -6.7, 5.6]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1, 2, 3, 4, 5])
def test_map_coordinates(order, mode):
    agree(lambda x, c: ndi.map_coordinates(x, c, order=order, mode=mode, cval=0.5), X, C)


@pytest.mark.parametrize("mode", MODES)
def test_map_coordinates_without_prefilter_on_many_axes(mode):
    c = np.stack([C[0], C[1], C[0] - 0.37]).reshape(3, 2, 3)
    x = RNG.standard_normal((3, 4, 2))
    agree(lambda x, c: ndi.map_coordinates(x, c, mode=mode, prefilter=False), x, c)


def test_map_coordinates_takes_a_list_and_complex_images():
    agree(lambda x, a, b: ndi.map_coordinates(x, [a, b], order=2), X, C[0], C[1])
    agree(lambda x, c: ndi.map_coordinates(x, c, mode="mirror"), Z, C)


def test_bilinear_interpolation_by_hand():
    image = np.array([[0.0, 10.0], [100.0, 110.0]])
    point = np.array([[0.25], [0.5]])
    value, (g_image, g_point) = tg.value_and_grad(
        lambda x, c: np.sum(ndi.map_coordinates(x, c, order=1)), (0, 1)
    )(image, point)
    assert value == 30.0
    np.testing.assert_array_equal(g_image, [[0.375, 0.375], [0.125, 0.125]])
    np.testing.assert_array_equal(g_point, [[100.0], [10.0]])


def test_at_an_element_the_derivative_is_that_of_the_piece_to_the_right():
    ramp = np.array([0.0, 1.0, 5.0, 6.0])
    slope = tg.grad(lambda c: np.sum(ndi.map_coordinates(ramp, c, order=1)))
    np.testing.assert_array_equal(slope(np.array([[1.0, 2.0]])), [[4.0, 1.0]])


@pytest.mark.parametrize("mode", MODES)
def test_shift_and_zoom(mode):
    agree(lambda x, s: ndi.shift(x, s, mode=mode, cval=0.5), X, np.array([0.3, -1.2]))
    agree(lambda x: ndi.zoom(x, (1.7, 0.6), mode=mode, order=2), X)
    agree(lambda x: ndi.shift(x, 0.4, mode=mode, order=1), X)


def test_zoom_with_pixels_as_areas():
    agree(lambda x: ndi.zoom(x, 2, mode="grid-wrap", grid_mode=True), X)
    agree(lambda x: ndi.zoom(x, 1), X)
    agree(lambda x: ndi.zoom(x, 1, prefilter=False), X)
    with pytest.warns(UserWarning, match="mode = grid-wrap"):
        gradient(lambda x: ndi.zoom(x, 2, mode="wrap", grid_mode=True), X)


@pytest.mark.parametrize("reshape", [True, False])
def test_rotate(reshape):
    angle = np.float64(37.0)
    agree(lambda x, a: ndi.rotate(x, a, reshape=reshape, order=1), X, angle, lanes=not reshape)
    agree(lambda x: ndi.rotate(x, 30.0, reshape=reshape, mode="reflect"), X)
    x = RNG.standard_normal((4, 2, 3))
    agree(lambda x: ndi.rotate(x, 21.0, axes=(2, 0), reshape=reshape), x)


def test_a_right_angle_is_exact():
    assert np.array_equal(tg.vjp(lambda a: ndi.rotate(X, a, order=1), 90.0)[0], np.rot90(X))


def test_affine_transform():
    m = np.array([[0.9, 0.2], [-0.1, 1.1]])
    b = np.array([0.31, -0.23])
    agree(lambda x, m, b: ndi.affine_transform(x, m, b, order=3, cval=0.5), X, m, b)
    agree(lambda x, m, b: ndi.affine_transform(x, m, b, (3, 4), mode="nearest"), X, m[0], b)
    agree(lambda x, m: ndi.affine_transform(x, m, 0.25), X, np.hstack([m, b[:, None]]))
    full = np.vstack([np.hstack([m, b[:, None]]), [0, 0, 1]])
    agree(lambda x: ndi.affine_transform(x, full, order=1), X)
    with pytest.raises(ValueError, match="bottom row"):
        gradient(lambda x: ndi.affine_transform(x, full + 1), X)


def test_geometric_transform():
    agree(lambda x: ndi.geometric_transform(x, lambda p: (p[0] * 0.7 + 0.1, p[1] - 0.3), (4, 3)), X)


def test_spline_filters():
    for mode in ("mirror", "reflect", "grid-wrap", "nearest", "constant"):
        agree(lambda x, mode=mode: ndi.spline_filter1d(x, 4, 0, mode=mode), X)
    agree(lambda x: ndi.spline_filter(x, output=complex), Z)
    agree(lambda x: ndi.spline_filter1d(x, 1), X)


def test_single_precision_is_kept():
    x = X.astype(np.float32)
    for call in (
        lambda x: ndi.gaussian_filter(x, 1.0),
        lambda x: ndi.zoom(x, 1.5),
        lambda x: ndi.map_coordinates(x, C),
        lambda x: ndi.sobel(x),
    ):
        out, pull = tg.vjp(call, x)
        assert out.dtype == np.float32
        np.testing.assert_allclose(out, call(x), rtol=1e-5, atol=1e-5)
        assert pull(np.ones_like(out))[0].dtype == np.float32


def test_images_of_integers():
    image = np.arange(30, dtype=np.uint8).reshape(5, 6)

    def mapped(call):
        return tg.vmap(call)(np.stack([image, image[::-1]]))

    for call in (
        lambda x: ndi.uniform_filter(x, 3),
        lambda x: ndi.gaussian_filter(x, 1.0, output=float),
        lambda x: ndi.map_coordinates(x, C, order=1),
    ):
        expected = np.stack([call(image), call(image[::-1])])
        assert mapped(call).dtype == expected.dtype
        np.testing.assert_allclose(mapped(call), expected, rtol=1e-12)
    with pytest.raises(TypeError, match="Convert the image"):
        tg.grad(lambda c: ndi.map_coordinates(image, c).sum().astype(float))(C)
    np.testing.assert_allclose(
        gradient(lambda c: ndi.map_coordinates(image, c, output=float, order=1), C),
        gradient(lambda c: ndi.map_coordinates(image.astype(float), c, order=1), C),
    )


def test_what_is_not_supported_raises():
    with pytest.raises(TypeError, match=r"an array as output="):
        gradient(lambda x: ndi.sobel(x, output=np.zeros((5, 6))), X)
    with pytest.raises(TypeError, match="a traced factor"):
        gradient(lambda z: ndi.zoom(X, z), np.float64(2.0))
    with pytest.raises(RuntimeError, match="boundary mode not supported"):
        gradient(lambda x: ndi.sobel(x, mode="none"), X)
    with pytest.raises(RuntimeError, match="spline order not supported"):
        gradient(lambda x: ndi.zoom(x, 2, order=6), X)


def test_the_rest_is_scipys_own():
    assert ndi.label(np.array([1, 0, 1]))[1] == 2
    assert ndi.median_filter(X, 3).shape == X.shape


def test_the_gradient_magnitude_of_a_complex_image_is_scipys():
    agree(lambda x: ndi.gaussian_gradient_magnitude(x, 0.9), Z)
