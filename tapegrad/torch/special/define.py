"""Makers of special functions of tensors from those of `tapegrad.scipy.special`.

SciPy is imported when one of them is first called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy

from .. import errors
from ..calls import NUMBERS, cast, on_arrays, promoted
from ..dtypes import of_numpy

Function = Callable[..., Any]

DOUBLE = numpy.dtype(numpy.float64)
SINGLE = numpy.dtype(numpy.float32)


@functools.cache
def scipy_function(name: str) -> Function:
    """A function of `tapegrad.scipy.special`."""
    function: Function = getattr(import_module("tapegrad.scipy.special"), name)
    return function


def computed(source: str, *inputs: Any) -> Any:
    """A function of SciPy's on arrays of one dtype, in this dtype.

    What is narrower than single precision is computed in that.
    """
    to = next(x.dtype for x in inputs if type(x) not in NUMBERS)
    if to.kind == "V" or to.itemsize < 4:
        inputs = tuple(cast(x, SINGLE) for x in inputs)
    result = scipy_function(source)(*inputs)
    return result if result.dtype == to else cast(result, to)


def real_only(name: str, x: Any) -> Any:
    """An argument, checked not to be complex."""
    if x.dtype.kind == "c":
        raise errors.not_for(name, of_numpy(x.dtype))
    return x


def one(name: str, source: str | None = None, doc: str = "") -> Function:
    """`torch.<name>(input, *, out=None)`."""

    @on_arrays
    def function(input: Any) -> Any:
        (x,) = promoted(input, to_float=True)
        return computed(source or name, real_only(name, x))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def two(name: str, source: str | None = None, doc: str = "") -> Function:
    """`torch.<name>(input, other, *, out=None)`; either may be a number."""

    @on_arrays
    def function(input: Any, other: Any) -> Any:
        x, y = promoted(input, other, to_float=True)
        return computed(source or name, real_only(name, x), y)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function
