"""Windows and short-time spectra: values recorded from PyTorch 2.13."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad.torch as torch

windows = torch.signal.windows
DOUBLE = torch.float64


def near(actual, expected, tolerance=1e-7):
    np.testing.assert_allclose(np.asarray(actual), expected, rtol=tolerance, atol=1e-9)


def test_windows():
    near(windows.nuttall(5, dtype=DOUBLE), [3.6280e-04, 2.2698240e-01, 1, 2.2698240e-01, 3.628e-04])
    near(
        windows.exponential(4, center=1.0, tau=2.0, sym=False, dtype=DOUBLE),
        [0.6065306597, 1.0, 0.6065306597, 0.3678794412],
    )
    near(torch.hann_window(5, dtype=DOUBLE), [0, 0.3454915, 0.9045085, 0.9045085, 0.3454915], 1e-6)
    near(torch.hann_window(5, periodic=False), [0, 0.5, 1, 0.5, 0])
    near(torch.hamming_window(4, True, 0.5, 0.4), [0.1, 0.5, 0.9, 0.5], 1e-6)
    near(torch.kaiser_window(4, dtype=DOUBLE), [5.2773e-05, 0.21567, 1, 0.21567], 1e-4)


@pytest.mark.parametrize("name", windows.__all__)
def test_a_periodic_window_is_the_start_of_a_symmetric_one(name):
    options = {"a": [0.5, 0.5]} if name == "general_cosine" else {}
    window = getattr(windows, name)
    near(window(6, sym=False, **options), window(7, **options)[:6], 1e-6)
    assert window(0, **options).shape == (0,)
    assert window(1, **options).tolist() == [1]
    assert window(3, dtype=DOUBLE, **options).dtype is DOUBLE
    assert window(3, requires_grad=True, **options).requires_grad


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.hann_window(-1), "requires non-negative window_length, got"),
        (lambda: windows.hann(-1), "requires non-negative window length, got M=-1"),
        (lambda: windows.hann(4, dtype=torch.int64), "expects float32 or float64 dtypes"),
        (lambda: windows.kaiser(4, beta=-1), "beta must be non-negative, got: -1"),
        (lambda: windows.gaussian(4, std=0), "Standard deviation must be positive"),
        (lambda: windows.exponential(4, tau=0), "Tau must be positive"),
        (lambda: windows.exponential(4, center=1), "Center must be None for symmetric windows"),
        (lambda: windows.general_cosine(4, a=[]), "Coefficients cannot be empty"),
        (lambda: windows.general_cosine(4, a=1), "Coefficients must be a list/tuple"),
        (lambda: torch.stft(torch.ones(9), 4), "return_complex parameter be given"),
        (lambda: torch.stft(torch.ones(9), 20, return_complex=True), "Padding size should be less"),
        (lambda: torch.stft(torch.ones(9), 4, 0, return_complex=True), "expected hop_length > 0"),
        (
            lambda: torch.stft(torch.ones(9), 4, win_length=5, return_complex=True),
            "expected 0 < win_length <= n_fft",
        ),
        (
            lambda: torch.stft(torch.ones(9), 4, window=torch.ones(3), return_complex=True),
            "1D window tensor of size equal to win_length=4",
        ),
        (lambda: torch.stft(torch.ones(1, 1, 9), 4, return_complex=True), "a 1D or 2D tensor"),
        (
            lambda: torch.stft(torch.ones(9) + 0j, 4, onesided=True),
            "Cannot have onesided output if window or input is complex",
        ),
        (
            lambda: torch.stft(torch.ones(9), 4, align_to_window=True, return_complex=True),
            "align_to_window should only be set",
        ),
        (lambda: torch.istft(torch.ones(3, 5), 4), "requires a complex-valued input tensor"),
        (lambda: torch.istft(torch.ones(3, 5) + 0j, 4, 5), "0 < hop_length <= win_length"),
        (lambda: torch.istft(torch.ones(4, 5) + 0j, 5), "spectra of n_fft=5 elements"),
        (
            lambda: torch.istft(torch.ones(3, 5) + 0j, 4, window=torch.zeros(4)),
            "window overlap add min: 0",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises((RuntimeError, ValueError, TypeError), match=message):
        call()


def test_short_time_spectra():
    x = torch.arange(8.0, dtype=DOUBLE)
    spectra = torch.stft(x, 4, window=torch.hann_window(4, dtype=DOUBLE), return_complex=True)
    near(spectra[0].real, [1, 2, 4, 6, 8, 10, 12, 13, 12])
    near(spectra[1].imag, [0, 1, 1, 1, 1, 1, 1, 0, -1])
    pairs = torch.stft(x, 4, window=torch.hann_window(4, dtype=DOUBLE), return_complex=False)
    assert pairs.shape == (3, 9, 2)
    whole = torch.stft(x, 4, onesided=False, return_complex=True)
    assert whole.shape == (4, 9)
    assert x.stft(4, center=False, return_complex=True).shape == (3, 5)


def test_a_signal_comes_back():
    rng = np.random.default_rng(0)
    x = torch.tensor(rng.normal(size=(2, 30)))
    window = torch.hann_window(8, dtype=DOUBLE)
    for normalized in (False, True):
        spectra = torch.stft(x, 8, window=window, normalized=normalized, return_complex=True)
        near(torch.istft(spectra, 8, window=window, normalized=normalized, length=30), x)
    longer = torch.istft(spectra, 8, window=window, normalized=True, length=40)
    assert not longer[:, 36:].any()
    z = x + 1j * x.flip(-1)
    spectra = torch.stft(z, 8, window=window)
    near(torch.istft(spectra, 8, window=window, return_complex=True, length=30), z)


def test_gradients_of_spectra_and_windows():
    rng = np.random.default_rng(0)
    x = torch.tensor(rng.normal(size=12), requires_grad=True)
    window = torch.tensor(rng.normal(size=4) + 2, requires_grad=True)
    weights = torch.tensor(rng.normal(size=12))

    def value(x, window):
        spectra = torch.stft(x, 6, 2, 4, window, return_complex=True)
        changed = spectra * torch.arange(1.0, 5.0, dtype=DOUBLE).reshape(4, 1)
        return (torch.istft(changed, 6, 2, 4, window, length=12) * weights).sum()

    value(x, window).backward()
    for k, leaf in enumerate((x, window)):
        for i in range(leaf.numel()):
            ends = []
            for step in (1e-6, -1e-6):
                arrays = [x.detach().clone(), window.detach().clone()]
                arrays[k][i] += step
                ends.append(value(*arrays).item())
            slope = (ends[0] - ends[1]) / 2e-6
            assert leaf.grad[i].item() == pytest.approx(slope, rel=1e-5, abs=1e-7)
