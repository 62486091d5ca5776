"""`scipy.fft` on recorded arrays, called here and as plain `scipy.fft`."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import tapegrad as tg
from tapegrad.scipy import fft
from tests.numpy.agreement import agree, gradient

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4))
Z = X + 1j * RNG.standard_normal(X.shape)

everywhere = pytest.mark.parametrize("module", [fft, scipy.fft])
norms = pytest.mark.parametrize("norm", [None, "ortho", "forward"])


@everywhere
@norms
@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "hfft", "rfft", "ihfft"])
def test_along_one_axis(name, norm, module):
    call = getattr(module, name)
    x = X if name in ("rfft", "ihfft") else Z
    for n in (None, 2, 7):
        agree(lambda x, n=n: call(x, n, norm=norm), x[0, 0])
        agree(lambda x, n=n: call(x, n, 1, norm=norm, workers=1), x)


@everywhere
@norms
@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "hfft", "rfft", "ihfft"])
def test_over_several_axes(name, norm, module):
    x = X if name in ("rfft", "ihfft") else Z
    for end in ("2", "n"):
        call = getattr(module, name + end)
        agree(lambda x, call=call: call(x, norm=norm), x)
        agree(lambda x, call=call: call(x, (3, 5), (2, 0), norm, overwrite_x=False), x)
    agree(lambda x: getattr(module, name + "n")(x, 4, norm=norm), x)


@everywhere
@norms
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_cosine_and_sine_transforms(name, kind, norm, module):
    call, several = getattr(module, name), getattr(module, name + "n")
    for orthogonalize in (None, True, False):
        agree(lambda x, o=orthogonalize: call(x, kind, norm=norm, orthogonalize=o), X[0, 0])
        agree(lambda x, o=orthogonalize: call(x, kind, 5, 0, norm, orthogonalize=o), X[:, :, 0])
    agree(lambda x: several(x, kind, norm=norm), X)
    agree(lambda x: several(x, kind, (3, 5), (2, 0), norm), Z)


@everywhere
def test_hankel_transforms(module):
    agree(lambda a: module.fht(a, 0.1, 0.5, 0.2, 0.3), X)
    agree(lambda a: module.ifht(a, 0.1, 0.5, 0.2, 0.3), X)
    agree(lambda a: module.fht(a, 0.1, 0.5), X)


def test_shifts():
    agree(fft.fftshift, X)
    agree(lambda x: fft.ifftshift(x, 1), X)


def test_an_orthogonal_transform_has_its_inverse_for_transpose():
    pull = tg.vjp(lambda x: fft.dct(x, norm="ortho"), X)[1]
    np.testing.assert_allclose(pull(X)[0], scipy.fft.idct(X, norm="ortho"))
    # of type 2 as it stands: (a, b) gives (2 (a + b), sqrt(2) (a - b))
    root = np.sqrt(2)
    np.testing.assert_allclose(tg.jacobian(fft.dct)(np.ones(2)), [[2, 2], [root, -root]])


def test_single_precision_is_kept():
    x = X.astype(np.float32)
    for call in (fft.fft, fft.rfft, fft.irfft, fft.dct, fft.idstn):
        out, pull = tg.vjp(call, x)
        assert out.dtype == call(x).dtype
        assert pull(np.ones_like(out))[0].dtype == np.float32


def test_errors():
    for call, text in (
        (lambda x: fft.fft(x, 0), "Invalid number of FFT data points"),
        (lambda x: fft.fftn(x, axes=(0, 0)), "axes must be unique"),
        (lambda x: fft.fftn(x, (2,), (0, 1)), "different lengths"),
        (lambda x: fft.dct(x, norm="none"), "Invalid norm value"),
        (lambda x: fft.dct(x, 5), "1, 2, 3 or 4"),
        (lambda x: fft.dct(x, 1, 1), "invalid number of data points"),
    ):
        with pytest.raises(ValueError, match=text):
            gradient(call, X)
    with pytest.raises(TypeError, match="plan="):
        tg.vjp(lambda x: fft.fft(x, plan=1), X)
    with pytest.raises(TypeError, match="Pass these as plain numbers"):
        gradient(lambda mu: fft.fht(X, 0.1, mu), np.float64(0.5))


def test_the_namespace_has_scipys_names():
    for name in scipy.fft.__all__:
        assert callable(getattr(fft, name))
    assert fft.next_fast_len(7) == scipy.fft.next_fast_len(7)
    np.testing.assert_array_equal(fft.fft(X), scipy.fft.fft(X))
    np.testing.assert_array_equal(scipy.fft.fft(X.tolist()), scipy.fft.fft(X))


@everywhere
def test_hankel_transforms_keep_single_precision(module):
    x = X.astype(np.float32)
    for call in (module.fht, module.ifht):
        out, pull = tg.vjp(lambda x, call=call: call(x, 0.1, 0.5, 0.2, 0.3), x)
        assert out.dtype == pull(out)[0].dtype == np.float32
        np.testing.assert_allclose(out, call(x, 0.1, 0.5, 0.2, 0.3), rtol=1e-4, atol=1e-5)
