"""`torch.device`: where a tensor's data is."""

from __future__ import annotations

from typing import Any

from ..backend import gpu
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


CPU = device("cpu")


def check_device(place: Any) -> device:
    """The device that is named; raises if tensors cannot be there: the one place that decides."""
    where = device(place)
    if where.type == "cuda":
        cupy, reason = gpu()
        raise errors.no_cuda(reason) if cupy is None else errors.cuda_tensors()
    if where.type != "cpu":
        raise errors.no_backend(where.type)
    return where
