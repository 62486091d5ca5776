"""Weight normalisation by a hook: the interface before parametrizations."""

from __future__ import annotations

import warnings
from typing import Any

from ..parameter import Parameter, is_lazy
from .norms import norm_except, weighted

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """The hook that computes a weight of ``name_g`` and ``name_v`` before each call."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        """The weight."""
        v, g = (getattr(module, f"{self.name}_{letter}") for letter in "vg")
        return weighted(v, g, self.dim)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        for letter in "gv":
            delattr(module, f"{self.name}_{letter}")
        setattr(module, self.name, Parameter(weight.detach()))


def weight_norm(module: Any, name: str = "weight", dim: int = 0) -> Any:
    """Learn the norms and the direction of a weight apart. PyTorch recommends the
    parametrization of the same name instead."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise RuntimeError(
                f"Cannot register two weight_norm hooks on the same parameter {name}"
            )
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to "
            "run the dummy forward before applying weight normalization"
        )
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(norm_except(weight.detach(), hook.dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Undo `weight_norm`; the weight keeps its value."""
    for key, hook in [*module._forward_pre_hooks.items()]:
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
