"""SparseAdam, whose gradients would be sparse tensors, which there are none of."""

from __future__ import annotations

from typing import Any

from . import checks, errors
from .optimizer import Closure, Optimizer, Parameters

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam of sparse gradients. All gradients here are dense, for which `step` raises: use `Adam`.

    What scripts do with it before, and where no parameter has a gradient, works.
    """

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
        """Raises for dense gradients, which all are."""
        loss = self.evaluate(closure)
        if any(p.grad is not None for group in self.param_groups for p in group["params"]):
            raise errors.dense_gradients()
        return loss
