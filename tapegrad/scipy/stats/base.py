"""What distributions of one variable share: their parameters, and where these are allowed.

Python numbers stay as they are until they meet an array, so that single precision stays single.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
import scipy.stats

from ... import errors
from ...backend import is_complex, is_inexact
from ...core.array import Array
from ...numpy.operands import operand
from ...ops.comparison import logical_not
from ...ops.elementary import log, log1p
from ...ops.linear import cast
from ...ops.selection import where
from ...ops.specials.define import anywhere
from ..dispatch import without_rule

INFINITY = math.inf
NAN = math.nan
Function = Callable[..., Any]
Arguments = tuple[Any, ...]


def floating(x: Any) -> Any:
    """An argument as a number or an array of real floating point, of single precision at least."""
    if type(x) is Array and x.raw.dtype.char in "fd":
        return x
    if type(x) in (float, int):
        return float(x)
    x = operand(x)
    if is_complex(x.dtype):
        raise errors.complex_argument("a distribution", x.dtype)
    if is_inexact(x.dtype) and x.dtype != numpy.float16:
        return x
    to = numpy.float32 if x.dtype == numpy.float16 else float
    return cast(x, numpy.dtype(to))


def weak(number: Any, like: Any) -> Any:
    """A Python number in the precision of the array `like`, which it does not widen."""
    dtype = getattr(like, "dtype", None)
    if type(number) is float and dtype is not None and dtype.kind == "f" and dtype.itemsize < 8:
        return dtype.type(number)
    return number


def log_of(value: Any, complement: Any) -> Any:
    """``log(value)`` of a probability whose complement is known accurately where it is small."""
    large = value > 0.5
    near = log1p(where(large, -complement, 0))
    return where(large, near, log(where(large, 1, value)))


def logarithm(given: Function | None, value: Any, complement: Any) -> Any:
    """The function `given`, or the logarithm of `value` by way of it and its complement, if any."""
    if given is not None or value is None:
        return given
    return lambda z, *shapes: log_of(value(z, *shapes), complement(z, *shapes))


class Named:
    """A distribution that has SciPy's other methods too, by its name: sampling, moments, fits."""

    name: str

    def __call__(self, *args: Any, **kwargs: Any) -> Frozen:
        """The distribution with these parameters."""
        return Frozen(self, args, kwargs)

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {method!r}")
        return self.original(method)

    def original(self, method: str) -> Any:
        """SciPy's method, which has no derivative."""
        original = getattr(getattr(scipy.stats, self.name), method)
        return without_rule(original, f"scipy.stats.{self.name}.{method}")


class Frozen:
    """A distribution with its parameters: its methods take none."""

    def __init__(self, dist: Named, args: Arguments, kwds: dict[str, Any]) -> None:
        self.dist = dist
        self.args = args
        self.kwds = kwds

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {method!r}")
        name = self.dist.name
        if hasattr(type(self.dist), method):
            function = getattr(self.dist, method)
            return lambda *points: function(*points, *self.args, **self.kwds)
        theirs = getattr(scipy.stats, name)
        if not hasattr(theirs, method):
            raise AttributeError(f"scipy.stats.{name} has no method {method!r}")

        def original(args: Arguments, kwds: dict[str, Any], *more: Any, **options: Any) -> Any:
            return getattr(theirs(*args, **kwds), method)(*more, **options)

        return partial(without_rule(original, f"scipy.stats.{name}.{method}"), self.args, self.kwds)


class Distribution(Named):
    """A family of distributions of one variable, with SciPy's methods and signatures.

    `shapes` names its shape parameters, `allowed` says where they are allowed, `support` gives the
    least and the greatest value (or is a pair of them).
    """

    ends: tuple[str, ...]  # the parameters beside the shapes
    defaults: tuple[float, ...]

    def __init__(self, name: str, shapes: str, support: Any, allowed: Function | None) -> None:
        self.name = name
        self.shapes = tuple(shapes.split())
        self.allowed = allowed
        self.support = support

    def __repr__(self) -> str:
        return f"<tapegrad.scipy.stats.{self.name}>"

    def bounds(self, shapes: Arguments) -> tuple[Any, Any]:
        """The least and the greatest value."""
        return self.support(*shapes) if callable(self.support) else self.support

    def parameters(self, method: str, args: Arguments, kwargs: dict[str, Any]) -> list[Any]:
        """Shape parameters, location and scale, from positions and keywords."""
        names = self.shapes + self.ends
        values: list[Any] = [None] * len(self.shapes) + list(self.defaults)
        if len(args) > len(names):
            raise TypeError(
                f"{self.name}.{method} takes the parameters {', '.join(names)} after its argument, "
                f"but {len(args)} were given."
            )
        values[: len(args)] = args
        for key, value in kwargs.items():
            if key not in names[len(args) :]:
                raise TypeError(
                    f"{self.name}.{method} has no parameter {key!r}, or got it twice. Its "
                    f"parameters are {', '.join(names)}."
                )
            values[names.index(key)] = value
        for key, value in zip(names, values, strict=True):
            if value is None:
                raise TypeError(f"{self.name}.{method} lacks its parameter {key!r}.")
        return [floating(value) for value in values]

    def checked(self, out: Any, shapes: Arguments, scale: Any = 1.0) -> Any:
        """`out`, NaN where the parameters are not allowed."""
        conditions = [scale > 0] if type(scale) is not float or not scale > 0 else []
        if self.allowed is not None:
            conditions.append(self.allowed(*shapes))
        for valid in conditions:
            if anywhere(logical_not(valid)):
                out = where(valid, out, NAN)
        return out
