"""Dropout: elements, channels or alpha dropout, and activations at random."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from ... import torch
from ...backend import place_of
from ...ops.selection import where
from ...torch import Tensor
from ...torch.calls import in_single, on_arrays, raw_of
from ...torch.inplace import in_place
from ...torch.random import generator_at, uniforms
from ...torch.refusals import lacking, refuse
from . import errors
from .activations import leaky_relu
from .arguments import tensor

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
    "rrelu",
    "rrelu_",
]

Shape = tuple[int, ...]


NO_CAST = "result type Float can't be cast to the desired output type {kind}"


def check_probability(p: float) -> None:
    """Raise for what is no probability."""
    if not 0 <= p <= 1:
        raise errors.bad_probability(p)


def kept(shape: Shape, p: float, x: Any) -> Any:
    """Which elements of `x` are kept, at random."""
    single = numpy.dtype(numpy.float32)
    dtype = single if x.dtype.itemsize <= 8 else numpy.dtype(float)
    return uniforms(shape, dtype, generator_at(place_of(raw_of(x)))) >= p


def thinned(x: Any, shape: Shape, p: float) -> Any:
    """`x` with some of its elements zero, the others over ``1 - p``; `shape` broadcasts to it."""
    if p == 1:
        return x * x.dtype.type(0)
    lacking(NO_CAST, "bool integer", x)
    lacking("bernoulli_scalar_cpu_", "complex", x)
    mask = kept(shape, p, x)
    return x * (mask * x.dtype.type(1 / (1 - p))).astype(x.dtype)


dropped = on_arrays(thinned)


@on_arrays
@in_single
def alpha_dropped(x: Any, shape: Shape, p: float) -> Any:
    """`x` with some elements at the lower end of `selu`, mapped to mean 0 and variance 1."""
    if p == 1:
        return x * x.dtype.type(0)
    lacking(NO_CAST, "bool integer", x)
    lacking("bernoulli_scalar_cpu_", "complex", x)
    low = -1.7580993408473766
    scale = 1 / math.sqrt((low * low * p + 1) * (1 - p))
    mask = kept(shape, p, x)
    return where(mask, x * scale - low * p * scale, x.dtype.type(low * scale - low * p * scale))


def changed(function: Callable[..., Any], name: str) -> Callable[..., Tensor]:
    """A dropout of tensors, in place if asked for."""
    writing = in_place(function, f"{name}_")

    def apply(input: Tensor, shape: Shape, p: float, inplace: bool) -> Tensor:
        result: Tensor = (writing if inplace else function)(input, shape, p)
        return result

    return apply


drop = changed(dropped, "dropout")
alpha_drop = changed(alpha_dropped, "alpha_dropout")


def unchanged(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor | None:
    """The input where nothing is dropped, else None."""
    check_probability(p)
    if training and p and input.raw.size:
        return None
    return input if inplace or not training else torch.clone(input)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to zero with probability `p`, the others over ``1 - p``."""
    input = tensor(input)
    same = unchanged(input, p, training, inplace)
    return drop(input, input.raw.shape, p, inplace) if same is None else same


def of_channels(shape: Shape) -> Shape:
    """A shape with one element a channel of (N, C, ...)."""
    return (*shape[:2], *(1,) * (len(shape) - 2))


def channels(n: int) -> Callable[..., Tensor]:
    """`dropout1d` and so on."""
    name = f"dropout{n}d"

    def function(
        input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
    ) -> Tensor:
        check_probability(p)
        input = tensor(input)
        rank = input.raw.ndim
        if rank not in (n + 1, n + 2):
            warnings.warn(errors.dropped_axes(name, rank, n), stacklevel=2)
        same = unchanged(input, p, training, inplace)
        if same is not None:
            return same
        shape = input.raw.shape
        without = rank == n + 1 and n != 2  # PyTorch takes three axes of two for a batch
        own = (shape[0], *(1,) * (rank - 1)) if without else of_channels(shape)
        return drop(input, own, p, inplace)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Whole channels of {n} axes set to zero with probability `p`, the others over ``1 - p``."
    )
    return function


dropout1d = channels(1)
dropout2d = channels(2)
dropout3d = channels(3)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps mean 0 and variance 1 of what `selu` gives."""
    input = tensor(input)
    same = unchanged(input, p, training, inplace)
    return alpha_drop(input, input.raw.shape, p, inplace) if same is None else same


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels of (N, C, ...)."""
    input = tensor(input)
    same = unchanged(input, p, training, inplace)
    if same is not None:
        return same
    return alpha_drop(input, of_channels(input.raw.shape), p, inplace)


def rrelu(
    input: Tensor,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """`leaky_relu` with slopes drawn between two numbers; with their mean if not training."""
    if lower > upper:
        raise errors.bad_slopes(lower, upper)
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace=inplace)
    return random_in_place(input, lower, upper) if inplace else random_slopes(input, lower, upper)


@on_arrays
@in_single
def random_slopes(x: Any, lower: float, upper: float) -> Any:
    """`x` where it is positive, else `x` times a random slope."""
    source = generator_at(place_of(raw_of(x)))
    drawn = uniforms(x.shape, x.dtype, source) * (upper - lower) + lower
    return x * where(raw_of(x) > 0, x.dtype.type(1), drawn.astype(x.dtype))


random_in_place = in_place(random_slopes, "rrelu_")


def rrelu_(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False
) -> Tensor:
    """`rrelu` in place."""
    return rrelu(input, lower, upper, training, inplace=True)


refuse(globals(), "rrelu_with_noise_out_cpu", "bool integer float16 complex", "random_slopes")
