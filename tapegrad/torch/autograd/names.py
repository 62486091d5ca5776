"""PyTorch's names of the core's operations, as its nodes show them."""

from __future__ import annotations

from collections.abc import Callable

from ...core.array import Array
from ...core.op import codes
from ...core.record import PICK
from ...core.tape import Entry, Tape

NAMES = {
    "acos": "Acos0",
    "astype": "ToCopy0",
    "broadcast_to": "Expand0",
    "c2c": "FftC2C0",
    "c2r": "FftC2R0",
    "cholesky": "LinalgCholeskyEx0",
    "concat": "Cat0",
    "cross_entropy": "NllLoss0",
    "det": "LinalgDet0",
    "divide": "Div0",
    "eig": "LinalgEig0",
    "eigh": "LinalgEigh0",
    "identity": "Clone0",
    "inv": "LinalgInvEx0",
    "keep": "Relu0",
    "length": "LinalgVectorNorm0",
    "log1p": "Log1P0",
    "lstsq": "LinalgLstsq0",
    "lu": "LinalgLuFactorEx0",
    "matrix_power": "LinalgMatrixPower0",
    "multiply": "Mul0",
    "negative": "Neg0",
    "permute_dims": "Permute0",
    "pinv": "LinalgPinv0",
    "qr": "LinalgQr0",
    "r2c": "FftR2C0",
    "slogdet": "LinalgSlogdet0",
    "solve": "LinalgSolveEx0",
    "solve_triangular": "LinalgSolveTriangular0",
    "square": "Pow0",
    "svd": "LinalgSvd0",
    "take_along": "Gather0",
    "window": "AsStrided0",
}
"""Those that are not simply capitalised, with the number of the variant."""


def name_of(entry: Entry, tape: Tape) -> str:
    """The name of the node that an entry is: `MulBackward0`."""
    op, arity = codes[entry[0]]
    if op is PICK:
        index = tape.find(entry[2])
        return "FreedBackward0" if index is None else name_of(tape[index], tape)
    if op.name == "function":
        return str(entry[2 + arity]["call"].ctx.name())
    if op.name == "setitem":
        return "CopySlices"
    chosen = VARIANTS.get(op.name)
    plain = chosen(entry, arity) if chosen else NAMES.get(op.name)
    if plain is None:
        plain = "".join(part.capitalize() for part in op.name.split("_")) + "0"
    return f"{plain[:-1]}Backward{plain[-1]}"


ENDS = 256

ends: dict[int, Entry] = {}
"""By slot: the heads of the entries of numbers that a backward began with, up to the parameters.

Slots are negated, for the same objects would keep entries from compaction.
"""


def note_end(x: Array) -> None:
    """Remember what computed `x`, which a backward is to begin with, for when it is freed."""
    tape: Tape | None = x.tape
    if not tape:
        return
    entry = tape[-1]
    if entry[1] != x.slot:
        index = tape.find(x.slot)
        if index is None:
            return
        entry = tape[index]
    op, arity = codes[entry[0]]
    if op.joint:
        return  # parameters may be a user's functions, with all that they refer to
    if len(ends) >= ENDS:
        ends.clear()
    ends[-x.slot] = (entry[0], *[-slot for slot in entry[1 : 2 + arity]], entry[2 + arity])


def end_of(slot: int) -> Entry | None:
    """An entry as far as `note_end` remembered it, with shapes in place of what it saved.

    Its result has no axes, so that what was reduced had as many as were reduced.
    """
    head = ends.get(-slot)
    if head is None:
        return None
    code, *slots, params = head
    shape = (params or {}).get("axis", (0,))
    return (code, *[-s for s in slots], params, *[shape] * (len(slots) - 1), ())


def _reduction(name: str) -> Callable[[Entry, int], str]:
    def variant(entry: Entry, arity: int) -> str:
        axes = entry[2 + arity]["axis"]
        saved = entry[3 + arity]
        shape = saved if type(saved) is tuple else saved.shape
        return f"{name}0" if len(axes) == len(shape) else f"{name}1"

    return variant


def _extreme(name: str) -> Callable[[Entry, int], str]:
    def variant(entry: Entry, arity: int) -> str:
        axes = entry[2 + arity]["axis"]
        saved = entry[3 + arity]
        shape = saved if type(saved) is tuple else saved.shape
        return f"{name}1" if len(axes) == len(shape) else f"A{name.lower()}0"

    return variant


def _subtract(entry: Entry, _arity: int) -> str:
    return "Sub0" if entry[2] else "Rsub1"


def _pow(entry: Entry, _arity: int) -> str:
    if entry[2]:
        return "Pow1" if entry[3] else "Pow0"
    return "Pow2"


def _matmul(entry: Entry, arity: int) -> str:
    x, y = entry[3 + arity], entry[4 + arity]
    axes = tuple(len(v if type(v) is tuple else v.shape) for v in (x, y) if v is not None)
    if 1 in axes:
        return "Dot0" if axes in ((1, 1), (1,)) else "Mv0"
    return "Bmm0" if max(axes) > 2 else "Mm0"


def _getitem(entry: Entry, arity: int) -> str:
    key = entry[2 + arity]["key"]
    if arity > 1:
        return "Index0"
    if any(k is None for k in key):
        return "Unsqueeze0"
    if any(isinstance(k, slice) and k != slice(None) for k in key):
        return "Slice0"
    return "Select0"


def _reshape(entry: Entry, arity: int) -> str:
    to = entry[2 + arity]["to"]
    saved = entry[3 + arity]
    shape = saved if type(saved) is tuple else saved.shape
    if [n for n in to if n != 1] == [n for n in shape if n != 1] and len(to) != len(shape):
        return "Unsqueeze0" if len(to) > len(shape) else "Squeeze0"
    return "View0"


VARIANTS: dict[str, Callable[[Entry, int], str]] = {
    "getitem": _getitem,
    "matmul": _matmul,
    "max": _extreme("Max"),
    "mean": _reduction("Mean"),
    "min": _extreme("Min"),
    "pow": _pow,
    "prod": _reduction("Prod"),
    "reshape": _reshape,
    "subtract": _subtract,
    "sum": _reduction("Sum"),
}
"""Operations whose name depends on how they were called."""
