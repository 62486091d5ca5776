"""RAdam: Adam that adapts only once its average of squares can be trusted."""

from __future__ import annotations

from typing import Any

from . import checks
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Options, Rule, counting, descent, weighing, zeros

__all__ = ["RAdam"]


def radam_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    step = numbers["step"] + 1
    beta1, beta2 = options["betas"]
    correction = 1 - beta2**step
    most = 2 / (1 - beta2) - 1
    length = most - 2 * step * beta2**step / correction  # of the average of squares, in steps
    ratio = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
    return {"step": step}, {
        "beta2": beta2,
        "share1": 1 - beta1,
        "share2": 1 - beta2,
        "eps": options["eps"],
        "adapts": x.greater(length, 5.0),
        "scale": x.sqrt(x.maximum(ratio, 0.0) * correction),
        "lr": -options["lr"] / (1 - beta1**step),
        **weighing(options),
    }


def radam_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    average = k.lerp_(state["exp_avg"], g, c["share1"])
    square = k.addcmul_(k.mul_(state["exp_avg_sq"], c["beta2"]), g, g, c["share2"])
    root = k.add_(k.sqrt(square), c["eps"])
    factor = k.where(c["adapts"], k.div(c["scale"], root), 1.0)
    return k.addcmul_(p, average, factor, c["lr"]), {"exp_avg": average, "exp_avg_sq": square}


radam = Rule(radam_coefficients, radam_update, counting, zeros("exp_avg", "exp_avg_sq"))


class RAdam(Optimizer):
    """Rectified Adam: its first steps do not adapt, later ones the more the longer it has run."""

    rule = radam

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: Any = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        checks.moments(lr, betas, eps, weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )
