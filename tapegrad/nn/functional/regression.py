"""Losses of predicted numbers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

from ...backend import on_device
from ...core.op import table
from ...ops.arithmetic import square
from ...ops.complex import abs
from ...ops.elementary import exp, log
from ...ops.huber import huber
from ...ops.linear import sum
from ...ops.selection import maximum, where
from ...torch import Tensor
from ...torch.calls import NUMBERS, in_wide, on_arrays, promoted, quickly, raw_of
from ...torch.reductions import ALL_AXES, fast_mean
from ...torch.refusals import lacking, refuse
from . import errors
from .reduction import check_sizes, chosen, reduced

__all__ = [
    "gaussian_nll_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
]


def weighted(loss: Any, weight: Any, reduction: str) -> Any:
    """The reduction of a loss with a weight for each element; a mean divides by their sum."""
    if weight is None:
        return reduced(loss, reduction)
    if weight.shape != loss.shape:
        raise ValueError("Inputs and weights must have the same size.")
    total = loss * weight
    if reduction != "mean":
        return reduced(total, reduction)
    axis = tuple(range(total.ndim))
    return sum(total, axis=axis, keepdims=False) / sum(weight, axis=axis, keepdims=False)


def usual_mean(
    input: Any, target: Any, *others: Any, reduction: str = "mean", **options: Any
) -> Any:
    """`mse_loss` of floating-point tensors of one shape; None if there is more to it."""
    if others or options or reduction != "mean" or not (type(input) is type(target) is Tensor):
        return None
    x, y = input.raw, target.raw
    if x.shape != y.shape or x.dtype is not y.dtype or x.dtype.char not in "fd" or not x.size:
        return None
    return fast_mean((input - target).square(), axis=ALL_AXES[x.ndim], keepdims=False)


@quickly(usual_mean)
@on_arrays
def mse_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The squares of the differences."""
    check_sizes(input, target)
    input, target = promoted(input, target)
    loss = square(input - target)
    return weighted(loss, weight, chosen(reduction, size_average, reduce))


NO_MEAN = (
    "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
    "dtype. Got: {kind}"
)


@on_arrays
def l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The sizes of the differences."""
    check_sizes(input, target)
    input, target = promoted(input, target)
    how = chosen(reduction, size_average, reduce)
    if how == "mean":
        lacking(NO_MEAN, "integer", input)
    return weighted(abs(input - target), weight, how)


@on_arrays
@in_wide
def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """Squares over ``2 * beta`` of differences below `beta`, sizes less ``beta / 2`` above."""
    check_sizes(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    input, target = promoted(input, target)
    d = input - target
    loss = huber(float(beta), d) * (1 / beta) if beta else abs(d)
    return reduced(loss, chosen(reduction, size_average, reduce))


@on_arrays
@in_wide
def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """Half the squares of differences below `delta`, and the lines that go on from there."""
    check_sizes(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    input, target = promoted(input, target)
    return weighted(huber(float(delta), input - target), weight, reduction)


@on_arrays
def kl_div(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """``target * (log(target) - input)``, for log-probabilities `input`.

    `reduction="batchmean"` divides the sum by the number of rows, which is the divergence.
    """
    reduction = chosen(reduction, size_average, reduce)
    if reduction == "mean":
        warnings.warn(errors.MEAN_OF_DIVERGENCE, stacklevel=3)
    input, target = promoted(input, target)
    if log_target:
        loss = exp(target) * (target - input)
    else:
        zero = raw_of(target) == 0
        loss = where(zero, 0, target * log(where(zero, 1, target)))  # NaN below zero
        loss = loss - target * input
    if reduction == "batchmean":
        total = reduced(loss, "sum")
        return total / input.shape[0] if input.ndim else total
    return reduced(loss, reduction)


@on_arrays
@in_wide
def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The negative log-likelihood of Poisson's distribution, without its constant unless `full`."""
    input, target = promoted(input, target, to_float=True)
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        large = raw_of(target) > 1
        safe = where(large, target, 1)
        stirling = safe * log(safe) - safe + log(safe * (2 * math.pi)) * 0.5
        loss = loss + where(large, stirling, 0)
    return reduced(loss, chosen(reduction, size_average, reduce))


@on_arrays
@in_wide
def gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """The negative log-likelihood of normal distributions, without its constant unless `full`.

    Variances below `eps` count as `eps`, with a gradient as if they did not.
    """
    if type(var) in NUMBERS:
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = numpy.full(input.shape, var, input.dtype)
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = table["reshape"].function(var, to=(*var.shape, 1))
        elif not (input.ndim == var.ndim and numpy.prod(var.shape) and broadcasts(var, input)):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    raw = raw_of(var)
    if not on_device(raw) and (raw < 0).any():
        raise ValueError("var has negative entry/entries")
    lifted = var + (maximum(raw, eps) - raw).astype(var.dtype)[()]
    loss = (log(lifted) + square(input - target) / lifted) * 0.5
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def broadcasts(var: Any, input: Any) -> bool:
    """Whether one variance stands for each line of the last axis, or for each batch."""
    return all(m in (1, n) for n, m in zip(input.shape, var.shape, strict=True))


refuse(globals(), "mse_cpu", "bool integer complex", "mse_loss")
refuse(globals(), "huber_cpu", "bool integer complex", "huber_loss")
refuse(globals(), "smooth_l1_cpu", "bool integer complex", "smooth_l1_loss")
refuse(globals(), "kl_div: Integral inputs not supported.", "bool integer", "kl_div")
refuse(globals(), "kl_div: Complex inputs not supported.", "complex", "kl_div")
refuse(globals(), "le_cpu", "complex", "poisson_nll_loss")
refuse(globals(), "lt_cpu", "complex", "gaussian_nll_loss")
