"""Writing into tensors: in-place methods, `out=`, and what they check."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ..backend import nameless, restore, silence
from ..core.array import Array, Traced, untracked
from ..core.modes import is_grad_enabled
from ..core.mutation import change, snapshot
from ..core.op import table
from ..core.record import record
from ..core.tape import Paused, current, current_tape, tick
from ..core.versions import owner_of, stamp
from . import errors
from .dtypes import can_cast, of_numpy
from .tensor import Tensor, writable

Function = Callable[..., Any]


def in_place(function: Function, name: str) -> Function:
    """The method that stores in a tensor what `function` gives for it (as `x.add_(y)`)."""

    @functools.wraps(function)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_may_change(self)
        start = tick()
        token = silence()
        try:
            result = function(self, *args, **kwargs)
        finally:
            restore(token)
        if result is NotImplemented:
            return result
        if result.slot:
            keep_original(self, start)
        own = self.raw.shape
        if result.raw.shape != own:
            raise errors.does_not_broadcast(own, result.raw.shape)
        check_cast(result.raw.dtype, self.raw.dtype)
        return write(self, result, name)

    method.__name__ = name
    return method


def quick_in_place(compute: Any, general: Function, name: str) -> Function:
    """The in-place method of a ufunc; `general` knows all but the cases of floating-point numbers.

    What is not differentiated is computed where it is stored.
    """

    def method(self: Tensor, other: Any) -> Tensor:
        if type(self) is Tensor:
            raw = self.raw
            if type(other) is Tensor:
                value = other.raw
                free = not other.slot and value.dtype is raw.dtype
            else:
                value = other
                free = type(other) is float or type(other) is int
            if (
                free
                and type(raw) is ndarray
                and raw.dtype.char in "fd"
                and raw.flags.carray  # elements don't share memory
                and (is_constant(self) or type(current()) is Paused)
            ):
                try:
                    compute(raw, value, raw)
                except ValueError:
                    return general(self, other)  # raises the same with more to say
                stamp(raw, name)
                return self
        return general(self, other)

    method.__name__ = name
    return nameless(method)


def is_constant(x: Tensor) -> bool:
    """Whether neither a tensor nor what it is a view of is differentiated."""
    root: Any = x
    while (link := getattr(root, "base", None)) is not None:
        root = link[0]
    return not (root.slot or x.slot)


def keep_original(x: Tensor, start: int) -> None:
    """Have the entries since the slot `start` keep a copy of what they saved of the memory of `x`.

    They are those of an in-place operation, which is about to write there.
    """
    raw = x.raw
    tape = current_tape()
    if not isinstance(raw, ndarray) or tape.replay:
        return
    owner = owner_of(raw)
    for i in range(tape.position(start), len(tape)):
        entry = tape[i]
        if any(isinstance(v, ndarray) and owner_of(v) is owner for v in entry[3:]):
            tape[i] = tuple(
                v.copy() if isinstance(v, ndarray) and owner_of(v) is owner else v for v in entry
            )


def check_cast(source: Any, to: Any) -> None:
    """Raise if a result of NumPy's dtype `source` may not be stored in a tensor of dtype `to`."""
    if source is not to and not can_cast(of_numpy(source), of_numpy(to)):
        raise errors.cannot_store(of_numpy(source), of_numpy(to))


def check_may_change(x: Tensor) -> None:
    """Raise if `x` is a leaf that requires grad, or a view of one, while recording is on."""
    if not is_grad_enabled():
        return
    if x.slot < 0:
        raise errors.leaf_changed()
    base: Any = x
    while (link := getattr(base, "base", None)) is not None:
        if hasattr(base, "origin"):
            raise unchangeable(x, base.origin)
        base = link[0]
    if base.slot < 0:
        raise errors.view_of_leaf_changed()


def unchangeable(x: Tensor, origin: tuple[int, str] | None) -> RuntimeError:
    """The error that a view of this origin, or a view `x` of one, is changed in place."""
    if origin is None:
        return errors.view_of_no_grad_changed()
    own = getattr(x, "origin", None)
    number, name = own or (0, x.grad_fn.name().partition("Backward")[0])
    return errors.one_of_views_changed(number, name)


def check_no_overlap(raw: Any) -> None:
    """Raise if elements of an expanded tensor share memory."""
    if isinstance(raw, ndarray) and 0 in raw.strides:
        steps = zip(raw.shape, raw.strides, strict=True)
        if raw.size and any(n > 1 and not step for n, step in steps):
            raise errors.shared_elements()


def write(
    x: Tensor, new: Any, name: str, *, overlap: bool = False, unrelated: bool = False
) -> Tensor:
    """Make `new`, of a shape that broadcasts to that of `x`, its value, in its own memory.

    `new` is recorded, raw, or a Python number; it is cast to the dtype of `x`. If `overlap`, it is
    one number, so that elements of `x` may share memory. If `unrelated`, it was not computed from
    the old value, which gets a gradient of zero.
    """
    if not overlap:
        check_no_overlap(x.raw)
    source = new.raw if isinstance(new, Array) else new
    plain = type(new) is Array and not new.slot if isinstance(new, Array) else True
    if plain and type(x) is Tensor and is_constant(x):
        return write_unrecorded(x, source, name)
    traced = isinstance(x, Traced) or isinstance(new, Traced)
    if not (traced or is_grad_enabled()):
        return write_unrecorded(x, source, name)
    check_may_change(x)
    value = snapshot(new) if isinstance(new, Array) else new

    def recorded(old: Array, out: Any) -> Any:
        if isinstance(value, Array) and value.slot:
            placed: Any = value
            if value.raw.dtype != out.dtype:
                cast = table["astype"].function
                placed = cast(placed, to=out.dtype, source=value.raw.dtype)
            if placed.raw.shape != out.shape:
                placed = table["broadcast_to"].function(placed, to=out.shape)
            if unrelated and old.slot:
                return record(table["setitem"], (old, placed), {"key": (Ellipsis,)}, out)
            return placed
        if old.slot:  # its derivative is zero now, but it has one
            return record(table["setitem"], (old, source), {"key": (Ellipsis,)}, out)
        return untracked(out)

    change(x, functools.partial(fill, source), recorded, traced, name)
    return x


def fill(source: Any, raw: Any) -> None:
    """Write a value into raw data."""
    token = silence()
    try:
        raw[...] = source
    finally:
        restore(token)


def write_unrecorded(x: Tensor, source: Any, name: str) -> Tensor:
    """Write into the memory of `x`; its place on the tape stays what it is."""
    raw = writable(x)
    if type(raw) is ndarray and not raw.flags.writeable:
        x.raw = raw = raw.copy()
    fill(source, raw)
    stamp(raw, name)
    return x


def store(out: Any, result: Any, name: str) -> Any:
    """Put a result where `out=` says: a tensor, or a tuple of them."""
    if isinstance(out, tuple | list):
        stored = [store(o, r, name) for o, r in zip(out, result, strict=True)]
        return type(result)(*stored) if hasattr(result, "_fields") else tuple(stored)
    if is_grad_enabled() and (out.slot or result.slot):
        raise errors.out_requires_grad(name)
    check_cast(result.raw.dtype, out.raw.dtype)
    if out.raw.shape != result.raw.shape:
        if out.raw.size:
            raise errors.out_of_wrong_shape(out.raw.shape, result.raw.shape)
        out.raw = result.raw.astype(out.raw.dtype)
        return out
    return write_unrecorded(out, result.raw, name)
