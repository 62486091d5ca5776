"""In-place methods under the names of functions: ``torch.abs_(x)`` is ``x.abs_()``."""

from __future__ import annotations

from typing import Any

from .tensor import Tensor

NAMES = [
    "abs",
    "acos",
    "acosh",
    "addmv",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "as_strided",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "conj_physical",
    "cos",
    "cosh",
    "deg2rad",
    "detach",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fill",
    "fix",
    "floor",
    "frac",
    "gcd",
    "i0",
    "index_put",
    "lcm",
    "ldexp",
    "log",
    "log10",
    "log1p",
    "log2",
    "logit",
    "nan_to_num",
    "neg",
    "negative",
    "rad2deg",
    "reciprocal",
    "relu",
    "round",
    "rsqrt",
    "sigmoid",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "xlogy",
    "zero",
]


def as_function(name: str) -> Any:
    """The method of a name, as a function; methods that come later are found too."""

    def function(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return getattr(input, name)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`torch.Tensor.{name}` as a function."
    return function


globals().update({f"{name}_": as_function(f"{name}_") for name in NAMES})

__all__ = [f"{name}_" for name in NAMES]
