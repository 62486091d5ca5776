"""Ways to give rules that autograd itself has deprecated: methods of primitives."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import Any

from . import primitives
from .primitives import Function
from .vspaces import vspace

ADVICE = "The method {} of primitives is deprecated. Use tapegrad.compat.autograd.extend.defvjp."


@functools.wraps(primitives.primitive)
def primitive(f_raw: Function) -> Function:
    f = primitives.primitive(f_raw)
    makers: dict[int, Function | None] = {}

    def enter(name: str, rules: dict[int, Function | None]) -> None:
        warnings.warn(ADVICE.format(name), DeprecationWarning, stacklevel=3)
        makers.update(rules)
        primitives.defvjp(f, *makers.values(), argnums=tuple(makers))

    def defgrad(gradfun: Function, argnum: int = 0) -> None:
        enter("defgrad", {argnum: gradfun})

    def defvjp(vjp: Function, argnum: int = 0) -> None:
        def maker(ans: Any, *args: Any, **kwargs: Any) -> Function:
            return lambda g: vjp(g, ans, vspace(args[argnum]), vspace(g), *args, **kwargs)

        enter("defvjp", {argnum: maker})

    def defvjp_is_zero(argnums: Sequence[int] = (0,)) -> None:
        enter("defvjp_is_zero", dict.fromkeys(argnums))

    vars(f).update(defgrad=defgrad, defvjp=defvjp, defvjp_is_zero=defvjp_is_zero)
    return f
