"""Special functions that stand in `torch` itself, and are methods of tensors."""

from __future__ import annotations

import math
from typing import Any

from ...ops.selection import clip
from .. import errors
from ..calls import attach, in_single, on_arrays, promoted
from ..dtypes import of_numpy
from ..pointwise import unary
from ..refusals import refuse
from .define import computed, one, real_only, two

__all__ = [
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "i0",
    "igamma",
    "igammac",
    "lgamma",
    "logit",
    "mvlgamma",
    "polygamma",
    "sigmoid",
    "xlogy",
]

sigmoid = unary("sigmoid")
digamma = one("digamma", doc="The derivative of `lgamma`.")
erf = one("erf", doc="The error function, ``2 / sqrt(pi)`` times the integral of exp(-t^2).")
erfc = one("erfc", doc="``1 - erf(x)``, exact for large x.")
erfinv = one("erfinv", doc="The inverse of `erf`.")
i0 = one("i0", doc="The modified Bessel function of the first kind of order 0.")
lgamma = one("lgamma", "gammaln", doc="The logarithm of the absolute value of the gamma function.")
xlogy = two("xlogy", doc="``x * log(y)``, 0 where x is 0 and y is not NaN.")


def incomplete(name: str, source: str, doc: str) -> Any:
    """`igamma` or `igammac`."""
    function = two(name, source, doc)

    def checked(input: Any, other: Any, *, out: Any = None) -> Any:
        if input.raw.dtype.kind in "biu":
            raise errors.not_for(f"{name}_cpu", of_numpy(input.raw.dtype))
        return function(input, other, out=out)

    checked.__name__ = checked.__qualname__ = name
    checked.__doc__ = doc
    return checked


igamma = incomplete("igamma", "gammainc", "The regularised lower incomplete gamma function.")
igammac = incomplete("igammac", "gammaincc", "The regularised upper incomplete gamma function.")


@on_arrays
@in_single
def logit(input: Any, eps: float | None = None) -> Any:
    """``log(x / (1 - x))``; x is held between `eps` and ``1 - eps`` before, if that is given."""
    (x,) = promoted(input, to_float=True)
    x = real_only("logit_cpu", x)
    if eps is not None:
        low, high = (x.dtype.type(v) for v in (eps, 1 - eps))
        x = clip(x, low, high)
    return computed("logit", x)


def polygamma(n: int, input: Any, *, out: Any = None) -> Any:
    """The derivative of order `n` of `digamma`."""
    if not isinstance(n, int):
        raise errors.not_whole_order(n)
    if n < 0:
        raise errors.negative_order()
    return derivative_of_digamma(input, n, out=out)


@on_arrays
def derivative_of_digamma(input: Any, n: int) -> Any:
    """`polygamma` with the tensor first, as methods have it."""
    (x,) = promoted(input, to_float=True)
    return computed("polygamma", n, real_only("polygamma", x))


@on_arrays
@in_single
def mvlgamma(input: Any, p: int) -> Any:
    """The logarithm of the multivariate gamma function of `p` dimensions."""
    if p < 1:
        raise errors.too_few_dimensions()
    (x,) = promoted(input, to_float=True)
    total: Any = p * (p - 1) / 4 * math.log(math.pi)
    for j in range(p):
        total = computed("gammaln", x - j / 2) + total
    return total


attach(
    "digamma erf erfc erfinv i0 igamma igammac lgamma logit mvlgamma xlogy",
    globals(),
    "digamma erf erfc erfinv i0 igamma igammac lgamma logit mvlgamma xlogy",
)
attach(
    "polygamma",
    {"polygamma": lambda self, n: polygamma(n, self)},
    "polygamma",
)

refuse(globals(), "The input tensor may not be a boolean tensor.", "bool", "mvlgamma")
