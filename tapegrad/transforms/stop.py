"""`stop_gradient`: a value as a constant for every derivative."""

from __future__ import annotations

from typing import Any

from .. import tree
from ..core.array import Array
from ..core.op import table


def stop_gradient(value: Any) -> Any:
    """`value`, an array or a tree of arrays, as a constant for every derivative.

    >>> import tapegrad as tg
    >>> float(tg.grad(lambda x: x * tg.stop_gradient(x))(3.0))
    3.0
    """
    stop = table["stop_gradient"].function
    return tree.map(lambda x: stop(x) if isinstance(x, Array) else x, value)
