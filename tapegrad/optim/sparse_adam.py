"""SparseAdam: Adam of the rows of tables that a gradient is of."""

from __future__ import annotations

import math
from typing import Any

from ..torch import Tensor, no_grad, zeros_like
from . import checks, errors
from .optimizer import Closure, Optimizer, Parameters

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for tables of which a step changes few rows, made with ``nn.Embedding(sparse=True)``.

    Rows whose gradient is zero stay as they are, with their moments. Gradients of other parameters
    raise, as PyTorch's dense ones do. (PyTorch also moves a row that was looked up and has a
    gradient of exact zeros.)
    """

    by_rows = True

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        checks.one_element("lr", lr)
        if not lr > 0.0:
            raise errors.invalid("learning rate", lr)
        if not eps > 0.0:
            raise errors.invalid("epsilon value", eps)
        checks.decays(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        found = [
            [i, j]
            for i, group in enumerate(self.param_groups)
            for j, p in enumerate(group["params"])
            if p.raw.dtype.kind == "c"
        ]
        if found:
            raise errors.sparse_adam_of_complex(found)

    def step(self, closure: Closure | None = None) -> Any:
        """Change the rows that have a gradient. `closure`, if given, computes gradients before."""
        loss = self.evaluate(closure)
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self.move(p, p.grad, group)
        return loss

    def move(self, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        """Change the rows of a table."""
        if "by_rows" not in vars(p):
            raise errors.dense_gradients()
        state = self.state[p]
        if not state:
            state.update(step=0, exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
        state["step"] += 1
        rows: Any = grad.ne(0).any(1).nonzero()[:, 0]
        g: Any = -grad[rows] if group["maximize"] else grad[rows]
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"][rows] + (g - state["exp_avg"][rows]) * (1 - beta1)
        square = state["exp_avg_sq"][rows] + (g * g - state["exp_avg_sq"][rows]) * (1 - beta2)
        state["exp_avg"][rows], state["exp_avg_sq"][rows] = mean, square
        size = group["lr"] * math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
        p[rows] -= size * mean / (square.sqrt() + group["eps"])
