"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any

from ..torch.tensor import Tensor
from . import checks, errors
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Options, Rule, counting, descent, is_zero, weighing
from .values import filled

__all__ = ["GD", "SGD"]


def sgd_arrays(options: Options, shape: tuple[int, ...]) -> dict[str, Any]:
    return {} if is_zero(options["momentum"]) else {"momentum_buffer": (shape, 0.0)}


def sgd_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    first = x.greater(1, numbers["step"])  # whose gradient begins the buffer undampened
    dampening = options["dampening"]
    return {"step": numbers["step"] + 1}, {
        "lr": -options["lr"],
        "momentum": options["momentum"],
        "share": None if is_zero(dampening) else x.where(first, 1.0, 1 - dampening),
        **weighing(options),
    }


def sgd_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    if not is_zero(options["momentum"]):
        buffer = k.add_(k.mul_(state["momentum_buffer"], c["momentum"]), g, c["share"])
        state = {"momentum_buffer": buffer}
        g = k.add(g, buffer, c["momentum"]) if options["nesterov"] else buffer
    return k.add_(p, g, c["lr"]), state


sgd = Rule(sgd_coefficients, sgd_update, counting, sgd_arrays)


class SGD(Optimizer):
    """Gradient descent, ``p -= lr * g``, with momentum if that is not zero.

    Then ``buffer = momentum * buffer + (1 - dampening) * g`` (at first `g` alone) stands for `g`;
    with `nesterov`, ``g + momentum * buffer`` does.
    """

    rule = sgd
    by_rows = True

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        checks.rate(lr)
        checks.not_negative(momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise errors.nesterov_without_momentum()
        checks.flags(foreach, fused, differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "differentiable": differentiable,
                "fused": fused,
            },
        )

    def state_of(self, p: Tensor, rule: Rule, options: Options) -> tuple[Any, dict[str, Tensor]]:
        """The buffer, if there is momentum; that it is there tells that this is no first step."""
        if is_zero(options["momentum"]):
            return {"step": 0.0}, {}
        state = self.state[p]
        first = state.get("momentum_buffer") is None
        if first:
            state["momentum_buffer"] = filled(p, p.raw.shape, 0.0)
        return {"step": float(not first)}, {"momentum_buffer": state["momentum_buffer"]}

    def count(self, p: Tensor, numbers: Any) -> None:
        """Nothing is counted."""


class GD(SGD):
    """Gradient descent without momentum, as the framework Riemann has it."""

    def __init__(self, params: Parameters, lr: Any = 0.01, weight_decay: Any = 0.0) -> None:
        super().__init__(params, lr, weight_decay=weight_decay)
