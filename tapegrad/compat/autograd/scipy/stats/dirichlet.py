"""The functions of the distribution `scipy.stats.dirichlet`."""

from typing import Any

from .....scipy.stats import dirichlet as _distribution
from ...names import public as _public

globals().update(_public(_distribution))


def __getattr__(name: str) -> Any:
    return getattr(_distribution, name)
