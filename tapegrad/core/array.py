"""`Array`: data and a slot on a tape. Operators and methods are attached by the faces above."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import errors
from .tape import Tape, shared

new = object.__new__
"""Makes an array of any class without its constructor, which a face may have made the user's."""


class Array:
    """A recorded array: `raw` (an ndarray, a NumPy scalar or a CuPy array) and its `slot`.

    It has no pointer to what it was computed from: the tape has that. `slot` is 0 where nothing is
    tracked. `base` and `views` are set only on views and on arrays that have views; `grad` and
    `hooks` only on imperative leaves.
    """

    __slots__ = ("__weakref__", "base", "grad", "hooks", "raw", "slot", "tape", "views")

    raw: Any
    slot: int
    tape: Tape | None
    base: tuple[Array, Any, dict[str, Any]]  # of a view: the array, the operation, its parameters
    views: list[Any]  # weak references
    grad: Array | None
    hooks: tuple[list[Any], list[Any]]

    traced: ClassVar[type[Array]]
    untraced: ClassVar[type[Array]]
    """This face's classes for arrays on a replay tape, and for all others."""

    shares: ClassVar[bool] = False
    """Whether writes go to the buffer, whoever sees it, as PyTorch's do (see `versions.py`)."""

    __array_function__: ClassVar[Any]  # NumPy's protocols are attached by its face
    __array_ufunc__: ClassVar[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.raw.shape

    @property
    def dtype(self) -> Any:
        return self.raw.dtype

    @property
    def ndim(self) -> int:
        return self.raw.ndim

    @property
    def size(self) -> int:
        return self.raw.size

    @property
    def nbytes(self) -> int:
        return self.raw.nbytes

    @property
    def itemsize(self) -> int:
        return self.raw.itemsize

    def __len__(self) -> int:
        return len(self.raw)

    def __reduce__(self) -> tuple[Any, ...]:
        return untracked, (self.raw,)  # an array travels without its place on a tape

    def __copy__(self) -> Array:
        return tracked(type(self), self.raw, self.slot, self.tape)

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return tracked(type(self), self.raw.copy(), self.slot, self.tape)


_read_grad: Any = Array.__dict__["grad"].__get__

set_grad: Any = Array.__dict__["grad"].__set__
"""Sets an array's accumulated gradient, past a face's own `grad`, as `grad_of` reads it."""


def grad_of(x: Array) -> Any:
    """An array's accumulated gradient, or None."""
    try:
        return _read_grad(x)
    except AttributeError:
        return None


class Traced(Array):
    """An array on a replay tape: `raw` is one lane's value, for shapes and dtypes only."""

    __slots__ = ()


Array.traced = Traced
Array.untraced = Array


def tracked(kind: type[Array], data: Any, slot: int, tape: Tape | None) -> Array:
    """An array that is already on a tape."""
    result = new(kind)
    result.raw = data
    result.slot = slot
    result.tape = tape
    return result


def untracked(data: Any) -> Array:
    """An array that no tape knows."""
    result = Array()
    result.raw = data
    result.slot = 0
    result.tape = None
    return result


def is_mapped(x: Any) -> bool:
    """Whether `x` differs between the lanes of a running `vmap`."""
    tape = x.tape if isinstance(x, Array) and x.slot else None
    return tape is not None and tape.replay and x.slot in tape.mapped


def check_alive(x: Array) -> None:
    """Raise if `x` was made in a transform that has ended.

    Once there are imperative leaves, an entry may be gone because `backward()` used it up: then its
    value may be read, and only another sweep through it raises.
    """
    if not x.slot:
        return
    tape = x.tape
    assert tape is not None
    if tape.replay:
        alive = not tape.closed
    else:
        alive = shared.imperative or (
            bool(tape.marks)  # else no transform is active, and nothing else tracks
            and (is_leaf_of_active(tape, x.slot) or tape.find(x.slot) is not None)
        )
    if not alive:
        raise errors.escaped(x)


def is_leaf_of_active(tape: Tape, slot: int) -> bool:
    """Whether an active transform on `tape` made `slot` its leaf.

    A transform draws its mark and then its leaves' slots from the clock.
    """
    return any(level.first < slot <= level.last for level in tape.marks)
