"""Resilient propagation, which reads the signs of gradients alone."""

from __future__ import annotations

from typing import Any

from . import checks, errors
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Fill, Options, Rule, counting

__all__ = ["Rprop"]


def rprop_arrays(options: Options, shape: tuple[int, ...]) -> dict[str, Fill]:
    return {"prev": (shape, 0.0), "step_size": (shape, options["lr"])}


def rprop_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    shrink, grow = options["etas"]
    low, high = options["step_sizes"]
    return {"step": numbers["step"] + 1}, {"shrink": shrink, "grow": grow, "low": low, "high": high}


def rprop_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    if options["maximize"]:
        g = k.neg(g)
    agreement = k.mul(g, state["prev"])
    turned, kept = k.less(agreement, 0.0), k.greater(agreement, 0.0)
    size = state["step_size"]
    grown = k.where(kept, k.mul(size, c["grow"]), size)
    size = k.copy_(size, k.where(turned, k.mul(size, c["shrink"]), grown))
    size = k.clamp_(size, c["low"], c["high"])
    g = k.where(turned, 0.0, g)
    p = k.addcmul_(p, k.sign(g), size, -1.0)
    return p, {"prev": k.copy_(state["prev"], g), "step_size": size}


rprop = Rule(rprop_coefficients, rprop_update, counting, rprop_arrays)


class Rprop(Optimizer):
    """Resilient propagation: each element has a step of its own, in the direction of the sign.

    The step grows by ``etas[1]`` while the sign stays and shrinks by ``etas[0]`` when it turns,
    within `step_sizes`.
    """

    rule = rprop

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        checks.rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise errors.invalid("eta values", f"{etas[0]}, {etas[1]}")
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )
