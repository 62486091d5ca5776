"""Views: tensors that share another's memory and follow it, forwards and backwards.

A view is an operation of the core whose result NumPy makes a view, linked to what it is a view of.
So an in-place change of one reaches the other, and is differentiated (see `core.mutation`).
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy import generic, ndarray

from ..core.mutation import link
from ..core.op import Op, table
from .tensor import Tensor, TracedTensor, core, wrap, writable


def view(x: Tensor, name: str, **params: Any) -> Tensor:
    """The operation `name` of the core applied to `x`, as a view."""
    return view_by(x, table[name], params)


def view_by(x: Tensor, op: Op, params: dict[str, Any]) -> Tensor:
    """`op` applied to `x`, as a view."""
    source = core(x)
    raw = source.raw = writable(x)
    result = wrap(op.function(source, **params))
    if isinstance(result.raw, generic) and not isinstance(result, TracedTensor):
        # NumPy gives a number, but a view of no axes shares its memory
        if op is GETITEM:
            params = {"key": (*params["key"], Ellipsis)}
        result.raw = op.forward(numpy, raw, **params)
    if isinstance(result.raw, generic) or shares_memory(result.raw, raw):
        link(result, x, op, params)
    return result


GETITEM = table["getitem"]


def shares_memory(part: Any, whole: Any) -> bool:
    """Whether a result is a view of what it was computed from."""
    if not isinstance(part, ndarray):
        return part.base is not None
    base: Any = part.base
    if base is None or isinstance(base, ndarray):
        owner = whole if whole.base is None else whole.base
        return part is whole or base is owner or base is whole
    return numpy.may_share_memory(part, whole)  # strides of one's own, by a stand-in
