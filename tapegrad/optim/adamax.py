"""Adamax: Adam with the largest gradient of late in place of the root of its square."""

from __future__ import annotations

from typing import Any

from . import checks
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Options, Rule, counting, descent, weighing, zeros

__all__ = ["Adamax"]


def adamax_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    step = numbers["step"] + 1
    beta1, beta2 = options["betas"]
    return {"step": step}, {
        "beta2": beta2,
        "share1": 1 - beta1,
        "eps": options["eps"],
        "lr": -options["lr"] / (1 - beta1**step),
        **weighing(options),
    }


def adamax_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    average = k.lerp_(state["exp_avg"], g, c["share1"])
    size = k.add_(k.abs(g), c["eps"])
    largest = k.maximum_(k.mul_(state["exp_inf"], c["beta2"]), size)
    return k.addcdiv_(p, average, largest, c["lr"]), {"exp_avg": average, "exp_inf": largest}


adamax = Rule(adamax_coefficients, adamax_update, counting, zeros("exp_avg", "exp_inf"))


class Adamax(Optimizer):
    """Adam in the maximum norm: ``p -= lr * m / u`` `u` the decaying maximum of ``|g| + eps``."""

    rule = adamax

    def __init__(
        self,
        params: Parameters,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: Any = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        checks.moments(lr, betas, eps, weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )
