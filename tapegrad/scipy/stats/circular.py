"""Von Mises' distribution on the circle."""

from __future__ import annotations

import math
from typing import Any

from ...ops.elementary import log
from ...ops.specials.bessel_fixed import i0e
from ...ops.specials.circular import vonmises_cdf, vonmises_density, vonmises_ppf
from ...ops.specials.logistic import cosm1
from .continuous import Continuous, Record


def _log_density(z: Any, kappa: Any) -> Any:
    return kappa * cosm1(z) - math.log(2 * math.pi) - log(i0e(kappa))


vonmises = Continuous(
    "vonmises",
    Record(
        log_density=_log_density,
        density=lambda z, kappa: vonmises_density(kappa, z),
        below=lambda z, kappa: vonmises_cdf(kappa, z),
        above=lambda z, kappa: vonmises_cdf(kappa, -z),
        quantile=lambda q, kappa: vonmises_ppf(kappa, q),
        upper_quantile=lambda q, kappa: -vonmises_ppf(kappa, q),
    ),
    shapes="kappa",
    allowed=lambda kappa: kappa >= 0,
)
