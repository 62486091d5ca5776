"""`torch.special` and its kin in `torch`: values recorded from PyTorch 2.13."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import tapegrad.torch as torch

special = torch.special
DOUBLE = torch.float64
X = torch.tensor([0.3, 1.7, 2.5], dtype=DOUBLE)


def near(actual, expected, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(actual.detach()), expected, rtol=tolerance)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (lambda: torch.polygamma(2, X), [-75.2725365887, -0.6040890841, -0.2362040516]),
        (lambda: torch.mvlgamma(X + 1, 3), [2.8567776925, 2.1530551518, 3.8958984822]),
        (lambda: torch.igamma(X, X + 1), [0.9448072364, 0.8163960734, 0.7793596921]),
        (lambda: torch.igammac(X, X + 1), [0.0551927636, 0.1836039266, 0.2206403079]),
        (lambda: special.scaled_modified_bessel_k1(X), [4.1251577622, 1.1460392462, 0.9001744239]),
        (lambda: special.chebyshev_polynomial_v(X, 3), [-0.344, 21.944, 91.0]),
        (lambda: special.zeta(X[1:] + 0.3, torch.tensor([1.0, 2.5], dtype=DOUBLE)), None),
    ],
)
def test_values(result, expected):
    if expected is None:
        assert result()[0].item() == pytest.approx(np.pi**2 / 6)
    else:
        near(result(), expected)


def test_zeta_of_two_arguments():
    near(special.zeta(torch.tensor(3.0, dtype=DOUBLE), 2.5), 0.1181020258)


def test_edge_values():
    inf, nan = np.inf, np.nan
    np.testing.assert_equal(torch.digamma(torch.tensor([0.0, -1.0])).tolist(), [-inf, nan])
    np.testing.assert_equal(torch.lgamma(torch.tensor([0.0, -1.0])).tolist(), [inf, inf])
    np.testing.assert_equal(torch.erfinv(torch.tensor([1.0, -1.0, 2.0])).tolist(), [inf, -inf, nan])
    np.testing.assert_equal(torch.logit(torch.tensor([-0.1, 0.0, 1.0])).tolist(), [nan, -inf, inf])
    np.testing.assert_equal(torch.xlogy(0, torch.tensor([0.0, nan])).tolist(), [0, nan])
    assert special.entr(torch.tensor([-1.0, 0.0])).tolist() == [-inf, 0]
    assert special.chebyshev_polynomial_t(torch.tensor([0.5]), -1).item() == 0
    assert special.chebyshev_polynomial_t(torch.tensor([0.5]), 2.7).item() == -0.5


def test_dtypes_are_pytorchs():
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        assert torch.erf(torch.ones(2, dtype=dtype)).dtype is dtype
    assert torch.erf(torch.tensor([1, 2])).dtype is torch.float32
    assert special.legendre_polynomial_p(torch.ones(2), torch.tensor([1, 2])).dtype is torch.float32
    assert torch.xlogy(torch.tensor([1, 2]), 2).dtype is torch.float32


def test_logit_holds_its_argument():
    x = torch.tensor([-0.1, 0.5, 1.1], requires_grad=True)
    y = torch.logit(x, 1e-3)
    near(y, [-6.9067549, 0, 6.9067549], 1e-5)
    y.sum().backward()
    assert x.grad.tolist() == [0, 4, 0]


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (torch.erf, lambda x: 2 / np.sqrt(np.pi) * np.exp(-x * x)),
        (torch.lgamma, lambda x: np.asarray(torch.digamma(torch.tensor(x)))),
        (torch.i0, lambda x: np.asarray(special.i1(torch.tensor(x)))),
        (torch.sigmoid, lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2),
        (
            special.log_ndtr,
            lambda x: (
                np.exp(-x * x / 2) / np.sqrt(2 * np.pi) / np.asarray(special.ndtr(torch.tensor(x)))
            ),
        ),
        (special.bessel_j0, lambda x: -np.asarray(special.bessel_j1(torch.tensor(x)))),
        (lambda x: special.hermite_polynomial_h(x, 2), lambda x: 8 * x),
        (
            lambda x: torch.mvlgamma(x + 1, 2),
            lambda x: np.asarray(
                torch.digamma(torch.tensor(x) + 1) + torch.digamma(torch.tensor(x) + 0.5)
            ),
        ),
    ],
)
def test_derivatives(function, slope):
    x = X.clone().requires_grad_()
    function(x).sum().backward()
    near(x.grad, slope(np.asarray(X)))


def test_methods_and_names_in_place():
    x = X.clone()
    near(x.erf(), torch.erf(X))
    assert x.erf_() is x
    near(x, torch.erf(X))
    near(X.polygamma(1), torch.polygamma(1, X))
    assert special.gammaln is torch.lgamma
    assert special.psi is special.digamma
    near(torch.erf_(X.clone()), torch.erf(X))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: torch.polygamma(-1, X), RuntimeError, "does not support negative n"),
        (lambda: torch.polygamma(1.0, X), TypeError, "'n' .* must be int, not float"),
        (lambda: torch.mvlgamma(X, 0), RuntimeError, "p has to be greater than or equal to 1"),
        (lambda: torch.igamma(torch.tensor([1]), torch.tensor([2])), RuntimeError, "igamma_cpu"),
        (lambda: torch.erf(torch.tensor([1j])), RuntimeError, '"erf" not implemented for \'Comp'),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_scipy_is_loaded_when_it_is_needed():
    code = (
        "import sys, tapegrad.torch as t; assert 'scipy' not in sys.modules; "
        "t.erf(t.ones(1)); assert 'scipy.special' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_under_vmap():
    near(torch.vmap(torch.lgamma)(X), torch.lgamma(X))
    orders = torch.tensor([1, 2, 3])
    near(
        torch.vmap(special.legendre_polynomial_p)(X, orders),
        special.legendre_polynomial_p(X, orders),
    )
