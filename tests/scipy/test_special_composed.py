"""Elliptic functions, and functions of `tapegrad.scipy.special` that are written with others."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import tapegrad as tg
from tapegrad.scipy import special
from tests.numpy.agreement import agree

RNG = np.random.default_rng(0)
X = RNG.uniform(0.4, 3.0, 4)


@pytest.mark.parametrize("name", ["jvp", "yvp", "ivp", "kvp"])
def test_derivatives_of_bessel_functions(name):
    f = getattr(special, name)
    for n in (0, 1, 3):
        agree(lambda v, x, n=n: f(v, x, n), X[::-1], X)
    np.testing.assert_allclose(
        tg.grad(lambda x: f(1.5, x, 2))(0.7), getattr(scipy.special, name)(1.5, 0.7, 3), rtol=1e-12
    )
    with pytest.raises(ValueError, match="must not be negative, but n is -1"):
        tg.grad(lambda x: f(1.5, x, -1))(0.7)


@pytest.mark.parametrize("name", ["h1vp", "h2vp"])
def test_derivatives_of_hankel_functions(name):
    def f(x):
        out = getattr(special, name)(1.0, x + 0.3j, 2)
        return np.real(out), np.imag(out)

    agree(f, X)


def test_the_kernel_of_dirichlet():
    agree(lambda x: special.diric(x, 5), X)
    agree(lambda x: special.diric(x, np.array([[1], [4]])), X)
    agree(lambda x: special.diric(x, np.array([0, 2.5, 3, 4])), X, order=0)
    # at its maximum and at a whole turn SciPy's has no formula
    hessian = tg.grad(tg.grad(lambda x: special.diric(x, 4)))
    assert hessian(0.0) == pytest.approx(-(4**2 - 1) / 12)
    assert hessian(2 * np.pi) == pytest.approx((4**2 - 1) / 12)


def test_means_profiles_and_angles():
    agree(lambda a, b: special.agm(a, b), X, X[::-1] / 9)
    agree(lambda a, b: special.agm(-a, -b), X, X[::-1])
    agree(lambda x: special.radian(x, 2 * x, x * x), X)
    agree(lambda x, s, g: special.voigt_profile(x - 1, s, g), X, X[::-1], X / 3)
    agree(lambda x, s: special.voigt_profile(x - 1, s, 0.0), X, X[::-1])
    agree(lambda x, g: special.voigt_profile(x, 0.0, g), X, X[::-1])
    agree(lambda x, y: special.powm1(x, y), X, X[::-1] - 1)
    np.testing.assert_array_equal(
        tg.vmap(special.agm)(np.array([1.0, 0.0]), np.array([-2.0, 3])), [np.nan, 0]
    )


# the values are those of mpmath, with 30 digits
@pytest.mark.parametrize(
    ("phi", "m", "first", "second"),
    [
        (0.7, 0.0, 0.05181878375144247, -0.05181878375144247),
        (0.7, 1e-05, 0.05181898329679899, -0.05181885026646097),
        (1.2, 0.3, 0.2904295218478829, -0.23773238207524774),
        (1.5, 0.5, 0.747508036406554, -0.4534953436274107),
        (1.5, 0.51, 0.763380632097256, -0.4564696348746036),
        (0.4, 0.97, 0.011921561104038981, -0.010831027220952584),
        (4.0, 0.4, 1.5028587270352753, -1.0437851159083267),
        (-7.3, 0.8, -9.40424722515003, 2.8801706591898366),
        (0.9, -0.5, 0.07981492340604646, -0.0946607245140212),
        (2.2, -30.0, 0.008161658948722785, -0.14011265960471492),
        (0.001, 0.2, 1.666666633333276e-10, -1.6666664333333283e-10),
    ],
)
def test_derivatives_in_the_parameter(phi, m, first, second):
    assert tg.grad(scipy.special.ellipkinc, 1)(phi, m) == pytest.approx(first, rel=2e-13)
    assert tg.grad(scipy.special.ellipeinc, 1)(phi, m) == pytest.approx(second, rel=2e-13)


def test_jacobis_functions():
    u, m = np.array([0.3, 1.7, -2.5, 6.0]), np.array([0.1, 0.5, 0.9, 0.2])
    agree(lambda u, m: special.ellipj(u, m), u, m)
    agree(lambda u, m: scipy.special.ellipj(u, m), u[:, None], m[:2])
    # of no parameter they are those of the circle
    sn, cn, dn, ph = tg.jacobian(lambda u: special.ellipj(u, 0.0))(0.7)
    np.testing.assert_allclose([sn, cn, dn, ph], [np.cos(0.7), -np.sin(0.7), 0, 1], atol=1e-15)
    slope = tg.grad(lambda m: special.ellipj(0.7, m)[0])(0.0)
    assert slope == pytest.approx(-np.cos(0.7) * (0.7 - np.sin(0.7) * np.cos(0.7)) / 4, rel=1e-13)
