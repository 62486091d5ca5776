"""Conventions of the elementwise operations where derivatives jump, vanish or are infinite."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.ops.selection import keep

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the functions' own, at edges

INF = math.inf
NAN = math.nan


def gradients(f, *args):
    """The derivatives of an elementwise function with respect to each argument."""
    return [float(g) for g in tg.grad(f, tuple(range(len(args))))(*args)]


def slope(f, x):
    """The derivative in reverse mode, checked to be that of forward mode."""
    backward = float(tg.grad(f)(x))
    forward = float(tg.jvp(f, (x,), (1.0,))[1])
    assert backward == forward or (math.isnan(backward) and math.isnan(forward))
    return backward


def curvature(f, x):
    """The second derivative, in reverse over reverse and forward over reverse mode."""
    twice = float(tg.grad(tg.grad(f))(x))
    mixed = float(tg.jvp(tg.grad(f), (x,), (1.0,))[1])
    assert twice == pytest.approx(mixed, nan_ok=True)
    return twice


# Ties and kinks


@pytest.mark.parametrize("f", [tnp.maximum, tnp.minimum, tnp.fmax, tnp.fmin])
def test_equal_arguments_share_equally(f):
    assert gradients(f, 1.0, 1.0) == [0.5, 0.5]
    assert gradients(f, 0.0, -0.0) == [0.5, 0.5]
    assert gradients(f, INF, INF) == [0.5, 0.5]


def test_the_larger_and_the_smaller_get_all():
    assert gradients(tnp.maximum, 2.0, 1.0) == [1.0, 0.0]
    assert gradients(tnp.maximum, 1.0, 2.0) == [0.0, 1.0]
    assert gradients(tnp.minimum, 2.0, 1.0) == [0.0, 1.0]
    assert gradients(tnp.minimum, -INF, 1.0) == [1.0, 0.0]


def test_fmax_and_fmin_pass_to_the_number_beside_nan():
    for f in (tnp.fmax, tnp.fmin):
        assert gradients(f, NAN, 1.0) == [0.0, 1.0]
        assert gradients(f, 1.0, NAN) == [1.0, 0.0]
        assert gradients(f, NAN, NAN) == [1.0, 0.0]


def test_relu():
    x = np.array([-1.0, 0.0, 2.0], np.float32)
    g = tg.grad(lambda x: tnp.maximum(x, 0).sum())(x)
    assert g.dtype == np.float32
    assert g.tolist() == [0.0, 0.5, 1.0]


def test_what_maximum_did_not_take_gets_zero_even_of_an_infinite_cotangent():
    assert slope(lambda x: tnp.sqrt(tnp.maximum(x, 0.0)), -1.0) == 0.0
    g = tg.grad(lambda x: tnp.sqrt(tnp.maximum(x, 0.0)).sum())(np.array([-1.0, 4.0]))
    assert g.tolist() == [0.0, 0.25]


def test_clip_gives_all_to_the_number_on_a_bound():
    for bounds in ((0.0, 1.0), (0, 1), (np.float64(0), np.float64(1))):
        assert [
            slope(lambda x, bounds=bounds: tnp.clip(x, *bounds), x)
            for x in (-1.0, 0.0, 0.5, 1.0, 2.0)
        ] == [
            0.0,
            1.0,
            1.0,
            1.0,
            0.0,
        ]
    assert slope(lambda x: tnp.clip(x, 0.0, None), 0.0) == 1.0
    assert slope(lambda x: tnp.clip(x, None, 0.0), 0.0) == 1.0


def test_clip_gives_to_the_bound_that_was_taken():
    assert gradients(tnp.clip, -1.0, 0.0, 1.0) == [0.0, 1.0, 0.0]
    assert gradients(tnp.clip, 2.0, 0.0, 1.0) == [0.0, 0.0, 1.0]
    assert gradients(tnp.clip, 0.0, 0.0, 1.0) == [1.0, 0.0, 0.0]
    assert gradients(tnp.clip, 1.0, 1.0, 1.0) == [1.0, 0.0, 0.0]
    for x in (0.0, 1.5, 3.0):  # bounds that cross: the result is the upper
        assert gradients(tnp.clip, x, 2.0, 1.0) == [0.0, 0.0, 1.0]


def test_abs_is_flat_at_zero():
    for x in (0.0, -0.0):
        assert slope(tnp.abs, x) == 0.0
        assert slope(tnp.fabs, x) == 0.0
    assert slope(abs, -3.0) == -1.0
    assert slope(tnp.abs, -INF) == -1.0


@pytest.mark.parametrize(
    "f",
    [
        tnp.sign,
        tnp.floor,
        tnp.ceil,
        tnp.trunc,
        tnp.rint,
        tnp.round,
        tnp.fix,
        tnp.spacing,
        lambda x: x // 2.0,
        lambda x: tnp.frexp(x)[1] * 1.0,
        lambda x: tnp.modf(x)[0] - x,
        lambda x: tnp.heaviside(x, 0.5),
    ],
)
def test_steps_have_no_slope(f):
    for x in (-1.5, 0.0, 2.0):
        assert slope(f, x) == 0.0


def test_nextafter_has_slope_one_as_in_pytorch():
    assert slope(lambda x: tnp.nextafter(x, 9.0), 2.0) == 1.0
    assert slope(lambda y: tnp.nextafter(2.0, y), 9.0) == 0.0


def test_heaviside_passes_to_its_value_at_zero():
    assert gradients(tnp.heaviside, 0.0, 0.5) == [0.0, 1.0]
    assert gradients(tnp.heaviside, 1.0, 0.5) == [0.0, 0.0]


def test_copysign_looks_at_the_signs_of_zeros():
    assert gradients(tnp.copysign, 0.0, -1.0) == [-1.0, 0.0]
    assert gradients(tnp.copysign, -0.0, -1.0) == [1.0, 0.0]
    assert gradients(tnp.copysign, 2.0, -0.0) == [-1.0, 0.0]


def test_remainders_at_their_jumps():
    assert gradients(tnp.mod, 4.0, 2.0) == [1.0, -2.0]
    assert gradients(tnp.mod, -5.5, 2.0) == [1.0, 3.0]
    assert gradients(tnp.fmod, -5.5, 2.0) == [1.0, 2.0]
    assert gradients(tnp.fmod, 4.0, 2.0) == [1.0, -2.0]
    quotient, rest = tg.vjp(lambda x: divmod(x, 2.0), 5.5)[0]
    assert (quotient, rest) == (2.0, 1.5)
    assert slope(lambda x: divmod(x, 2.0)[0] + 3 * divmod(x, 2.0)[1], 5.5) == 3.0


def test_ldexp_by_negative_integers():
    exponents = np.array([-3, 0, 4])
    x = np.array([1.0, 2.0, 3.0], np.float32)
    y, pullback = tg.vjp(lambda x: tnp.ldexp(x, exponents), x)
    assert y.tolist() == [0.125, 2.0, 48.0]
    (g,) = pullback(np.ones(3, np.float32))
    assert g.tolist() == [0.125, 1.0, 16.0]
    assert g.dtype == np.float32
    assert slope(lambda x: tnp.frexp(x)[0], 3.0) == 0.25


# Powers


def test_powers_of_zero():
    assert gradients(tnp.power, 0.0, 0.0) == [0.0, 0.0]
    assert gradients(tnp.power, 0.0, 2.0) == [0.0, 0.0]
    assert gradients(tnp.power, 0.0, 1.0) == [1.0, 0.0]
    assert gradients(tnp.power, 0.0, 0.5) == [INF, 0.0]
    assert gradients(tnp.power, 0.0, -1.0) == [-INF, -INF]
    assert gradients(tnp.power, 2.0, 0.0) == [0.0, math.log(2)]
    for exponent in (0, 0.0, np.float64(0), np.zeros(())):
        assert slope(lambda x, n=exponent: x**n, 0.0) == 0.0
        assert slope(lambda x, n=exponent: x**n, 3.0) == 0.0


@pytest.mark.parametrize(
    ("n", "first", "second"),
    [(1, 1, 0), (2, -4, 2), (3, 12, -12), (4, -32, 48), (5, 80, -160), (-1, -0.25, -0.25)],
)
def test_integer_exponents_of_negative_bases(n, first, second):
    for exponent in (n, float(n), np.float64(n), np.array(n), np.array(float(n))):
        assert slope(lambda x, n=exponent: x**n, -2.0) == first
        assert curvature(lambda x, n=exponent: x**n, -2.0) == second


@pytest.mark.parametrize("n", [2, 3, 4, 2.0, 3.0])
def test_integer_powers_at_zero_to_second_order(n):
    assert slope(lambda x: x**n, 0.0) == 0.0
    assert curvature(lambda x: x**n, 0.0) == (2.0 if n == 2 else 0.0)


def test_power_of_a_number():
    assert slope(lambda x: 2**x, 3.0) == pytest.approx(8 * math.log(2))
    assert curvature(lambda x: 2.0**x, 3.0) == pytest.approx(8 * math.log(2) ** 2)
    assert slope(lambda x: 0.0**x, 2.0) == 0.0
    assert math.isnan(slope(lambda x: (-2.0) ** x, 2.0))


def test_square_root_as_a_power():
    assert slope(lambda x: x**0.5, 4.0) == 0.25
    assert slope(lambda x: x**0.5, 0.0) == INF


# Singular points


def test_infinite_slopes():
    assert slope(tnp.sqrt, 0.0) == INF
    assert slope(tnp.cbrt, 0.0) == INF
    assert slope(tnp.log, 0.0) == INF
    assert slope(tnp.asin, 1.0) == INF
    assert slope(tnp.acos, -1.0) == -INF
    assert slope(tnp.acosh, 1.0) == INF
    assert slope(tnp.atanh, -1.0) == INF
    assert slope(tnp.reciprocal, 0.0) == -INF


@pytest.mark.parametrize(
    "f",
    [
        tnp.sqrt,
        tnp.log,
        tnp.log1p,
        tnp.asin,
        tnp.acosh,
        tnp.atanh,
        tnp.reciprocal,
        lambda x: x * tnp.log(x),
        lambda x: x**0.3,
        lambda x: x**x,
        lambda x: 1 / x,
        lambda x: tnp.hypot(x, x) ** -1.0,
    ],
)
@pytest.mark.parametrize("x", [0.0, -1.0, -2.0, NAN, INF, -INF])
def test_a_branch_that_where_did_not_take_never_poisons(f, x):
    def guarded(x):
        return tnp.where(False, f(x), 3.0 * x * x)

    x = 1.5 * x if x == INF else x
    assert slope(guarded, x) == 6 * x or math.isnan(x)
    if math.isfinite(x):
        assert float(tg.grad(tg.grad(guarded))(x)) == 6.0


def test_where_with_a_condition_on_the_argument():
    for x in (0.0, -1.0):
        assert slope(lambda x: tnp.where(x > 0, tnp.sqrt(x), 0.0), x) == 0.0
        assert curvature(lambda x: tnp.where(x > 0, tnp.sqrt(x), 0.0), x) == 0.0
    assert slope(lambda x: tnp.where(x >= 0, x, tnp.sqrt(-x)), 1.0) == 1.0
    assert curvature(lambda x: tnp.where(x >= 0, x, tnp.sqrt(-x)), 1.0) == 0.0
    x = np.array([-1.0, 0.0, 4.0])
    g = tg.grad(lambda x: tnp.where(x > 0, tnp.sqrt(x), 0.0).sum())(x)
    assert g.tolist() == [0.0, 0.0, 0.25]
    assert tg.vmap(tg.grad(lambda x: tnp.where(x > 0, tnp.sqrt(x), 0.0)))(x).tolist() == [
        0,
        0,
        0.25,
    ]


def test_where_keeps_an_infinity_to_where_it_belongs():
    x = np.array([0.0, 1.0])
    g = tg.grad(lambda x: tnp.sqrt(tnp.where(x > 0.5, 1.0, x)).sum())(x)
    assert g.tolist() == [INF, 0.0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex128])
def test_of_many_what_was_not_chosen_gets_zero_even_of_infinity_and_nan(dtype):
    g = np.resize(np.array([INF, NAN, -2.0, 0.5, -0.0], dtype), (40, 50))
    mask = np.random.default_rng(0).random(g.shape) > 0.5
    for cotangent in (g, g.T.copy().T):
        kept = keep(cotangent, mask)
        assert kept.dtype == dtype
        np.testing.assert_array_equal(kept, np.where(mask, g, 0))


def test_lengths_and_angles_at_the_origin():
    assert gradients(tnp.hypot, 0.0, 0.0) == [0.0, 0.0]
    assert gradients(tnp.hypot, 3.0, -4.0) == [0.6, -0.8]
    assert gradients(tnp.arctan2, 0.0, 0.0) == [0.0, 0.0]
    assert gradients(tnp.arctan2, 1e200, 0.0) == [0.0, -1e-200]
    assert gradients(lambda x, y: tnp.hypot(x, y) ** 2, 0.0, 0.0) == [0.0, 0.0]


def test_sums_of_exponentials_at_infinity():
    half = pytest.approx(0.5)
    for f in (tnp.logaddexp, tnp.logaddexp2):
        assert gradients(f, -INF, -INF) == [half, half]
        assert gradients(f, INF, INF) == [half, half]
        assert gradients(f, INF, 0.0) == [1.0, 0.0]
        assert gradients(f, -INF, 0.0) == [0.0, 1.0]
        assert gradients(f, 0.0, 0.0) == [half, half]
        assert gradients(f, -800.0, 800.0) == [0.0, 1.0]
    assert curvature(lambda x: tnp.logaddexp(x, 0.0), 0.0) == pytest.approx(0.25)
    assert slope(lambda x: tnp.logaddexp(x, 0.0), -40.0) == pytest.approx(math.exp(-40), rel=1e-12)


def test_sinc_at_zero_to_third_order():
    assert slope(tnp.sinc, 0.0) == 0.0
    assert curvature(tnp.sinc, 0.0) == pytest.approx(-(math.pi**2) / 3, rel=1e-15)
    assert float(tg.grad(tg.grad(tg.grad(tnp.sinc)))(0.0)) == 0.0
    assert slope(tnp.sinc, 1e-9) == pytest.approx(-(math.pi**2) / 3 * 1e-9, rel=1e-12)
    assert slope(tnp.sinc, 1.0) == pytest.approx(-1.0, rel=1e-15)


def test_bessel_functions():
    scipy_special = pytest.importorskip("scipy.special")
    x = np.concatenate([np.linspace(-60.0, 60.0, 241), [700.0, -709.0, 1e-30, 0.0]])
    np.testing.assert_allclose(
        tg.grad(lambda x: tnp.i0(x).sum())(x),
        scipy_special.i1(x),
        rtol=1e-13,
        atol=0,
    )
    assert curvature(tnp.i0, 0.0) == 0.5
    assert curvature(tnp.i0, 2.0) == pytest.approx(
        scipy_special.iv(0, 2) / 2 + scipy_special.iv(2, 2) / 2
    )
