"""`make_vjp` and `make_jvp` for functions of one argument, and the names of autograd's core."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ... import tree
from ...transforms.linearize import Pushed, Recording
from .deprecated import primitive
from .primitives import (
    def_linear,
    defjvp,
    defjvp_argnum,
    defjvp_argnums,
    defvjp,
    defvjp_argnum,
    defvjp_argnums,
    primitive_jvps,
    primitive_vjps,
)
from .vspaces import VSpace, vspace

__all__ = [
    "VSpace",
    "def_linear",
    "defjvp",
    "defjvp_argnum",
    "defjvp_argnums",
    "defvjp",
    "defvjp_argnum",
    "defvjp_argnums",
    "make_jvp",
    "make_vjp",
    "primitive",
    "primitive_jvps",
    "primitive_vjps",
    "vspace",
]


def make_vjp(fun: Callable[[Any], Any], x: Any) -> tuple[Callable[[Any], Any], Any]:
    """`(vjp, fun(x))`: `vjp(g)` is the cotangent of `x` for that of the result."""
    run = Recording("make_vjp", fun, (floating(x),), has_aux=False, keep=True)
    run.structure = tree.structure(run.result)  # of values, where `fun` gave boxes
    warn_if_independent(any(run.slots))

    def vjp(g: Any) -> Any:
        return run.inputs.rebuild(run.pull("vjp", g))[0]

    return vjp, run.result


def make_jvp(fun: Callable[[Any], Any], x: Any) -> Callable[[Any], tuple[Any, Any]]:
    """`jvp(t)` gives `(fun(x), tangent)`, for a tangent of `x`."""

    def jvp(t: Any) -> tuple[Any, Any]:
        run = Pushed("make_jvp", fun, (floating(x),), (t,))
        warn_if_independent(any(run.slots))
        return run.result, run.tangent

    return jvp


def warn_if_independent(depends: bool) -> None:
    """Warn where a function's result does not depend on what it is differentiated by."""
    if not depends:
        warnings.warn("Output seems independent of input.", stacklevel=3)


def floating(x: Any) -> Any:
    """`x` with arrays of integers in it as arrays of floating point numbers."""
    if type(x) is ndarray:
        return x if x.dtype.kind in "fc" else as_floating(x)
    return tree.map(as_floating, x) if isinstance(x, list | tuple | dict) else x


def as_floating(x: Any) -> Any:
    """An array of integers as one of floating point numbers; anything else as it is."""
    return x.astype(float) if type(x) is ndarray and x.dtype.kind in "biu" else x
