"""A call of every function of `scipy.fft`, `signal`, `ndimage` and `interpolate` that records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .of_numpy import CUBE, M, N, X
from .probe import Probes

FFT, SIGNAL, NDIMAGE, INTERPOLATE = Probes(), Probes(), Probes(), Probes()

rng = numpy.random.default_rng(7)
WAVE = rng.standard_normal(24)
LONG = rng.standard_normal(32)
B = numpy.array([[0.3, 0.2, 0.1], [0.5, 0.1, 0.2]])
A = numpy.array([[-0.4, 0.2], [0.3, 0.1]])
COMING = numpy.array([0.4, 0.2, 0.1])
GOING = numpy.array([1.3, -0.4, 0.2])
IMAGE = rng.standard_normal((5, 6))
PLACES = numpy.array([[0.3, 2.6, 3.9, 1.4], [1.2, 0.1, 4.8, 2.3]])
LABELS = numpy.arange(30).reshape(5, 6) % 4
KNOTS = numpy.array([0.0, 0.7, 1.1, 2.0, 3.1, 3.5])
VALUES = numpy.array([0.3, -0.2, 1.4, 2.2, 0.1, -0.8])
SLOPES = numpy.array([0.9, 1.4, 0.2, -0.3, -1.1, 0.4])
POINTS = numpy.array([0.31, 0.93, 1.72, 3.21])


def _sections(b: Any, a: Any) -> Any:
    """A filter in sections of second order: the first coefficients of their denominators are 1."""
    return numpy.concatenate([b, numpy.ones((2, 1), b.dtype), a], axis=1)


FFT.same("fft ifft fft2 ifft2 fftn ifftn irfft hfft irfft2 irfftn hfft2 hfftn", M + 1j * N)
FFT.same("rfft ihfft rfft2 rfftn ihfft2 ihfftn dct idct dst idst dctn idctn dstn idstn", M)
FFT.same("fht ifht", X, dln=0.1, mu=0.5)
FFT.same("fftshift ifftshift", M)

SIGNAL.same("convolve correlate fftconvolve oaconvolve", LONG, COMING)
SIGNAL.same("convolve2d correlate2d", IMAGE, M[:2, :3])
SIGNAL.same("lfilter", COMING, GOING, WAVE)
SIGNAL.same("filtfilt", COMING, GOING, WAVE)
SIGNAL.same("lfilter_zi", COMING, GOING)
for name in ("sosfilt", "sosfiltfilt"):
    SIGNAL.probe(
        name, lambda sg, b, a, x, name=name: getattr(sg, name)(_sections(b, a), x), B, A, LONG
    )
SIGNAL.probe("sosfilt_zi", lambda sg, b, a: sg.sosfilt_zi(_sections(b, a)), B, A)
SIGNAL.same("hilbert detrend", WAVE)
SIGNAL.same("hilbert2", IMAGE)
SIGNAL.probe("resample", lambda sg, x: sg.resample(x, 17), WAVE)
SIGNAL.probe("savgol_filter", lambda sg, x: sg.savgol_filter(x, 5, 2), WAVE)
for name in ("stft", "spectrogram", "welch"):
    SIGNAL.probe(name, lambda sg, x, name=name: getattr(sg, name)(x, nperseg=8)[-1], WAVE)
SIGNAL.probe("periodogram", lambda sg, x: sg.periodogram(x)[1], WAVE)
for name in ("csd", "coherence"):
    SIGNAL.probe(
        name, lambda sg, x, y, name=name: getattr(sg, name)(x, y, nperseg=8)[1], WAVE, LONG[:24]
    )
SIGNAL.probe("istft", lambda sg, x: sg.istft(x, nperseg=8)[1], rng.standard_normal((5, 7)) + 0j)

SIGNAL.same("freqz", COMING, GOING, numpy.array([0.3, 1.2]))
for name in ("freqz_sos", "sosfreqz"):
    SIGNAL.probe(name, lambda sg, b, a, name=name: getattr(sg, name)(_sections(b, a), 5)[1], B, A)
SIGNAL.same("medfilt medfilt2d", IMAGE, kernel_size=3)
SIGNAL.same("order_filter", IMAGE, domain=numpy.ones((3, 3)), rank=2)

SIGNAL.same("czt", WAVE)
SIGNAL.probe("zoom_fft", lambda sg, x, f: sg.zoom_fft(x, f), WAVE, numpy.float64(0.7))
SIGNAL.probe("get_window", lambda sg, std: sg.get_window(("gaussian", std), 6), numpy.float64(1.4))

RIPPLES = {"butter": (), "bessel": (), "cheby1": (1,), "cheby2": (30,), "ellip": (1, 30)}
LOW, BAND = numpy.float64(0.3), numpy.array([0.2, 0.5])
for name, ripples in RIPPLES.items():
    SIGNAL.probe(
        name,
        lambda sg, w, name=name, ripples=ripples: getattr(sg, name)(3, *ripples, w, output="sos"),
        LOW,
    )
SIGNAL.probe("iirfilter", lambda sg, w: sg.iirfilter(2, w), BAND)
SIGNAL.probe("firwin", lambda sg, w: sg.firwin(9, w), LOW)
ROOTS = numpy.array([0.3, -0.4]), numpy.array([0.5, -0.2, 0.1]), numpy.float64(1.4)
SIGNAL.same("lp2lp_zpk lp2hp_zpk", *ROOTS, numpy.float64(0.7))
SIGNAL.same("lp2bp_zpk lp2bs_zpk", *ROOTS, numpy.float64(0.7), numpy.float64(0.4))
SIGNAL.same("bilinear_zpk", *ROOTS, numpy.float64(2.0))
SIGNAL.same("zpk2tf zpk2sos", *ROOTS)
SIGNAL.probe("upfirdn", lambda sg, h, x: sg.upfirdn(h, x, 3, 2), M[0], M[1])
SIGNAL.probe("resample_poly", lambda sg, x: sg.resample_poly(x, 3, 2), M[0])
SIGNAL.same("chirp", M[0], *map(numpy.float64, (1.5, 2.0, 3.5)))
SIGNAL.same("gausspulse", M[0], *map(numpy.float64, (1.5, 0.4)))
SIGNAL.same("sweep_poly", M[0], M[1])

NDIMAGE.same("correlate convolve", IMAGE, M[:3, :3])
NDIMAGE.same("correlate1d convolve1d", IMAGE, COMING)
NDIMAGE.same("uniform_filter uniform_filter1d", IMAGE, size=3)
NDIMAGE.same("gaussian_filter gaussian_filter1d gaussian_gradient_magnitude", IMAGE, sigma=0.9)
NDIMAGE.same("gaussian_laplace", IMAGE, sigma=0.9)
NDIMAGE.same("laplace prewitt sobel spline_filter spline_filter1d", IMAGE)
NDIMAGE.same("map_coordinates", IMAGE, PLACES)
NDIMAGE.same("shift", IMAGE, numpy.array([0.3, -1.2]))
NDIMAGE.same("affine_transform", IMAGE, numpy.array([[0.9, 0.03], [0.02, 0.8]]), offset=0.11)
NDIMAGE.probe("zoom", lambda nd, x: nd.zoom(x, 1.7), IMAGE)
NDIMAGE.probe("rotate", lambda nd, x: nd.rotate(x, 23.0), IMAGE)
NDIMAGE.probe(
    "geometric_transform",
    lambda nd, x: nd.geometric_transform(x, lambda at: (0.8 * at[0] + 0.1, 0.9 * at[1] + 0.2)),
    IMAGE,
)
NDIMAGE.same("maximum_filter minimum_filter median_filter", IMAGE, size=3)
NDIMAGE.same("maximum_filter1d minimum_filter1d", IMAGE, size=3)
NDIMAGE.same("rank_filter", IMAGE, rank=2, size=3)
NDIMAGE.same("percentile_filter", IMAGE, percentile=30, size=3)
NDIMAGE.same("grey_erosion grey_dilation grey_opening grey_closing", IMAGE, size=3)
NDIMAGE.same("white_tophat black_tophat", IMAGE, size=3)
NDIMAGE.same("morphological_gradient morphological_laplace", IMAGE, size=3)
NDIMAGE.same("sum sum_labels mean variance standard_deviation", IMAGE, labels=LABELS, index=[2, 1])
NDIMAGE.same("maximum minimum median", IMAGE, labels=LABELS, index=[2, 1])
NDIMAGE.same("maximum_position minimum_position extrema", IMAGE)
NDIMAGE.same("center_of_mass", 9 + IMAGE)
NDIMAGE.same("fourier_gaussian", M + 1j * N, sigma=0.7)
NDIMAGE.same("fourier_uniform fourier_ellipsoid", M + 1j * N, size=1.7)
NDIMAGE.same("fourier_shift", M + 1j * N, shift=0.7)
for name in ("closing", "dilation", "erosion", "fill_holes", "hit_or_miss", "opening"):
    NDIMAGE.same(f"binary_{name}", IMAGE)
NDIMAGE.same("binary_propagation label", IMAGE)
NDIMAGE.same("histogram", IMAGE, min=-1, max=1, bins=4)
NDIMAGE.probe(
    "watershed_ift",
    lambda nd, x: nd.watershed_ift((x > 0).astype(numpy.uint8), LABELS.astype(numpy.int8)),
    IMAGE,
)


def at_points(name: str, **options: Any) -> Callable[..., Any]:
    """A call of a class that takes knots and values, and of the function that it makes."""
    return lambda module, x, y, at: getattr(module, name)(x, y, **options)(at)


for name in ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "make_interp_spline"):
    INTERPOLATE.probe(name, at_points(name), KNOTS, VALUES, POINTS, fixed=(0,))
INTERPOLATE.probe("interp1d", at_points("interp1d", kind=2), KNOTS, VALUES, POINTS, fixed=(0,))
INTERPOLATE.same("pchip_interpolate", KNOTS, VALUES, POINTS)
INTERPOLATE.probe(
    "CubicHermiteSpline",
    lambda ip, x, y, s, at: ip.CubicHermiteSpline(x, y, s)(at),
    KNOTS,
    VALUES,
    SLOPES,
    POINTS,
    fixed=(0,),
)
INTERPOLATE.probe(
    "PPoly", lambda ip, c, x, at: ip.PPoly(c, x)(at), CUBE[0][:, :3], KNOTS[:4], POINTS, fixed=(1,)
)
INTERPOLATE.probe(
    "BSpline",
    lambda ip, c, at: ip.BSpline(numpy.array([0, 0, 0, 1.0, 2, 4, 4, 4]), c, 2)(at),
    VALUES[:5],
    POINTS,
)
SCATTERED = numpy.array([[-1.0, -0.9], [0.8, -1.1], [0.1, 0.2], [-0.7, 1.0], [1.2, 0.9]])
AMONG = numpy.array([[0.3, 0.4], [-0.5, 0.1]])
PADDED = numpy.append(VALUES, numpy.zeros(4))
UNIFORM = numpy.array([0, 0, 0, 0, 1.0, 2, 4, 4, 4, 4])
for name, last in (
    ("splev", lambda ip, c, at: ip.splev(at, (UNIFORM, c, 3))),
    ("splder", lambda ip, c, at: ip.splder((UNIFORM, c, 3))[1] * at[0]),
    ("splantider", lambda ip, c, at: ip.splantider((UNIFORM, c, 3))[1] * at[0]),
):
    INTERPOLATE.probe(name, last, PADDED, POINTS)
INTERPOLATE.probe(
    "splint", lambda ip, c: numpy.ones(2) * ip.splint(0.4, 2.5, (UNIFORM, c, 3)), PADDED
)
for name, last in (
    ("splrep", lambda ip, y: ip.splrep(KNOTS, y)[1]),
    ("make_splrep", lambda ip, y: ip.make_splrep(KNOTS, y)(POINTS)),
    (
        "make_lsq_spline",
        lambda ip, y: ip.make_lsq_spline(KNOTS, y, KNOTS[[0] * 3 + [-1] * 3], 2)(POINTS),
    ),
    ("make_smoothing_spline", lambda ip, y: ip.make_smoothing_spline(KNOTS, y, lam=0.3)(POINTS)),
):
    INTERPOLATE.probe(name, last, VALUES)
INTERPOLATE.probe(
    "LinearNDInterpolator",
    lambda ip, y, d, at: ip.LinearNDInterpolator(y, d)(at),
    SCATTERED,
    VALUES[:5],
    AMONG,
)
INTERPOLATE.probe(
    "NearestNDInterpolator",
    lambda ip, d: ip.NearestNDInterpolator(SCATTERED, d)(AMONG),
    VALUES[:5],
)
INTERPOLATE.same("griddata", SCATTERED, VALUES[:5], AMONG)
INTERPOLATE.probe(
    "RBFInterpolator",
    lambda ip, y, d, at: ip.RBFInterpolator(y, d)(at),
    SCATTERED,
    VALUES[:5],
    AMONG,
)
INTERPOLATE.probe(
    "RegularGridInterpolator",
    lambda ip, v, at: ip.RegularGridInterpolator((numpy.arange(3.0), numpy.arange(4.0)), v)(at),
    M,
    PLACES.T[:, ::-1][:1] * 0.5,
)
INTERPOLATE.probe(
    "interpn",
    lambda ip, v, at: ip.interpn((numpy.arange(3.0), numpy.arange(4.0)), v, at),
    M,
    PLACES.T[:, ::-1][:1] * 0.5,
)
INTERPOLATE["pchip_interpolate"] = INTERPOLATE["pchip_interpolate"]._replace(fixed=(0,))
