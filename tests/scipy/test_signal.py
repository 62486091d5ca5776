"""`tapegrad.scipy.signal` against `scipy.signal`, with derivatives in signals and coefficients."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import tapegrad as tg
from tapegrad.scipy import signal as sig
from tests.numpy.agreement import agree, gradient

RNG = np.random.default_rng(0)
X = RNG.standard_normal(12)
Y = RNG.standard_normal(5)
IMAGE = RNG.standard_normal((4, 6))
KERNEL = RNG.standard_normal((3, 2))
B = np.array([0.4, 0.2, 0.1])
A = np.array([1.3, -0.4, 0.2])
MODES = ["full", "same", "valid"]


def imaginary(x):
    return x + 1j * RNG.standard_normal(x.shape)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["auto", "direct", "fft"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolution(name, method, mode):
    call = getattr(sig, name)
    agree(lambda x, y: call(x, y, mode, method), X, Y)
    agree(lambda x, y: call(x, y, mode, method), IMAGE, KERNEL)
    agree(lambda x, y: call(x, y, mode, method), IMAGE, KERNEL[:1])
    agree(lambda x, y: call(x, y, mode, method), imaginary(X), imaginary(Y))
    agree(lambda x, y: call(x, y, mode, method), imaginary(IMAGE), KERNEL)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_the_second_may_be_the_larger(name):
    call = getattr(sig, name)
    for method in ("direct", "fft"):
        agree(lambda x, y, m=method: call(x, y, "full", m), Y, imaginary(X))
        agree(lambda x, y, m=method: call(x, y, "valid", m), Y, imaginary(X))
        agree(lambda x, y, m=method: call(x, y, "valid", m), KERNEL, IMAGE)
    agree(lambda x, y: call(x, y, "same", "fft"), Y, X)
    agree(lambda x, y: call(x, y, "same", "direct"), KERNEL, IMAGE)


def test_convolution_of_numbers_and_of_integers():
    agree(lambda x, y: sig.convolve(x, y), np.float64(2.0), np.float64(3.0))
    x, y = np.arange(10), np.arange(6).reshape(2, 3)
    for method in ("direct", "fft"):
        out = tg.vmap(lambda y, m=method: sig.convolve(x, y, method=m))(y)
        np.testing.assert_array_equal(out, [np.convolve(x, row) for row in y])
        assert out.dtype == x.dtype


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
def test_convolution_by_transforms(name, mode):
    call = getattr(sig, name)
    agree(lambda x, y: call(x, y, mode), X, Y)
    agree(lambda x, y: call(x, y, mode), IMAGE, imaginary(KERNEL))
    agree(lambda x, y: call(x, y, mode, axes=1), IMAGE, KERNEL[:1])
    agree(lambda x, y: call(x, y, mode, axes=(0,)), IMAGE, RNG.standard_normal((2, 6)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm", "circular"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_convolution_of_images(name, boundary, mode):
    call = getattr(sig, name)
    for kernel in (KERNEL, RNG.standard_normal((2, 3)), imaginary(KERNEL)):
        agree(lambda x, y: call(x, y, mode, boundary, fillvalue=0.5), IMAGE, kernel)


def test_errors_of_convolution():
    for call, args, text in (
        (sig.convolve, (X, IMAGE), "same dimensionality"),
        (sig.convolve, (X, Y, "none"), "acceptable mode flags"),
        (sig.convolve, (X, Y, "full", "none"), "Acceptable method flags"),
        (sig.convolve, (IMAGE, KERNEL.T.repeat(3, 0), "valid"), "For 'valid' mode"),
        (sig.fftconvolve, (IMAGE, KERNEL, "full", 0), "incompatible shapes"),
        (sig.convolve2d, (X, Y), "must both be 2-D"),
        (sig.convolve2d, (IMAGE, KERNEL, "full", "none"), "Acceptable boundary flags"),
    ):
        with pytest.raises(ValueError, match=text):
            gradient(lambda x, call=call, args=args: call(x, *args[1:]), args[0])


def test_lfilter():
    agree(lambda b, a, x: sig.lfilter(b, a, x), B, A, X)
    agree(lambda b, a, x: sig.lfilter(b, a, x, axis=0), B[:2], A, IMAGE)
    agree(lambda b, a, x: sig.lfilter(b, a, x), B, A[:1], X)
    agree(lambda b, a, x: sig.lfilter(b, a, x), imaginary(B), A, imaginary(X))
    agree(lambda x: sig.lfilter([1.0], [1.0, -0.5], x), IMAGE)


@pytest.mark.parametrize("n", [12, 2, 1])
def test_lfilter_from_a_state(n):
    z = RNG.standard_normal(2)
    agree(lambda b, a, x, z: sig.lfilter(b, a, x, zi=z), B, A, X[:n], z)
    agree(lambda b, a, x, z: sig.lfilter(b, a, x, zi=z), B, A[:1], X[:n], z)
    z = RNG.standard_normal((1, 2))
    agree(lambda b, a, x, z: sig.lfilter(b, a, x, zi=z), B, A, IMAGE[:, :n], z)
    z = RNG.standard_normal((2, 6))
    agree(lambda b, a, x, z: sig.lfilter(b, a, x, 0, zi=z), B, A, IMAGE, z)


def test_a_recurrence_by_hand():
    # y[n] = x[n] + p y[n-1]: dy[2]/dp at p = 1/2 is 2 p x[0] + x[1]
    x = np.array([3.0, 5.0, 7.0])
    g = tg.grad(lambda p: sig.lfilter([1.0], np.stack([1.0, -p]), x)[2])
    assert g(np.float64(0.5)) == 2 * 0.5 * 3.0 + 5.0


def test_steady_states():
    agree(lambda b, a: sig.lfilter_zi(b, a), B, A)
    agree(lambda b, a: sig.lfilter_zi(b, a), B[:2], A)
    sos = scipy.signal.butter(4, 0.3, output="sos")
    agree(lambda s: sig.sosfilt_zi(s), sos)


@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
def test_filtfilt(padtype):
    agree(lambda b, a, x: sig.filtfilt(b, a, x, padtype=padtype), B, A, X, lanes=False)
    agree(lambda x: sig.filtfilt(B, A, x, padtype=padtype), X)
    agree(lambda x: sig.filtfilt(B, A, x, axis=0, padtype=padtype, padlen=2), IMAGE)


def test_second_order_sections():
    sos = scipy.signal.butter(3, 0.3, output="sos")
    agree(lambda x: sig.sosfilt(sos, x), X)
    agree(lambda x: sig.sosfilt(sos, x, axis=0), IMAGE)
    z = RNG.standard_normal((2, 4, 2))
    agree(lambda x, z: sig.sosfilt(sos, x, zi=z), IMAGE, z)
    agree(lambda x: sig.sosfiltfilt(sos, x), np.concatenate([X, X]))
    agree(lambda x: sig.sosfiltfilt(sos, x, axis=0, padtype="even", padlen=2), IMAGE)

    def of_coefficients(s):
        return sig.sosfilt(np.concatenate([s[:, :3], np.ones((2, 1)), s[:, 4:]], axis=1), X)

    agree(of_coefficients, sos)


def test_errors_of_filters():
    for call, text in (
        (lambda x: sig.lfilter([], [1.0], x), "non-empty 1d array"),
        (lambda x: sig.lfilter(B, A, x, zi=np.zeros(3)), "Unexpected shape for parameter zi"),
        (lambda x: sig.filtfilt(B, A, x, padlen=12), "must be greater than padlen"),
        (lambda x: sig.filtfilt(B, A, x, padtype="none"), "given to padtype"),
        (lambda x: sig.sosfilt(np.ones((1, 5)), x), r"shape \(n_sections, 6\)"),
        (lambda x: sig.sosfilt(np.full((1, 6), 2.0), x), "all ones"),
    ):
        with pytest.raises(ValueError, match=text):
            gradient(call, X)
    with pytest.raises(TypeError, match='Use method="pad"'):
        gradient(lambda x: sig.filtfilt(B, A, x, method="gust"), X)
    with pytest.raises(TypeError, match="wiener"):
        gradient(lambda x: sig.wiener(x), X)


@pytest.mark.parametrize(
    "options", [{}, {"type": "constant"}, {"bp": [4, 9], "axis": 0}, {"axis": 0}]
)
def test_detrend(options):
    agree(lambda x: sig.detrend(x, **options), np.outer(X, [1.0, -2.0]) + X[:2])
    agree(lambda x: sig.detrend(x, **{**options, "axis": -1}), imaginary(X))


@pytest.mark.parametrize("n", [None, 7, 12, 15])
def test_hilbert(n):
    agree(lambda x: sig.hilbert(x, n), X)
    agree(lambda x: sig.hilbert(x, n, axis=0), IMAGE)


def test_hilbert_of_images():
    agree(lambda x: sig.hilbert2(x), IMAGE)
    agree(lambda x: sig.hilbert2(x, (5, 3)), IMAGE)


@pytest.mark.parametrize("num", [5, 6, 12, 13, 18, 24])
@pytest.mark.parametrize("window", [None, "hamming"])
def test_resample(num, window):
    agree(lambda x: sig.resample(x, num, window=window), X)
    agree(lambda x: sig.resample(x, num, window=window), X[:11])
    agree(lambda x: sig.resample(x, num, window=window), imaginary(X))
    agree(lambda x: sig.resample(x, num, window=window), imaginary(X[:11]))


def test_resample_with_times_and_of_spectra():
    agree(lambda x: sig.resample(x, 9, axis=1), IMAGE)
    agree(lambda x: sig.resample(x, 9, domain="freq"), imaginary(X))
    agree(lambda x: sig.resample(x, 9, window=np.abs), X)
    time = np.arange(12) * 0.1
    moved = tg.vjp(lambda x: sig.resample(x, 7, time)[1], X)[0]
    np.testing.assert_allclose(moved, scipy.signal.resample(X, 7, time)[1])


@pytest.mark.parametrize("mode", ["interp", "mirror", "constant", "nearest", "wrap"])
def test_savgol_filter(mode):
    agree(lambda x: sig.savgol_filter(x, 5, 2, mode=mode), X)
    agree(lambda x: sig.savgol_filter(x, 4, 2, 1, 0.5, axis=0, mode=mode, cval=0.3), IMAGE)
    agree(lambda x: sig.savgol_filter(x, 7, 3), X[:7])


def of(name, *args, **options):
    """A function of a signal that gives a spectrum, without its frequencies."""
    return lambda *xs: getattr(sig, name)(*xs, *args, **options)[-1]


LONG = RNG.standard_normal(40)


@pytest.mark.parametrize(
    "options",
    [
        {"nperseg": 8},
        {"nperseg": 9, "noverlap": 3, "nfft": 12, "fs": 2.0},
        {"nperseg": 8, "window": "hamming", "scaling": "spectrum"},
        {"nperseg": 8, "detrend": "linear"},
        {"nperseg": 8, "detrend": False, "return_onesided": False},
        {"nperseg": 40},
        {"window": np.arange(1.0, 9.0)},
    ],
)
def test_power_spectra(options):
    agree(of("welch", **options), LONG)
    agree(of("csd", **options), LONG, LONG[::-1].copy())
    agree(of("welch", average="median", **options), LONG)
    agree(of("welch", **options), imaginary(LONG))


def test_spectra_along_axes():
    x = RNG.standard_normal((20, 2))
    agree(of("welch", nperseg=8, axis=0), x)
    agree(of("csd", nperseg=8, axis=0, average="median"), x, RNG.standard_normal((13, 2)))
    agree(of("stft", nperseg=8, axis=0), x)
    agree(of("spectrogram", nperseg=8, axis=0), x)
    agree(of("spectrogram", nperseg=8, axis=-2, detrend=lambda s: s * 2), x)


@pytest.mark.parametrize("options", [{}, {"nfft": 50}, {"nfft": 30, "window": "hann"}])
def test_periodogram_and_coherence(options):
    agree(of("periodogram", **options), LONG)
    agree(of("coherence", nperseg=8), LONG, np.sin(LONG))


@pytest.mark.parametrize("mode", ["psd", "complex", "magnitude", "angle", "phase"])
def test_spectrogram(mode):
    agree(of("spectrogram", nperseg=8, mode=mode), LONG + 3)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"boundary": "even", "padded": False},
        {"boundary": "odd", "noverlap": 5},
        {"boundary": None, "nfft": 10, "scaling": "psd"},
        {"boundary": "constant", "detrend": "constant", "fs": 4.0},
        {"return_onesided": False},
    ],
)
def test_stft(options):
    agree(of("stft", nperseg=8, **options), LONG)


def test_stft_of_complex_signals():
    agree(of("stft", nperseg=8, return_onesided=False), imaginary(LONG))
    with pytest.warns(UserWarning, match="return_onesided=False"):
        tg.vjp(of("stft", nperseg=8), imaginary(LONG))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"noverlap": 5},
        {"nfft": 10, "scaling": "psd"},
        {"nperseg": 7},
        {"boundary": False, "window": "hamming"},
    ],
)
def test_istft(options):
    z = scipy.signal.stft(LONG, nperseg=8, nfft=options.get("nfft"))[2]
    z = z[:4] if options.get("nperseg") == 7 else z
    agree(of("istft", **{"nperseg": 8, **options}), z)


def test_istft_with_other_axes():
    z = scipy.signal.stft(RNG.standard_normal((2, 20)), nperseg=8)[2]
    agree(of("istft", time_axis=0, freq_axis=2), np.moveaxis(z, (1, 2), (2, 0)).copy())
    agree(of("istft", input_onesided=False), imaginary(RNG.standard_normal((8, 5))))
    with pytest.warns(UserWarning, match="NOLA condition failed"):
        tg.vjp(of("istft", boundary=False), z)


def test_there_and_back_is_the_identity():
    def call(x):
        return sig.istft(sig.stft(x, nperseg=8)[2], nperseg=8)[1]

    jacobian = tg.jacobian(call)(LONG)
    np.testing.assert_allclose(jacobian, np.eye(40), atol=1e-12)


def test_windows_have_derivatives():
    agree(lambda w: sig.welch(LONG, window=w)[1], np.arange(1.0, 9.0))
    agree(lambda w: sig.stft(LONG, window=w, nperseg=8)[2], np.arange(1.0, 9.0))


def test_errors_of_spectra():
    for call, text in (
        (lambda x: sig.stft(x, nperseg=8, noverlap=8), "noverlap must be less"),
        (lambda x: sig.stft(x, nperseg=8, nfft=7), "nfft must be greater"),
        (lambda x: sig.stft(x, nperseg=0), "positive integer"),
        (lambda x: sig.stft(x, nperseg=8, boundary="none"), "Unknown boundary option"),
        (lambda x: sig.welch(x, nperseg=8, scaling="none"), "Unknown scaling"),
        (lambda x: sig.welch(x, nperseg=8, average="none"), "'median' or 'mean'"),
        (lambda x: sig.istft(x), "at least 2d"),
    ):
        with pytest.raises(ValueError, match=text):
            tg.vjp(call, LONG)


def test_single_precision_is_kept():
    x = LONG.astype(np.float32)
    for call in (
        lambda x: sig.lfilter([1.0], np.float32([1, -0.5]), x[:5]),
        lambda x: sig.fftconvolve(x, x[:3]),
        lambda x: sig.convolve(x, x[:3]),
        lambda x: sig.hilbert(x),
        lambda x: sig.resample(x, 30),
        lambda x: sig.detrend(x),
        lambda x: sig.savgol_filter(x, 5, 2),
        lambda x: sig.welch(x, nperseg=8)[1],
        lambda x: sig.stft(x, nperseg=8)[2],
    ):
        out, pull = tg.vjp(call, x)
        expected = call(x)
        assert out.dtype == expected.dtype
        np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)
        assert pull(np.ones_like(out))[0].dtype == np.float32
