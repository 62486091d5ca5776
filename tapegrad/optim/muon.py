"""Muon: momentum for matrices, with all singular values brought near one."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy

from ..ops.contract import matmul, transpose
from ..ops.linear import astype, sum
from . import checks, errors
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Options, Rule, descent, weighing, zeros

__all__ = ["Muon"]

single = numpy.dtype(numpy.float32)


def muon_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    return {}, {
        "lr": -options["lr"],
        "momentum": options["momentum"],
        "share": 1 - options["momentum"],
        **weighing(options),
    }


def muon_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, _ = descent(k, p, g, c, options)
    buffer = k.lerp_(state["momentum_buffer"], g, c["share"])
    ahead = k.add(buffer, g - buffer, c["share"]) if options["nesterov"] else buffer
    update = orthogonal(k, ahead, options)
    rows, columns = p.shape
    ratio = {"match_rms_adamw": 0.2 * math.sqrt(max(rows, columns))}.get(
        options["adjust_lr_fn"], math.sqrt(max(1, rows / columns))
    )
    return p + c["lr"] * ratio * update, {"momentum_buffer": buffer}


def orthogonal(k: Any, x: Any, options: Options) -> Any:
    """The orthogonal factor of a matrix, nearly: Newton and Schulz's iteration, in bfloat16.

    A polynomial of degree five, whose coefficients are an option, is applied to the singular
    values (Keller Jordan and others, 2024). The results of products are rounded to bfloat16.
    """
    a, b, c = options["ns_coefficients"]
    dtype = x.dtype
    wide = x.shape[0] <= x.shape[1]
    x = rounded(x if wide else transpose(x))
    norm = rounded(k.sqrt(sum(x * x, axis=(0, 1), keepdims=False)))
    x = rounded(x / k.maximum(norm, options["eps"]))
    for _ in range(options["ns_steps"]):
        gram = rounded(matmul(x, transpose(x)))
        update = rounded(b * gram + c * matmul(gram, gram))
        x = rounded(a * x + matmul(update, x))
    x = x if wide else transpose(x)
    return x if dtype == single else astype(x, to=dtype, source=single)


def rounded(x: Any) -> Any:
    """A number in single precision, rounded to the eight bits that bfloat16 has.

    By Dekker's splitting, which is exact: it is made of arithmetic alone.
    """
    x = astype(x, to=single, source=x.dtype) if x.dtype != single else x
    large = x * 65537.0  # 2**16 + 1
    return large - (large - x)


muon = Rule(muon_coefficients, muon_update, arrays=zeros("momentum_buffer"), elementwise=False)


class Muon(Optimizer):
    """Muon, for the matrices of hidden layers: ``p -= lr * ratio * orthogonal(momentum)``.

    Other parameters need another optimiser beside it. The `ratio` is ``sqrt(max(1, rows /
    columns))``, or with ``adjust_lr_fn="match_rms_adamw"`` one that suits AdamW's rates.
    """

    rule = muon
    always: ClassVar[Options] = {"decoupled_weight_decay": True}

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        checks.one_element("lr", lr)
        for what, value in (
            ("Learning rate", lr),
            ("momentum", momentum),
            ("weight decay", weight_decay),
        ):
            if not value >= 0.0:
                raise errors.out_of_range(what, ">= 0", value)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise errors.unknown_adjustment(adjust_lr_fn)
        if ns_steps >= 100:
            raise errors.too_many_iterations()
        if len(ns_coefficients) != 3:
            raise errors.not_three_coefficients()
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "nesterov": nesterov,
                "ns_coefficients": ns_coefficients,
                "eps": eps,
                "ns_steps": ns_steps,
                "adjust_lr_fn": adjust_lr_fn,
            },
        )
        for group in self.param_groups:
            for p in group["params"]:
                if p.raw.ndim != 2:
                    raise errors.not_2d(p.shape)

    def step_in_place(self, rule: Rule, group: dict[str, Any]) -> None:
        """As all optimisers do, but of real parameters only."""
        checks.real(self, group)
        super().step_in_place(rule, group)
