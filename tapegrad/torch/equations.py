"""`einsum`: sums of products, as letters for the axes say."""

from __future__ import annotations

from typing import Any

from ..numpy.einsum import einsum as sum_of_products
from ..ops import linear
from . import errors
from .calls import SINGLE, cast, is_half, on_arrays, promoted, rounded
from .tensor import Tensor

__all__ = ["einsum"]


def einsum(equation: Any, *operands: Any) -> Tensor:
    """A sum of products, as letters for the axes say: ``einsum("ij,jk->ik", a, b)``."""
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = tuple(operands[0])
    if not isinstance(equation, str):
        return from_sublists((equation, *operands))
    return by_letters(equation.replace(" ", ""), list(operands))


def sum_of(equation: str, operands: Any) -> Any:
    """`einsum` of the core's arrays."""
    arrays = promoted(*operands)
    if is_half(arrays[0]):
        return rounded(sum_of(equation, [cast(x, SINGLE) for x in arrays]), arrays[0].dtype)
    terms, arrow, result = equation.partition("->")
    check_terms(terms, result, [x.shape for x in arrays])
    if arrow and "..." in terms and "..." not in result:  # those axes are summed over, too
        whole = sum_of(f"{terms}->...{result}", arrays)
        return linear.sum(whole, axis=tuple(range(whole.ndim - len(result))), keepdims=False)
    if len(arrays) > 2:
        return sum_of_products(equation, *arrays, optimize=True)
    return sum_of_products(equation, *arrays)


def check_terms(terms: str, result: str, shapes: list[tuple[int, ...]]) -> None:
    """Raise PyTorch's error if operands don't fit an equation."""
    parts = terms.split(",")
    if len(parts) != len(shapes):
        raise errors.operands_of_equation(len(parts), len(shapes))
    sizes: dict[str, int] = {}
    for i, (part, shape) in enumerate(zip(parts, shapes, strict=True)):
        before, dots, after = part.partition("...")
        named = len(before) + len(after)
        if named != len(shape) if not dots else named > len(shape):
            raise errors.subscripts_of_operand(named, len(shape), i, bool(dots))
        lengths = [*shape[: len(before)], *shape[len(shape) - len(after) :]]
        own: dict[str, int] = {}
        for letter, n in zip(before + after, lengths, strict=False):
            if own.setdefault(letter, n) != n:
                raise errors.repeated_subscript(letter, i, n, own[letter])
            known = sizes.get(letter, 1)
            if known != n and 1 not in (known, n):
                raise errors.size_of_subscript(letter, n, i, known)
            sizes[letter] = max(known, n)
    for letter in result.replace(".", ""):
        if letter not in sizes:
            raise errors.unknown_subscript(letter)
        if result.count(letter) > 1:
            raise errors.subscript_given_twice(letter)


by_letters = on_arrays(sum_of)
by_letters.__name__ = "einsum"


def from_sublists(arguments: tuple[Any, ...]) -> Tensor:
    """`einsum` with lists of numbers in place of letters."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    def spelled(numbers: Any) -> str:
        return "".join("..." if i is Ellipsis else letters[i] for i in numbers)

    operands = list(arguments[0 : len(arguments) // 2 * 2 : 2])
    names = [spelled(s) for s in arguments[1::2]]
    equation = ",".join(names)
    if len(arguments) % 2:
        equation += "->" + spelled(arguments[-1])
    return by_letters(equation, operands)
