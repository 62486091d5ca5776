"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from . import checks
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Options, Rule, descent, weighing, zeros

__all__ = ["ASGD"]


def asgd_numbers(options: Options) -> dict[str, Any]:
    return {"step": 0.0, "eta": options["lr"], "mu": 1.0}


def asgd_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    lr, lambd = options["lr"], options["lambd"]
    step, eta, mu = numbers["step"] + 1, numbers["eta"], numbers["mu"]
    after = {
        "step": step,
        "eta": lr / (1 + lambd * lr * step) ** options["alpha"],
        "mu": 1 / x.maximum(1.0, step - options["t0"]),
    }
    return after, {
        "decay": 1 - lambd * eta,
        "lr": -eta,
        "mu": None if type(mu) is float and mu == 1 else mu,  # the average begins later
        **weighing(options),
    }


def asgd_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    p = k.add_(k.mul_(p, c["decay"]), g, c["lr"])
    ax, mu = state["ax"], c["mu"]
    ax = k.copy_(ax, p) if mu is None else k.lerp_(ax, p, mu)
    return p, {"ax": ax}


asgd = Rule(asgd_coefficients, asgd_update, asgd_numbers, zeros("ax"))


class ASGD(Optimizer):
    """Gradient descent with a decaying rate; the state's `ax` is the average of the parameters.

    The rate is ``lr / (1 + lambd * lr * step) ** alpha``; from step `t0` on, `ax` is an average.
    """

    rule = asgd

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Any = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        checks.rate(lr)
        checks.not_negative(weight_decay=weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )
