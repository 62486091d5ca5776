"""Interpolation on triangulations and by the nearest value: SciPy's values, and their slopes."""

import numpy as np
import pytest
import scipy.interpolate
import scipy.spatial

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.interpolate as ip

RNG = np.random.default_rng(2)
PLACES = RNG.uniform(-1, 1, (12, 2))
DATA = RNG.normal(size=(12, 3))
INSIDE = np.array([[0.1, 0.2], [-0.2, 0.1], [0.05, -0.3]])
MIXED = np.concatenate([INSIDE, [[5.0, 5.0]]])


@pytest.mark.parametrize("name", ["LinearNDInterpolator", "NearestNDInterpolator"])
@pytest.mark.parametrize("rescale", [False, True])
def test_values_are_scipys(name, rescale):
    ours, theirs = (
        getattr(m, name)(PLACES, DATA, rescale=rescale) for m in (ip, scipy.interpolate)
    )
    np.testing.assert_allclose(ours(MIXED), theirs(MIXED), rtol=1e-12)
    np.testing.assert_allclose(ours(MIXED[:, 0], MIXED[:, 1]), theirs(MIXED[:, 0], MIXED[:, 1]))
    np.testing.assert_allclose(
        ours((MIXED[:, :1], MIXED[:1, 1])), theirs((MIXED[:, :1], MIXED[:1, 1]))
    )
    with pytest.raises(ValueError, match="number of dimensions in xi"):
        ours(np.ones((2, 3)))
    with pytest.raises(ValueError, match="different number of values and points"):
        getattr(ip, name)(PLACES, DATA[:3])


def test_derivatives():
    def linear(places, data, points):
        return ip.LinearNDInterpolator(places, data)(points)

    tg.check_grads(linear, (PLACES, DATA, INSIDE), order=1)
    tg.check_grads(lambda d: ip.NearestNDInterpolator(PLACES, d)(INSIDE), (DATA,))
    one = ip.LinearNDInterpolator(PLACES, DATA[:, 0], fill_value=-1.0)
    value, slope = tg.value_and_grad(lambda x: one(x))(np.array([5.0, 5.0]))
    assert value == -1
    np.testing.assert_array_equal(slope, 0)
    gradient = tg.grad(lambda x: tnp.sum(ip.NearestNDInterpolator(PLACES, DATA)(x)))(INSIDE)
    np.testing.assert_array_equal(gradient, 0)


def test_made_of_a_triangulation_and_far_points():
    triangles = scipy.spatial.Delaunay(PLACES)
    out = ip.LinearNDInterpolator(triangles, DATA)(INSIDE)
    np.testing.assert_allclose(out, ip.LinearNDInterpolator(PLACES, DATA)(INSIDE))
    far = ip.NearestNDInterpolator(PLACES, DATA)(MIXED, distance_upper_bound=2.0)
    assert np.isnan(far[-1]).all()
    assert np.isfinite(far[:-1]).all()


@pytest.mark.parametrize("method", ["linear", "nearest"])
def test_griddata(method):
    for points, xi in ((PLACES, MIXED), (tuple(PLACES.T), tuple(MIXED.T))):
        ours = tg.vjp(lambda d, p=points, x=xi: ip.griddata(p, d, x, method), DATA)[0]
        theirs = scipy.interpolate.griddata(points, DATA, xi, method)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    line, at = PLACES[:, 0], np.array([0.1, 0.3, 7.0])
    ours = tg.vjp(lambda d: ip.griddata(line, d, at, method), DATA[:, 0])[0]
    np.testing.assert_allclose(ours, scipy.interpolate.griddata(line, DATA[:, 0], at, method))
    for wrong, match in (("cubic", "RBFInterpolator"), ("square", "Unknown interpolation method")):
        with pytest.raises((TypeError, ValueError), match=match):
            tg.vjp(lambda d, m=wrong: ip.griddata(PLACES, d, INSIDE, m), DATA)
