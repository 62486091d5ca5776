"""`autocast`: a context in which functions choose the precision they compute in."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from .. import errors
from ..casting import casting
from ..dtypes import as_numpy, bfloat16, dtype, float16
from .policies import Policy, cast

__all__ = [
    "autocast",
    "clear_autocast_cache",
    "custom_bwd",
    "custom_fwd",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_available",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
]

defaults: dict[str, dtype] = {"cpu": bfloat16, "cuda": float16}
"""The dtypes that `autocast` casts to where none is given, by device."""


def is_autocast_available(device_type: str) -> bool:
    """Whether there is autocast for a device, be it here or not."""
    return device_type in defaults


def get_autocast_dtype(device_type: str) -> dtype:
    """The dtype that autocast casts to on a device."""
    policy = casting.policy
    if device_type == "cpu" and isinstance(policy, Policy):
        return policy.dtype
    return defaults[device_type]


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Make `dtype` what autocast casts to where none is given."""
    defaults[device_type] = dtype


def is_autocast_enabled(device_type: str = "cpu") -> bool:
    """Whether functions cast their arguments now."""
    return device_type == "cpu" and casting.policy is not None


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Have functions cast their arguments from now on, or not."""
    if device_type == "cpu":
        casting.policy = Policy(get_autocast_dtype("cpu")) if enabled else None


def get_autocast_cpu_dtype() -> dtype:
    """`get_autocast_dtype` of the CPU, by an older name."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> dtype:
    """`get_autocast_dtype` of a GPU, by an older name."""
    return get_autocast_dtype("cuda")


def set_autocast_cpu_dtype(dtype: dtype) -> None:
    """`set_autocast_dtype` of the CPU, by an older name."""
    set_autocast_dtype("cpu", dtype)


def is_autocast_cpu_enabled() -> bool:
    """`is_autocast_enabled` of the CPU, by an older name."""
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """`set_autocast_enabled` of the CPU, by an older name."""
    set_autocast_enabled("cpu", enabled)


def is_autocast_cache_enabled() -> bool:
    """False: casts are not kept."""
    return False


def clear_autocast_cache() -> None:
    """Casts are not kept, so that there is nothing to forget."""


class autocast:
    """A context, and a decorator, in which products compute in half precision and losses in single.

    The arguments of these functions are cast as the lists in `policies` say. Tensors in double
    precision stay. Backward passes follow the dtypes of the forward pass; they belong outside.

    >>> import tapegrad.torch as torch
    >>> x = torch.ones(2, 2)
    >>> with torch.autocast("cpu"):
    ...     (x @ x).dtype
    torch.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise errors.device_type_is_no_string(device_type)
        if not is_autocast_available(device_type):
            raise errors.no_autocast(device_type)
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        if enabled and device_type == "cuda":
            warnings.warn(errors.AUTOCAST_WITHOUT_CUDA, stacklevel=2)
            enabled = False
        if enabled and self.fast_dtype not in (bfloat16, float16):
            warnings.warn(errors.autocast_dtype(device_type), stacklevel=2)
            enabled = False
        self._enabled = enabled
        self._before: list[Any] = []

    def __enter__(self) -> autocast:
        self._before.append(casting.policy)
        if self.device == "cpu":
            casting.policy = Policy(self.fast_dtype) if self._enabled else None
        return self

    def __exit__(self, *_: object) -> None:
        casting.policy = self._before.pop()

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise errors.autocast_of_value(func)

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return wrapper


def custom_fwd(
    fwd: Callable[..., Any] | None = None,
    *,
    device_type: str,
    cast_inputs: dtype | None = None,
) -> Any:
    """For the `forward` of an `autograd.Function`: have it run as autocast is now.

    With `cast_inputs`, its tensors are cast to that under autocast, and it runs without.
    """
    if not isinstance(device_type, str):
        raise errors.device_type_is_no_string(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    forward = fwd

    @functools.wraps(forward)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        enabled = is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if not enabled or cast_inputs is None:
            return forward(ctx, *args, **kwargs)
        to = as_numpy(cast_inputs)
        with autocast(device_type, enabled=False):
            return forward(ctx, *cast(args, to), **cast(kwargs, to))

    return wrapper


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """For the `backward` of an `autograd.Function`: have it run under the forward's autocast."""
    if not isinstance(device_type, str):
        raise errors.device_type_is_no_string(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    backward = bwd

    @functools.wraps(backward)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, ctx._dtype, enabled=ctx._fwd_used_autocast):
            return backward(ctx, *args, **kwargs)

    return wrapper
