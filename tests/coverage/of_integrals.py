"""A call of every function of `scipy.integrate` that takes samples."""

from __future__ import annotations

import numpy

from .of_numpy import M, X
from .probe import Probes

INTEGRATE = Probes()

INTEGRATE.same("trapezoid simpson cumulative_trapezoid cumulative_simpson", M, dx=0.3)
INTEGRATE.same("romb", numpy.concatenate([X, X[:1] / 2]))
