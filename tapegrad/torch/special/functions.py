"""Special functions that stand in `torch.special` alone: of Bessel, Airy, the normal integral."""

from __future__ import annotations

from ..refusals import refuse
from .define import one, two

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "entr",
    "erfcx",
    "i0e",
    "i1",
    "i1e",
    "log_ndtr",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "ndtr",
    "ndtri",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "spherical_bessel_j0",
    "xlog1py",
    "zeta",
]

airy_ai = one("airy_ai", doc="The Airy function Ai.")
bessel_j0 = one("bessel_j0", doc="The Bessel function of the first kind of order 0.")
bessel_j1 = one("bessel_j1", doc="The Bessel function of the first kind of order 1.")
bessel_y0 = one("bessel_y0", doc="The Bessel function of the second kind of order 0.")
bessel_y1 = one("bessel_y1", doc="The Bessel function of the second kind of order 1.")
entr = one("entr", doc="``-x * log(x)``: 0 at 0, -inf below.")
erfcx = one("erfcx", doc="``exp(x * x) * erfc(x)``, without overflow.")
i0e = one("i0e", doc="``exp(-abs(x)) * i0(x)``.")
i1 = one("i1", doc="The modified Bessel function of the first kind of order 1.")
i1e = one("i1e", doc="``exp(-abs(x)) * i1(x)``.")
log_ndtr = one("log_ndtr", doc="The logarithm of `ndtr`, exact far below 0.")
modified_bessel_i0 = one(
    "modified_bessel_i0", doc="The modified Bessel function of the first kind of order 0."
)
modified_bessel_i1 = one(
    "modified_bessel_i1", doc="The modified Bessel function of the first kind of order 1."
)
modified_bessel_k0 = one(
    "modified_bessel_k0", doc="The modified Bessel function of the second kind of order 0."
)
modified_bessel_k1 = one(
    "modified_bessel_k1", doc="The modified Bessel function of the second kind of order 1."
)
ndtr = one("ndtr", doc="The integral of the standard normal density up to x.")
ndtri = one("ndtri", doc="The inverse of `ndtr`.")
scaled_modified_bessel_k0 = one(
    "scaled_modified_bessel_k0", doc="``exp(x) * modified_bessel_k0(x)``."
)
scaled_modified_bessel_k1 = one(
    "scaled_modified_bessel_k1", doc="``exp(x) * modified_bessel_k1(x)``."
)
spherical_bessel_j0 = one("spherical_bessel_j0", doc="``sin(x) / x``, 1 at 0.")
xlog1py = two("xlog1py", doc="``x * log1p(y)``, 0 where x is 0 and y is not NaN.")
zeta = two("zeta", doc="Hurwitz's zeta function: the sum of ``(k + other)^-input`` over k from 0.")

refuse(
    globals(),
    "{name}_cpu",
    "half",
    "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 "
    "modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 "
    "scaled_modified_bessel_k1 spherical_bessel_j0 zeta ndtri log_ndtr erfcx",
)
