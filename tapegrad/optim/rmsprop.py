"""RMSprop: steps over the root of a running average of squares of gradients."""

from __future__ import annotations

from typing import Any

from . import checks
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Fill, Options, Rule, counting, descent, is_zero, weighing

__all__ = ["RMSprop"]


def rmsprop_arrays(options: Options, shape: tuple[int, ...]) -> dict[str, Fill]:
    names = ["square_avg"]
    names += ["momentum_buffer"] * (not is_zero(options["momentum"]))
    names += ["grad_avg"] * bool(options["centered"])
    return dict.fromkeys(names, (shape, 0.0))


def rmsprop_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    alpha = options["alpha"]
    return {"step": numbers["step"] + 1}, {
        "alpha": alpha,
        "share": 1 - alpha,
        "eps": options["eps"],
        "momentum": options["momentum"],
        "lr": -options["lr"],
        **weighing(options),
    }


def rmsprop_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    square = k.addcmul_(k.mul_(state["square_avg"], c["alpha"]), g, g, c["share"])
    after = {"square_avg": square}
    if options["centered"]:
        average = after["grad_avg"] = k.lerp_(state["grad_avg"], g, c["share"])
        square = k.add(square, k.mul(average, average), -1.0)
    root = k.add_(k.sqrt(square), c["eps"])
    if is_zero(options["momentum"]):
        return k.addcdiv_(p, g, root, c["lr"]), after
    buffer = k.addcdiv_(k.mul_(state["momentum_buffer"], c["momentum"]), g, root)
    after["momentum_buffer"] = buffer
    return k.add_(p, buffer, c["lr"]), after


rmsprop = Rule(rmsprop_coefficients, rmsprop_update, counting, rmsprop_arrays)


class RMSprop(Optimizer):
    """Steps of ``g / (sqrt(v) + eps)``, with the running average `v` of squares of gradients.

    With `centered`, `v` less the square of the average gradient; with `momentum`, steps add up.
    """

    rule = rmsprop

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: Any = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        checks.rate(lr)
        checks.not_negative(eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )
