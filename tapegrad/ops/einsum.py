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


class Simple(NamedTuple):
    """What makes an operand simple: each name once, no axis that broadcasts, no lone axis."""

    diagonals: tuple[tuple[int, int], ...]
    shape: tuple[int, ...] | None
    summed: tuple[int, ...]


class Plan(NamedTuple):
    """The steps of a contraction: simplify the operands, multiply pairs, permute the result.

    A pair is taken out of the list of operands by its two places; its product goes to the end.
    """

    operands: tuple[Simple, ...]
    pairs: tuple[tuple[int, int, str], ...]
    axes: tuple[int, ...]


def simplified(
    shape: tuple[int, ...], names: list[Any], sizes: dict[Any, int], needed: set[Any]
) -> tuple[Simple, list[Any]]:
    """How to make an operand simple, and what its axes are called then.

    It is summed over the axes whose names are not `needed` by the result or another operand.
    """
    diagonals = []
    lengths = list(shape)
    for name, count in Counter(names).items():
        for _ in range(count - 1):
            first = names.index(name)
            second = names.index(name, first + 1)
            diagonals.append((first, second))
            for a in (second, first):
                del names[a], lengths[a]
            names.append(name)
            lengths.append(sizes[name])
    kept = [n == sizes[c] for n, c in zip(lengths, names, strict=True)]
    whole = all(kept)
    names = [c for c, keep in zip(names, kept, strict=True) if keep]
    to = None if whole else tuple(n for n, keep in zip(lengths, kept, strict=True) if keep)
    lone = tuple(a for a, c in enumerate(names) if c not in needed)
    return Simple(tuple(diagonals), to, lone), [c for c in names if c in needed]


@lru_cache(maxsize=1024)
def planned(
    shapes: tuple[tuple[int, ...], ...],
    letters: tuple[tuple[Any, ...], ...],
    out: tuple[Any, ...],
    path: tuple[tuple[int, ...], ...],
) -> Plan:
    """The plan for operands of some shapes."""
    sizes: dict[Any, int] = {}
    for shape, names in zip(shapes, letters, strict=True):
        for n, c in zip(shape, names, strict=True):
            sizes[c] = n if sizes.get(c, 1) == 1 else sizes[c]
    found = Counter(  # in how many operands, other than on axes that broadcast
        c
        for shape, names in zip(shapes, letters, strict=True)
        for c in {c for n, c in zip(shape, names, strict=True) if n == sizes[c]}
    )
    needed = {c for c, count in found.items() if count > 1} | set(out)
    made = [
        simplified(shape, list(names), sizes, needed)
        for shape, names in zip(shapes, letters, strict=True)
    ]
    terms = [names for _, names in made]
    pairs = []
    for group in (*path, tuple(range(len(terms)))):
        chosen = sorted(i for i in group if i < len(terms))
        while len(chosen) > 1:
            first, second, *rest = chosen
            y, x = terms.pop(second), terms.pop(first)
            later = set(out).union(*terms)
            kept = [c for c in dict.fromkeys(x + y) if c in later] if terms else list(out)
            pairs.append((first, second, spelled(x, y, kept)))
            chosen = [*(i - 2 for i in rest), len(terms)]
            terms.append(kept)
    (product,) = terms
    return Plan(
        tuple(simple for simple, _ in made), tuple(pairs), tuple(product.index(c) for c in out)
    )


def spelled(x: list[Any], y: list[Any], out: list[Any]) -> str:
    """The subscripts for names of any kind."""
    letter = dict(zip(dict.fromkeys(x + y), ascii_letters, strict=False))
    return "{},{}->{}".format(*("".join(letter[c] for c in names) for names in (x, y, out)))


def contract(
    operands: Sequence[Any],
    letters: Sequence[Letters],
    out: Letters,
    path: Sequence[tuple[int, ...]] = (),
) -> Any:
    """einsum: operands with a name for each of their axes, and the names of the result's axes.

    A name that is not in `out` is summed over; axes of length 1 broadcast. `path` says, as that of
    `numpy.einsum_path`, which operands are multiplied first.
    """
    plan = planned(
        tuple(tuple(x.shape) for x in operands),
        tuple(map(tuple, letters)),
        tuple(out),
        tuple(path),
    )
    terms = []
    for x, (diagonals, shape, summed) in zip(operands, plan.operands, strict=True):
        for first, second in diagonals:
            x = take_diagonal(x, first, second)
        if shape is not None:
            x = reshape(x, to=shape)
        terms.append(sum(x, axis=summed, keepdims=False) if summed else x)
    for first, second, subscripts in plan.pairs:
        y, x = terms.pop(second), terms.pop(first)
        if subscripts == "ab,bc->ac":
            terms.append(matmul(x, y))
        else:
            terms.append(einsum(x, y, subscripts=subscripts))
    return permute(terms[0], plan.axes)
