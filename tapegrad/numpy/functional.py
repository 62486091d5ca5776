"""Functions that take functions: these run on recorded slices and elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy

from ..core.array import Array
from .creation import array, in_transform
from .dispatch import implements, np
from .reading import any_recorded, shape_of

__all__ = ["apply_along_axis", "apply_over_axes", "vectorize"]


def as_array(x: Any) -> Any:
    return x if isinstance(x, Array | np.ndarray) else array(x)


@implements(np.apply_along_axis)
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    arr = as_array(arr)
    axis = int(np.arange(arr.ndim)[axis]) if arr.ndim else axis
    rows = np.moveaxis(arr, axis, -1)
    frame = rows.shape[:-1]
    if 0 in frame:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [as_array(func1d(rows[i], *args, **kwargs)) for i in np.ndindex(frame)]
    inner = results[0].ndim
    stacked = np.reshape(np.stack(results), frame + results[0].shape)
    places = tuple(range(axis, axis + inner))
    return np.moveaxis(stacked, tuple(range(len(frame), len(frame) + inner)), places)


@implements(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    result = as_array(a)
    ndim = result.ndim
    for axis in (axes,) if isinstance(axes, int) else axes:
        axis = axis + ndim if axis < 0 else axis
        new = func(result, axis)
        if new.ndim != ndim:
            new = np.expand_dims(new, axis)
        if new.ndim != ndim:
            raise ValueError("function is not returning an array of the correct shape")
        result = new
    return result


class vectorize(numpy.vectorize):
    """`numpy.vectorize` that calls its function on recorded elements or core arrays."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (in_transform() or any_recorded((args, kwargs))):
            return super().__call__(*args, **kwargs)
        own: Any = self  # NumPy's attributes are not in its type stubs
        names = [name for name in kwargs if name not in own.excluded]
        places = [i for i in range(len(args)) if i not in own.excluded]
        operands = [as_array(x) for x in (*(args[i] for i in places), *(kwargs[n] for n in names))]

        def call(*values: Any) -> Any:
            filled = list(args)
            for i, value in zip(places, values, strict=False):
                filled[i] = value
            named = {**kwargs, **dict(zip(names, values[len(places) :], strict=True))}
            return own.pyfunc(*filled, **named)

        core = core_ranks(own.signature, len(operands))
        frames = [x.shape[: x.ndim - n] for x, n in zip(operands, core, strict=True)]
        frame = np.broadcast_shapes(*frames)
        spread = [
            np.broadcast_to(x, frame + x.shape[x.ndim - n :])
            for x, n in zip(operands, core, strict=True)
        ]
        results = [call(*(x[i] for x in spread)) for i in np.ndindex(frame)]
        if not results:
            raise ValueError("cannot call `vectorize` on size 0 inputs under a transform")
        if isinstance(results[0], tuple):
            return tuple(
                self.collected(column, frame, k)
                for k, column in enumerate(zip(*results, strict=True))
            )
        return self.collected(results, frame, 0)

    def collected(self, results: Iterable[Any], frame: tuple[int, ...], which: int) -> Any:
        """The results of all calls as one array."""
        parts = [as_array(r) for r in results]
        out = np.reshape(np.stack(parts), frame + shape_of(parts[0]))
        otypes: Any = self.otypes
        return out.astype(np.dtype(otypes[which])) if otypes else out


def core_ranks(signature: str | None, count: int) -> list[int]:
    """How many trailing axes of each input belong to one call."""
    if signature is None:
        return [0] * count
    inputs = signature.replace(" ", "").split("->")[0]
    return [part.count(",") + 1 if part else 0 for part in inputs[1:-1].split("),(")]
