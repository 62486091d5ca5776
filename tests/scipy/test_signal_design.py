"""Filters by the frequencies that they are for, waveforms, and signals at other rates."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.scipy import signal

RNG = np.random.default_rng(0)
KINDS = {
    "butter": ("butter", (), {}),
    "cheby1": ("cheby1", (1.0,), {}),
    "cheby2": ("cheby2", (30.0,), {}),
    "ellip": ("ellip", (1.0, 30.0), {}),
    "bessel": ("bessel", (), {"norm": "mag"}),
    "iirfilter": ("iirfilter", (), {"ftype": "butterworth"}),
}
BANDS = {"low": 0.3, "high": 0.4, "bandpass": [0.2, 0.5], "stop": [0.25, 0.6]}


def design(module, kind, order, frequencies, **options):
    name, ripples, more = KINDS[kind]
    first = (order, frequencies) if name == "iirfilter" else (order, *ripples, frequencies)
    return getattr(module, name)(*first, **options, **more)


def difference(f, x, step=1e-4):
    """The Jacobian of `f`, by differences of fourth order."""
    columns = []
    for i in np.ndindex(np.shape(x)):
        h = np.zeros(np.shape(x))
        h[i] = step
        near, far = (f(x + k * h) - f(x - k * h) for k in (1, 2))
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, -1).reshape(np.shape(near) + np.shape(x))


def check(f, *args, rtol=1e-6):
    """Forward, reverse and second order, in each argument; these are curves for `check_grads`."""
    for i, x in enumerate(args):

        def of(x, i=i):
            return f(*args[:i], x, *args[i + 1 :])

        expected = difference(of, x)
        scale = 1 + abs(expected).max()
        np.testing.assert_allclose(tg.jacfwd(of)(x), expected, rtol=rtol, atol=1e-9 * scale)
        np.testing.assert_allclose(tg.jacrev(of)(x), expected, rtol=rtol, atol=1e-9 * scale)
        second = difference(tg.jacfwd(of), x)
        scale = 1 + abs(second).max()
        found = tg.jacfwd(tg.jacrev(of))(x)
        np.testing.assert_allclose(found, second, rtol=rtol, atol=1e-8 * scale)


def joined(parts):
    """Real numbers that do not depend on the order of roots."""
    return tnp.concatenate([tnp.ravel(tnp.atleast_1d(p)) for p in parts])


def recorded(f, *args):
    return tg.vjp(lambda *xs: joined(f(*xs)), *args)[0]


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("band", BANDS)
@pytest.mark.parametrize("kind", KINDS)
def test_coefficients_are_scipys(kind, band, order):
    at = np.array(BANDS[band], float)
    for options in ({}, {"fs": 3.0}, {"analog": True}):
        ours = recorded(lambda w, o=options: design(signal, kind, order, w, btype=band, **o), at)
        theirs = joined(design(scipy.signal, kind, order, at, btype=band, **options))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)
    sos = tg.vjp(lambda w: design(signal, kind, order, w, btype=band, output="sos"), at)[0]
    theirs = design(scipy.signal, kind, order, at, btype=band, output="sos")
    np.testing.assert_allclose(sos, theirs, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("band", BANDS)
def test_derivatives_in_frequencies(band):
    at = np.array(BANDS[band], float)[()]
    for kind in KINDS:
        check(lambda w, k=kind: joined(design(signal, k, 3, w, btype=band)), at)
    check(lambda w: signal.butter(4, w, band, output="sos"), at)
    check(lambda w: signal.butter(2, w, band, fs=5.0)[1], at)

    def roots(w):
        z, p, k = signal.butter(3, w, band, output="zpk")
        return tnp.sum(abs(z - 0.3j) ** 2) + tnp.sum(abs(p - 0.3) ** 2) + k

    check(roots, at)


def test_a_filter_is_applied_and_tuned():
    x = RNG.standard_normal(50)

    def power(w):
        return tnp.sum(signal.sosfilt(signal.butter(4, w, output="sos"), x) ** 2)

    check(power, 0.3)
    mapped = tg.vmap(lambda x: signal.lfilter(*signal.butter(2, 0.3), x))(np.stack([x, 2 * x]))
    np.testing.assert_allclose(mapped[1], 2 * mapped[0])


@pytest.mark.parametrize(
    ("taps", "cutoff", "options"),
    [
        (11, 0.3, {}),
        (12, 0.3, {"window": "hann", "scale": False}),
        (11, 0.3, {"pass_zero": False}),
        (11, [0.2, 0.5], {}),
        (11, [0.2, 0.5], {"pass_zero": "bandpass", "fs": 3.0}),
        (11, [0.2, 0.5, 0.7], {"pass_zero": False, "window": ("kaiser", 3.0)}),
        (15, [0.2, 0.5, 0.7], {"width": 0.1}),
    ],
)
def test_firwin(taps, cutoff, options):
    at = np.array(cutoff, float)[()]
    out = tg.vjp(lambda c: signal.firwin(taps, c, **options), at)[0]
    np.testing.assert_allclose(
        out, scipy.signal.firwin(taps, at, **options), rtol=1e-12, atol=1e-15
    )
    check(lambda c: signal.firwin(taps, c, **options), at)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda w: signal.butter(2, w * 4), "0 < Wn < 1"),
        (lambda w: signal.butter(2, w, "bandpass"), "Wn must be two frequencies"),
        (lambda w: signal.butter(2, w, "middle"), "invalid bandtype"),
        (lambda w: signal.butter(2, w, output="tf"), "not a valid output"),
        (lambda w: signal.butter(2, w, analog=True, fs=2.0), "fs cannot be specified"),
        (lambda w: signal.iirfilter(2, w, ftype="square"), "not a valid basic IIR"),
        (lambda w: signal.cheby1(2, w, 0.3), "rp= or rs="),
        (lambda w: signal.butter(2, w, analog=True, output="sos"), "analog=True"),
        (lambda w: signal.lp2lp_zpk([1.0, w], [2.0], 1.0), "at least as many poles"),
        (lambda w: signal.firwin(5, w, pass_zero="both"), "`pass_zero` must be"),
        (lambda w: signal.firwin(4, [w, 2 * w]), "must have"),
        (lambda w: signal.upfirdn(w, np.ones(3), 2), "h must be 1-D"),
        (lambda w: signal.upfirdn(np.ones(2), [w, w], mode="wrap"), "mode= or cval="),
        (lambda w: signal.resample_poly([w, w], 2, 1, padtype="line"), "padtype="),
        (lambda w: signal.chirp(w, 0.0, 1.0, 2.0, "log"), "must be nonzero"),
        (lambda w: signal.chirp(w, 1.0, 1.0, 2.0, "cubic"), "method must be"),
    ],
)
def test_errors(call, match):
    with pytest.raises((TypeError, ValueError), match=match):
        tg.vjp(call, 0.3)


# Waveforms

T = np.linspace(0.05, 1.3, 7)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("linear", {}),
        ("quadratic", {}),
        ("quadratic", {"vertex_zero": False}),
        ("logarithmic", {"complex": True}),
        ("hyperbolic", {}),
    ],
)
def test_chirp(method, options):
    args = (T, 1.5, 2.0, 3.5)

    def ours(*xs):
        return signal.chirp(*xs[:4], method=method, phi=xs[4], **options)

    theirs = scipy.signal.chirp(*args, method=method, phi=30.0, **options)
    np.testing.assert_allclose(tg.vjp(ours, *args, 30.0)[0], theirs, rtol=1e-11, atol=1e-13)
    check(lambda *xs: tnp.real(ours(*xs)), *args, 30.0)


def test_constant_chirps_and_other_waveforms():
    for method in ("log", "hyp"):
        out = tg.vjp(lambda t, m=method: signal.chirp(t, 2.0, 1.0, 2.0, m), T)[0]
        np.testing.assert_allclose(out, np.cos(4 * np.pi * T), rtol=1e-12)
    args = (T, 1.5, 0.4, -5.0)
    options = {"retquad": True, "retenv": True}
    out = tg.vjp(lambda *xs: signal.gausspulse(*xs, **options), *args)[0]
    np.testing.assert_allclose(out, scipy.signal.gausspulse(*args, **options), atol=1e-13)
    check(lambda *xs: signal.gausspulse(*xs), *args)
    poly = np.array([0.5, -0.3, 2.0])
    out = tg.vjp(signal.sweep_poly, T, poly, 20.0)[0]
    np.testing.assert_allclose(out, scipy.signal.sweep_poly(T, poly, 20.0), rtol=1e-12)
    check(signal.sweep_poly, T, poly, 20.0)
    out = tg.vjp(lambda t: signal.sweep_poly(t, np.poly1d(poly)), T)[0]
    np.testing.assert_allclose(out, scipy.signal.sweep_poly(T, poly), rtol=1e-12)


# Other rates


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("up", "down"), [(1, 1), (3, 1), (1, 2), (3, 2), (2, 5)])
def test_rates(up, down, axis):
    x, h = RNG.standard_normal((6, 7)), RNG.standard_normal(4)
    out = tg.vjp(lambda h, x: signal.upfirdn(h, x, up, down, axis), h, x)[0]
    np.testing.assert_allclose(out, scipy.signal.upfirdn(h, x, up, down, axis), atol=1e-13)
    tg.check_grads(lambda h, x: signal.upfirdn(h, x, up, down, axis), (h, x))
    for options in ({}, {"padtype": "mean"}, {"padtype": "minimum", "window": h}):
        out = tg.vjp(lambda x, o=options: signal.resample_poly(x, up, down, axis, **o), x)[0]
        theirs = scipy.signal.resample_poly(x, up, down, axis, **options)
        np.testing.assert_allclose(out, theirs, atol=1e-12)
    tg.check_grads(lambda x: signal.resample_poly(x, up, down, axis, padtype="median"), (x,))


def test_rates_keep_single_precision_and_lanes():
    x = RNG.standard_normal((3, 8))
    single = x.astype(np.float32)
    assert tg.grad(lambda x: tnp.sum(signal.resample_poly(x, 3, 2) ** 2))(single).dtype == "f"
    assert tg.vjp(lambda x: signal.resample_poly(x, 3, 2), single)[0].dtype == np.float32
    mapped = tg.vmap(lambda x: signal.resample_poly(x, 3, 2))(x)
    np.testing.assert_allclose(mapped, scipy.signal.resample_poly(x, 3, 2, axis=1), atol=1e-13)
