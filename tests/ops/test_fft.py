"""`numpy.fft` on recorded arrays: against NumPy's own, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tests.numpy.agreement import agree, gradient

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 4, 5))
Z = X + 1j * RNG.standard_normal(X.shape)
NORMS = [None, "ortho", "forward"]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 1, 4, 7])
@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "hfft"])
def test_along_one_axis(name, n, norm):
    call = getattr(np.fft, name)
    agree(lambda z: call(z, n, norm=norm), Z[0, 0])
    agree(lambda z: call(z, n, axis=0, norm=norm), Z[0])
    agree(lambda x: call(x, n, axis=-2, norm=norm), X[0])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 1, 4, 7])
@pytest.mark.parametrize("name", ["rfft", "ihfft"])
def test_of_real_arrays(name, n, norm):
    call = getattr(np.fft, name)
    agree(lambda x: call(x, n, norm=norm), X[0, 0])
    agree(lambda x: call(x, n, axis=1, norm=norm), X)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "irfftn", "fft2", "ifft2", "irfft2"])
def test_over_several_axes(name, norm):
    call = getattr(np.fft, name)
    agree(lambda z: call(z, norm=norm), Z)
    agree(lambda x: call(x, s=(3, 5), axes=(2, 0), norm=norm), X)
    agree(lambda z: call(z, s=(-1, 6), axes=(0, 1), norm=norm), Z)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["rfftn", "rfft2"])
def test_of_real_arrays_over_several_axes(name, norm):
    call = getattr(np.fft, name)
    agree(lambda x: call(x, norm=norm), X)
    agree(lambda x: call(x, s=(3, 5), axes=(2, 0), norm=norm), X)


def test_an_axis_named_twice_is_transformed_twice():
    agree(lambda z: np.fft.fftn(z, axes=(0, 0, 1)), Z[0])


def test_shifts_and_frequencies():
    agree(np.fft.fftshift, X)
    agree(lambda x: np.fft.ifftshift(x, axes=(0, 2)), X)
    agree(lambda x: np.fft.fftshift(x, axes=1), X)
    agree(lambda d: np.fft.fftfreq(5, d), np.float64(0.3))
    agree(lambda d: np.fft.rfftfreq(6, d), np.float64(0.3))


def test_the_transposes_by_hand():
    # the transform of (a, b) is (a + b, a - b): its matrix is its own transpose
    g = np.array([2.0 + 1j, 3.0 - 4j])
    np.testing.assert_allclose(
        tg.vjp(np.fft.fft, np.array([5 + 0j, 7 + 0j]))[1](g)[0], np.fft.fft(g)
    )
    # of a real array, the real part is left of what comes back from
    # rfft((a, b, c, d)) = (a + b + c + d, a - c - i (b - d), a - b + c - d)
    pull = tg.vjp(np.fft.rfft, np.array([1.0, 2.0, 3.0, 4.0]))[1]
    np.testing.assert_allclose(pull(np.array([1.0, 0, 0], complex))[0], [1.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(
        pull(np.array([0, 1.0, 0], complex))[0], [1.0, 0.0, -1.0, 0.0], atol=1e-15
    )
    np.testing.assert_allclose(
        pull(np.array([0, 1.0j, 0], complex))[0], [0.0, 1.0, 0.0, -1.0], atol=1e-15
    )
    # 4 irfft((u, v, w)) begins with u + 2 Re v + w, and goes on with u + 2 Re(i v) - w; of u and w,
    # the real parts count
    pull = tg.vjp(np.fft.irfft, np.array([1.0, 2.0, 3.0], complex))[1]
    np.testing.assert_allclose(pull(np.array([4.0, 0, 0, 0]))[0], [1.0, 2.0, 1.0])
    np.testing.assert_allclose(pull(np.array([0, 4.0, 0, 0]))[0], [1.0, 2.0j, -1.0], atol=1e-15)


def test_the_gradient_of_the_energy_is_parsevals():
    x = X[0, 0]
    np.testing.assert_allclose(
        gradient(lambda x: np.abs(np.fft.fft(x, norm="ortho")) ** 2, x), 2 * x
    )
    hessian = tg.hessian(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2))(x)
    np.testing.assert_allclose(hessian, 2 * len(x) * np.eye(len(x)), atol=1e-12)


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "ihfft", "hfft", "fft2"])
def test_single_precision_is_kept(name):
    for dtype in (np.float32, np.float16):
        x = X[0].astype(dtype)
        out, pull = tg.vjp(getattr(np.fft, name), x)
        assert out.dtype == getattr(np.fft, name)(x).dtype
        assert pull(np.ones_like(out))[0].dtype == dtype


def test_integers_become_floats():
    rows = np.arange(6).reshape(2, 3)
    np.testing.assert_allclose(tg.vmap(np.fft.fft)(rows), np.fft.fft(rows))
    np.testing.assert_allclose(tg.vmap(np.fft.irfft)(rows > 2), np.fft.irfft(rows > 2))


def test_errors():
    for call, error, text in (
        (lambda x: np.fft.fft(x, 0), ValueError, "Invalid number of FFT data points"),
        (lambda x: np.fft.irfft(x[..., :1]), ValueError, "Invalid number of FFT data points"),
        (lambda x: np.fft.fft(x, norm="none"), ValueError, "Invalid norm value"),
        (lambda x: np.fft.fftn(x, (2,), (0, 1)), ValueError, "different lengths"),
        (lambda x: np.fft.fft(x, axis=3), np.exceptions.AxisError, "out of bounds"),
        (lambda x: np.fft.rfft(x + 1j), TypeError, "Take its real part"),
        (lambda x: np.fft.fft(x, out=Z.copy()), TypeError, "out="),
    ):
        with pytest.raises(error, match=text):
            tg.vjp(call, X)


def test_the_namespace_has_numpys_names():
    assert tnp.fft.__all__ == np.fft.__all__
    for name in np.fft.__all__:
        assert callable(getattr(tnp.fft, name))
    np.testing.assert_array_equal(tnp.fft.fft(X), np.fft.fft(X))
    assert tnp.fft.fftfreq is np.fft.fftfreq
    with pytest.raises(AttributeError, match="none"):
        _ = tnp.fft.none
