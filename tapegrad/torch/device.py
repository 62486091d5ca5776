"""`torch.device`: where a tensor's data is."""

from __future__ import annotations

from typing import Any

from ..backend import HOST, Place, gpu, put
from . import errors

KINDS = [
    *("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga"),
    *("maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone"),
]
"""The kinds that PyTorch knows, in its order. Tensors are on the first two."""


class device:
    """A device: `device("cpu")`, `device("cuda", 0)`.

    >>> device("cuda:1").index
    1
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int):
            self.type, self.index = "cuda", type
            return
        if not isinstance(type, str):
            raise TypeError(
                f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}"
            )
        kind, _, number = type.partition(":")
        if kind not in KINDS or (number and not number.isdigit()):
            raise errors.no_such_device(type, KINDS)
        if number and index is not None:
            raise RuntimeError(f"'type' must not include an index because index was passed: {type}")
        self.type = kind
        self.index = int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    def __enter__(self) -> device:
        before = Devices.default
        set_default(self)
        entered.append(before)
        return self

    def __exit__(self, *_: object) -> None:
        Devices.default = entered.pop()


CPU = device("cpu")


def cupy() -> Any:
    """CuPy; raises where there is no GPU, with the reason."""
    found, reason = gpu()
    if found is None:
        raise errors.no_cuda(reason)
    return found


class Devices:
    """What is known of devices in this process."""

    used = False
    """Whether a tensor was ever on one: until then nobody has to look where tensors are."""

    default: device | None = None
    """The device of tensors that are made without one, if it was set."""


entered: list[device | None] = []
"""The default devices to go back to at the end of `with` blocks."""


def set_default(where: Any) -> None:
    """Make tensors on a device where none is given; None is the processor again."""
    Devices.default = None if where is None else check_device(where)


def check_device(place: Any) -> device:
    """The device that is named; raises if tensors cannot be there: the one place that decides."""
    where = device(place)
    if where.type == "cuda":
        runtime = cupy().cuda.runtime
        if where.index is not None and where.index >= runtime.getDeviceCount():
            raise errors.no_such_gpu(where.index, runtime.getDeviceCount())
    elif where.type != "cpu":
        raise errors.no_backend(where.type)
    return where


def place_for(where: Any) -> Place:
    """The place of data on a device that is named; "cuda" is the GPU in use."""
    found = check_device(where)
    if found.type == "cpu":
        return HOST
    Devices.used = True
    library = cupy()
    index = library.cuda.Device().id if found.index is None else found.index
    return library.__name__, int(index)


def moved(raw: Any, where: Any) -> Any:
    """New raw data on a device that is named, or on the default one."""
    where = Devices.default if where is None else where
    return raw if where is None else put(raw, place_for(where))
