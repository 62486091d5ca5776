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
from ..core.tape import Paused, current
from .tensor import Tensor, TracedTensor, constant, core, wrap, writable


def view(x: Tensor, name: str, **params: Any) -> Tensor:
    """The operation `name` of the core applied to `x`, as a view."""
    return view_by(x, table[name], params)


def view_by(x: Tensor, op: Op, params: dict[str, Any]) -> Tensor:
    """`op` applied to `x`, as a view."""
    raw = writable(x)
    if type(x) is Tensor and (not x.slot or type(current()) is Paused):
        compute = op.operator
        part = None if compute is None else compute(raw, **params)
        if type(part) is not ndarray:
            part = op.forward(numpy, raw, **params)
        result = linked(constant(part), x, op, params, raw)
        if x.slot:
            result.origin = None
        return result
    source = core(x)
    source.raw = raw
    result = wrap(op.function(source, **params))
    if isinstance(result.raw, generic) and not isinstance(result, TracedTensor):
        # NumPy gives a number, but a view of no axes shares its memory
        if op is GETITEM:
            params = {"key": (*params["key"], Ellipsis)}
        result.raw = op.forward(numpy, raw, **params)
    return linked(result, x, op, params, raw)


def linked(result: Tensor, x: Tensor, op: Op, params: dict[str, Any], raw: Any) -> Tensor:
    """`result`, which is `op` of `x`, linked to it if their memory is shared."""
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
