"""Dtypes that PyTorch has no kernels of, by function; the errors are PyTorch's.

A function made by `on_arrays`, by those of `pointwise` or by `refusing` has a dictionary `refused`,
empty at first, which only its general way looks at: floating-point tensors with a shorter way do
not come by. Below the functions of a module, `refuse` fills their dictionaries.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy import generic, ndarray

from ..backend import on_device
from ..core.array import Array
from . import errors
from .dtypes import ALL, common, dtype

TWO_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. "
    "Use the `^` or `logical_xor()` operator instead."
)

Refused = dict[Any, tuple[str, dtype]]
"""What PyTorch says, and the dtype, by NumPy's dtype."""

KINDS: dict[str, list[dtype]] = {
    "bool": [d for d in ALL if d.category == 0],
    "integer": [d for d in ALL if d.category == 1],
    "signed": [d for d in ALL if d.category == 1 and d.is_signed],
    "half": [d for d in ALL if d.name in ("float16", "bfloat16")],
    "complex": [d for d in ALL if d.is_complex],
} | {d.name: [d] for d in ALL if d.name != "bool"}


def check(refused: Refused, operands: Sequence[Any]) -> None:
    """Raise if the first array among operands is of a refused dtype.

    Integers beside arrays of floating point count as these, which they are promoted to. Arrays
    without elements need no kernel, and on a GPU PyTorch has others.
    """
    first = operands[0] if operands else None
    if isinstance(first, Array) and first.raw.dtype not in refused:
        return
    raws = [x.raw if isinstance(x, Array) else x for x in operands]
    raws = [x for x in raws if isinstance(x, ndarray | generic) or on_device(x)]
    if not raws or raws[0].dtype not in refused or not raws[0].size or on_device(raws[0]):
        return
    d = common(*raws)
    own = raws[0].dtype if d is None or d.category < 2 else d.dtype
    if own in refused:
        raise errors.refused(*refused[own])


def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors that is made of others, with a dictionary `refused` of its own."""
    refused: Refused = {}

    @functools.wraps(function)
    def face(*args: Any, **kwargs: Any) -> Any:
        check(refused, [*args, *kwargs.values()] if kwargs else args)
        return function(*args, **kwargs)

    vars(face)["refused"] = refused
    return face


def lacking(kernel: str, kinds: str, x: Any) -> None:
    """Raise if an operand is of a dtype that a kernel, which others hang on, is lacking for."""
    check(lacked(kernel, kinds), (x,))


@functools.cache
def lacked(kernel: str, kinds: str) -> Refused:
    """The dictionary of a kernel."""
    found: Refused = {}
    fill(found, kernel, kinds)
    return found


def fill(refused: Refused, text: str, kinds: str, name: str = "") -> None:
    """Enter what PyTorch says of dtypes of some kinds."""
    for d in (d for kind in kinds.split() for d in KINDS[kind]):
        native = errors.NATIVE.get(d.name, d.name)
        said = text.format(name=name, kind=errors.SCALARS[d.name], native=native)
        refused.setdefault(d.dtype, (said, d))


def refuse(namespace: Mapping[str, Any], text: str, kinds: str, names: str) -> None:
    """Have functions of a namespace refuse dtypes of some kinds.

    What PyTorch says is the name of a kernel, or a sentence; in it `{name}` stands for that of the
    function, `{kind}` for that of the dtype, `{native}` for that of C++.
    """
    for name in names.split():
        fill(vars(namespace[name])["refused"], text, kinds, name)
