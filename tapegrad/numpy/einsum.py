"""NumPy's einsum: every form of its subscripts."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import numpy

from ..ops.einsum import contract
from ..ops.linear import cast
from .dispatch import implements
from .operands import operand, without_out

__all__ = ["einsum"]

LETTERS = ascii_uppercase + ascii_lowercase


@implements(numpy.einsum)
def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: Any = "safe",
    optimize: Any = False,
) -> Any:
    without_out("einsum", out)
    if order not in ("K", "A", "C", "F"):
        raise ValueError(f"einsum: order must be one of 'C', 'F', 'A', or 'K', not {order!r}.")
    subscripts, arrays = spelled(operands)
    arrays = [operand(x) for x in arrays]
    if dtype is not None:
        dtype = numpy.dtype(dtype)
        for x in arrays:
            if not numpy.can_cast(x.dtype, dtype, casting):
                raise TypeError(
                    f"einsum: cannot cast an operand of dtype {x.dtype} to dtype={dtype} with "
                    f"casting={casting!r}."
                )
        arrays = [cast(x, dtype) for x in arrays]
    letters, result = parse(subscripts, tuple(tuple(x.shape) for x in arrays))
    path: Any = ()
    if len(arrays) > 2:
        path = tuple(optimize) if isinstance(optimize, list | tuple) else optimize
        path = order_of(subscripts, tuple(tuple(x.shape) for x in arrays), path)
    return contract(arrays, letters, result, path)


def spelled(operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The subscripts as one string, and the arrays, from either form of the arguments."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), list(operands[1:])
    arrays = list(operands[: 2 * (len(operands) // 2) : 2])
    text = ",".join(spell(part) for part in operands[1::2])
    if len(operands) % 2:
        text += "->" + spell(operands[-1])
    return text, arrays


def spell(sublist: Any) -> str:
    """Subscripts for a list of integers and Ellipsis."""
    return "".join("..." if i is Ellipsis else LETTERS[i] for i in sublist)


@lru_cache(maxsize=1024)
def parse(
    subscripts: str, shapes: tuple[tuple[int, ...], ...]
) -> tuple[tuple[tuple[Any, ...], ...], tuple[Any, ...]]:
    """The names of the operands' axes and of the result's; an ellipsis's are ..., -2, -1."""
    inputs, arrow, output = subscripts.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(shapes):
        raise ValueError(
            f"einsum: the subscripts {subscripts!r} are for {len(parts)} operands, but "
            f"{len(shapes)} were given."
        )
    sizes: dict[Any, int] = {}
    names = []
    widest = 0
    for part, shape in zip(parts, shapes, strict=True):
        extra = len(shape) - len(part.replace("...", "", 1))
        if extra < 0 or (extra and "..." not in part):
            raise ValueError(
                f"einsum: the subscripts {part!r} do not fit an operand of shape {shape}: name "
                "each of its axes, or use an ellipsis."
            )
        own = expand(part, extra, subscripts)
        if "..." in part:
            widest = max(widest, extra)
        within: dict[Any, int] = {}
        for n, name in zip(shape, own, strict=True):
            known = sizes.get(name, 1)
            if (known != n and known != 1 and n != 1) or within.get(name, n) != n:
                raise ValueError(
                    f"einsum: the axes called {name!r} in {subscripts!r} have lengths that differ, "
                    f"for operands of shapes {shapes}."
                )
            within[name] = n
            sizes[name] = max(known, n) if n else n
        names.append(own)
    if arrow:
        result = expand(output, widest, subscripts)
        for name in result:
            if name not in sizes or result.count(name) > 1:
                raise ValueError(
                    f"einsum: the result's subscripts {output!r} must name axes of the operands, "
                    f"each once, but {subscripts!r} does not."
                )
        if widest and "..." not in output:
            raise ValueError(
                "einsum: the operands have axes of an ellipsis, so the result's subscripts must "
                f"have one too, but {subscripts!r} does not."
            )
    else:
        counts = Counter(inputs.replace("...", "").replace(",", ""))
        once = sorted(c for c, count in counts.items() if count == 1)
        result = (*range(-widest, 0), *once)
    return tuple(names), result


def expand(part: str, extra: int, subscripts: str) -> tuple[Any, ...]:
    """The names of one operand's axes; `extra` axes for an ellipsis."""
    before, dots, after = part.partition("...")
    for c in before + after:
        if c not in LETTERS:
            raise ValueError(
                f"einsum: {c!r} in {subscripts!r} is not a valid subscript: use letters."
            )
    return (*before, *(range(-extra, 0) if dots else ()), *after)


@lru_cache(maxsize=1024)
def order_of(
    subscripts: str, shapes: tuple[tuple[int, ...], ...], optimize: Any
) -> tuple[tuple[int, ...], ...]:
    """Which operands are multiplied in which order."""
    if not isinstance(optimize, tuple | str):
        optimize = "greedy"
    elif isinstance(optimize, tuple):
        optimize = list(optimize)
    blank = [numpy.broadcast_to(numpy.float64(), shape) for shape in shapes]
    path, _ = numpy.einsum_path(subscripts, *blank, optimize=optimize)
    return tuple(path[1:])
