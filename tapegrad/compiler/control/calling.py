"""A function that looks at its arrays' values as one operation, with derivatives of any order.

Where values are traced nobody can look at them: so the operation is what is traced, and the
function runs when the values are there. Its derivatives are such operations again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...core.op import Op, table
from ...core.record import raw, record
from ...transforms.custom import detached
from ...transforms.rules import pull_function, push_function
from .body import as_result

Flat = Callable[..., list[Any]]


def call(function: Flat, inputs: Sequence[Any], outputs: int) -> tuple[Any, ...]:
    """The results of ``function(*inputs)``, recorded where an input is."""
    results: tuple[Any, ...] = operation(outputs).function(*inputs, called=function)
    return results


def forward(*inputs: Any, called: Flat) -> tuple[Any, ...]:
    with detached():
        return tuple(map(as_result, called(*inputs)))


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of functions with so many results."""

    def function(*inputs: Any, called: Flat) -> Any:
        results = forward(*map(raw, inputs), called=called)
        return record(op, inputs, {"called": called}, results)

    op = Op(
        "call",
        forward=lambda _xp, *inputs, **params: forward(*inputs, **params),
        vjp=pull,
        jvp=push,
        batch=functools.partial(batch, outputs),
        joint=True,
        steep=True,
        outputs=outputs,
        function=function,
        doc="A function that looks at values.",
    )
    return op


def pull(g: Any, _out: Any, *inputs: Any, wanted: tuple[bool, ...], called: Flat) -> list[Any]:
    """The cotangents of the inputs that are wanted."""
    return pulled(called, inputs, wanted, g)


def pulled(
    function: Flat, inputs: Sequence[Any], wanted: Sequence[bool], g: Sequence[Any]
) -> list[Any]:
    """The cotangents of a function's inputs for those of its results, None for none."""
    given = [x is not None for x in g]
    count = len(inputs)

    def pulling(*arrays: Any) -> list[Any]:
        rest = iter(arrays[count:])
        gs = [next(rest) if has else None for has in given]
        found = pull_function("while_loop", function, arrays[:count], wanted, gs)
        return [
            0 * x if d is None else d
            for d, x, want in zip(found, arrays, wanted, strict=False)
            if want
        ]

    results = iter(call(pulling, [*inputs, *(x for x in g if x is not None)], sum(wanted)))
    return [next(results) if want else None for want in wanted]


def push(tangents: Any, out: Any, *inputs: Any, called: Flat) -> tuple[Any, ...]:
    """The tangents of the results."""
    given = [t is not None for t in tangents]
    count = len(inputs)

    def pushing(*arrays: Any) -> list[Any]:
        rest = iter(arrays[count:])
        ts = [next(rest) if has else None for has in given]
        return list(push_function(called, arrays[:count], ts))

    some = [t for t in tangents if t is not None]
    return call(pushing, [*inputs, *some], len(out))


def batch(
    outputs: int, function: Any, mapped: tuple[bool, ...], *inputs: Any, called: Flat
) -> tuple[Any, ...]:
    """One lane after the other."""
    (lanes,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}
    take, stack = table["getitem"].function, table["stack"].function
    results = [
        function(
            *(take(x, key=(i,)) if has else x for x, has in zip(inputs, mapped, strict=True)),
            called=called,
        )
        for i in range(lanes)
    ]
    return tuple(stack(*(r[k] for r in results), axis=0) for k in range(outputs))
