"""Adafactor: squares of gradients kept as a row and a column for each matrix."""

from __future__ import annotations

from typing import Any, ClassVar

import ml_dtypes

from ..ops.contract import matmul
from ..ops.linear import sum
from ..ops.reduce import mean
from . import checks, errors
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Fill, Options, Rule, counting, descent, weighing

__all__ = ["Adafactor"]


def adafactor_arrays(options: Options, shape: tuple[int, ...]) -> dict[str, Fill]:
    if len(shape) < 2:
        return {"variance": (shape, 0.0)}
    return {
        "row_var": ((*shape[:-1], 1), 0.0),
        "col_var": ((*shape[:-2], 1, shape[-1]), 0.0),
    }


def adafactor_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    step = numbers["step"] + 1
    rate = 1 / x.sqrt(step)
    return {"step": step}, {
        "share": step ** options["beta2_decay"],
        "rate": x.where(x.greater(options["lr"], rate), rate, options["lr"]),
        **weighing(options),
    }


def adafactor_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    eps1, eps2 = options["eps"]
    if eps1 is None:
        eps1 = float(ml_dtypes.finfo(p.dtype).eps)
    size = k.maximum(root_mean_square(k, p), eps2) * c["rate"]
    p, g = descent(k, p, g, c, options)
    squares = g * g
    if g.ndim > 1:
        rows = k.lerp_(state["row_var"], mean_along(squares, -1), c["share"])
        columns = k.lerp_(state["col_var"], mean_along(squares, -2), c["share"])
        after = {"row_var": rows, "col_var": columns}
        variance = matmul(rows, columns) / k.maximum(mean_along(rows, -2), eps1)
    else:
        variance = k.lerp_(state["variance"], squares, c["share"])
        after = {"variance": variance}
    update = g / k.sqrt(k.maximum(variance, eps1 * eps1))
    excess = k.maximum(root_mean_square(k, update) / options["d"], 1.0)
    return p - (size / excess) * update, after


def mean_along(x: Any, axis: int) -> Any:
    """The means along an axis, which stays."""
    return mean(x, axis=(axis % x.ndim,), keepdims=True)


def root_mean_square(k: Any, x: Any) -> Any:
    """The root of the mean of the squares of all elements."""
    axes = tuple(range(x.ndim))
    return k.sqrt(sum(x * x, axis=axes, keepdims=False) / max(x.size, 1))


adafactor = Rule(
    adafactor_coefficients, adafactor_update, counting, adafactor_arrays, elementwise=False
)


class Adafactor(Optimizer):
    """Adafactor: Adam without momentum, in the memory of a row and a column for each matrix.

    The step is relative to the size of the parameter, but at least to ``eps[1]``; updates whose
    root mean square is above `d` are shrunk to it.
    """

    rule = adafactor
    always: ClassVar[Options] = {"decoupled_weight_decay": True}

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        checks.one_element("lr", lr)
        for what, wrong, bound, value in (
            ("Learning rate", not lr >= 0.0, ">= 0", lr),
            ("beta2_decay", not beta2_decay <= 0.0, "<= 0", beta2_decay),
            ("epsilon1", eps[0] is not None and not eps[0] >= 0.0, ">= 0", eps[0]),
            ("epsilon2", not eps[1] >= 0.0, ">= 0", eps[1]),
            ("Clipping threshold d", not d >= 1.0, ">= 1", d),
            ("weight_decay", not weight_decay >= 0.0, ">= 0", weight_decay),
        ):
            if wrong:
                raise errors.out_of_range(what, bound, value)
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
            },
        )

    def step_in_place(self, rule: Rule, group: dict[str, Any]) -> None:
        """As all optimisers do, but of real parameters only."""
        checks.real(self, group)
        super().step_in_place(rule, group)
