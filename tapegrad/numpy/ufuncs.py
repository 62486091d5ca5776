"""Everything a ufunc can do beside being called: `out=`, `where=`, `dtype=`, and its methods.

The operation of a ufunc knows positional inputs only. Here the rest is expressed by it and by other
functions of NumPy, so that every ufunc in the table has it, those of SciPy too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy
from numpy import ndarray

from ..backend import is_raw, python_numbers
from ..core.array import Array, untracked
from ..core.mutation import assign
from ..core.op import table
from ..ops.index import ARRAY
from ..ops.reduce import logsumexp
from ..ops.scan import cummax, cummin
from . import errors
from .dispatch import Function, np, ufuncs
from .lists import without_lists
from .reading import is_tracked, known, on_values

Inputs = tuple[Any, ...]


def array_ufunc(self: Array, ufunc: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """`Array.__array_ufunc__`."""
    if method != "at":  # whose index may be a tuple
        inputs = without_lists(inputs)
    if method == "__call__" and not kwargs:
        operation = ufuncs.get(ufunc)
        if operation is not None:
            return operation(*inputs)
    return methods[method](ufunc, *inputs, **kwargs)


def operation_of(ufunc: numpy.ufunc, inputs: Iterable[Any]) -> Function:
    """What computes a ufunc: its operation, or the ufunc itself where no tape is involved."""
    operation = ufuncs.get(ufunc)
    if operation is None and "scipy.special" in sys.modules:
        import_module("tapegrad.scipy.special")  # brings the operations of SciPy's ufuncs
        operation = ufuncs.get(ufunc)
    if operation is not None:
        return operation
    if any(is_tracked(x) for x in inputs):
        raise errors.no_ufunc_rule(ufunc.__name__)
    return on_values(ufunc)


def call(
    ufunc: numpy.ufunc,
    *inputs: Any,
    out: tuple[Any, ...] = (),
    where: Any = True,
    dtype: Any = None,
    signature: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
    **axes: Any,
) -> Any:
    """`ufunc(*inputs, ...)`; `axes` are those of a generalised ufunc, and `keepdims`."""
    operation = operation_of(ufunc, inputs)
    results: list[Any] = []
    targets = out or (None,) * ufunc.nout
    if out or dtype is not None or signature is not None or casting != "same_kind":
        inputs = loop_inputs(ufunc, inputs, targets, dtype, signature, casting)
    if where is True:
        computed = run(ufunc, operation, inputs, axes)
    elif not out:
        raise errors.where_without_out(ufunc.__name__)
    else:
        with np.errstate(all="ignore"):  # the elements left out are computed too
            computed = run(ufunc, operation, inputs, axes)
    if not out:
        return computed
    if ufunc.nout > 1:  # all results have the shape that one of the arrays for them has
        shape = np.broadcast_shapes(*(x.shape for x in (*computed, *targets) if x is not None))
        computed = tuple(x if x.shape == shape else np.broadcast_to(x, shape) for x in computed)
    for result, target in zip(computed if ufunc.nout > 1 else (computed,), targets, strict=True):
        results.append(store(ufunc.__name__, result, target, where))
    return tuple(results) if ufunc.nout > 1 else results[0]


def run(ufunc: numpy.ufunc, operation: Function, inputs: Inputs, axes: dict[str, Any]) -> Any:
    """The operation on inputs, with a generalised ufunc's core axes moved to the end and back."""
    if not axes:
        return operation(*inputs)
    assert ufunc.signature is not None
    return with_core_axes(ufunc.signature, operation, inputs, **axes)


def with_core_axes(
    signature: str,
    operation: Function,
    inputs: Inputs,
    axes: Any = None,
    axis: int | None = None,
    keepdims: bool = False,
) -> Any:
    ins, outs = (
        [names.count(",") + 1 if names else 0 for names in part.strip("()").split("),(")]
        for part in signature.split("->")
    )
    if axis is not None:
        axes = [(axis,)] * len(ins)
    if axes is None:
        places = [tuple(range(-n, 0)) for n in (*ins, *outs)]
    else:
        places = [(a,) if isinstance(a, int) else tuple(a) for a in axes]
    kept = places[0] if keepdims else ()
    places += [kept if keepdims else ()] * (len(ins) + len(outs) - len(places))
    moved = (
        np.moveaxis(x, place, tuple(range(-len(place), 0))) if place else x
        for x, place in zip(inputs, places, strict=False)
    )
    result = operation(*moved)
    if keepdims:
        result = np.expand_dims(result, tuple(range(-len(kept), 0)))
    place = places[-1]
    return np.moveaxis(result, tuple(range(-len(place), 0)), place) if place else result


def loop_inputs(
    ufunc: numpy.ufunc,
    inputs: Inputs,
    targets: tuple[Any, ...],
    dtype: Any,
    signature: Any,
    casting: str,
) -> Inputs:
    """The inputs, converted to the dtypes of the loop that NumPy chooses; checked as it does."""
    if dtype is not None:
        signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    elif isinstance(signature, str):
        signature = tuple(map(np.dtype, signature.replace("->", "")))
    elif signature is not None:
        signature = tuple(None if d is None else np.dtype(d) for d in signature)
    given = (*map(dtype_of, inputs), *(None if t is None else t.dtype for t in targets))
    resolve: Any = ufunc.resolve_dtypes
    if signature is None:
        resolve(given, casting=casting)
        return inputs  # the operation chooses the same loop
    loop = resolve(given, signature=signature, casting=casting)
    return tuple(as_dtype(x, d) for x, d in zip(inputs, loop, strict=False))


def dtype_of(x: Any) -> Any:
    """A dtype, or the type of a Python number, whose dtype is weak."""
    if type(x) in python_numbers and type(x) is not bool:
        return type(x)
    return x.dtype if is_raw(x) and hasattr(x, "dtype") else np.result_type(x)


def as_dtype(x: Any, dtype: Any) -> Any:
    """`x` as an array of a dtype."""
    if not isinstance(x, Array):
        return np.asarray(x, dtype)[()]
    if x.dtype == dtype:
        return x
    return table["astype"].function(x, to=np.dtype(dtype), source=x.dtype)


def store(name: str, result: Any, target: Any, where: Any = True) -> Any:
    """Write a result into an `out` array, if there is one; gives what the caller gets."""
    if target is None:
        return result
    if where is not True:
        result = table["where"].function(where, result, target)
    if isinstance(target, Array):
        write(target, result)
        return target
    if is_tracked(result):
        raise errors.recorded_into_ndarray(f"numpy.{name}")
    np.copyto(target, known(result, f"numpy.{name}"), casting="unsafe")
    return target


def write(target: Array, value: Any) -> None:
    """Give `target` a value of any dtype, and of any shape that broadcasts to its own."""
    value = as_dtype(value, target.dtype)
    if value.shape != target.shape:
        value = np.broadcast_to(value, target.shape)
    assign(target, value)


def outer(ufunc: numpy.ufunc, x: Any, y: Any, **kwargs: Any) -> Any:
    """`ufunc.outer`: every element of one with every element of the other."""
    x, y = (v if isinstance(v, Array) else np.asarray(v) for v in (x, y))
    return call(ufunc, x.reshape(x.shape + (1,) * y.ndim), y, **kwargs)


REDUCTIONS: dict[numpy.ufunc, Function] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
"""Ufuncs whose reduction is an operation of its own."""

SCANS: dict[numpy.ufunc, Function] = {
    np.add: np.cumsum,
    np.multiply: np.cumprod,
    np.maximum: cummax,
    np.minimum: cummin,
}
"""Ufuncs whose accumulation is an operation of its own."""


def result_dtype(method: Function, x: Any, axis: Any, dtype: Any) -> Any:
    """The dtype of a ufunc's reduction or accumulation; raises as NumPy where there is none."""
    return method(np.ones((1,) * x.ndim, x.dtype), axis=axis, dtype=dtype).dtype


def reduce(
    ufunc: numpy.ufunc,
    x: Any,
    *,
    axis: Any = 0,
    dtype: Any = None,
    out: tuple[Any, ...] = (None,),
    keepdims: bool = False,
    **kwargs: Any,
) -> Any:
    """`ufunc.reduce`; `kwargs` are `initial` and `where`."""
    x = x if isinstance(x, Array) else untracked(np.asarray(x))  # then `where` is recorded
    dtype = result_dtype(ufunc.reduce, x, axis, dtype)
    function = REDUCTIONS.get(ufunc)
    if kwargs.get("initial", 0) is None:
        function = None  # NumPy: start with the first element
    if function is not None:
        result = function(as_dtype(x, dtype), axis=axis, keepdims=keepdims, **kwargs)
    else:
        axes = (
            tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        )
        axes = tuple(sorted(a % x.ndim for a in axes)) if x.ndim else ()
        if ufunc is np.logaddexp and not kwargs and x.size:
            result = logsumexp(as_dtype(x, dtype), axis=axes, keepdims=False)
        else:
            result = fold(ufunc, as_dtype(x, dtype), axes, **kwargs)
        if keepdims:
            result = np.expand_dims(result, axes)
    return store(f"{ufunc.__name__}.reduce", as_dtype(result, dtype), out[0])


def fold(
    ufunc: numpy.ufunc, x: Any, axes: tuple[int, ...], initial: Any = ..., where: Any = True
) -> Any:
    """A reduction by calls of the ufunc, from the first element on."""
    lead = tuple(range(len(axes)))
    rows = merged(np.moveaxis(x, axes, lead), len(axes))
    masks = None
    if where is not True:
        masks = merged(np.moveaxis(np.broadcast_to(where, x.shape), axes, lead), len(axes))
    start = 0
    result = ufunc.identity if initial is ... else initial
    if result is None:
        if masks is not None or not len(rows):
            raise ValueError(
                f"numpy.{ufunc.__name__}.reduce has no identity to start from: pass initial=, or "
                "reduce a non-empty array without where=."
            )
        result, start = rows[0], 1
    elif len(rows) > 1 and masks is None and initial is ...:
        result, start = rows[0], 1
    for i in range(start, len(rows)):
        new = ufunc(result, rows[i])
        result = new if masks is None else np.where(masks[i], new, result)
    if getattr(result, "shape", ()) != rows.shape[1:]:
        result = np.broadcast_to(result, rows.shape[1:])
    return result if isinstance(result, Array) else untracked(np.asarray(result)[()])


def merged(x: Any, count: int) -> Any:
    """`x` with its first `count` axes as one."""
    size = 1
    for n in x.shape[:count]:
        size *= n
    return np.reshape(x, (size, *x.shape[count:]))


def accumulate(
    ufunc: numpy.ufunc,
    x: Any,
    *,
    axis: int = 0,
    dtype: Any = None,
    out: tuple[Any, ...] = (None,),
) -> Any:
    """`ufunc.accumulate`: all the intermediate results of a reduction along an axis."""
    x = x if isinstance(x, Array) else np.asarray(x)
    dtype = result_dtype(ufunc.accumulate, x, axis, dtype)
    x = as_dtype(x, dtype)
    axis = 0 if axis is None else axis % x.ndim
    scan = SCANS.get(ufunc)
    if scan is not None:
        result = scan(x, axis=axis)
    elif x.shape[axis] == 0:
        result = x.copy()
    else:
        rows = np.moveaxis(x, axis, 0)
        steps = [rows[0]]
        for i in range(1, len(rows)):
            steps.append(ufunc(steps[-1], rows[i]))
        result = np.stack(steps, axis=axis)
    return store(f"{ufunc.__name__}.accumulate", as_dtype(result, dtype), out[0])


def reduceat(
    ufunc: numpy.ufunc,
    x: Any,
    indices: Any,
    *,
    axis: int = 0,
    dtype: Any = None,
    out: tuple[Any, ...] = (None,),
) -> Any:
    """`ufunc.reduceat`: reductions of the slices that start at `indices`."""
    name = f"{ufunc.__name__}.reduceat"
    x = x if isinstance(x, Array) else np.asarray(x)
    starts = [int(i) for i in np.asarray(known(indices, f"the indices of numpy.{name}"))]
    rows = np.moveaxis(x, axis, 0)
    for i in starts:
        if not 0 <= i < len(rows):
            raise IndexError(f"numpy.{name}: index {i} is not in [0, {len(rows)}).")
    parts = []
    for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True):
        if stop > start:
            parts.append(reduce(ufunc, rows[start:stop], dtype=dtype))
        else:
            parts.append(rows[start] if dtype is None else as_dtype(rows[start], dtype))
    return store(name, np.stack(parts, axis=axis), out[0])


def at(ufunc: numpy.ufunc, x: Any, index: Any, *operand: Any) -> None:
    """`ufunc.at`: in place, each element as often as `index` names it."""
    name = f"{ufunc.__name__}.at"
    operation_of(ufunc, (x, *operand))
    if not isinstance(x, Array):
        if is_tracked(index) or any(map(is_tracked, operand)):
            raise errors.recorded_into_ndarray(f"numpy.{name}")
        values = [known(v, f"numpy.{name}") for v in (index, *operand)]
        ufunc.at(x, *values)
        return
    whole: Any = untracked(np.arange(x.size).reshape(x.shape))
    places = whole[index]
    flat_places = np.ravel(places)
    values = [np.ravel(np.broadcast_to(v, places.shape)) for v in operand]
    flat = np.copy(np.ravel(x))
    if ufunc in (np.add, np.subtract):
        total = table["scatter_add"].function(
            as_dtype(values[0], x.dtype), flat_places, key=(ARRAY,), to=flat.shape
        )
        flat = ufunc(flat, total)
    else:
        for chosen in rounds(known(flat_places, f"the index of numpy.{name}")):
            some = flat_places[chosen]
            flat[some] = as_dtype(ufunc(flat[some], *(v[chosen] for v in values)), x.dtype)
    write(x, np.reshape(flat, x.shape))


def rounds(places: ndarray[Any, Any]) -> Iterable[ndarray[Any, Any]]:
    """Selections of `places`, in order, none of which names a place twice."""
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], places[order])
    occurrence = np.empty_like(order)
    occurrence[order] = np.arange(places.size) - starts
    for k in range(int(occurrence.max(initial=-1)) + 1):
        yield np.flatnonzero(occurrence == k)


methods: dict[str, Callable[..., Any]] = {
    "__call__": call,
    "reduce": reduce,
    "accumulate": accumulate,
    "outer": outer,
    "reduceat": reduceat,
    "at": at,
}

Array.__array_ufunc__ = array_ufunc
