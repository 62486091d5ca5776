"""Sums of products over named axes: einsum, pair by pair.

`einsum` here is a pair's product in its plainest form: no letter twice in an operand, and each
letter of an operand also in the other or in the result. That form is closed under differentiation.
`contract` brings everything else to it, with diagonals, sums and permutations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import ascii_letters
from typing import Any, NamedTuple

from ..core.op import Op
from .contract import matmul
from .define import define, size_of
from .index import getitem
from .linear import permute_dims, reshape, sum
from .samples import Sample, complex_normal, normal

Letters = Sequence[Any]
"""One hashable name an axis: a string of letters, or a tuple with names of any kind."""


class Layout(NamedTuple):
    """How a pair's product becomes a matrix product.

    The axes of x go in the order (shared and kept, own, summed), those of y in the order (shared
    and kept, summed, own); `out` permutes the product's axes (shared and kept, x's, y's).
    """

    x: tuple[int, ...]
    y: tuple[int, ...]
    out: tuple[int, ...]
    shared: int
    summed: int
    inner: bool  # lanes of vectors rather than matrices: not worth a matrix product each


@lru_cache(maxsize=1024)
def layout(subscripts: str) -> Layout:
    """The layout of `"ij,jk->ik"`."""
    operands, out = subscripts.split("->")
    x, y = operands.split(",")
    shared = [c for c in x if c in y and c in out]
    summed = [c for c in x if c in y and c not in out]
    own_x = [c for c in x if c not in y]
    own_y = [c for c in y if c not in x]
    made = shared + own_x + own_y
    return Layout(
        tuple(x.index(c) for c in shared + own_x + summed),
        tuple(y.index(c) for c in shared + summed + own_y),
        tuple(made.index(c) for c in out),
        len(shared),
        len(summed),
        bool(shared) and not (own_x and own_y),
    )


def _einsum_forward(xp: Any, x: Any, y: Any, *, subscripts: str) -> Any:
    plan = layout(subscripts)
    if plan.inner and plan.summed and hasattr(xp, "einsum"):
        return xp.einsum(subscripts, x, y)
    x = xp.permute_dims(x, plan.x)
    y = xp.permute_dims(y, plan.y)
    shape_x, shape_y = x.shape, y.shape
    stack = shape_x[: plan.shared]
    inner = shape_y[plan.shared : plan.shared + plan.summed]
    rows = shape_x[plan.shared : x.ndim - plan.summed]
    columns = shape_y[plan.shared + plan.summed :]
    if not inner:
        x = xp.reshape(x, (*shape_x, *(1,) * len(columns)))
        y = xp.reshape(y, (*stack, *(1,) * len(rows), *columns))
        out = x * y
    else:
        if stack:
            x = xp.reshape(x, (*stack, size_of(rows), size_of(inner)))
            y = xp.reshape(y, (*stack, size_of(inner), size_of(columns)))
        else:
            x = xp.reshape(x, (size_of(rows), size_of(inner)) if rows else (size_of(inner),))
            y = xp.reshape(y, (size_of(inner), size_of(columns)) if columns else (size_of(inner),))
        out = xp.matmul(x, y)
        if len(rows) != 1 or len(columns) != 1 or stack:
            out = xp.reshape(out, (*stack, *rows, *columns))
    out = xp.permute_dims(out, plan.out)
    return out if out.ndim else out[()]


def _einsum_rule_x(g: Any, _out: Any, _x: Any, y: Any, *, subscripts: str) -> Any:
    operands, out = subscripts.split("->")
    x_letters, y_letters = operands.split(",")
    return einsum(g, y, subscripts=f"{out},{y_letters}->{x_letters}")


def _einsum_rule_y(g: Any, _out: Any, x: Any, _y: Any, *, subscripts: str) -> Any:
    operands, out = subscripts.split("->")
    x_letters, y_letters = operands.split(",")
    return einsum(g, x, subscripts=f"{out},{x_letters}->{y_letters}")


def _einsum_batch(
    function: Any, mapped: tuple[bool, ...], x: Any, y: Any, *, subscripts: str
) -> Any:
    lane = next(c for c in ascii_letters if c not in subscripts)
    operands, out = subscripts.split("->")
    x_letters, y_letters = (
        lane + s if has else s for s, has in zip(operands.split(","), mapped, strict=True)
    )
    return function(x, y, subscripts=f"{x_letters},{y_letters}->{lane}{out}")


def _einsum_samples(rng: Any) -> Iterator[Sample]:
    for a, b, subscripts in (
        ((2, 3), (3, 4), "ij,jk->ik"),
        ((2, 3), (3, 4), "ij,jk->ki"),
        ((3,), (3,), "i,i->"),
        ((3,), (3,), "i,i->i"),
        ((3,), (2,), "i,j->ji"),
        ((2, 3), (2, 3), "ij,ij->i"),
        ((3, 2, 2), (2, 3, 2), "abc,cad->dab"),
        ((2, 3), (), "ij,->ji"),
        ((2, 2, 3), (3, 2), "ijk,kj->i"),
    ):
        yield (normal(rng, a), normal(rng, b)), {"subscripts": subscripts}
    yield (complex_normal(rng, (2, 3)), normal(rng, (3, 2))), {"subscripts": "ij,jk->ik"}


einsum = define(
    Op(
        "einsum",
        forward=_einsum_forward,
        vjp=(_einsum_rule_x, _einsum_rule_y),
        jvp="multilinear",
        batch=_einsum_batch,
        samples=_einsum_samples,
        promote=True,
        doc='The sum of products of two arrays that `subscripts`, such as "ij,jk->ik", describe.',
    )
)


def permute(x: Any, axes: tuple[int, ...]) -> Any:
    """`x` with axis `axes[i]` as its axis i; `x` itself where that changes nothing."""
    return x if axes == tuple(range(len(axes))) else permute_dims(x, axes=axes)


def take_diagonal(x: Any, first: int, second: int) -> Any:
    """The diagonal of two axes of equal length, as the last axis."""
    rest = [a for a in range(x.ndim) if a not in (first, second)]
    x = permute(x, (*rest, first, second))
    n = x.shape[-1]
    flat = reshape(x, to=(*x.shape[:-2], n * n))
    return getitem(flat, key=(Ellipsis, slice(None, None, n + 1)))


def simplify(
    x: Any, letters: Letters, sizes: dict[Any, int], needed: set[Any]
) -> tuple[Any, list[Any]]:
    """`x` with each letter once, without broadcasting axes, summed over letters not `needed`."""
    names = list(letters)
    for letter, count in Counter(names).items():
        for _ in range(count - 1):
            first = names.index(letter)
            second = names.index(letter, first + 1)
            x = take_diagonal(x, first, second)
            names = [*names[:first], *names[first + 1 : second], *names[second + 1 :], letter]
    kept = [not (x.shape[a] == 1 and sizes[c] != 1) for a, c in enumerate(names)]
    if not all(kept):
        x = reshape(x, to=tuple(n for n, keep in zip(x.shape, kept, strict=True) if keep))
        names = [c for c, keep in zip(names, kept, strict=True) if keep]
    lone = tuple(a for a, c in enumerate(names) if c not in needed)
    if lone:
        x = sum(x, axis=lone, keepdims=False)
        names = [c for c in names if c in needed]
    return x, names


def pair(x: Any, x_names: list[Any], y: Any, y_names: list[Any], out: list[Any]) -> Any:
    """The product of two simplified operands."""
    letter = dict(zip(dict.fromkeys(x_names + y_names), ascii_letters, strict=False))
    spelled = ["".join(letter[c] for c in names) for names in (x_names, y_names, out)]
    if spelled == ["ab", "bc", "ac"]:
        return matmul(x, y)
    return einsum(x, y, subscripts="{},{}->{}".format(*spelled))


def contract(
    operands: Sequence[Any],
    letters: Sequence[Letters],
    out: Letters,
    path: Sequence[Sequence[int]] = (),
) -> Any:
    """einsum: operands with a name for each of their axes, and the names of the result's axes.

    A name that is not in `out` is summed over; axes of length 1 broadcast. `path` says, as that of
    `numpy.einsum_path`, which operands are multiplied first.
    """
    sizes: dict[Any, int] = {}
    for x, names in zip(operands, letters, strict=True):
        for n, c in zip(x.shape, names, strict=True):
            sizes[c] = n if sizes.get(c, 1) == 1 else sizes[c]
    # a name is needed by an operand if it is elsewhere too, other than on an axis that broadcasts
    found = Counter(
        c
        for x, names in zip(operands, letters, strict=True)
        for c in {c for n, c in zip(x.shape, names, strict=True) if n == sizes[c]}
    )
    needed = {c for c, count in found.items() if count > 1} | set(out)
    terms = [simplify(x, names, sizes, needed) for x, names in zip(operands, letters, strict=True)]
    for group in (*path, tuple(range(len(terms)))):
        chosen = [terms[i] for i in group if i < len(terms)]
        terms = [term for i, term in enumerate(terms) if i not in group]
        while len(chosen) > 1:
            (x, x_names), (y, y_names), *chosen = chosen
            later = set(out).union(*(names for _, names in chosen + terms))
            kept = [c for c in dict.fromkeys(x_names + y_names) if c in later]
            if not chosen and not terms:
                kept = list(out)
            chosen.insert(0, (pair(x, x_names, y, y_names, kept), kept))
        terms += chosen
    ((x, names),) = terms
    return permute(x, tuple(names.index(c) for c in out))
