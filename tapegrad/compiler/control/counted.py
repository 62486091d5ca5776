"""`fori_loop`: a loop that counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ...core.array import is_mapped
from ...core.record import raw
from .scan import scan
from .unbounded import while_loop


def fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """``value = body(i, value)`` for i from `lower` to `upper` (not included), from `init` on.

    With known bounds a `scan`, which has derivatives in both modes; with bounds that are traced, a
    `while_loop`.

    >>> import tapegrad as tg
    >>> tg.fori_loop(0, 5, lambda i, x: x + i, 0)
    np.int64(10)
    """
    if not (is_mapped(lower) or is_mapped(upper)):
        indices = numpy.arange(int(raw(lower)), int(raw(upper)))
        return scan(lambda c, i: (body(i, c), None), init, indices)[0]
    start = (lower, init)
    return while_loop(lambda c: c[0] < upper, lambda c: (c[0] + 1, body(c[0], c[1])), start)[1]
