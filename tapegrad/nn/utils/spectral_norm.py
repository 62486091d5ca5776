"""Spectral normalisation by a hook: the interface before parametrizations."""

from __future__ import annotations

from typing import Any

from ...core.modes import no_grad
from .. import functional
from ..parameter import Parameter, is_lazy
from .norms import as_matrix, default_axis, largest

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The hook that divides ``name_orig`` by its largest singular value before each call."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        """The weight, after steps of the power method if these are wanted."""
        weight, u, v = (getattr(module, f"{self.name}_{x}") for x in ("orig", "u", "v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(functional.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(functional.normalize(matrix.mv(v), dim=0, eps=self.eps))
        return weight / largest(matrix, u, v)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for suffix in ("u", "v", "orig"):
            delattr(module, f"{self.name}_{suffix}")
        module.register_parameter(self.name, Parameter(weight.detach()))


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Keep the largest singular value of a weight at 1. PyTorch recommends the parametrization of
    the same name instead."""
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            raise RuntimeError(
                f"Cannot register two spectral_norm hooks on the same parameter {name}"
            )
    hook = SpectralNorm(name, n_power_iterations, default_axis(module) if dim is None else dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to "
            "run the dummy forward before applying spectral normalization"
        )
    with no_grad():
        drawn = [
            functional.normalize(weight.new_empty(size).normal_(0, 1), dim=0, eps=eps)
            for size in as_matrix(weight, hook.dim).shape
        ]
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(f"{name}_u", drawn[0])
    module.register_buffer(f"{name}_v", drawn[1])
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Undo `spectral_norm`; the weight keeps its value."""
    for key, hook in [*module._forward_pre_hooks.items()]:
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
