"""`vmap`: the function is traced on one lane, and its program replayed over all of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import errors, tree
from ..backend import as_data, namespace
from ..core.array import Array
from ..core.op import table
from ..core.program import trace
from .arguments import name_of

Axes = Any  # an int or None, or a tree of them that is a prefix of the arguments'


def vmap(
    fun: Callable[..., Any],
    in_axes: Axes = 0,
    out_axes: Axes = 0,
    *,
    axis_size: int | None = None,
    chunk_size: int | None = None,
    randomness: str = "error",
) -> Callable[..., Any]:
    """`fun` over a leading (or other) axis of its arguments, in one vectorised run.

    `in_axes` gives for each argument the axis that counts the lanes, or None for an argument that
    all lanes share; an entry may be a tree of them, a prefix of the argument's. `out_axes` says
    where the results' lane axis goes (None: a result that does not differ between lanes).
    `axis_size` is needed only where no argument has lanes. `chunk_size` runs that many lanes at a
    time. `randomness` is `"error"`, `"different"` or `"same"` random numbers in the lanes.

    The function runs once, on the first lane; reading a value (`bool(x)`, `x.item()`, a shape that
    depends on values) raises ConcretizationError.

    >>> import numpy as np, tapegrad as tg
    >>> tg.vmap(lambda x, y: x * y, in_axes=(0, None))(np.arange(3.0), 2.0)
    array([0., 2., 4.])
    """
    if randomness not in ("error", "different", "same"):
        raise ValueError(
            f"vmap: randomness must be 'error', 'different' or 'same', not {randomness!r}."
        )

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = tree.flatten((args, kwargs))
        if isinstance(in_axes, list | tuple) and len(in_axes) != len(args):
            raise ValueError(
                f"vmap: in_axes has {len(in_axes)} entries, but {name_of(fun)} was called with "
                f"{len(args)} positional arguments. Give one entry an argument."
            )
        axes = prefix(in_axes, args, "in_axes") + [0] * len(tree.leaves(kwargs))
        leaves = [x if isinstance(x, Array) else as_data(x) for x in leaves]
        size = lanes(fun, leaves, axes, axis_size)
        stacked = [
            x if axis is None else to_front(x, axis % x.ndim)
            for x, axis in zip(leaves, axes, strict=True)
        ]
        mapped = [axis is not None for axis in axes]
        if chunk_size is None or chunk_size >= size or size == 0:
            has, results, out = run(fun, structure, stacked, mapped, size, randomness)
        else:
            parts = []
            for start in range(0, size, chunk_size):
                stop = min(start + chunk_size, size)
                chunk = [
                    x[start:stop] if has else x for x, has in zip(stacked, mapped, strict=True)
                ]
                has, results, out = run(fun, structure, chunk, mapped, stop - start, randomness)
                parts.append(
                    [r if h else repeat(r, stop - start) for h, r in zip(has, results, strict=True)]
                )
            concat = table["concat"].function
            results = [concat(*column, axis=0) for column in zip(*parts, strict=True)]
            has = [True] * len(results)
        return place(out, out_axes, has, results, size)

    return wrapper


def run(
    fun: Callable[..., Any],
    structure: Any,
    leaves: list[Any],
    mapped: list[bool],
    size: int,
    randomness: str,
) -> tuple[list[bool], list[Any], Any]:
    """Trace `fun` on one lane, and replay it. Gives which results have lanes, these, their tree."""
    out: Any = None

    def flat(*arrays: Any) -> list[Any]:
        nonlocal out
        args, kwargs = tree.unflatten(structure, arrays)
        results, out = tree.flatten(fun(*args, **kwargs))
        return results

    first = [lane(x, size) if has else raw_data(x) for x, has in zip(leaves, mapped, strict=True)]
    program = trace(flat, first, mapped, "vmap", randomness=randomness, lanes=size)
    has, results = program.run_lanes(mapped, *leaves)
    return has, results, out


def raw_data(x: Any) -> Any:
    return x.data if isinstance(x, Array) else x


def lane(x: Any, size: int) -> Any:
    """The first lane of an array, or ones where there is no lane."""
    data = raw_data(x)
    return data[0] if size else namespace(data).ones(data.shape[1:], dtype=data.dtype)[()]


def to_front(x: Any, axis: int) -> Any:
    """`x` with `axis` moved to the front."""
    if axis == 0:
        return x
    axes = (axis, *(a for a in range(x.ndim) if a != axis))
    return table["permute_dims"].function(x, axes=axes)


def from_front(x: Any, axis: int) -> Any:
    """`x` with its first axis moved to `axis`."""
    if axis == 0:
        return x
    axes = (*range(1, axis + 1), 0, *range(axis + 1, x.ndim))
    return table["permute_dims"].function(x, axes=axes)


def repeat(x: Any, size: int) -> Any:
    """`x` for every one of `size` lanes."""
    if not hasattr(x, "shape"):
        x = as_data(x)
    return table["broadcast_to"].function(x, to=(size, *x.shape))


def prefix(axes: Axes, trees: Any, what: str) -> list[Any]:
    """The axis of each leaf of `trees`, from a tree of axes that is a prefix of it."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(tree.leaves(trees))
    if isinstance(axes, dict) and isinstance(trees, dict) and axes.keys() == trees.keys():
        return [a for key in sorted(axes) for a in prefix(axes[key], trees[key], what)]
    if isinstance(axes, list | tuple) and isinstance(trees, list | tuple) and len(axes) == len(trees):
        return [a for some, branch in zip(axes, trees, strict=True) for a in prefix(some, branch, what)]
    raise ValueError(
        f"vmap: {what}={axes!r} does not fit {tree.structure(trees)}. Use an int or None for the "
        "whole, or the same containers with an int or None for a branch."
    )


def lanes(fun: Callable[..., Any], leaves: list[Any], axes: list[Any], given: int | None) -> int:
    """The number of lanes, on which all arguments must agree."""
    sizes = {}
    for x, axis in zip(leaves, axes, strict=True):
        if axis is None:
            continue
        if not hasattr(x, "shape") or not -x.ndim <= axis < x.ndim:
            raise ValueError(
                f"vmap: an argument of {name_of(fun)} of shape {getattr(x, 'shape', ())} has no axis "
                f"{axis}. Use None in in_axes for arguments that all lanes share."
            )
        sizes[x.shape[axis]] = x.shape
    if given is not None:
        sizes[given] = "axis_size"
    if not sizes:
        raise ValueError(
            f"vmap: no argument of {name_of(fun)} has lanes. Give an axis in in_axes, or axis_size."
        )
    if len(sizes) > 1:
        raise ValueError(
            f"vmap: the arguments of {name_of(fun)} disagree on the number of lanes: "
            + ", ".join(f"{n} (of {shape})" for n, shape in sizes.items())
            + "."
        )
    return next(iter(sizes))


def place(out: Any, out_axes: Axes, has: list[bool], results: list[Any], size: int) -> Any:
    """The tree of results, each with its lane axis where `out_axes` wants it."""
    axes = prefix(out_axes, tree.unflatten(out, results), "out_axes")
    placed = []
    for axis, mapped, x in zip(axes, has, results, strict=True):
        if axis is None:
            if mapped:
                raise errors.lanes_differ()
            placed.append(x)
        else:
            x = x if mapped else repeat(x, size)
            placed.append(from_front(x, axis % x.ndim))
    return tree.unflatten(out, placed)
