"""What layers over time have in common: products over all steps at once, and lanes.

A layer takes inputs (..., T, B, m), first states (..., B, n), for k gates weights (..., k n, m) and
(..., k n, n), and biases (..., k n). Inside of a layer a step is a matrix (..., k n, B): then each
gate is in one piece, and one product of matrices gives all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy import ndarray

from ..blocks import LARGE
from ..contract import matmul, transpose
from ..join import concat, stack
from ..linear import broadcast_to, permute_dims, reshape, sum
from ..native import native
from .steps import added


def block(x: Any, n: int, first: int, last: int | None = None) -> Any:
    """Of an array (..., k n, B), the gate `first`, or those up to `last`."""
    return x[..., first * n : (first + 1 if last is None else last) * n, :]


def stepper(xp: Any, name: str, function: Callable[..., None], arrays: list[Any]) -> Any:
    """``step(t)`` changes step t of raw arrays (..., T, n, B) by ``function(xp, *steps)``.

    Of large arrays it is done by a kernel of the name where there is one. An array with an axis
    less is no sequence, but there at each step.
    """
    if xp is numpy and len(arrays) * arrays[0].size > LARGE:
        found = native("steps", name, arrays)
        if found is not None:
            return found
    axes = arrays[0].ndim

    def step(t: int) -> None:
        function(xp, *(x[..., t, :, :] if x.ndim == axes else x for x in arrays))

    return step


def logistic(xp: Any, x: Any) -> None:
    """The logistic function in place: 1/2 + tanh(x / 2) / 2."""
    x *= 0.5
    xp.tanh(x, out=x)
    x *= 0.5
    x += 0.5


def shares(xp: Any, x: Any, weight: Any, bias: Any, out: Any) -> None:
    """Write what the inputs of all steps give to the gates: (..., T, k n, B)."""
    xp.matmul(weight[..., None, :, :], xp.matrix_transpose(x), out=out)
    out += bias[..., None, :, None]


def beginning(xp: Any, x: Any, first: Any) -> Any:
    """Memory for states (..., T + 1, n, B), the first of which are there."""
    count = x.shape[-3]
    size, n = first.shape[-2:]
    states = xp.empty((*x.shape[:-3], count + 1, n, size), dtype=x.dtype)
    states[..., 0, :, :] = xp.matrix_transpose(first)
    return states


def columns(g: Any, zeros: Any) -> Any:
    """Raw cotangents (..., T, B, n) as (..., T, n, B); zeros of one step for None."""
    return zeros if g is None else numpy.matrix_transpose(g).copy()


def rows_of(x: Any) -> Any:
    """Steps one below the other: (..., T, B, m) as (..., T B, m)."""
    return reshape(x, to=(*x.shape[:-3], x.shape[-3] * x.shape[-2], x.shape[-1]))


def along_time(values: list[Any]) -> Any:
    """Steps (..., B, m), as one array (..., T, B, m)."""
    return stack(*values, axis=values[0].ndim - 2)


def step_of(x: Any, t: int) -> Any:
    """One step of (..., T, rows, columns); None of None."""
    return None if x is None else x[..., t, :, :]


def turned(x: Any, t: int) -> Any:
    """One step of (..., T, k n, B) as (..., B, k n); None of None."""
    return None if x is None else transpose(x[..., t, :, :])


def all_raw(arrays: Sequence[Any]) -> bool:
    """Whether arrays are NumPy's, or None."""
    return all(x is None or type(x) is ndarray for x in arrays)


def before(hidden: Any, out: Any) -> Any:
    """The hidden states that the steps begin with: (..., T, B, n)."""
    *lead, size, n = hidden.shape
    first = reshape(hidden, to=(*lead, 1, size, n))
    return concat(first, out[..., :-1, :, :], axis=len(lead))


def of_weight(d: Any, x: Any) -> Any:
    """The cotangent of a weight (..., k n, m), from the gates' (..., k n, T B)."""
    return matmul(d, rows_of(x))


def of_bias(d: Any) -> Any:
    """The cotangent of a bias (..., k n), from the gates' (..., k n, T B)."""
    return sum(d, axis=(d.ndim - 1,), keepdims=False)


def of_inputs(d: Any, weight: Any, to: tuple[int, ...]) -> Any:
    """The cotangent of the inputs (..., T, B, m), from the gates' (..., k n, T B)."""
    return reshape(matmul(transpose(d), weight), to=to)


def flat(d: Any) -> Any:
    """Cotangents of gates (..., T, k n, B) as (..., k n, T B)."""
    *lead, count, rows, size = d.shape
    axes = (*range(len(lead)), len(lead) + 1, len(lead), len(lead) + 2)
    return reshape(permute_dims(d, axes=axes), to=(*lead, rows, count * size))


def moved_shares(tx: Any, t_weight: Any, t_bias: Any, x: Any, weight: Any) -> Any:
    """The tangents of what the inputs give to the gates: (..., T, B, k n), or None."""
    *lead, count, size, _ = x.shape
    found = None
    for a, w in ((tx, weight), (None if t_weight is None else x, t_weight)):
        if a is not None:
            w = transpose(w)
            flat = matmul(rows_of(a), w)
            found = added(found, reshape(flat, to=(*lead, count, size, flat.shape[-1])))
    if t_bias is None:
        return found
    rows = t_bias.shape[-1]
    wide = reshape(t_bias, to=(*lead, 1, 1, rows))
    return broadcast_to(wide, to=(*lead, count, size, rows)) if found is None else found + wide


def moved_product(th: Any, t_weight: Any, hidden: Any, weight: Any) -> Any:
    """The tangent of what a state (..., B, n) gives to the gates, or None."""
    found = None if th is None else matmul(th, transpose(weight))
    return found if t_weight is None else added(found, matmul(hidden, transpose(t_weight)))


def lanes(states: int) -> Callable[..., Any]:
    """The batch rule of a layer with so many states.

    Lanes make the batch longer; where each has weights of its own, they lead. The first result is
    (..., T, B, n), in others B is last.
    """

    def batch(function: Any, mapped: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        arrays = zip(inputs, mapped, strict=True)
        count = next(x.shape[0] for x, has in arrays if has)
        lead = not any(mapped[1 + states :]) and inputs[3].ndim == 2
        changed = inputs[: 1 + states] if lead else inputs
        wide = [
            x if has else broadcast_to(x, to=(count, *x.shape))
            for x, has in zip(changed, mapped, strict=False)
        ]
        if not lead:
            return function(*wide, **params)
        x, *first = wide
        _, steps, size, width = x.shape
        x = reshape(permute_dims(x, axes=(1, 0, 2, 3)), to=(steps, count * size, width))
        first = [reshape(s, to=(count * size, s.shape[2])) for s in first]
        found = function(x, *first, *inputs[1 + states :], **params)
        out, *others = found if isinstance(found, tuple) else (found,)
        out = reshape(out, to=(steps, count, size, out.shape[2]))
        results = [permute_dims(out, axes=(1, 0, 2, 3))]
        for y in others:
            y = reshape(y, to=(*y.shape[:2], count, size))
            results.append(permute_dims(y, axes=(2, 0, 1, 3)))
        return tuple(results) if others else results[0]

    return batch
