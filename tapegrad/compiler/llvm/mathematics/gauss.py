"""The error function and its complement.

About zero, polynomials; beyond, ``erfc(x) = exp(-x * x) * p(t) / (x + c)`` with a polynomial p of
``t = (x - c) / (x + c)``, which lies between -1 and 1 for all positive x (Schonfelder's way).
"""

from __future__ import annotations

from ..avx512 import inverse
from ..pairs import exact_product, exact_sum, ordered_sum
from ..vector import (
    DOUBLE,
    SINGLE,
    Value,
    absolute,
    copy_sign,
    fma,
    horner,
    polynomial,
    select,
)
from .exponential import clamp, exp, exp_parts, scale
from .registry import formula

ERF = {  # erf(x) / x - 1 in x * x, for |x| up to 1
    DOUBLE: (
        0.12837916709551256,
        -0.37612638903183543,
        0.11283791670945006,
        -0.02686617064323777,
        0.0052239776071164225,
        -0.0008548325975389692,
        0.00012055294904839707,
        -1.492473690741966e-05,
        1.6447424703317362e-06,
        -1.6208483801871705e-07,
        1.3720064546777686e-08,
        -7.795898827002142e-10,
    ),
    SINGLE: (
        0.128379166,
        -0.37612626,
        0.112835944,
        -0.0268542115,
        0.00518908724,
        -0.00080168643,
        7.87587487e-05,
    ),
}
LOG_ERFC = (  # log(erfc(x)) for x from 1 to 4, for single precision
    0.00032013806,
    -1.13023341,
    -0.631826043,
    -0.110080086,
    0.0264211353,
    -0.0047595962,
    0.00059680565,
    -4.60580413e-05,
    1.6371514e-06,
)
SHORT_CENTRE = 2.5
ERFC_SHORT = (  # the same for x from 1 to 6, with a centre of its own and to 2 ** -51 only
    1.0540318203057177,
    -0.8046518494391569,
    0.4539141166481409,
    -0.17125114524434457,
    0.028361550127469867,
    0.00839304419801127,
    -0.004818785352616001,
    -0.00043920542940361246,
    0.0007026906702588296,
    5.8268035770026466e-05,
    -0.00011257680472628153,
    -1.923137265711277e-05,
    1.8116309204736516e-05,
    5.575551936245692e-06,
    -2.0987285274668475e-06,
)
CENTRE = 2.0
ERFC = {  # exp(x * x) * erfc(x) * (x + c) in t, for x from 3 / 4 to where erfc(x) is 0
    DOUBLE: (
        1.021582705242023,
        -0.68716068441381,
        0.2794720925560592,
        -0.036442231507002355,
        -0.021510661889880472,
        0.006479185074636611,
        0.0030906120702930786,
        -0.0008372962410069509,
        -0.0006630736032600033,
        3.4373941602052755e-05,
        0.0001444701133584442,
        3.412884074685359e-05,
        -2.1677925427723977e-05,
        -1.6032108698687917e-05,
        -1.2637798763821382e-06,
        3.463438437880269e-06,
        2.472581170819964e-06,
        6.900208258756123e-09,
        -1.2222490911130768e-06,
        8.362181487394484e-08,
        1.3289691399457264e-07,
    ),
    SINGLE: (
        1.02158272,
        -0.687160671,
        0.279472142,
        -0.0364430174,
        -0.0215115026,
        0.00649146643,
        0.00309176673,
        -0.000911577255,
        -0.000625113491,
        0.000194831606,
    ),
}
LAST = {DOUBLE: (6.0, 27.3), SINGLE: (4.0, 10.1)}
"""From where on erf is 1 and erfc is 0."""


@formula
def erf(x: Value) -> Value:
    size = clamp(absolute(x), 0.0, LAST[x.element][0])
    near = fma(x, polynomial(x * x, ERF[x.element]), x)
    if x.element == DOUBLE:
        factor = inverse(size + SHORT_CENTRE)
        t = (size - SHORT_CENTRE) * factor
        complement = exp(-(x * x)) * (polynomial(t, ERFC_SHORT) * factor)
    else:
        complement = exp(horner(size, LOG_ERFC))
    return select(size < 1.0, near, copy_sign(1.0 - complement, x))


@formula
def erfc(x: Value) -> Value:
    size = clamp(absolute(x), 0.0, LAST[x.element][1])
    high, low = ordered_sum(x.number(1.0), -x)
    near = high + fma(-x, polynomial(x * x, ERF[x.element]), low)
    bottom, missing = exact_sum(size, size.number(CENTRE))
    factor = inverse(bottom)
    rest = fma(-factor, bottom, 1.0) - factor * missing  # of the factor, relative to it
    t = fma(factor, -2.0 * CENTRE, 1.0)
    t_rest = fma(factor, -2.0 * CENTRE, 1.0 - t)
    first, *others = ERFC[x.element]
    slope = fma(t, 2.0 * others[1], others[0])
    product, product_rest = exact_product(t, horner(t, others))
    p, p_rest = exact_sum(x.number(first), product)
    p_rest = fma(slope, t_rest, p_rest + product_rest)
    scaled = p * factor
    rest = rest * (scaled - slope * (2.0 * CENTRE) * factor * factor)
    rest = fma(p_rest, factor, fma(p, factor, -scaled) + rest)
    square, square_rest = exact_product(size, size)
    n, (high, low) = exp_parts(-square, -square_rest)
    far = scale(fma(high, scaled, fma(high, rest, low * scaled)), n)
    return select(size < 0.75, near, select(x < 0.0, 2.0 - far, far))
