"""Which algorithm attention uses: here there is one, which is exact."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from . import bias

__all__ = ["SDPBackend", "bias", "sdpa_kernel"]


class SDPBackend(enum.IntEnum):
    """PyTorch's names of algorithms for `scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(
    backends: SDPBackend | Sequence[SDPBackend], set_priority: bool = False
) -> Iterator[None]:
    """Choose among PyTorch's algorithms, which give the same result: the one here is used for each.

    >>> with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
    ...     pass
    """
    for backend in [backends] if isinstance(backends, SDPBackend) else backends:
        if not isinstance(backend, SDPBackend):
            raise TypeError(f"Backend must be an instance of SDPBackend, got {backend!r}")
    yield
