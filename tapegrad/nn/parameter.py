"""Parameters and buffers: tensors with a flag, which modules find by it.

They are plain tensors, so that operations on them take the fast path; `isinstance` reads the flag.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..torch.creation import as_tensor
from ..torch.device import device
from ..torch.dtypes import dtype
from ..torch.filling import empty
from ..torch.size import Size
from ..torch.tensor import Tensor, new, wrap
from . import errors

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


class Flagged(type):
    """The classes of tensors that are told by an attribute."""

    flag: str

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls.__dict__.get("flag") is None:
            return super().__instancecheck__(instance)
        return isinstance(instance, Tensor) and getattr(instance, cls.flag, False)


class Parameter(Tensor, metaclass=Flagged):
    """A tensor that a module learns: assigned to a module, it is one of its parameters.

    ``Parameter(data, requires_grad=True)`` shares the memory of `data`, a tensor or an array.

    >>> import tapegrad.torch as torch
    >>> Parameter(torch.tensor([1.0, 2.0]))
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    """

    flag: ClassVar[str] = "is_parameter"

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        result = detached(cls, data)
        result.is_parameter = True
        return result.requires_grad_(requires_grad)


class Buffer(Tensor, metaclass=Flagged):
    """A tensor that is a part of a module's state and is not learned.

    If it is not `persistent`, it is no part of the `state_dict`.
    """

    flag: ClassVar[str] = "is_buffer"

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        result = detached(cls, data)
        result.is_buffer = True
        result.persistent = persistent
        return result.requires_grad_(isinstance(data, Tensor) and data.requires_grad)


def detached(cls: type, data: Any) -> Any:
    """A new tensor with the memory of `data`; of a class only if that is the user's own."""
    if data is None:
        data = Tensor()
    result = as_tensor(data).detach()
    if "flag" not in cls.__dict__:
        result.__class__ = cls
    return result


class Uninitialized(Tensor):
    """A tensor whose shape a lazy module finds out when it is first called.

    `template` is an empty tensor of its dtype, on its device.
    """

    kind: ClassVar[str]
    template: Tensor
    persistent: bool
    wants_grad: bool

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> Any:
        result = new(cls)
        result.slot = 0
        result.tape = None
        result.template = empty(0, device=device, dtype=dtype)
        result.wants_grad = requires_grad
        setattr(result, cls.kind, True)
        result.persistent = persistent
        return result

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary tensor of a shape; its elements are arbitrary."""
        template = self.template.to(device=device, dtype=dtype)
        requires_grad = self.wants_grad
        del self.template, self.wants_grad
        kind: Any = Tensor
        self.__class__ = kind
        self.raw = empty(shape, device=template.device, dtype=template.dtype).raw
        self.requires_grad_(requires_grad)

    @property
    def raw(self) -> Any:
        """Raises: there is no data yet. So every operation does."""
        raise errors.uninitialized(type(self).__name__)

    @raw.setter
    def raw(self, data: Any) -> None:
        raise errors.uninitialized(type(self).__name__)

    @property
    def shape(self) -> Size:
        """Raises: it is not known yet."""
        raise errors.shape_of_uninitialized()

    @property
    def dtype(self) -> dtype:
        """The type that the elements will have."""
        return self.template.dtype

    @property
    def device(self) -> device:
        """Where the data will be."""
        return self.template.device

    @property
    def requires_grad(self) -> bool:
        """Whether the tensor will be a leaf."""
        return self.wants_grad

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Say whether the tensor will be a leaf."""
        self.wants_grad = requires_grad
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.wants_grad, None, self.dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copied = type(self)(self.wants_grad, self.device, self.dtype)
        memo[id(self)] = copied
        return copied


class UninitializedParameter(Uninitialized):
    """A parameter whose shape is not known yet."""

    kind: ClassVar[str] = "is_parameter"

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return super().__new__(cls, requires_grad, device, dtype)


class UninitializedBuffer(Uninitialized):
    """A buffer whose shape is not known yet."""

    kind: ClassVar[str] = "is_buffer"


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(param, Uninitialized)


def as_parameter(x: Any) -> Any:
    """A value that stands for a parameter for a while, as a tensor."""
    return x if isinstance(x, Tensor) else wrap(x)
