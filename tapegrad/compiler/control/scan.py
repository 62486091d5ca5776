"""`scan`: loops of known length as one operation.

The reverse sweep runs a loop that saves what was carried into each turn, and a loop backwards that
pulls through the body, which computes the rest of the turn again. Both are scans: so derivatives of
any order are, and all take as long to compile as the body does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy import generic, ndarray

from ... import tree
from ...backend import is_inexact, zeros
from ...core.array import Array
from ...core.lanes import lane
from ...core.op import Op, table
from ...core.record import raw, record
from ...transforms.custom import detached
from ...transforms.rules import pull_function, push_function
from ...transforms.vmap import vmap
from .. import errors
from .body import Body, Traced, as_result, check_carry, leaves_of, scalar, settled

Counts = tuple[int, int, int]
"""How many inputs of a loop are captured, carried, and gone through."""


def scan(
    function: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """``carry, y = function(carry, x)`` for each `x` along the first axes of `xs`.

    Gives the last `carry`, and all `y` stacked along a first axis. All three may be trees. `xs` may
    be None, with `length` turns; `reverse` goes from the last to the first. What is carried keeps
    its structure, shapes and dtypes.

    The function is recorded once, and its record is compiled: the time to compile does not depend
    on the length. It cannot branch on values (see `cond`). Derivatives of any order, in both modes,
    keep what is carried into each turn, and nothing else.

    >>> import numpy as np, tapegrad as tg
    >>> total, sums = tg.scan(lambda c, x: (c + x, c + x), 0.0, np.array([1.0, 2.0, 3.0]))
    >>> sums
    array([1., 3., 6.])
    """
    carry, structure = leaves_of(init)
    parts, parts_structure = tree.flatten(xs)
    parts = list(map(as_result, parts))
    turns = number_of_turns(parts, length)

    def body(*leaves: Any) -> Any:
        c = tree.unflatten(structure, leaves[: len(carry)])
        result = function(c, tree.unflatten(parts_structure, leaves[len(carry) :]))
        if not isinstance(result, tuple) or len(result) != 2:
            raise errors.no_pair("scan", result)
        own = tree.structure(result[0])
        if own != structure:
            raise errors.carry_changes("scan", 0, f"structure {structure}", f"structure {own}")
        return result

    firsts = list(map(lane, parts))
    carry = settled("scan", body, carry, firsts)
    traced = Traced("scan", body, [*carry, *firsts])
    check_carry("scan", carry, traced.results)
    counts = (len(traced.captured), len(carry), len(parts))
    inputs = [*traced.captured, *carry, *parts]
    results = run(traced.body, counts, len(traced.results), turns, reverse, inputs)
    final, ys = tree.unflatten(traced.structure, results)
    return final, ys


def number_of_turns(parts: Sequence[Any], length: int | None) -> int:
    """The length of all first axes, which must agree."""
    if any(not x.shape for x in parts):
        raise errors.no_turns("scan", "an array in xs has no axis")
    lengths = {x.shape[0] for x in parts} | ({length} if length is not None else set())
    if len(lengths) != 1:
        what = (
            f"the lengths {sorted(lengths)} differ" if lengths else "there is neither xs nor length"
        )
        raise errors.no_turns("scan", what)
    return int(lengths.pop())


def run(
    body: Body, counts: Counts, outputs: int, length: int, reverse: bool, inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """The results of a loop, recorded where an input is."""
    if not outputs:
        return ()
    params = {"body": body, "counts": counts, "length": length, "reverse": reverse}
    results: tuple[Any, ...] = operation(outputs).function(*inputs, **params)
    return results


def forward(
    outputs: int, *inputs: Any, body: Body, counts: Counts, length: int, reverse: bool
) -> tuple[Any, ...]:
    """The loop on raw arrays."""
    captured, carry, parts = split(counts, inputs)
    carry = [scalar(x) for x in carry]
    stacks: list[list[Any]] = [[] for _ in range(outputs - len(carry))]
    turns = range(length)
    with detached():
        if not length:  # one turn for the shapes of what is stacked
            examples = body(*carry, *(scalar(lane(x)) for x in parts), *captured)[len(carry) :]
            empty = [numpy.empty((0, *y.shape), y.dtype) for y in examples]
            return (*carry, *empty)
        for t in reversed(turns) if reverse else turns:
            results = body(*carry, *[x[t] for x in parts], *captured)
            carry = results[: len(carry)]
            for stack, y in zip(stacks, results[len(carry) :], strict=True):
                stack.append(y)
    if reverse:
        for stack in stacks:
            stack.reverse()
    return (*carry, *map(stacked, stacks))


def stacked(ys: list[Any]) -> Any:
    if isinstance(ys[0], ndarray | generic):
        return numpy.array(ys) if isinstance(ys[0], generic) else numpy.stack(ys)
    return table["stack"].function(*ys, axis=0)


def split(counts: Counts, inputs: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """A loop's inputs: captured, carried, gone through."""
    k, c, _ = counts
    return list(inputs[:k]), list(inputs[k : k + c]), list(inputs[k + c :])


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of loops with so many results."""

    def function(*inputs: Any, **params: Any) -> Any:
        return record(op, inputs, params, forward(outputs, *map(raw, inputs), **params))

    op = Op(
        "scan",
        forward=lambda _xp, *inputs, **params: forward(outputs, *inputs, **params),
        vjp=pull,
        jvp=push,
        batch=functools.partial(batch, outputs),
        joint=True,
        steep=True,
        outputs=outputs,
        function=function,
        doc="A loop of known length.",
    )
    return op


def pull(
    g: Any,
    _out: Any,
    *inputs: Any,
    wanted: tuple[bool, ...],
    body: Body,
    counts: Counts,
    length: int,
    reverse: bool,
) -> list[Any]:
    """The cotangents: a loop that saves what is carried, and one backwards."""
    captured, carry, parts = split(counts, inputs)
    k, c, n = counts

    def saving(*arrays: Any) -> list[Any]:
        return [*body.function(*arrays)[:c], *arrays[:c]]

    saver = body.derive("saving", saving)
    saved = run(saver, counts, 2 * c, length, reverse, inputs)[c:]
    active = [is_inexact(x.dtype) for x in carry]
    needs = (*active, *wanted[k + c :], *wanted[:k])  # in the order of the body's inputs
    given = tuple(x is not None for x in g[c:])
    wanted_captured = [i for i in range(k) if wanted[i]]

    def pulling(*arrays: Any) -> list[Any]:
        rest = iter(arrays)
        gc = [next(rest) if has else None for has in active]
        gk = [next(rest) for _ in wanted_captured]
        before = [next(rest) for _ in range(c + n)]
        gy = [next(rest) if has else None for has in given]
        fixed = list(rest)
        ds = pull_function("scan", body.function, [*before, *fixed], needs, [*gc, *gy])
        new = [d for d, has in zip(ds[:c], active, strict=True) if has]
        more = [a + ds[c + n + i] for a, i in zip(gk, wanted_captured, strict=True)]
        through = [d for d in ds[c : c + n] if d is not None]
        return [*new, *more, *through]

    start = [
        zero_like(x) if d is None else d
        for d, x, has in zip(g[:c], carry, active, strict=True)
        if has
    ]
    start += [zero_like(captured[i]) for i in wanted_captured]
    along = [*saved, *parts, *(d for d in g[c:] if d is not None)]
    puller = body.derive(("pull", needs, given), pulling)
    outputs = len(start) + sum(wanted[k + c :])
    inner = (k, len(start), len(along))
    results = iter(run(puller, inner, outputs, length, not reverse, [*captured, *start, *along]))
    for_carry = [next(results) if has else None for has in active]
    for_captured = {i: next(results) for i in wanted_captured}
    for_parts = [next(results) if want else None for want in wanted[k + c :]]
    found = [*(for_captured.get(i) for i in range(k)), *for_carry, *for_parts]
    return [d if want else None for d, want in zip(found, wanted, strict=True)]


def push(
    tangents: Sequence[Any],
    out: Any,
    *inputs: Any,
    body: Body,
    counts: Counts,
    length: int,
    reverse: bool,
) -> tuple[Any, ...]:
    """The tangents: a loop that carries them beside the values."""
    captured, carry, parts = split(counts, inputs)
    tk, tc, tx = split(counts, tangents)
    k, c, n = counts
    active = [is_inexact(x.dtype) for x in carry]
    has_k, has_x = ([t is not None for t in ts] for ts in (tk, tx))
    moving = sum(active)

    def pushing(*arrays: Any) -> list[Any]:
        rest = iter(arrays)
        values = [next(rest) for _ in range(c)]
        moves = [next(rest) if has else None for has in active]
        xs = [next(rest) for _ in range(n)]
        xs_moves = [next(rest) if has else None for has in has_x]
        fixed = [next(rest) for _ in range(k)]
        fixed_moves = [next(rest) if has else None for has in has_k]
        primals = [*values, *xs, *fixed]
        results = body.function(*primals)
        pushed = push_function(body.function, primals, [*moves, *xs_moves, *fixed_moves])
        own = [d for d, has in zip(pushed[:c], active, strict=True) if has]
        real = [is_inexact(y.dtype) for y in results[c:]]
        ys = [d for d, has in zip(pushed[c:], real, strict=True) if has]
        return [*results[:c], *own, *results[c:], *ys]

    pusher = body.derive(("push", tuple(active), tuple(has_k), tuple(has_x)), pushing)
    start = [zero_like(x) if t is None else t for t, x in zip(tc, carry, strict=True)]
    start = [t for t, has in zip(start, active, strict=True) if has]
    along = [*parts, *(t for t in tx if t is not None)]
    fixed = [*captured, *(t for t in tk if t is not None)]
    real = [is_inexact(y.dtype) for y in out[c:]]
    outputs = c + moving + len(real) + sum(real)
    inner = (len(fixed), c + moving, len(along))
    results = run(pusher, inner, outputs, length, reverse, [*fixed, *carry, *start, *along])
    rest = iter(results[c : c + moving])
    found = [next(rest) if has else None for has in active]
    rest = iter(results[c + moving + len(real) :])
    return (*found, *(next(rest) if has else None for has in real))


def batch(
    outputs: int,
    _function: Any,
    mapped: tuple[bool, ...],
    *inputs: Any,
    body: Body,
    counts: Counts,
    length: int,
    reverse: bool,
) -> tuple[Any, ...]:
    """All lanes in one loop, whose body is mapped over them."""
    (lanes,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}
    captured, carry, parts = split(counts, inputs)
    has_k, has_c, has_x = split(counts, mapped)
    carry = [x if has else spread(x, lanes) for x, has in zip(carry, has_c, strict=True)]
    parts = [swapped(x) if has else x for x, has in zip(parts, has_x, strict=True)]
    flags = [True] * len(carry) + has_x + has_k
    axes = tuple(0 if has else None for has in flags)
    many = body.derive(
        ("lanes", axes), lambda *arrays: list(vmap(body.function, in_axes=axes)(*arrays))
    )
    c = len(carry)
    results = run(many, counts, outputs, length, reverse, [*captured, *carry, *parts])
    return (*results[:c], *map(swapped, results[c:]))


def zero_like(x: Any) -> Any:
    data = x.raw if isinstance(x, Array) else x
    return zeros(data.shape, data) if data.shape else data.dtype.type(0)


def spread(x: Any, lanes: int) -> Any:
    return table["broadcast_to"].function(x, to=(lanes, *x.shape))


def swapped(x: Any) -> Any:
    """An array with its first two axes exchanged."""
    return table["permute_dims"].function(x, axes=(1, 0, *range(2, x.ndim)))
