"""NAdam: Adam with Nesterov's momentum, which grows to its final value."""

from __future__ import annotations

from typing import Any

from . import checks
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Options, Rule, descent, weighing, zeros

__all__ = ["NAdam"]


def nadam_numbers(options: Options) -> dict[str, Any]:
    return {"step": 0.0, "mu_product": 1.0}


def nadam_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    step = numbers["step"] + 1
    lr, decay = options["lr"], options["momentum_decay"]
    beta1, beta2 = options["betas"]
    mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * decay))
    following = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * decay))
    product = numbers["mu_product"] * mu
    return {"step": step, "mu_product": product}, {
        "beta2": beta2,
        "share1": 1 - beta1,
        "share2": 1 - beta2,
        "scale": 1 / x.sqrt(1 - beta2**step),
        "eps": options["eps"],
        "of_gradient": -lr * (1.0 - mu) / (1.0 - product),
        "of_average": -lr * following / (1.0 - product * following),
        **weighing(options),
    }


def nadam_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    average = k.lerp_(state["exp_avg"], g, c["share1"])
    square = k.addcmul_(k.mul_(state["exp_avg_sq"], c["beta2"]), g, g, c["share2"])
    root = k.add_(k.mul_(k.sqrt(square), c["scale"]), c["eps"])
    p = k.addcdiv_(p, g, root, c["of_gradient"])
    p = k.addcdiv_(p, average, root, c["of_average"])
    return p, {"exp_avg": average, "exp_avg_sq": square}


nadam = Rule(nadam_coefficients, nadam_update, nadam_numbers, zeros("exp_avg", "exp_avg_sq"))


class NAdam(Optimizer):
    """Adam that looks ahead: of its step, a part follows the gradient itself.

    `momentum_decay` says how fast the momentum grows to ``betas[0]``.
    """

    rule = nadam

    def __init__(
        self,
        params: Parameters,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: Any = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        checks.moments(lr, betas, eps, weight_decay)
        checks.not_negative(momentum_decay=momentum_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )
