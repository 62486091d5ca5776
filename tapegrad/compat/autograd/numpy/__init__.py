"""NumPy's names, for plain and for traced arrays: those of `tapegrad.numpy`, and autograd's own.

One function differs: `where` of Python numbers and lists gives Python numbers and lists.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from .... import numpy as _np
from ....ops.shape import embed_diagonal as _embed_diagonal
from ..names import enter as _enter
from . import fft as fft
from . import linalg as linalg
from . import numpy_boxes as numpy_boxes
from . import numpy_vspaces as numpy_vspaces
from . import random as random

_PYTHON = {bool, int, float, complex, list, tuple}


def where(condition: Any, *args: Any, **kwargs: Any) -> Any:
    """`numpy.where`; of Python numbers and lists alone, Python numbers and lists."""
    values = (*args, *(kwargs[name] for name in ("x", "y") if name in kwargs))
    result = _np.where(condition, *values)
    python = len(values) == 2 and _PYTHON.issuperset(map(type, (condition, *values)))
    return result.tolist() if python and isinstance(result, _numpy.ndarray) else result


def make_diagonal(D: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The matrices with the last axis of `D` on their diagonals, which are the last two axes."""
    if (offset, axis1, axis2) != (0, -1, -2):
        raise ValueError("make_diagonal only supports offset=0, axis1=-1, axis2=-2")
    D = D if hasattr(D, "shape") else _numpy.asarray(D)
    return _embed_diagonal(D, offset=0, to=(*D.shape, D.shape[-1]))


__version__ = _np.__version__

_enter(globals(), _np, _numpy)
