"""Parametrizations: a parameter that is computed from others whenever it is read.

The module gets a class of its own, in which the parameter's name is a property, and a submodule
`parametrizations` with the originals and with what is applied to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, ClassVar

from ...core.modes import no_grad
from ...torch.tensor import Tensor
from ..modules.container import ModuleDict, ModuleList
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]


class Cache:
    """The parametrized values that were computed inside of `cached()` blocks."""

    depth = 0
    values: ClassVar[dict[tuple[int, str], Any]] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized value once while the block runs."""
    Cache.depth += 1
    try:
        yield
    finally:
        Cache.depth -= 1
        if not Cache.depth:
            Cache.values = {}


def enter(module: Any, name: str, x: Any) -> None:
    """Register a tensor as a parameter if it is one, else as a buffer."""
    if isinstance(x, Parameter):
        module.register_parameter(name, x)
    else:
        module.register_buffer(name, x)


class ParametrizationList(ModuleList):
    """The parametrizations of a tensor, applied one after the other, and its originals.

    The original is `original`; or `original0` and so on, where `right_inverse` gives several.
    """

    def __init__(self, modules: Sequence[Any], original: Any, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, d = original.shape, original.dtype
        with no_grad():
            new = self._inverse(original)
        if not isinstance(new, Tensor | Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            if new.dtype != d:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {d}\nright_inverse(original).dtype: {new.dtype}"
                )
            original.data = new.data
            enter(self, "original", original)
        else:
            for i, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, "
                        f"tuple...). Got element {i} of the sequence with type "
                        f"{type(part).__name__}."
                    )
                if isinstance(original, Parameter):
                    part = Parameter(part, original.requires_grad)
                enter(self, f"original{i}", part)
        if not unsafe:
            self._check(shape, d)

    def _check(self, shape: Any, d: Any) -> None:
        made = self()
        if not isinstance(made, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        if made.dtype != d:
            raise ValueError(
                "Registering a parametrization may not change the dtype of the tensor, unless "
                f"`unsafe` flag is enabled.\nunparametrized dtype: {d}\nparametrized dtype: "
                f"{made.dtype}"
            )
        if made.shape != shape:
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, unless "
                f"`unsafe` flag is enabled.\nunparametrized shape: {shape}\nparametrized shape: "
                f"{made.shape}"
            )

    def _inverse(self, value: Any) -> Any:
        """What the originals have to be for a value, as far as parametrizations can tell."""
        for module in reversed([*self]):
            if hasattr(module, "right_inverse"):
                try:
                    value = module.right_inverse(value)
                except NotImplementedError:
                    continue
        return value

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that the parametrized tensor becomes `value`."""
        with no_grad():
            for module in reversed([*self]):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            parts = [value] if isinstance(value, Tensor) else [*value]
            if self.is_tensor != isinstance(value, Tensor) or len(parts) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                    f"Got a sequence of length {len(parts)}."
                )
            for original, part in zip(self.originals(), parts, strict=True):
                if original.shape != part.shape:
                    raise ValueError(
                        "The tensor returned by `right_inverse` is not compatible with the "
                        f"original's shape {original.shape}: it has {part.shape}."
                    )
                original.data = part.detach().clone()

    def originals(self) -> list[Any]:
        """The tensors that the value is computed from."""
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def forward(self) -> Any:
        """The parametrized value."""
        first, *rest = self._modules.values()
        x = first(*self.originals())
        for module in rest:
            x = module(x)
        return x


def parametrized_class(module: Any) -> None:
    """Give a module a class of its own, which can have properties."""
    cls = type(module)

    def refuse(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See: "
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        )

    def copied(self: Any, memo: dict[int, Any]) -> Any:
        result = memo[id(self)] = object.__new__(type(self))
        result.__dict__.update(deepcopy(self.__dict__, memo))
        own: Any = type(f"Parametrized{cls.__name__}", (cls,), dict(vars(type(self))))
        result.__class__ = own
        return result

    own = {"__getstate__": refuse, "__deepcopy__": copied}
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), own)


def add_property(module: Any, name: str) -> None:
    """Have a name of a module's class stand for the parametrized value."""

    def get(self: Any) -> Any:
        parametrization = self.parametrizations[name]
        if not Cache.depth:
            return parametrization()
        key = (id(self), name)
        if key not in Cache.values:
            Cache.values[key] = parametrization()
        return Cache.values[key]

    def put(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False
) -> Any:
    """Have a parameter or buffer of a module computed: ``parametrization(original)``.

    If the parametrization has a method `right_inverse`, the original is set so that the value stays
    what it is, and assigning to it works. A further one is applied to what the ones before give.
    Unless `unsafe`, shape and dtype may not change.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        before = module.parametrizations[tensor_name]
        if not unsafe:
            check_consistent(module, tensor_name, parametrization)
        value = getattr(module, tensor_name).detach()
        before.append(parametrization)
        before.unsafe = before.unsafe or unsafe
        if hasattr(parametrization, "right_inverse"):
            before.right_inverse(value)
        return module
    tensor = module._parameters.get(tensor_name)
    if tensor is None:
        tensor = module._buffers.get(tensor_name)
    if tensor is None:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    parametrizations = ParametrizationList([parametrization], tensor, unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        parametrized_class(module)
        module.parametrizations = ModuleDict()
    add_property(module, tensor_name)
    module.parametrizations[tensor_name] = parametrizations
    return module


def check_consistent(module: Any, name: str, parametrization: Any) -> None:
    """Raise if a further parametrization changes the shape or dtype of the value."""
    with no_grad():
        before = getattr(module, name)
        after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        old, new = getattr(before, what), getattr(after, what)
        if old != new:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless "
                f"the `unsafe` flag is enabled.\nmodule.{name}.{what}: {old}\n"
                f"parametrization(module.{name}).{what}: {new}"
            )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a module has a parametrized tensor, or that of a name."""
    found = module.__dict__.get("_modules", {}).get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a parametrized tensor an ordinary one: with its value, or the original if not
    `leave_parametrized`."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    original = parametrizations.originals()[0]
    if leave_parametrized:
        with no_grad():
            value = getattr(module, tensor_name)
        if parametrizations.is_tensor:
            original.data = value.data
        elif isinstance(original, Parameter):
            original = Parameter(value.detach(), original.requires_grad)
        else:
            original = value
    elif not parametrizations.is_tensor:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    enter(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class of a module, as it was before parametrizations."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Any, to_module: Any, tensor_name: str | None = None
) -> Any:
    """Give a module the parametrizations of another, and their originals."""
    if not is_parametrized(from_module):
        return to_module
    wanted = from_module.parametrizations if tensor_name is None else [tensor_name]
    for name in wanted:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = from_module.parametrizations[name]
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        for own, given in zip(target.originals(), source.originals(), strict=True):
            own.data = given.data
    return to_module
