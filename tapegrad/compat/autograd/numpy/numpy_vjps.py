"""What rules for functions of one's own do with cotangents of broadcast inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .... import numpy as np


def unbroadcast(x: Any, like: Any) -> Any:
    """A cotangent, summed over the axes along which its input was broadcast; and its real part, if
    the input is real.

    `like` is the input, or what `metadata` says of it.
    """
    shape, is_complex = (np.shape(like), np.iscomplexobj(like))
    extra = np.ndim(x) - len(shape)
    repeated = tuple(i + extra for i, n in enumerate(shape) if n == 1)
    axes = (*range(extra), *(i for i in repeated if np.shape(x)[i] != 1))
    if axes:
        x = np.reshape(np.sum(x, axis=axes), shape)
    return x if is_complex or not np.iscomplexobj(x) else np.real(x)


def unbroadcast_f(target: Any, f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function `f` of a cotangent, its result fitted to the input `target`."""
    return lambda g: unbroadcast(f(g), target)
