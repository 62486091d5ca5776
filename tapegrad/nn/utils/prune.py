"""Pruning: parameters with a mask that keeps some elements at zero.

The parameter ``name`` becomes ``name_orig``, the buffer ``name_mask`` has the mask, and before each
call of the module ``name`` is set to their product.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

from ...torch.filling import ones_like, zeros_like
from ...torch.random import rand, rand_like
from .convert_parameters import parameters_to_vector

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


class BasePruningMethod(ABC):
    """A way to choose what is pruned. It is the hook that a pruned module has."""

    PRUNING_TYPE: ClassVar[str]
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask of a tensor, zero at least where `default_mask` is."""

    def apply_mask(self, module: Any) -> Any:
        """The original times the mask."""
        mask = getattr(module, f"{self._tensor_name}_mask")
        orig = getattr(module, f"{self._tensor_name}_orig")
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Prune a parameter by this method, after those that prune it already."""
        before = {k: hook for k, hook in module._forward_pre_hooks.items() if prunes(hook, name)}
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        for old in before.values():
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            method = container
        orig = getattr(module, name)
        scores = orig if importance_scores is None else importance_scores
        if scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {scores.shape} vs {orig.shape}"
            )
        default = getattr(module, f"{name}_mask").detach().clone() if before else ones_like(orig)
        mask = method.compute_mask(scores.detach(), default_mask=default.detach())
        for key in before:
            del module._forward_pre_hooks[key]
        if not before:
            del module._parameters[name]
            module.register_parameter(f"{name}_orig", orig)
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A tensor times the mask that this method computes for it, or for its scores."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                "importance_scores should have the same shape as tensor t, got "
                f"{scores.shape} vs {t.shape}"
            )
        default = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Any) -> None:
        """Make the pruned value the parameter for good."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        delattr(module, name)
        orig = module._parameters.pop(f"{name}_orig")
        orig.data = weight.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, orig)


def prunes(hook: Any, name: str) -> bool:
    """Whether a hook is that of a pruned parameter of a name."""
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


class PruningContainer(BasePruningMethod):
    """Methods that prune one parameter, one after the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if args:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method at the end."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask of the last method, on what the others have left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype).clone()
        left = left_by(method, t, default_mask)
        part = method.compute_mask(t[left], default_mask=default_mask[left])
        mask[left] = part.to(dtype=mask.dtype)
        return mask


def left_by(method: Any, t: Any, mask: Any) -> Any:
    """The index of the elements among which a method is to choose."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    everything = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "structured":
        axis = method.dim % t.dim()
        others = [d for d in range(t.dim()) if d != axis]
        everything[axis] = mask.sum(dim=others) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    return tuple(everything)


class Identity(BasePruningMethod):
    """Prunes nothing: gives the parameter its mask of ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


class ByAmount(BasePruningMethod):
    """Prunes a share (a float between 0 and 1) or a number of elements or channels."""

    def __init__(self, amount: Any) -> None:
        check_amount(amount)
        self.amount = amount

    def count(self, size: int) -> int:
        """How many of `size` are pruned."""
        amount: Any = self.amount
        number = int(amount) if isinstance(amount, Integral) else round(amount * size)
        if number > size:
            raise ValueError(
                f"amount={number} should be smaller than the number of parameters to prune={size}"
            )
        return number


class Unstructured(ByAmount):
    """Prunes the elements with the smallest scores."""

    PRUNING_TYPE = "unstructured"

    @abstractmethod
    def scores(self, t: Any) -> Any:
        """By what the elements are chosen."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        count = self.count(t.numel())
        mask = default_mask.clone()
        if count:
            chosen = self.scores(t).reshape(-1).topk(count, largest=False).indices
            mask.view(-1)[chosen] = 0
        return mask


class RandomUnstructured(Unstructured):
    """Prunes elements at random."""

    def scores(self, t: Any) -> Any:
        return rand_like(t)


class L1Unstructured(Unstructured):
    """Prunes the elements of the smallest magnitude."""

    def scores(self, t: Any) -> Any:
        return t.abs()


class Structured(ByAmount):
    """Prunes the channels with the smallest scores, along an axis."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    @abstractmethod
    def scores(self, t: Any, axis: int) -> Any:
        """By what the channels are chosen."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor "
                f"of shape {t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        axis = self.dim % t.dim()
        size = t.shape[axis]
        count = self.count(size)
        if not count:
            return default_mask
        kept = self.scores(t, axis).topk(size - count).indices
        mask = zeros_like(t)
        mask[(slice(None),) * axis + (kept,)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(Structured):
    """Prunes channels at random."""

    def scores(self, t: Any, axis: int) -> Any:
        return rand(t.shape[axis])


class LnStructured(Structured):
    """Prunes the channels of the smallest n-norm."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def scores(self, t: Any, axis: int) -> Any:
        return t.norm(p=self.n, dim=[d for d in range(t.dim()) if d != axis])


class CustomFromMask(BasePruningMethod):
    """Prunes where a given mask is zero."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape "
                f"{self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def check_amount(amount: Any) -> None:
    """Raise unless it is a share between 0 and 1, or a number of elements."""
    if not isinstance(amount, Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if not 0 <= float(amount) <= (float("inf") if isinstance(amount, Integral) else 1):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
            "integer"
        )


def identity(module: Any, name: str) -> Any:
    """Give a parameter a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prune elements of a parameter at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Any = None) -> Any:
    """Prune the elements of a parameter of the smallest magnitude, or with the smallest scores."""
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prune channels of a parameter at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None
) -> Any:
    """Prune the channels of a parameter of the smallest n-norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Prune a parameter where a mask is zero."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune parameters, pairs ``(module, name)``, as if they were one vector."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    given = {} if importance_scores is None else importance_scores
    if not isinstance(given, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = [*parameters]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    tensors = [getattr(module, name) for module, name in pairs]
    scores = [given.get(pair, x) for pair, x in zip(pairs, tensors, strict=True)]
    masks = [
        getattr(module, f"{name}_mask", ones_like(x))
        for (module, name), x in zip(pairs, tensors, strict=True)
    ]
    method._tensor_name = "temp"
    container = PruningContainer(method)
    flat = parameters_to_vector(scores).detach()
    mask = container.compute_mask(flat, parameters_to_vector(masks).detach())
    start = 0
    for (module, name), x in zip(pairs, tensors, strict=True):
        stop = start + x.numel()
        custom_from_mask(module, name, mask[start:stop].view_as(x))
        start = stop


def remove(module: Any, name: str) -> Any:
    """Make the pruned value of a parameter the parameter for good."""
    for key, hook in [*module._forward_pre_hooks.items()]:
        if prunes(hook, name):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """Whether a parameter of a module, or of one below it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for part in module.modules()
        for hook in part._forward_pre_hooks.values()
    )
