"""Responses of filters, and medians of signals, in `tapegrad.scipy.signal`."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.scipy import signal
from tests.numpy.agreement import agree

RNG = np.random.default_rng(0)
B = np.array([0.3, -0.2, 0.7])
A = np.array([1.2, 0.4, -0.1])
X = RNG.standard_normal((5, 6))
W = np.array([0.1, 0.8, 2.5])


def test_responses():
    agree(lambda b, a: signal.freqz(b, a, 6), B, A)
    agree(lambda b, a: signal.freqz(b, a, 5, whole=True, fs=8.0)[1], B, A)
    agree(lambda b: signal.freqz(b, worN=4, include_nyquist=True), B)
    agree(lambda b, w: signal.freqz(b, worN=w), B, W)
    agree(lambda b, a, w: signal.freqz(b, a, w, fs=3.0)[1], B + 0.1j, A, W)
    seen = []
    tg.vjp(lambda b: signal.freqz(b, worN=4, plot=lambda w, h: seen.append((w, h)))[1], B)
    assert len(seen) == 1


@pytest.mark.parametrize("name", ["freqz_sos", "sosfreqz"])
def test_responses_of_sections(name):
    f = getattr(signal, name)

    def response(b, a):
        one = np.ones(1)
        sections = [np.concatenate([b, one, a[1:]]), np.concatenate([a, one, b[1:]])]
        return f(np.stack(sections), 5)

    agree(response, B, A)
    with pytest.raises(ValueError, match="sos array must be shape"):
        tg.vjp(lambda x: f(x)[1], X[:, :5])


def test_medians():
    agree(lambda x: signal.medfilt(x), X)
    agree(lambda x: signal.medfilt(x, (3, 1)), X)
    agree(lambda x: signal.medfilt(x, 5), X[0])
    agree(lambda x: signal.medfilt2d(x, 3), X)
    agree(lambda x: signal.order_filter(x, np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), 1), X)
    with pytest.raises(ValueError, match="kernel_size should be odd"):
        tg.vjp(lambda x: signal.medfilt(x, 4), X)
    with pytest.raises(ValueError, match="odd number of elements"):
        tg.vjp(lambda x: signal.order_filter(x, np.ones((2, 2)), 1), X)
