"""Connectionist temporal classification: the likelihood of labels without places."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ...core.array import Array
from ...ops.elementary import exp
from ...ops.index import ARRAY, getitem
from ...ops.join import stack
from ...ops.linear import reshape, sum
from ...ops.reduce import logsumexp
from ...ops.selection import keep, where
from ...torch.calls import on_arrays, raw_of
from ...torch.refusals import refuse
from . import errors
from .reduction import reduced

__all__ = ["ctc_loss"]


def lengths_of(x: Any) -> Any:
    """Lengths, of tensors, tuples or numbers."""
    return numpy.asarray(raw_of(x) if isinstance(x, Array) else x).reshape(-1).astype(int)


def labels_between_blanks(targets: Any, lengths: Any, blank: int) -> Any:
    """The labels (N, 2 S + 1) with a blank before, between and after."""
    n, most = len(lengths), int(lengths.max(initial=0))
    out = numpy.full((n, 2 * most + 1), blank)
    if targets.ndim == 1:
        ends = numpy.cumsum(lengths)
        for i, (end, m) in enumerate(zip(ends, lengths, strict=True)):
            out[i, 1 : 2 * m : 2] = targets[end - m : end]
    else:
        for i, m in enumerate(lengths):
            out[i, 1 : 2 * m : 2] = targets[i, :m]
    return out


def moved(alpha: Any, by: int) -> Any:
    """The likelihoods of `by` states before; none where there are none."""
    states = alpha.shape[1]
    at = numpy.arange(states) - by
    return where(at >= 0, getitem(alpha, numpy.maximum(at, 0), key=(slice(None), ARRAY)), -math.inf)


def likelihoods(logs: Any, labels: Any, times: Any, lengths: Any) -> Any:
    """The logarithms of the likelihoods of labels (N, states), by the forward recursion.

    `logs` (T, N, states) has those of each label at each time.
    """
    states = labels.shape[1]
    state = numpy.arange(states)
    skips = (state % 2 == 1) & (state >= 2)
    skips = skips & (labels != numpy.roll(labels, 2, axis=1))
    begins = (state < 2) & (state <= 2 * lengths[:, None])
    alpha = where(begins, getitem(logs, key=(0,)), -math.inf)
    for t in range(1, logs.shape[0]):
        sources = stack(alpha, moved(alpha, 1), where(skips, moved(alpha, 2), -math.inf), axis=0)
        after = logsumexp(sources, axis=(0,), keepdims=False) + getitem(logs, key=(t,))
        going = t < times
        alpha = after if going.all() else where(going[:, None], after, alpha)
    ends = (state == 2 * lengths[:, None]) | (state == 2 * lengths[:, None] - 1)
    return logsumexp(where(ends, alpha, -math.inf), axis=(1,), keepdims=False)


@on_arrays
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """The negative logarithms of the likelihoods of labels (Graves et al. 2006).

    `log_probs` (T, N, C) or (T, C) are logarithms of probabilities, as `log_softmax` gives them;
    `targets` (N, S), or all one after the other. A mean divides each loss by the number of its
    labels. `zero_infinity` makes infinite losses (fewer times than labels) zero.

    As in PyTorch, the gradient is the one that counts behind `log_softmax`: to what the loss
    gives it adds the probabilities, which `log_softmax` takes away again.
    """
    single = log_probs.ndim == 2
    if single:
        log_probs = reshape(log_probs, to=(log_probs.shape[0], 1, log_probs.shape[1]))
    steps, n, classes = log_probs.shape
    times, lengths = lengths_of(input_lengths), lengths_of(target_lengths)
    labels_given = raw_of(targets)
    if single and labels_given.ndim == 1:
        labels_given = labels_given.reshape(1, -1)
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    if len(times) != n or len(lengths) != n:
        raise errors.lengths_of_batch(n, len(times), len(lengths))
    if times.max(initial=0) > steps:
        raise errors.input_length(int(times.max()), steps)
    labels = labels_between_blanks(labels_given, lengths, blank)
    at = numpy.arange(steps)[:, None, None], numpy.arange(n)[:, None], labels
    logs = getitem(log_probs, *at, key=(ARRAY, ARRAY, ARRAY))
    loss = -likelihoods(logs, labels, times, lengths)
    counted = (numpy.arange(steps)[:, None] < times)[:, :, None]
    total = sum(keep(exp(log_probs), counted), axis=(0, 2), keepdims=False)
    loss = loss + (total - raw_of(total))
    if zero_infinity:
        loss = where(raw_of(loss) == math.inf, 0, loss)
    if single and reduction == "none":
        return reshape(loss, to=())
    if reduction == "mean":
        loss = loss / numpy.maximum(lengths, 1).astype(loss.dtype)
    return reduced(loss, reduction)


refuse(globals(), "ctc_loss_cpu", "half", "ctc_loss")
