"""Adagrad: steps that shrink with all squares of gradients so far."""

from __future__ import annotations

from typing import Any

from . import checks
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Fill, Options, Rule, counting, descent, weighing

__all__ = ["Adagrad"]


def adagrad_arrays(options: Options, shape: tuple[int, ...]) -> dict[str, Fill]:
    return {"sum": (shape, options["initial_accumulator_value"])}


def adagrad_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    step = numbers["step"] + 1
    return {"step": step}, {
        "eps": options["eps"],
        "lr": -options["lr"] / (1 + (step - 1) * options["lr_decay"]),
        **weighing(options),
    }


def adagrad_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    total = k.addcmul_(state["sum"], g, g)
    return k.addcdiv_(p, g, k.add_(k.sqrt(total), c["eps"]), c["lr"]), {"sum": total}


adagrad = Rule(adagrad_coefficients, adagrad_update, counting, adagrad_arrays)


class Adagrad(Optimizer):
    """Steps over the root of the sum of all squares so far: ``p -= lr * g / (sqrt(sum) + eps)``.

    The state begins when the optimiser is made.
    """

    rule = adagrad
    by_rows = True

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: Any = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        checks.rate(lr)
        checks.not_negative(
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        checks.flags(foreach, fused, differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "eps": eps,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        begun = {
            "initial_accumulator_value": initial_accumulator_value
        }  # of no group, as PyTorch's
        for group in self.param_groups:
            for p in group["params"]:
                self.begin(p, adagrad, {**group, **begun})
