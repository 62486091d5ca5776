"""`checkpoint_name`: a name for a value, by which a checkpoint can be told to keep it."""

from __future__ import annotations

from typing import Any

from .. import tree
from ..core.array import Array
from ..core.op import Op
from ..core.record import apply


def checkpoint_name(value: Any, name: str) -> Any:
    """`value`, an array or a tree of arrays, known by a name to ``checkpoint(keep=[name])``.

    >>> import tapegrad as tg
    >>> def f(x):
    ...     return tg.checkpoint_name(x * x, "square") ** 2
    >>> float(tg.grad(tg.checkpoint(f, keep=["square"]))(2.0))
    32.0
    """
    return tree.map(lambda x: _named(x, name) if isinstance(x, Array) else x, value)


def _named(x: Any, name: str) -> Any:
    return apply(NAMED, x, name=name) if isinstance(x, Array) else x


NAMED = Op(
    "checkpoint_name",
    forward=lambda _xp, x, *, name: x,
    vjp=(lambda g, _out, _x, *, name: g,),
    jvp=lambda tangents, _out, _x, *, name: tangents[0],
    batch=lambda function, mapped, x, *, name: function(x, name=name),
    function=lambda x, *, name: _named(x, name),
    doc="The value itself, known by a name.",
)
