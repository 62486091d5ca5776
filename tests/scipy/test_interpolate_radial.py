"""`RBFInterpolator`: values are SciPy's, derivatives are differences."""

import numpy as np
import pytest
import scipy.interpolate

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.scipy.interpolate import RBFInterpolator

RNG = np.random.default_rng(3)
PLACES = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1]), 2).reshape(9, 2) * 0.7
PLACES = PLACES + RNG.uniform(-0.1, 0.1, (9, 2))
DATA = RNG.normal(size=(9, 2))
POINTS = RNG.uniform(-1, 1, (4, 2))
WEIGHTS = RNG.normal(size=(4, 2))
KERNELS = {
    "linear": {},
    "thin_plate_spline": {},
    "cubic": {"smoothing": 0.1},
    "quintic": {},
    "multiquadric": {"epsilon": 1.3},
    "inverse_multiquadric": {"epsilon": 1.3, "degree": 1},
    "inverse_quadratic": {"epsilon": 1.3, "smoothing": np.linspace(0.1, 0.2, 9)},
    "gaussian": {"epsilon": 1.3, "degree": -1},
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_values_and_derivatives(kernel):
    options = {"kernel": kernel, **KERNELS[kernel]}
    theirs = scipy.interpolate.RBFInterpolator(PLACES, DATA, **options)(POINTS)
    np.testing.assert_allclose(RBFInterpolator(PLACES, DATA, **options)(POINTS), theirs, rtol=1e-9)

    def value(places, data, points):
        return tnp.sum(RBFInterpolator(places, data, **options)(points) * WEIGHTS)

    order = 2 if kernel in ("thin_plate_spline", "multiquadric", "gaussian") else 1
    tg.check_grads(value, (PLACES, DATA, POINTS), order=order)


@pytest.mark.parametrize("neighbors", [5, 6, 40])
def test_neighbors(neighbors):
    options = {"neighbors": neighbors, "smoothing": 0.1, "kernel": "cubic"}
    theirs = scipy.interpolate.RBFInterpolator(PLACES, DATA, **options)(POINTS)
    np.testing.assert_allclose(RBFInterpolator(PLACES, DATA, **options)(POINTS), theirs, rtol=1e-9)

    def value(places, data, points):
        return tnp.sum(RBFInterpolator(places, data, **options)(points) * WEIGHTS)

    tg.check_grads(value, (PLACES, DATA, POINTS), order=1)


def test_parameters_have_derivatives():
    def value(epsilon, smoothing):
        f = RBFInterpolator(PLACES, DATA, smoothing=smoothing, kernel="gaussian", epsilon=epsilon)
        return tnp.sum(f(POINTS) ** 2)

    tg.check_grads(value, (1.3, 0.2))
    tg.check_grads(value, (1.3, np.linspace(0.1, 0.3, 9)))


def test_second_derivatives_at_a_place_of_data():
    f = RBFInterpolator(PLACES, DATA[:, 0], kernel="gaussian", epsilon=1.3)
    hessian = tg.hessian(lambda x: f(x[None])[0])(PLACES[0])
    step = 1e-4 * np.eye(2)
    around = [f(np.stack([PLACES[0] + s, PLACES[0] - s])).sum() for s in step]
    expected = (np.array(around) - 2 * DATA[0, 0]) / 1e-8
    np.testing.assert_allclose(np.diag(hessian), expected, rtol=1e-4)
    for kernel in ("linear", "thin_plate_spline", "cubic"):
        f = RBFInterpolator(PLACES, DATA[:, 0], kernel=kernel)
        assert np.isfinite(tg.grad(lambda x, f=f: f(x[None])[0])(PLACES[0])).all()


def test_vmap_over_data():
    many = np.stack([DATA, 2 * DATA])
    out = tg.vmap(lambda d: RBFInterpolator(PLACES, d)(POINTS))(many)
    np.testing.assert_allclose(out, [RBFInterpolator(PLACES, d)(POINTS) for d in many])


@pytest.mark.parametrize(
    ("args", "options", "match"),
    [
        ((PLACES, DATA), {"neighbors": 2}, "At least 3 data points"),
        ((PLACES, DATA), {"kernel": "cube"}, "`kernel` must be one of"),
        ((PLACES, DATA), {"kernel": "gaussian"}, "`epsilon` must be specified"),
        ((PLACES, DATA), {"degree": -2}, "`degree` must be at least -1"),
        ((PLACES, DATA), {"smoothing": np.ones(3)}, "Expected `smoothing`"),
        ((PLACES[:2], DATA[:2]), {}, "At least 3 data points"),
        ((PLACES[0], DATA), {}, "`y` must be a 2-dimensional"),
        ((PLACES, DATA[:3]), {}, "first axis of `d`"),
    ],
)
def test_errors(args, options, match):
    with pytest.raises((TypeError, ValueError), match=match):
        RBFInterpolator(*args, **options)
    f = RBFInterpolator(PLACES, DATA)
    for points in (POINTS[0], POINTS[:, :1]):
        with pytest.raises(ValueError, match="`x`"):
            f(points)
