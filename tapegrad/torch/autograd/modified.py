"""Which tensor was changed in place after it had been saved, told in PyTorch's words."""

from __future__ import annotations

import re

from numpy import ndarray

from ...core.op import codes
from ...core.tape import Entry
from ...core.versions import owner_of, versions
from ...errors import ModifiedError
from .. import errors
from ..dtypes import of_numpy
from .anomaly import state
from .graph import find
from .names import name_of

VIEWS = frozenset(
    {"broadcast_to", "diagonal", "imag", "permute_dims", "real", "reshape", "slices", "window"}
)
"""Operations whose results are views; `getitem` of slices and numbers is one too."""


def in_words(error: ModifiedError) -> RuntimeError:
    """The core's error as PyTorch's."""
    shape = list(error.value.shape)
    kind = errors.type_of(of_numpy(error.value.dtype))
    expected = error.version - error.later
    return errors.modified(
        f"{kind} {shape}", source(error), error.version, expected, error.by, state.enabled
    )


def source(error: ModifiedError) -> str | None:
    """What computed the changed tensor, as it is now; None for leaves and constants."""
    entry = error.entry
    arity = codes[entry[0]][1]
    place = next(i for i, value in enumerate(entry[3 + arity :]) if contains(value, error.value))
    if place == arity:
        results = entry[-1] if isinstance(entry[-1], tuple) else (entry[-1],)
        number = next(i for i, x in enumerate(results) if x is error.value)
        return f"output {number} of {shown(entry)}"
    slot = entry[2 + place]
    if slot <= 0:
        return None
    return f"output 0 of {current(slot, error)}"


def contains(saved: object, value: ndarray) -> bool:
    """Whether a saved value is an array, or a tuple that has it."""
    return saved is value or (isinstance(saved, tuple) and any(x is value for x in saved))


def shown(entry: Entry) -> str:
    """The name of a node without its ending."""
    tape = find(entry[1])[1]
    name = "" if tape is None else name_of(entry, tape)
    if name == "CopySlices":
        return "torch::autograd::CopySlices"
    return re.sub(r"Backward\d*$", "", name)


def current(slot: int, error: ModifiedError) -> str:
    """The name of what last gave a tensor its value: of the change, if that was recorded."""
    entry, tape = find(slot)
    if entry is None or tape is None:
        return "Freed"
    op, arity = codes[entry[0]]
    if op.name in VIEWS or (op.name == "getitem" and arity == 1):
        return "AsStrided"  # which is how PyTorch takes a view of a changed tensor again
    written = versions[id(owner_of(error.value))].times
    after = tape.position(next(time for time in written if time > error.entry[1]))
    if any(slot == e[2] for e in tape[after:] if codes[e[0]][0].name == "setitem"):
        return "torch::autograd::CopySlices"
    before = tape[max(after - 1, 0)]
    recorded = before[1] > error.entry[1] and slot in before[2 : 2 + codes[before[0]][1]]
    return shown(before if recorded else entry)
