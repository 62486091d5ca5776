"""`Tensor`: the core's array with PyTorch's names. Methods are attached by the modules above."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy
from numpy import generic, ndarray

from ..backend import on_device
from ..core.array import Array, Traced, new
from ..core.face import Face, faces
from .device import CPU, Devices, device
from .dtypes import dtype, of_numpy
from .size import Size


class Tensor(Array):
    """An array of elements of one dtype that takes part in automatic differentiation.

    `raw` is its data, `slot` its place on the tape: 0 if it needs no gradient, negative for a leaf,
    positive for a computed value. A parameter is a tensor with a flag.
    """

    __slots__ = ("__dict__", "origin")

    origin: tuple[int, str] | None
    """Of a view that must not be changed in place: which of the views it is that a function gave
    at once, and that function; None if it was made while recording was off."""

    is_parameter: ClassVar[bool] = False
    shares = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return from_arguments(cls, *args, **kwargs)

    @property
    def shape(self) -> Size:
        """The sizes of the axes."""
        return Size(self.raw.shape)

    @property
    def dtype(self) -> dtype:
        """The type of the elements."""
        return of_numpy(self.raw.dtype)

    @property
    def device(self) -> device:
        """Where the data is."""
        return device_of(self.raw)

    if TYPE_CHECKING:  # methods are attached

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...

        __add__: Any
        __radd__: Any
        __sub__: Any
        __rsub__: Any
        __mul__: Any
        __rmul__: Any
        __truediv__: Any
        __rtruediv__: Any
        __matmul__: Any
        __pow__: Any
        __neg__: Any

    def __reduce__(self) -> tuple[Any, ...]:
        # what was computed becomes a leaf, as PyTorch has it
        return rebuilt, (type(self), self.raw, self.slot != 0, dict(self.__dict__))

    def __copy__(self) -> Any:
        result = new(type(self))
        result.raw = self.raw
        result.slot = self.slot
        result.tape = self.tape
        return result


class TracedTensor(Tensor, Traced):
    """A tensor on a replay tape."""

    __slots__ = ()


Tensor.traced = TracedTensor
Tensor.untraced = Tensor


class DeviceTensor(Tensor):
    """A tensor whose data is on a GPU. To users it is a `Tensor` like others.

    Short ways are for tensors of the class `Tensor` itself, whose data are NumPy's. So they need
    not look where the data is.
    """

    __slots__ = ()


class TracedDeviceTensor(TracedTensor):
    """A tensor on a replay tape, its data on a GPU."""

    __slots__ = ()


DeviceTensor.traced = TracedDeviceTensor.traced = TracedDeviceTensor
DeviceTensor.untraced = TracedDeviceTensor.untraced = DeviceTensor


def from_arguments(cls: type, *args: Any, **kwargs: Any) -> Any:
    """`torch.Tensor(...)`: attached by `creation`."""
    return constructors["Tensor"](cls, *args, **kwargs)


constructors: dict[str, Any] = {}


def rebuilt(cls: type[Tensor], raw: Any, requires_grad: bool, attributes: dict[str, Any]) -> Any:
    """A tensor that was pickled."""
    result = new(cls)
    replace(result, raw)
    result.slot = 0
    result.tape = None
    result.__dict__.update(attributes)
    if requires_grad:
        result.requires_grad_()
    return result


def device_of(raw: Any) -> device:
    """The device of raw data."""
    if isinstance(raw, ndarray | generic):
        return CPU
    return device("cuda", raw.device.id)


def wrap(x: Any) -> Tensor:
    """An `Array`, or raw data, as a tensor."""
    if isinstance(x, Array):
        plain = type(x) is Array or not isinstance(x, Traced)
        result: Tensor = new(Tensor if plain else TracedTensor)
        if Devices.used and on_device(x.raw):
            result.__class__ = DeviceTensor if plain else TracedDeviceTensor
        result.raw = x.raw
        result.slot = x.slot
        result.tape = x.tape
        return result
    return constant(x)


def constant(raw: Any) -> Tensor:
    """Raw data as a tensor."""
    result: Tensor = new(Tensor)
    if Devices.used and on_device(raw):
        result.__class__ = DeviceTensor
    result.raw = raw
    result.slot = 0
    result.tape = None
    return result


def replace(x: Tensor, raw: Any) -> None:
    """Give a tensor other data, which may be on another device."""
    if Devices.used or on_device(raw):
        there = on_device(raw)
        Devices.used |= there
        kind = type(x)
        if kind in (Tensor, DeviceTensor):
            x.__class__ = DeviceTensor if there else Tensor
        elif kind in (TracedTensor, TracedDeviceTensor):
            x.__class__ = TracedDeviceTensor if there else TracedTensor
    x.raw = raw


def copied(raw: Any) -> Any:
    """Raw data in memory of their own."""
    return raw.copy() if on_device(raw) else numpy.array(raw)


def core(x: Tensor) -> Array:
    """A tensor as the core's own array, with the same data and slot."""
    plain = type(x) is Tensor or not isinstance(x, Traced)
    result: Array = new(Array if plain else Traced)
    result.raw = x.raw
    result.slot = x.slot
    result.tape = x.tape
    return result


faces[Tensor] = Face(wrap, conjugates=True)


def writable(x: Tensor) -> Any:
    """The data of a tensor as an array that can be changed and shared: of no axes, too."""
    if isinstance(x.raw, generic):
        x.raw = numpy.asarray(x.raw)
    return x.raw
