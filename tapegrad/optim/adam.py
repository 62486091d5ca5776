"""Adam and AdamW: steps scaled by running averages of the gradient and of its square."""

from __future__ import annotations

from typing import Any

from ..torch.tensor import Tensor
from . import checks, errors
from .optimizer import Optimizer, Parameters
from .rule import Arrays, Fill, Options, Rule, counting, descent, weighing

__all__ = ["Adam", "AdamW"]


def adam_arrays(options: Options, shape: tuple[int, ...]) -> dict[str, Fill]:
    names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * bool(options["amsgrad"])
    return dict.fromkeys(names, (shape, 0.0))


def adam_coefficients(x: Any, options: Options, numbers: dict[str, Any]) -> Any:
    step = numbers["step"] + 1
    beta1, beta2 = options["betas"]
    return {"step": step}, {
        "beta2": beta2,
        "share1": 1 - beta1,
        "share2": 1 - beta2,
        "scale": 1 / x.sqrt(1 - beta2**step),
        "eps": options["eps"],
        "lr": -options["lr"] / (1 - beta1**step),
        **weighing(options),
    }


def adam_update(k: Any, p: Any, g: Any, state: Arrays, c: Any, options: Options) -> Any:
    p, g = descent(k, p, g, c, options)
    average = k.lerp_(state["exp_avg"], g, c["share1"])
    square = k.addcmul_(k.mul_(state["exp_avg_sq"], c["beta2"]), g, g, c["share2"])
    after = {"exp_avg": average, "exp_avg_sq": square}
    if options["amsgrad"]:
        square = after["max_exp_avg_sq"] = k.maximum_(state["max_exp_avg_sq"], square)
    root = k.add_(k.mul_(k.sqrt(square), c["scale"]), c["eps"])
    return k.addcdiv_(p, average, root, c["lr"]), after


adam = Rule(adam_coefficients, adam_update, counting, adam_arrays)


class Adam(Optimizer):
    """Adam: the running average of the gradient, over the root of that of its square.

    ``p -= lr * m / (sqrt(v) + eps)``, `m` and `v` corrected for beginning at zero. With `amsgrad`,
    the largest `v` so far takes the place of `v`.
    """

    rule = adam

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: Any = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise errors.tensor_with_foreach("lr")
        checks.moments(lr, betas, eps, weight_decay)
        tensors = [isinstance(beta, Tensor) for beta in betas]
        if tensors[0] != tensors[1]:
            raise errors.mixed_betas()
        for i, beta in enumerate(betas):
            if tensors[i] and foreach and not capturable:
                raise errors.tensor_with_foreach(f"betas[{i}]")
            checks.one_element(f"betas[{i}]", beta)
        checks.flags(foreach, fused, differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": tuple(betas),
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay,
            },
        )


class AdamW(Adam):
    """`Adam` whose weight decay shrinks the parameters, ``p -= lr * weight_decay * p``."""

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: Any = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )
