"""Distributions of an axis: `softmax`, `softmin`, `log_softmax`, and samples of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from ... import torch
from ...backend import place_of
from ...ops.elementary import log, log1p
from ...ops.fused import fused
from ...ops.selection import maximum
from ...torch import Tensor
from ...torch.dtypes import dtype
from ...torch.random import generator_at, uniforms
from ...torch.tensor import wrap
from . import errors
from .arguments import tensor

__all__ = ["gumbel_softmax", "log_softmax", "softmax", "softmin"]


def implicit(name: str, n: int) -> int:
    """The axis that PyTorch takes where none is named."""
    warnings.warn(errors.implicit_axis(name), UserWarning, stacklevel=3)
    return 0 if n in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """Exponentials divided by their sum along the axis `dim`."""
    input = tensor(input)
    if dim is None:
        dim = implicit("softmax", input.raw.ndim)
    return torch.softmax(input, dim, dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """`softmax` of ``-input``."""
    input = tensor(input)
    if dim is None:
        dim = implicit("softmin", input.raw.ndim)
    return torch.softmax(torch.neg(input), dim, dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """The logarithm of `softmax`, exact for elements far apart."""
    input = tensor(input)
    if dim is None:
        dim = implicit("log_softmax", input.raw.ndim)
    return torch.log_softmax(input, dim, dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample of the categorical distribution of logits, relaxed so that it has a gradient.

    If `hard`, the sample is one-hot, with the gradient of the relaxed one. `eps` is without effect.
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    source = generator_at(place_of(logits.raw))
    drawn = uniforms(logits.raw.shape, logits.raw.dtype, source)
    smallest = float(numpy.finfo(drawn.dtype).tiny)
    noise = fused(lambda u, tiny: -log(-log1p(-maximum(u, tiny))), drawn, smallest)
    noisy: Any = torch.add(logits, wrap(noise))
    soft: Any = torch.softmax(noisy / tau, dim)
    if not hard:
        return soft
    index = torch.argmax(soft, dim, keepdim=True)
    one_hot: Any = torch.zeros_like(logits).scatter(dim, index, 1.0)
    return one_hot - soft.detach() + soft
