"""`x[key] = value` and augmented assignment on recorded arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from threading import get_ident
from typing import Any

import numpy

from ..backend import as_raw, plain
from ..core.array import Array, Traced
from ..core.mutation import (
    alone,
    assign,
    change,
    check_writable,
    has_views,
    snapshot,
)
from ..core.op import table
from ..core.record import deepest_tape, raw, record
from ..core.tape import current, tick
from ..ops.index import Key, fill
from ..ops.linear import broadcast_to, cast, reshape
from ..ops.selection import where
from .lists import assembled
from .reading import any_recorded, is_mapped
from .subscript import basic, check_mask, split

SETITEM = table["setitem"]
SETITEM_CODE = SETITEM.code(2)


def set_item(x: Array, key: Any, value: Any) -> None:
    """`Array.__setitem__`."""
    parts = key if type(key) is tuple else (key,)
    for k in parts:
        if type(k) not in basic:
            set_advanced(x, key, value)
            return
    if (
        type(x) is Array
        and not hasattr(x, "base")
        and not (hasattr(x, "views") and has_views(x))
        and alone(x)
        and set_at_once(x, parts, value)
    ):
        return
    set_general(x, parts, (), value)


def set_at_once(x: Array, key: Key, value: Any) -> bool:
    """Assign to a basic index of an array whose buffer nobody else sees, if all is on one tape."""
    data = x.raw
    slot = x.slot
    j = 0
    if type(value) is Array:
        v = value.raw
        j = value.slot
    elif type(value) in plain:
        v = value
    else:
        return False
    tape: Any = current()
    if (slot and x.tape is not tape) or (j and value.tape is not tape):
        return False
    if (slot or j) and tape.owner != get_ident():
        return False
    data[key] = v
    if j:
        shape = data[key].shape
        if v.shape != shape or v.dtype is not data.dtype:
            j = within(value, shape, data.dtype).slot
    if slot or j:
        x.tape = tape
        x.slot = new = tick()
        tape.append((SETITEM_CODE, new, slot, j, {"key": key}, data.shape, None, None))
        if new > tape.limit:
            tape.compact()
    return True


def set_advanced(x: Array, key: Any, value: Any) -> None:
    """Assign to an index with arrays or masks in it."""
    mask = key[0] if type(key) is tuple and len(key) == 1 else key
    if is_mapped(mask) and mask.dtype == bool:
        value = as_value(value)
        if not getattr(value, "shape", None):
            set_masked(x, mask, value)
            return
    target, static, indices = split(x, key)
    set_general(target, static, indices, value)


def set_masked(x: Array, mask: Any, value: Any) -> None:
    """Assign one number where a mask is true, by a choice that needs no value of the mask."""
    check_writable(x)
    check_mask(mask, x.shape, 0)
    if not mask.size:
        return
    if mask.ndim < x.ndim:
        mask = reshape(mask, to=(*mask.shape, *(1,) * (x.ndim - mask.ndim)))
    value = cast(value, x.dtype) if isinstance(value, Array) else x.dtype.type(value)
    assign(x, where(mask, value, x))


def set_general(x: Array, key: Key, indices: tuple[Any, ...], value: Any) -> None:
    """Assign to an index as `getitem` takes it: its static key and its index arrays."""
    if isinstance(value, Array):
        base = getattr(value, "base", None)
        if base is not None and base[0] is x and not indices and base[2] == {"key": key}:
            check_writable(x)
            return  # the end of `x[key] += v`: the view wrote it already
        value = snapshot(value)
    else:
        value = as_value(value)
    deepest_tape(
        (x, value, *indices)
    )  # raises for what cannot be recorded, before anything changed
    source = raw(value)
    full = fill(key, tuple(map(raw, indices)))

    def write(data: Any) -> None:
        data[full] = source

    def recorded(old: Array, out: Any) -> Any:
        placed = value
        if isinstance(value, Array) or getattr(value, "shape", None):
            placed = within(value, out[full].shape, out.dtype)
        return record(SETITEM, (old, placed, *indices), {"key": key}, out)

    change(x, write, recorded, any(isinstance(v, Traced) for v in (value, *indices)))


def as_value(value: Any) -> Any:
    """What is assigned as an array or a number; lists may have recorded arrays in them."""
    return assembled(value) if any_recorded(value) else as_raw(value)


def within(value: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A value that fits a place of an array, in the place's shape and dtype."""
    if len(value.shape) > len(shape):  # NumPy lets it have leading axes of length 1
        value = reshape(value, to=value.shape[len(value.shape) - len(shape) :])
    value = cast(value, dtype)
    return value if value.shape == shape else broadcast_to(value, to=shape)


def augmented(operation: Callable[[Any, Any], Any], name: str) -> Callable[[Array, Any], Any]:
    """Augmented assignment by a binary operator, with NumPy's casting; `name` is its ufunc's."""

    def method(self: Array, other: Any) -> Any:
        if not self.shape and getattr(self, "base", None) is None:
            return NotImplemented  # a number: Python makes a new one
        check_writable(self)
        result = operation(self, other)
        if result.shape != self.shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {self.shape} doesn't match the "
                f"broadcast shape {result.shape}"
            )
        dtype = self.dtype
        if result.dtype != dtype:
            if not numpy.can_cast(result.dtype, dtype, "same_kind"):
                raise TypeError(
                    f"Cannot cast ufunc {name!r} output from {result.dtype!r} to {dtype!r} with "
                    "casting rule 'same_kind'"
                )
            result = cast(result, dtype)
        assign(self, result)
        return self

    return method


AUGMENTED = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
"""The ufunc of each augmented operator."""


def attach() -> None:
    """Give `Array` item assignment and the augmented operators."""
    methods: dict[str, Callable[..., Any]] = {"__setitem__": set_item}
    for symbol, name in AUGMENTED.items():
        methods[f"__i{symbol}__"] = augmented(getattr(operator, f"__{symbol}__"), name)
    for name, method in methods.items():
        setattr(Array, name, method)


attach()
