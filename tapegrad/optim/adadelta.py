"""Adadelta: steps whose size follows from those before, in the units of the parameters."""

from __future__ import annotations

from typing import Any

from . import checks, errors
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Options, Rule, counting, descent, weighing, zeros

__all__ = ["Adadelta"]


def adadelta_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    rho = options["rho"]
    return {"step": numbers["step"] + 1}, {
        "rho": rho,
        "share": 1 - rho,
        "eps": options["eps"],
        "lr": -options["lr"],
        **weighing(options),
    }


def adadelta_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    square = k.addcmul_(k.mul_(state["square_avg"], c["rho"]), g, g, c["share"])
    root = k.sqrt(k.add(square, c["eps"]))
    delta = k.sqrt(k.add(state["acc_delta"], c["eps"]))
    delta = k.mul_(k.div_(delta, root), g)
    deltas = k.addcmul_(k.mul_(state["acc_delta"], c["rho"]), delta, delta, c["share"])
    return k.add_(p, delta, c["lr"]), {"square_avg": square, "acc_delta": deltas}


adadelta = Rule(adadelta_coefficients, adadelta_update, counting, zeros("square_avg", "acc_delta"))


class Adadelta(Optimizer):
    """Steps of ``g * sqrt(d + eps) / sqrt(v + eps)``.

    `v` is a running average of squares of gradients, `d` one of squares of steps.
    """

    rule = adadelta

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: Any = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        checks.rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise errors.invalid("rho value", rho)
        checks.not_negative(eps=eps, weight_decay=weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "capturable": capturable,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )
