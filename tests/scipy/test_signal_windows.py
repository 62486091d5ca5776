"""Windows in their parameters, what is made with them, and transforms along a chirp."""

import numpy as np
import pytest
import scipy.signal

import tapegrad as tg
from tapegrad.scipy import signal
from tapegrad.scipy.signal import windows

RNG = np.random.default_rng(4)
SIGNAL = RNG.standard_normal(50)


def slope(f, x, step=1e-6):
    return (f(x + step) - f(x - step)) / (2 * step)


WINDOWS = [
    ("kaiser", (5.0,)),
    ("kaiser", (-5.0,)),
    ("gaussian", (1.3,)),
    ("tukey", (0.6,)),
    ("tukey", (0.27,)),
    ("tukey", (1.5,)),
    ("tukey", (-0.5,)),
    ("general_hamming", (0.6,)),
    ("exponential", (None, 1.7)),
    ("general_gaussian", (1.5, 2.0)),
]


@pytest.mark.parametrize("sym", [True, False])
@pytest.mark.parametrize("count", [0, 1, 2, 6, 9])
@pytest.mark.parametrize(("name", "args"), WINDOWS)
def test_windows(name, args, count, sym):
    *others, last = args

    def f(v):
        return getattr(windows, name)(count, *others, v, sym=sym)

    value, tangent = tg.jvp(f, (last,), (1.0,))
    original = getattr(scipy.signal.windows, name)
    np.testing.assert_allclose(value, original(count, *args, sym=sym), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(tangent, slope(f, last), rtol=1e-6, atol=1e-8)
    mapped = tg.vmap(f)(np.array([last, 2 * last]))
    np.testing.assert_allclose(mapped, [f(last), f(2 * last)], rtol=1e-14)


def test_other_parameters_of_windows():
    np.testing.assert_allclose(
        tg.jacobian(lambda c: windows.exponential(4, c, 2.0, False))(1.2),
        slope(lambda c: scipy.signal.windows.exponential(4, c, 2.0, False), 1.2),
        rtol=1e-8,
    )
    a = np.array([0.5, 0.3, 0.2])
    np.testing.assert_allclose(
        tg.jacobian(lambda a: windows.general_cosine(5, a))(a) @ a,
        scipy.signal.windows.general_cosine(5, a),
        atol=1e-15,
    )
    np.testing.assert_allclose(
        tg.jacobian(lambda b: windows.kaiser_bessel_derived(6, b))(3.0),
        slope(lambda b: scipy.signal.windows.kaiser_bessel_derived(6, b), 3.0),
        atol=1e-9,
    )


def test_kaiser_at_its_ends():
    def f(b):
        return windows.kaiser(5, b)[1]

    assert tg.grad(f)(0.0) == 0
    assert tg.grad(tg.grad(f))(0.0) == pytest.approx((0.75 - 1) / 2)
    height = np.sqrt(0.75)  # exp(beta * (height - 1)) / sqrt(height), for large beta
    value, ratio = tg.value_and_grad(lambda b: np.log(f(b)))(2000.0)
    assert value == pytest.approx(2000 * (height - 1) - np.log(height) / 2, rel=1e-6)
    assert ratio == pytest.approx(height - 1, rel=1e-6)


@pytest.mark.parametrize(
    "use",
    [
        lambda s, b: s.get_window(("kaiser", b), 8)[2],
        lambda s, b: s.get_window(b, 8)[2],
        lambda s, b: s.get_window(("gaussian_symmetric", b), 8)[2],
        lambda s, b: s.get_window(("gaussian_periodic", b), Nx=8, fftbins=False)[2],
        lambda s, b: s.firwin(7, 0.3, window=("kaiser", b))[2],
        lambda s, b: s.welch(SIGNAL, window=("gaussian", b), nperseg=16)[1][3],
        lambda s, b: abs(s.stft(SIGNAL, window=("gaussian", b), nperseg=16)[2][3, 2]),
        lambda s, b: s.resample_poly(SIGNAL, 3, 2, window=("kaiser", b))[9],
        lambda s, b: s.resample(SIGNAL, 30, window=("kaiser", b))[9],
    ],
)
def test_windows_by_name(use):
    b = 3.0
    value, gradient = tg.value_and_grad(lambda b: use(signal, b))(b)
    assert value == pytest.approx(use(scipy.signal, b), rel=1e-12)
    assert gradient == pytest.approx(slope(lambda b: use(scipy.signal, b), b), rel=1e-6)


def test_windows_without_derivative_raise():
    with pytest.raises(TypeError, match="get_window of 'chebwin' has no rule"):
        tg.grad(lambda b: signal.get_window(("chebwin", b), 8)[2])(60.0)
    with pytest.raises(TypeError, match=r"scipy.signal.windows.chebwin has no rule"):
        tg.grad(lambda b: windows.chebwin(8, b)[2])(60.0)
    with pytest.raises(ValueError, match="non-negative integer"):
        tg.grad(lambda b: windows.kaiser(2.5, b)[0])(1.0)
    with pytest.raises(ValueError, match="center must be None"):
        tg.grad(lambda t: windows.exponential(5, 1.0, t)[0])(1.0)
    for count, sym in ((5, True), (4, False)):
        with pytest.raises(ValueError, match="Kaiser-Bessel Derived windows are only defined"):
            tg.grad(lambda b, n=count, s=sym: windows.kaiser_bessel_derived(n, b, sym=s)[0])(1.0)
    assert windows.hann(4).tolist() == scipy.signal.windows.hann(4).tolist()


CHIRPS = [
    lambda s, x: s.czt(x, axis=0),
    lambda s, x: s.czt(x, 5, axis=0),
    lambda s, x: s.czt(x, 9, np.exp(-0.3j - 0.01), 1.1 + 0.2j, axis=0),
    lambda s, x: s.zoom_fft(x, 0.7, axis=0),
    lambda s, x: s.zoom_fft(x, [0.2, 0.6], 12, endpoint=True, axis=0),
    lambda s, x: s.zoom_fft(x, [1.0, 2.0], fs=8),
]


@pytest.mark.parametrize("transform", CHIRPS)
def test_chirp_transforms_are_linear(transform):
    x, t = RNG.standard_normal((2, 7, 3))
    value, tangent = tg.jvp(lambda x: transform(signal, x), (x,), (t,))
    np.testing.assert_allclose(value, transform(scipy.signal, x), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(tangent, transform(scipy.signal, t), rtol=1e-11, atol=1e-13)
    w = RNG.standard_normal(value.shape)
    pulled = tg.grad(lambda x: np.sum(w * transform(signal, x).real))(x)
    assert np.sum(pulled * t) == pytest.approx(np.sum(w * tangent.real), rel=1e-11)


def test_spirals_and_ranges_have_derivatives():
    x = SIGNAL[:8]

    def spiral(p):
        return np.sum(abs(signal.czt(x, 9, p[0] * np.exp(-1j * p[1]), p[2])) ** 2)

    def zoomed(p):
        return np.sum(abs(signal.zoom_fft(x, [p[0], p[1]], fs=p[2])) ** 2)

    for f, p in ((spiral, [0.98, 0.3, 1.1]), (zoomed, [0.2, 0.6, 2.0])):
        p = np.array(p)
        expected = [slope(lambda v, i=i, f=f, p=p: f(p + v * np.eye(3)[i]), 0.0) for i in range(3)]
        np.testing.assert_allclose(tg.grad(f)(p), expected, rtol=1e-6)
    single = tg.grad(lambda f: abs(signal.zoom_fft(x, f)[3]))(0.7)
    assert single == pytest.approx(slope(lambda f: abs(scipy.signal.zoom_fft(x, f)[3]), 0.7))


def test_chirp_transforms_check_their_arguments():
    for call in (
        lambda x: signal.czt(x, 0),
        lambda x: signal.zoom_fft(x, [0.1, 0.2, 0.3]),
        lambda x: signal.czt(x[:0]),
    ):
        with pytest.raises(ValueError, match=r"Invalid number of CZT|fn must be a scalar"):
            tg.vjp(call, SIGNAL)
