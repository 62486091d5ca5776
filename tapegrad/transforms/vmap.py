"""`vmap`: the function is traced on one lane, and its program replayed over all of them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from .. import tree
from ..core.array import Array, is_mapped
from ..core.lanes import lane, repeat
from ..core.op import table
from ..core.program import Program, trace
from ..core.tape import ReplayTape
from . import misuse
from .arguments import check_chunk_size, check_function, name_of, result_data
from .flat import FlatCall, is_array
from .plain_random import Watch

RANDOMNESS = ("error", "different", "same")

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
    `axis_size` is needed only where no argument has lanes. Keyword arguments that are arrays have
    lanes along their first axis. `chunk_size` runs that many lanes at a time.

    The function runs once, on the first lane; reading a value (`bool(x)`, `x.item()`, a shape that
    depends on values) raises ConcretizationError. Solvers that choose their steps by values
    (`odeint`, `solve_ivp`, `root`, `minimize` and their like) run for one lane after another.

    `randomness` says what `tapegrad.numpy.random` draws in the lanes: an `"error"`, `"different"`
    numbers, or the `"same"`. NumPy's own generators know of no lanes: what they draw
    is the same in all. Where one is found to have drawn (`numpy.random`, or a generator that `fun`
    closes over, names or gets), that is an error too, but for `"same"`; a warning if it may have
    been another thread. One that only a function further inside knows is not found.

    >>> import numpy as np, tapegrad as tg
    >>> tg.vmap(lambda x, y: x * y, in_axes=(0, None))(np.arange(3.0), 2.0)
    array([0., 2., 4.])
    """
    check_function("vmap", fun)
    if randomness not in RANDOMNESS:
        raise misuse.bad_option("vmap", "randomness", RANDOMNESS, randomness)
    check_chunk_size("vmap", chunk_size)

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        axes = argument_axes(fun, in_axes, args, kwargs)
        call = FlatCall(fun, args, kwargs, lambda i, x: is_array(x) or axes[i] is not None)
        size = lanes(fun, call.leaves, axes, axis_size)
        stacked = [to_front(call.leaves[i], axes[i]) for i in call.chosen]
        mapped = [axes[i] is not None for i in call.chosen]
        first = [lane(x) if has else raw_data(x) for x, has in zip(stacked, mapped, strict=True)]
        many = [has or is_mapped(x) for x, has in zip(stacked, mapped, strict=True)]
        watch = Watch(fun, call.leaves)
        program = trace(call, first, many, ReplayTape("vmap", randomness, size))
        if randomness != "same" and not program.drawn:  # numpy.random may be what that was drawn by
            watch.check(randomness)
        has, results = run_chunks(program, mapped, stacked, size, chunk_size or size)
        results = place(call, out_axes, has, results, size)
        return call.rebuild(owned(results, stacked, program))

    return wrapper


def run_chunks(
    program: Program, mapped: list[bool], stacked: list[Any], size: int, chunk: int
) -> tuple[list[bool], list[Any]]:
    """The program over all lanes, `chunk` at a time: which results have lanes, and these."""
    if chunk >= size:
        return program.run_lanes(mapped, *stacked)
    parts = []
    for start in range(0, size, chunk):
        stop = min(start + chunk, size)
        some = [x[start:stop] if has else x for x, has in zip(stacked, mapped, strict=True)]
        drawn = {slot: values[start:stop] for slot, values in program.drawn.items()}
        part = Program(program.entries, program.inputs, program.outputs, drawn, program.quiet)
        has, results = part.run_lanes(mapped, *some)
        parts.append(results)
    concat = table["concat"].function
    return has, [
        concat(*column, axis=0) if varies else column[0]
        for varies, column in zip(has, zip(*parts, strict=True), strict=True)
    ]


def raw_data(x: Any) -> Any:
    return x.raw if isinstance(x, Array) else x


def to_front(x: Any, axis: int | None) -> Any:
    """`x` with `axis`, if it has one, moved to the front."""
    if not axis or axis == -x.ndim:
        return x
    axis %= x.ndim
    axes = (axis, *(a for a in range(x.ndim) if a != axis))
    return table["permute_dims"].function(x, axes=axes)


def from_front(x: Any, axis: int) -> Any:
    """`x` with its first axis moved to `axis`."""
    if axis == 0:
        return x
    axes = (*range(1, axis + 1), 0, *range(axis + 1, x.ndim))
    return table["permute_dims"].function(x, axes=axes)


def argument_axes(
    fun: Callable[..., Any], in_axes: Axes, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[int | None]:
    """The axis of each leaf of the arguments."""
    if isinstance(in_axes, list | tuple):
        if len(in_axes) != len(args):
            raise misuse.axes_count(name_of(fun), len(in_axes), len(args))
        in_axes = tuple(in_axes)
    axes = prefix(in_axes, args, "in_axes")
    return axes + [0 if is_array(x) else None for x in tree.leaves(kwargs)]


def prefix(axes: Axes, trees: Any, what: str) -> list[int | None]:
    """The axis of each leaf of `trees`, from a tree of axes that is a prefix of it."""
    try:
        spread = tree.spread(axes, trees)
    except ValueError:
        raise misuse.axes_mismatch(what, axes, tree.structure(trees)) from None
    for axis in spread:
        if axis is not None and (isinstance(axis, bool) or not hasattr(axis, "__index__")):
            raise misuse.axes_mismatch(what, axes, tree.structure(trees))
    return [None if axis is None else operator.index(axis) for axis in spread]


def lanes(
    fun: Callable[..., Any], leaves: list[Any], axes: list[int | None], given: int | None
) -> int:
    """The number of lanes, on which all arguments must agree."""
    sizes: dict[int, Any] = {}
    for x, axis in zip(leaves, axes, strict=True):
        if axis is None:
            continue
        shape = getattr(x, "shape", ())
        if not -len(shape) <= axis < len(shape):
            raise misuse.no_such_axis(name_of(fun), shape, axis)
        sizes[shape[axis]] = shape
    if given is not None:
        sizes.setdefault(given, "axis_size")
    if not sizes:
        raise misuse.no_lanes(name_of(fun))
    if len(sizes) > 1:
        raise misuse.lanes_disagree(name_of(fun), sizes)
    return next(iter(sizes))


def place(
    call: FlatCall, out_axes: Axes, has: list[bool], results: list[Any], size: int
) -> list[Any]:
    """The results, each with its lane axis where `out_axes` wants it."""
    axes = prefix(out_axes, call.rebuild(results), "out_axes")
    placed = []
    for axis, mapped, x in zip(axes, has, results, strict=True):
        if axis is None:
            if mapped:
                raise misuse.lanes_differ()
            placed.append(x)
            continue
        x = x if mapped else repeat(result_data("vmap", x), size)
        if not -x.ndim <= axis < x.ndim:
            raise misuse.no_place_for_lanes(x.shape[1:], axis)
        placed.append(from_front(x, axis % x.ndim))
    return placed


def owned(results: list[Any], inputs: list[Any], program: Program) -> list[Any]:
    """The results as the caller's own: raw arrays share memory with nothing else."""
    known = {id(x) for x in inputs}
    known.update(id(o[0]) for o in program.outputs if type(o) is tuple)
    for i, x in enumerate(results):
        if isinstance(x, Array) and not x.slot:
            x = results[i] = x.raw
        if type(x) is ndarray and (x.base is not None or id(x) in known):
            results[i] = x = x.copy()
        known.add(id(x))
    return results
