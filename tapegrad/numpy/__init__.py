"""NumPy's names, for plain and for recorded arrays.

What works on recorded arrays is in this package's modules; every other public name is NumPy's own.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from . import assignment as assignment
from . import fft as fft
from . import linalg as linalg
from . import methods as _methods
from . import passthrough as _passthrough
from .choosing import *
from .contraction import *
from .convolution import *
from .creation import *
from .diagonals import *
from .einsum import *
from .elementwise import *
from .functional import *
from .index_tricks import *
from .indexing import *
from .interpolation import *
from .joining import *
from .means import *
from .nan_reductions import *
from .padding import *
from .parts import *
from .polynomial import *
from .quantiles import *
from .ranges import *
from .rearranging import *
from .reductions import *
from .scans import *
from .sets import *
from .shapes import *
from .sorting import *
from .standard import *  # after what it extends
from .statistics import *
from .storing import *

if TYPE_CHECKING:
    from . import random as random

__array_api_version__ = "2024.12"
__all__ = list(_numpy.__all__)

_passthrough.register()
_methods.attach()


def __getattr__(name: str) -> Any:
    """NumPy's own, for every name that is not here; `random` is imported when it is used."""
    if name == "random":
        return _import_module(f"{__name__}.random")
    if name.startswith("_") and name not in ("__array_namespace_info__", "__version__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_numpy, name)


def __dir__() -> list[str]:
    """NumPy's public names."""
    return [name for name in dir(_numpy) if not name.startswith("_")]
