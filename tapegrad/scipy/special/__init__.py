"""`scipy.special`, for plain and for recorded arrays; importing it makes SciPy's ufuncs record.

Beside SciPy's names it has those of `torch.special` and `jax.scipy.special`. Derivatives in
parameters have a closed form (gamma, beta, zeta by its second argument), come from a quadrature or
a series (incomplete gamma and beta functions, Student's, zeta) or from a difference of high order
(Bessel functions), with the accuracy that is stated there; where none is known, an error says so.
"""

from __future__ import annotations

from typing import Any

import scipy.special

from ..names import own
from .aliases import *
from .composed import *
from .distributions import *
from .functions import *
from .ufuncs import *


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    return own(scipy.special, __name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.special)})
