"""Angles: the circular and hyperbolic functions of tensors, and their inverses."""

from __future__ import annotations

from typing import Any

from ..core.op import table
from .calls import attach, in_single, on_arrays, promoted
from .pointwise import binary, unary
from .refusals import refuse

__all__ = [
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "rad2deg",
    "sin",
    "sinc",
    "sinh",
    "tan",
    "tanh",
]

sin = unary("sin")
cos = unary("cos")
tan = unary("tan")
asin = arcsin = unary("asin")
acos = arccos = unary("acos")
atan = arctan = unary("atan")
sinh = unary("sinh")
cosh = unary("cosh")
tanh = unary("tanh")
asinh = arcsinh = unary("asinh")
acosh = arccosh = unary("acosh")
atanh = arctanh = unary("atanh")
deg2rad = unary("deg2rad", "radians")
rad2deg = unary("rad2deg", "degrees")
atan2 = arctan2 = binary("atan2", to_float=True)


@on_arrays
@in_single
def sinc(input: Any) -> Any:
    """``sin(pi x) / (pi x)``."""
    (x,) = promoted(input, to_float=True)
    return table["sinc"].function(x, order=0)


attach(
    "arccos arccosh arcsin arcsinh arctan arctan2 arctanh sinc",
    globals(),
    "arccos arccosh arcsin arcsinh arctan arctan2 arctanh sinc",
)

refuse(globals(), "{name}_cpu", "complex", "atan2")
refuse(globals(), "{name} is not supported for complex tensors.", "complex", "deg2rad rad2deg")
