"""Integrals of integrals, against closed forms and differences."""

import numpy as np
import pytest
import scipy.integrate
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.scipy.integrate import dblquad, nquad, tplquad


def test_limits_and_parameters_of_two_integrals():
    def value(a, b, top, k):
        return dblquad(lambda y, x, k: tnp.exp(k * x) * y, a, b, 0.0, lambda x: top * x, (k,))[0]

    def exact(a, b, top, k):  # the integral of top**2 x**2 exp(k x) / 2
        part = lambda x: tnp.exp(k * x) * (x**2 / k - 2 * x / k**2 + 2 / k**3)  # noqa: E731
        return top**2 / 2 * (part(b) - part(a))

    point = (0.2, 1.1, 0.7, 1.5)
    every = (0, 1, 2, 3)
    assert_allclose(value(*point), exact(*point), rtol=1e-10)
    assert_allclose(tg.grad(value, every)(*point), tg.grad(exact, every)(*point), rtol=1e-7)


def test_second_derivatives_forward_mode_and_lanes():
    def value(k):
        return dblquad(lambda y, x: tnp.exp(-k * x * y), 0.0, 1.0, 0.0, 1.0)[0]

    def moment(n):  # its n-th derivative at k = 0.5
        f = lambda y, x: (-x * y) ** n * np.exp(-0.5 * x * y)  # noqa: E731
        return scipy.integrate.dblquad(f, 0, 1, 0, 1)[0]

    assert_allclose(tg.grad(value)(0.5), moment(1), rtol=1e-9)
    assert_allclose(tg.jvp(value, (0.5,), (1.0,))[1], moment(1), rtol=1e-9)
    assert_allclose(tg.grad(tg.grad(value))(0.5), moment(2), rtol=1e-7)
    lanes = tg.vmap(tg.grad(value))(np.array([0.5, 0.5]))
    assert_allclose(lanes, [moment(1)] * 2, rtol=1e-9)


@pytest.mark.slow
def test_three_integrals():
    def value(k):  # of z over 0 < z < k x y, 0 < y < k x, 0 < x < 1
        limits = (0.0, lambda x: k * x, 0.0, lambda x, y: k * x * y)
        return tplquad(lambda z, y, x: z, 0.0, 1.0, *limits, epsabs=1e-4, epsrel=1e-4)[0]

    assert_allclose(value(1.2), 1.2**5 / 36, rtol=1e-9)
    assert_allclose(tg.grad(value)(1.2), 5 * 1.2**4 / 36, rtol=1e-9)


def test_options_of_each_integral_and_plain_calls():
    f = lambda x, y, k: tnp.abs(x - 0.5) * y * k  # noqa: E731
    opts = [{"points": [0.5]}, lambda k: {"epsabs": 1e-10}]
    got = tg.value_and_grad(lambda k: nquad(f, [(0, 1), (0, 2)], (k,), opts)[0])(3.0)
    assert_allclose(got, (1.5, 0.5), rtol=1e-9)
    value, error = nquad(f, [(0, 1), (0, 2)], (3.0,))
    assert (value, error) == scipy.integrate.nquad(f, [(0, 1), (0, 2)], (3.0,))
    with pytest.raises(TypeError, match="full_output"):
        tg.grad(lambda k: nquad(f, [(0, 1), (0, 2)], (k,), full_output=True)[0])(3.0)
