"""`torch.autograd.forward_ad`: tensors with tangents, inside of a `dual_level`.

What is computed inside is recorded; `unpack_dual` pushes the tangents through the record as far as
it has not been done. So forward mode needs memory for what runs inside of the level. Results of
`no_grad` are constants here, without tangents.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from ...core.array import Array, tracked
from ...core.face import bare
from ...core.forward import push_recorded
from ...core.level import Level
from ...core.op import table
from ...core.tape import quietly, tick
from .. import errors
from ..tensor import Tensor, core, wrap

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, or None."""

    primal: Tensor
    tangent: Tensor | None


class DualLevel(Level):
    """A range of the tape with the tangents of the values recorded in it."""

    __slots__ = ("pushed", "tangents")

    def __init__(self) -> None:
        super().__init__()
        self.outermost = False  # its leaves come later than its mark
        self.tangents: dict[int, Any] = {}
        self.pushed = self.first  # the tangents of entries up to this slot are known

    def dependence(self) -> tuple[set[int], set[int] | None]:
        self._entries = self._dependence = None  # more may have been recorded
        return super().dependence()

    def make(self, primal: Any, tangent: Any) -> Any:
        """A value with the data of `primal`, of this tangent."""
        slot = tick()
        source = primal.slot if isinstance(primal, Array) else 0
        data = primal.raw if isinstance(primal, Array) else primal
        self.tape.append((table["identity"].code(1), slot, source, None, None, data))
        self.slots.append(slot)
        self.tangents[slot] = tangent
        return tracked(Array, data, slot, self.tape)

    def tangent(self, slot: int) -> Any:
        """The tangent of a value, or None."""
        tape = self.tape
        entries = tape[tape.position(self.pushed) :]
        if entries:
            given = dict(self.tangents)
            duals = set(self.slots)
            others = [entry for entry in entries if entry[1] not in duals]
            with quietly(True):
                push_recorded(others, given, _Everything(), None, tape)
            self.tangents = given
            self.pushed = tick()
        return self.tangents.get(slot)


class _Everything(set[int]):
    """A set that has every slot."""

    def __contains__(self, slot: object) -> bool:
        return True


class _Current(threading.local):
    """This thread's level, or None."""

    level: DualLevel | None = None


current = _Current()


def enter_dual_level() -> int:
    """Begin a level; there is one at a time. `dual_level` is the context for it."""
    if current.level is not None:
        raise errors.nested_dual_level()
    current.level = DualLevel()
    current.level.__enter__()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level: its tensors lose their tangents."""
    if current.level is None:
        raise errors.no_dual_level("exit a level")
    ending, current.level = current.level, None
    ending.__exit__(None)


class DualContext:
    """A context in which tensors may have tangents.

    >>> import tapegrad.torch as torch
    >>> import tapegrad.torch.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor(3.0), torch.tensor(1.0))
    ...     fwAD.unpack_dual(x * x).tangent
    tensor(6.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()


dual_level = DualContext


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """The tensor with a tangent of its shape."""
    own = current.level
    if own is None:
        raise errors.no_dual_level("create a dual Tensor")
    if tensor.raw.dtype.kind not in "fcV":
        raise errors.dual_of_integers(tensor.dtype)
    if tensor.raw.shape != tangent.raw.shape:
        raise errors.tangent_shape(tensor.raw.shape, tangent.raw.shape)
    if tensor.slot > own.first and own.tangent(tensor.slot) is not None:
        raise errors.dual_of_dual()
    return wrap(own.make(bare(tensor), bare(tangent.to(tensor.dtype))))


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor without tangent, and the tangent, None if it has none."""
    own = current.level
    if own is None:
        return UnpackedDualTensor(tensor, None)
    t = own.tangent(tensor.slot) if tensor.slot > own.first else None
    if t is None:
        return UnpackedDualTensor(tensor, None)
    primal = own.outside(core(tensor))
    tangent = own.outside(t) if isinstance(t, Array) else t
    return UnpackedDualTensor(wrap(primal), wrap(tangent))
