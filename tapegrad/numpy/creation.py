"""Functions that make arrays.

Inside a transform they give untracked `Array`s, so that recorded values can be assigned to their
elements; outside, they are NumPy's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from .. import backend
from ..core.array import Array, tracked, untracked
from ..core.tape import current_tape
from .dispatch import Function, functions, implements, np
from .lists import assembled
from .reading import any_recorded, is_tracked, read, replaced
from .ufuncs import as_dtype

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "identity",
    "ones",
    "ones_like",
    "tri",
    "zeros",
    "zeros_like",
]


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """An array that shares the memory of another library's: NumPy's, or CuPy's for one on a GPU.

    >>> x = np.arange(3.0)
    >>> from_dlpack(x).base is not None
    True
    """
    given = {"device": device, "copy": copy}
    return backend.from_dlpack(x, **{key: v for key, v in given.items() if v is not None})


def in_transform() -> bool:
    """Whether a transform is running in this thread."""
    tape = current_tape()
    return bool(tape.marks) or tape.replay


def maker(original: Function) -> Callable[[Function], Function]:
    """Decorate how a function makes an `Array`; gives this namespace's function.

    NumPy's own runs outside of transforms, if no argument is recorded.
    """

    def decorate(implementation: Function) -> Function:
        functions[original] = implementation  # for like=

        @functools.wraps(original)
        def function(*args: Any, **kwargs: Any) -> Any:
            if in_transform() or any_recorded(args) or (kwargs and any_recorded(kwargs)):
                if kwargs:
                    kwargs.pop("like", None)
                return implementation(*args, **kwargs)
            return original(*args, **kwargs)

        return function

    return decorate


def constant(original: Function) -> Function:
    """A function whose result depends on known numbers only: shapes, bounds, dtypes."""

    @maker(original)
    def make(*args: Any, **kwargs: Any) -> Array:
        if any_recorded(args) or (kwargs and any_recorded(kwargs)):
            what = f"numpy.{original.__name__}"
            args, kwargs = replaced((args, kwargs), lambda x: read(x, what))
        return untracked(original(*args, **kwargs))

    return make


zeros = constant(np.zeros)
ones = constant(np.ones)
empty = constant(np.empty)
eye = constant(np.eye)
identity = constant(np.identity)
tri = constant(np.tri)


def constant_like(original: Function) -> Function:
    """A function whose result depends on an array's shape and dtype only."""

    @maker(original)
    def make(a: Any, *args: Any, **kwargs: Any) -> Array:
        return untracked(original(a.raw if isinstance(a, Array) else a, *args, **kwargs))

    return make


zeros_like = constant_like(np.zeros_like)
ones_like = constant_like(np.ones_like)
empty_like = constant_like(np.empty_like)


def filled(shape: tuple[int, ...], fill_value: Any, dtype: Any) -> Array:
    """A new array whose elements all have the (broadcast) value of `fill_value`."""
    value = fill_value if isinstance(fill_value, Array) else array(fill_value)
    if dtype is not None:
        value = as_dtype(value, dtype)
    return copy(np.broadcast_to(value, shape))


@maker(np.full)
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None
) -> Array:
    if not any_recorded(fill_value):
        return untracked(np.full(shape, fill_value, dtype, device=device))
    shape = tuple(map(int, shape)) if isinstance(shape, tuple | list) else (int(shape),)
    return filled(shape, fill_value, dtype)


@maker(np.full_like)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    a = a if isinstance(a, Array) else np.asarray(a)
    shape = a.shape if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
    return filled(shape, fill_value, a.dtype if dtype is None else dtype)


def duplicate(x: Array) -> Array:
    """`x` in memory of its own, at the same place on the tape."""
    data = x.raw
    return tracked(type(x), data.copy() if type(data) is ndarray else data, x.slot, x.tape)


def converted(value: Any, dtype: Any, may_share: bool, ndmin: int = 0) -> Array:
    """Anything as an `Array` of a dtype."""
    fresh = not isinstance(value, Array)
    x = assembled(value)
    x = x if isinstance(x, Array) else untracked(x)
    if dtype is not None and x.dtype != np.dtype(dtype):
        x = as_dtype(x, dtype)
        fresh = True
    if not (fresh or may_share):
        x = duplicate(x)
    if x.ndim < ndmin:
        x = np.reshape(x, (1,) * (ndmin - x.ndim) + x.shape)
    return x


@maker(np.array)
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    **options: Any,
) -> Array:
    if not any_recorded(object):
        return untracked(np.array(object, dtype, copy=copy, subok=subok, ndmin=ndmin, **options))
    return converted(object, dtype, not copy, ndmin)


def as_array(original: Function) -> Function:
    """A function that converts, and gives what is an array already as it is."""

    @maker(original)
    def make(
        a: Any,
        dtype: Any = None,
        order: Any = None,
        *,
        device: Any = None,
        copy: bool | None = None,
    ) -> Any:
        if isinstance(a, ndarray) and copy is not True:
            return np.asarray(a, dtype)
        if any_recorded(a):
            return converted(a, dtype, copy is not True, 1 if original in ONE_DIMENSIONAL else 0)
        return untracked(original(a, dtype) if copy is None else np.array(a, dtype, copy=copy))

    return make


ONE_DIMENSIONAL = (np.ascontiguousarray, np.asfortranarray)

asarray = as_array(np.asarray)
asanyarray = as_array(np.asanyarray)
ascontiguousarray = as_array(np.ascontiguousarray)
asfortranarray = as_array(np.asfortranarray)


@maker(np.asarray_chkfinite)
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Array:
    a = converted(a, dtype, True)
    np.asarray_chkfinite(read(a, "numpy.asarray_chkfinite"))
    return a


@maker(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Array:
    return duplicate(a) if isinstance(a, Array) else array(a)


@implements(np.astype)
def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    if x.dtype == dtype:
        return duplicate(x) if copy else x
    return as_dtype(x, dtype)


@maker(np.arange)
def arange(*args: Any, dtype: Any = None, device: Any = None, **bounds: Any) -> Array:
    """As NumPy's; differentiable in `start` and `step` where these are recorded floats."""
    if len(args) == 1 and not bounds:
        args = (0, *args)
    start, stop, step = (
        bounds.get(name, args[i] if i < len(args) else default)
        for i, (name, default) in enumerate((("start", 0), ("stop", None), ("step", 1)))
    )
    if stop is None:
        start, stop = 0, start
    known = [read(v, "numpy.arange") if isinstance(v, Array) else v for v in (start, stop, step)]
    values = np.arange(*known, dtype=dtype, device=device)
    if not (is_tracked(start) or is_tracked(step)) or values.dtype.kind not in "fc":
        return untracked(values)
    steps = np.arange(values.size, dtype=values.dtype)
    return as_dtype(start + steps * step, values.dtype)
