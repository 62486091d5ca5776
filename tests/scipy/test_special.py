"""`tapegrad.scipy.special` and plain `scipy.special` on recorded arrays."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.special

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.special as special
from tapegrad.errors import NotDifferentiableError

JAX = """
bernoulli bessel_jn beta betainc betaln boxcox boxcox1p comb dawsn digamma entr erf erfc erfcx
erfinv exp1 expi expit expn factorial fresnel gamma gammainc gammaincc gammaln gammasgn hyp1f1
hyp2f1 i0 i0e i1 i1e kl_div log_ndtr log_softmax loggamma logit logsumexp multigammaln ndtr ndtri
owens_t poch polygamma rel_entr sici softmax spence sph_harm_y wofz xlog1py xlogy zeta
"""
TORCH = """
airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u
chebyshev_polynomial_v chebyshev_polynomial_w digamma entr erf erfc erfcx erfinv exp2 expit expm1
gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e
laguerre_polynomial_l legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp
modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr ndtri
polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1
shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
shifted_chebyshev_polynomial_w sinc softmax spherical_bessel_j0 xlog1py xlogy zeta
"""
AUTOGRAD = """
beta betainc betaln digamma erf erfc erfcinv erfinv expit gamma gammainc gammaincc gammaln gammasgn
i0 i1 iv ive j0 j1 jn logit logsumexp multigammaln polygamma psi rgamma y0 y1 yn
"""


@pytest.mark.parametrize("name", sorted({*JAX.split(), *TORCH.split(), *AUTOGRAD.split()}))
def test_name_is_there(name):
    assert callable(getattr(special, name))
    assert name in dir(special)


def slope(f, x):
    return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6


@pytest.mark.parametrize(
    "name", [n for n in special.ufuncs.__all__ if getattr(scipy.special, n).nin == 1]
)
def test_plain_scipy_records(name):
    ufunc = getattr(scipy.special, name)
    several, of_complex = ufunc.nout > 1, name == "wofz"

    def function(x):
        out = ufunc(x + 0j if of_complex else x)
        out = sum(out, 0.0) if several else out
        return tnp.real(out) if of_complex else out

    np.testing.assert_allclose(tg.grad(function)(0.4), slope(function, 0.4), rtol=1e-6, atol=1e-9)


def test_plain_scipy_records_without_our_import():
    code = (
        "import scipy.special, tapegrad as tg\n"
        "assert 'tapegrad.scipy.special' not in __import__('sys').modules\n"
        "print(tg.grad(lambda x: scipy.special.erf(x))(0.0))\n"
        "print(tg.grad(lambda x: scipy.special.gammainc(x, 1.0))(2.0))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = map(float, run.stdout.split())
    assert first == pytest.approx(2 / np.sqrt(np.pi), rel=1e-15)
    assert second == pytest.approx(slope(lambda a: scipy.special.gammainc(a, 1.0), 2.0), rel=1e-8)


def test_ufunc_arguments():
    x = np.array([0.2, 0.5])

    def f(x):
        out = tnp.zeros(2)
        scipy.special.erf(x, out=out, where=np.array([True, False]))
        return tnp.sum(out) + tnp.sum(special.jv.outer(np.arange(2), x))

    expected = scipy.special.erf(0.2) + scipy.special.jv([[0], [1]], x).sum()
    np.testing.assert_allclose(f(x), expected, rtol=1e-15)
    j0, j1, j2 = (scipy.special.jv(n, x) for n in range(3))
    gradient = -j1 + (j0 - j2) / 2 + [2 / np.sqrt(np.pi) * np.exp(-0.04), 0]
    np.testing.assert_allclose(tg.grad(f)(x), gradient, rtol=1e-14)


def test_plain_arguments_give_what_scipy_gives():
    x = np.float32(0.5)
    assert type(special.erf(x)) is np.float32
    assert special.erf([0.5, 1.0]).tolist() == scipy.special.erf([0.5, 1.0]).tolist()
    assert special.comb(5, 2, exact=True) == 10
    assert special.zeta(2.0) == scipy.special.zeta(2.0)
    assert special.polygamma(1, x).dtype == np.float32
    assert special.roots_legendre(2)[0].shape == (2,)


def test_recorded_integers():
    out = tg.grad(lambda x: special.gammaln(np.arange(1, 4) + 0 * x).sum())(1.0)
    assert out == 0
    value, gradient = tg.value_and_grad(lambda p: special.xlogy(3, p))(0.5)
    assert (value, gradient) == (3 * np.log(0.5), 6.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: special.hyp1f1(x, 2.0, 0.5), r"scipy.special.hyp1f1 .* argument a .* no closed"),
        (lambda x: special.hyp2f1(1.0, x, 3.0, 0.5), r"argument b here"),
        (lambda x: special.eval_legendre(x, 0.5), r"argument n here.*fixed degree"),
        (lambda x: special.expn(x, 0.5), r"argument n here: it is defined for whole orders"),
        (lambda x: special.kn(x, 0.5), "use kv"),
        (lambda x: special.polygamma(x, 0.5), "stop_gradient"),
    ],
)
def test_unknown_derivatives_raise(call, message):
    with pytest.raises(NotDifferentiableError, match=message):
        tg.grad(call)(2.0)
    with pytest.raises(NotDifferentiableError, match=message):
        tg.jvp(call, (2.0,), (1.0,))
    call(tg.stop_gradient(2.0))


def test_scaled_function_of_complex_numbers_raises():
    with pytest.raises(NotDifferentiableError, match="not a holomorphic function"):
        tg.grad(lambda z: special.ive(1.5, z), holomorphic=True)(1.0 + 2.0j)


def test_functions_without_rule_raise():
    with pytest.raises(TypeError, match="lpmv"):
        tg.grad(lambda x: special.lpmv(1, 2, x))(0.5)
    with pytest.raises(TypeError, match=r"tapegrad\.stop_gradient"):
        tg.grad(lambda x: special.zetac(x))(0.5)
    with pytest.raises(TypeError, match="exact=True"):
        tg.grad(lambda x: special.factorial(x, exact=True))(3.0)


INF = np.inf


@pytest.mark.parametrize(
    ("function", "x", "value", "gradient"),
    [
        (lambda x: special.logsumexp(x), [-INF, -INF], -INF, [0, 0]),
        (lambda x: special.logsumexp(x), [-INF, 0.0], 0, [0, 1]),
        (lambda x: special.logsumexp(x), [INF, INF, 0.0], INF, [0.5, 0.5, 0]),
        (lambda x: special.logsumexp(x, b=[2.0, 0.0]), [1.0, 1e4], 1 + np.log(2), [1, 0]),
        (lambda x: special.logsumexp(x, b=[1.0, -1.0], return_sign=True)[0], [0.0, np.log(3)],
         np.log(2), [-0.5, 1.5]),
        (lambda x: special.xlogy(x[0], x[1]), [0.0, 2.0], 0, [np.log(2), 0]),
        (lambda x: special.xlogy(2 * x[0], 0 * x[1]), [0.0, 2.0], 0, [-INF, 0]),
        (lambda x: special.entr(x), 0.0, 0, INF),
        (lambda x: special.entr(x), -1.0, -INF, 0),
        (lambda x: special.rel_entr(x, 2.0), 0.0, 0, -INF),
        (lambda x: special.kl_div(1.0, x), 1.0, 0, 0),
        (lambda x: special.huber(1.0, x), 1.0, 0.5, 1),
        (lambda x: special.huber(x, 3.0), 1.0, 2.5, 2),
        (lambda x: special.pseudo_huber(x, 2.0), 0.0, 0, 2),
        (lambda x: special.expit(x), 800.0, 1, 0),
        (lambda x: special.log_expit(x), -800.0, -800, 1),
        (lambda x: special.exprel(x), 0.0, 1, 0.5),
        (lambda x: special.boxcox(2.0, x), 0.0, np.log(2), np.log(2) ** 2 / 2),
        (lambda x: special.boxcox(0.0, x), 2.0, -0.5, 0.25),
        (lambda x: special.inv_boxcox(2.0, x), 0.0, np.exp(2), -2 * np.exp(2)),
        (lambda x: special.spence(x), 1.0, 0, -1),
        (lambda x: special.sici(x)[0], 0.0, 0, 1),
        (lambda x: special.shichi(x)[0], 0.0, 0, 1),
        (lambda x: special.j1(x), 0.0, 0, 0.5),
        (lambda x: special.i1(x), 0.0, 0, 0.5),
        (lambda x: special.i1e(x), 0.0, 0, 0.5),
        (lambda x: special.i0e(x), 0.0, 1, 0),
        (lambda x: special.spherical_jn(1, x), 0.0, 0, 1 / 3),
        (lambda x: special.rgamma(x), 0.0, 0, 1),
        (lambda x: special.rgamma(x), -2.0, 0, 2),
        (lambda x: special.lambertw(x).real, 0.0, 0, 1),
        (lambda x: special.eval_legendre(3, x), 1.0, 1, 6),
        (lambda x: special.eval_chebyt(4, x), -1.0, 1, -16),
        (lambda x: special.ellipk(x), 0.0, np.pi / 2, np.pi / 8),
        (lambda x: special.ellipe(x), 0.0, np.pi / 2, -np.pi / 8),
        (lambda x: special.gammainc(2.0, x), 0.0, 0, 0),
        (lambda x: special.gammainc(x, 0.0), 2.0, 0, 0),
        (lambda x: special.gammainc(x, INF), 2.0, 1, 0),
        (lambda x: special.betainc(x, 2.0, 1.0), 2.0, 1, 0),
        (lambda x: special.betainc(1.0, 1.0, x), 0.0, 0, 1),
        (lambda x: special.ndtri(x), 0.5, 0, np.sqrt(2 * np.pi)),
        (lambda x: special.log_ndtr(x), 40.0, -0.0, 0),
        (lambda x: special.erfcx(x), -30.0, INF, -INF),
        (lambda x: special.comb(x, 2), 4.0, 6, 3.5),
        (lambda x: special.factorial(x), 3.0, 6, 6 * (11 / 6 - np.euler_gamma)),
        (lambda x: special.multigammaln(x, 2), 3.0, scipy.special.multigammaln(3.0, 2),
         scipy.special.digamma(3) + scipy.special.digamma(2.5)),
        (lambda x: special.bessel_jn(x, v=2)[2], 0.0, 0, 0),
        (lambda x: special.chebyshev_polynomial_v(x, 2), 0.5, -1, 2),
        (lambda x: special.shifted_chebyshev_polynomial_w(x, 1), 0.5, 1, 4),
        (lambda x: special.airy_ai(x), 0.0, 0.3550280538878172, -0.2588194037928068),
    ],
)  # fmt: skip
def test_edge_values(function, x, value, gradient):
    x = np.asarray(x, float)[()]
    with np.errstate(all="ignore"):
        out, slope = tg.value_and_grad(function)(x)
    np.testing.assert_allclose(out, value, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(slope, gradient, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize(
    ("function", "x", "derivatives"),
    [
        (special.j1, 0.0, [0.5, 0, -3 / 8, 0, 5 / 16]),
        (special.i1, 0.0, [0.5, 0, 3 / 8, 0, 5 / 16]),
        (special.exprel, 0.0, [1 / 2, 1 / 3, 1 / 4, 1 / 5]),
        (special.spence, 1.0, [-1, 1 / 2, -2 / 3, 3 / 2]),
        (lambda x: special.sici(x)[0], 0.0, [1, 0, -1 / 3, 0, 1 / 5]),
        (special.ellipk, 0.0, np.pi / 2 * np.array([1 / 4, 2 * 9 / 64, 6 * 25 / 256])),
        (special.rgamma, 0.0, [1, 2 * np.euler_gamma]),
    ],
)
def test_derivatives_of_higher_order_where_a_formula_is_singular(function, x, derivatives):
    for expected in derivatives:
        function = tg.grad(function)
        np.testing.assert_allclose(function(x), expected, rtol=1e-10, atol=1e-12)


def test_a_branch_that_was_not_taken_does_not_poison():
    def f(x):
        return tnp.sum(tnp.where(x > 0, special.xlogy(x, x) + special.digamma(x), 0.0))

    with np.errstate(all="ignore"):
        gradient = tg.grad(f)(np.array([0.0, -1.0, 1.0]))
    np.testing.assert_allclose(gradient, [0, 0, 1 + np.pi**2 / 6])


def test_second_derivatives_in_parameters():
    def f(p):
        return special.gammainc(p[0], p[1]) + special.betainc(p[0], p[1], 0.3) + special.jv(*p)

    p = np.array([2.5, 3.5])
    hessian = tg.hessian(f)(p)
    for i in range(2):
        step = 1e-4 * np.eye(2)[i]
        rows = (tg.grad(f)(p + step) - tg.grad(f)(p - step)) / 2e-4
        np.testing.assert_allclose(hessian[i], rows, rtol=1e-6)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-9)


def test_many_elements_are_taken_a_block_at_a_time():
    a = np.linspace(0.5, 9, 20_000)
    gradient = tg.grad(lambda a: special.gammainc(a, 2.0).sum())(a)
    few = slice(None, None, 1999)
    one = [tg.grad(special.gammainc)(v, 2.0) for v in a[few]]
    np.testing.assert_allclose(gradient[few], one, rtol=1e-13)


def test_mapped_orders_and_parameters():
    orders = np.array([0.0, 1.5, 3.0])
    mapped = tg.vmap(tg.grad(special.jv, 1), in_axes=(0, None))(orders, 2.0)
    np.testing.assert_allclose(mapped, [tg.grad(special.jv, 1)(v, 2.0) for v in orders])
    mapped = tg.vmap(tg.grad(special.betainc, (0, 1, 2)), in_axes=(0, None, None))(
        orders + 1, 2.0, 0.4
    )
    for i, v in enumerate(orders + 1):
        expected = tg.grad(special.betainc, (0, 1, 2))(v, 2.0, 0.4)
        np.testing.assert_allclose([m[i] for m in mapped], expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("return_sign", [False, True])
def test_logsumexp_keeps_single_precision(dtype, return_sign):
    x = np.array([0.3, -1.2, 0.7]).astype(dtype)

    def f(x):
        out = special.logsumexp(x, return_sign=return_sign)
        return tuple(out) if return_sign else (out,)

    for a, e in zip(tg.vjp(f, x)[0], f(x), strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-6)
        assert a.dtype == e.dtype
        assert a.dtype.itemsize <= x.dtype.itemsize


ORTHOGONAL = "legendre sh_legendre chebyt chebyu chebyc chebys sh_chebyt sh_chebyu laguerre"


@pytest.mark.parametrize("degree", [-4, -3, -2, -1, 0, -1.5, -0.5, 0.5, 2.5, -4.0, -2.0, -1.0])
@pytest.mark.parametrize("name", ORTHOGONAL.split())
def test_degrees_that_are_negative_or_broken(name, degree):
    function = getattr(special, f"eval_{name}")
    if np.isnan(function(degree, 0.31)):
        assert name == "laguerre"
        return
    for f in (lambda x: function(degree, x), tg.grad(lambda x: function(degree, x))):
        np.testing.assert_allclose(tg.grad(f)(0.31), slope(f, 0.31), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("letter", "tuvw")
def test_chebyshev_polynomials_of_degree_zero_are_flat(letter):
    for shifted in ("", "shifted_"):
        function = getattr(special, f"{shifted}chebyshev_polynomial_{letter}")
        assert tg.grad(function)(0.31, 0) == 0
