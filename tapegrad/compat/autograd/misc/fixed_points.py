"""The fixed point of an iteration, differentiated without looking at how it was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import make_vjp
from ..primitives import defvjp, primitive
from ..vspaces import vspace

Function = Callable[..., Any]


@primitive
def fixed_point(f: Function, a: Any, x0: Any, distance: Function, tol: float) -> Any:
    """The limit of ``x = f(a)(x)`` from `x0` on, up to steps of the length `tol`.

    Its derivative in `a` is that of the equation it solves (Christianson, "Reverse accumulation and
    attractive fixed points", 1994): again a fixed point, found to the same tolerance.
    """
    step = f(a)
    before, x = x0, step(x0)
    while distance(x, before) > tol:
        before, x = x, step(x)
    return x


def _fixed_point_vjp(
    ans: Any, f: Function, a: Any, x0: Any, distance: Function, tol: float
) -> Function:
    def adjoint(params: tuple[Any, Any, Any]) -> Function:
        a, x, g = params
        vjp, _ = make_vjp(f(a), x)
        return lambda w: vspace(x).add(vjp(w), g)

    vjp_a, _ = make_vjp(lambda a: f(a)(ans), a)
    zero = vspace(x0).zeros()
    return lambda g: vjp_a(fixed_point(adjoint, (a, ans, g), zero, distance, tol))


defvjp(fixed_point, None, _fixed_point_vjp, None)
