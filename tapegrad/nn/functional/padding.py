"""Padding: by a constant, by what is beside an edge, or by the other side."""

from __future__ import annotations

from typing import Any

import numpy

from ...core.op import table
from ...ops.index import ARRAY, getitem
from ...ops.index import scatter_add as scattered
from ...ops.selection import where
from ...ops.transfer import beside
from ...torch import Tensor
from ...torch.calls import on_arrays
from ...torch.casting import asking
from ...torch.refusals import lacking
from . import errors
from .arguments import tensor

__all__ = ["pad"]


def cropped(x: Any, widths: list[tuple[int, int]]) -> Any:
    """`x` without the elements that negative widths say, of its last axes."""
    lead = x.ndim - len(widths)
    lengths = x.shape[lead:]
    key = tuple(slice(max(-a, 0), n + min(b, 0)) for n, (a, b) in zip(lengths, widths, strict=True))
    if all(k == slice(0, n) for k, n in zip(key, lengths, strict=True)):
        return x
    return getitem(x, key=(Ellipsis, *key))


def surrounded(x: Any, widths: list[tuple[int, int]], value: Any) -> Any:
    """`x` with its last axes begun and ended by a constant; negative widths cut off."""
    lead = x.ndim - len(widths)
    total = [n + a + b for n, (a, b) in zip(x.shape[lead:], widths, strict=True)]
    if min(total, default=0) < 0:
        raise errors.negative_length(x.shape, widths)
    x = cropped(x, widths)
    to = (*x.shape[:lead], *total)
    if to == x.shape:
        return table["identity"].function(x)
    key = tuple(
        slice(max(a, 0), max(a, 0) + n) for n, (a, _) in zip(x.shape[lead:], widths, strict=True)
    )
    if x.dtype.kind == "b":
        inside = scattered(x.astype(numpy.uint8), key=(Ellipsis, *key), to=to) != 0
        return inside | beside(outside(to, key), x) if value else inside
    out = scattered(x, key=(Ellipsis, *key), to=to)
    return where(beside(outside(to, key), x), x.dtype.type(value), out) if value else out


def outside(to: tuple[int, ...], key: tuple[slice, ...]) -> Any:
    """Where a padded array has padding."""
    mask: Any = numpy.ones(to, bool)
    mask[(Ellipsis, *key)] = False
    return mask


def places(n: int, a: int, b: int, mode: str) -> Any:
    """For each element of a padded axis, the one that it repeats."""
    if mode == "circular":  # of what is left once negative widths cut off
        low = max(-a, 0)
        left = n - low + min(b, 0)
        return low + numpy.arange(-max(a, 0), left + max(b, 0)) % left
    at = numpy.arange(-a, n + b)
    if mode == "reflect":
        period = 2 * (n - 1) or 1
        return numpy.abs((at + n - 1) % period - (n - 1))
    return numpy.clip(at, 0, n - 1)


@on_arrays
def repeated(x: Any, widths: list[tuple[int, int]], mode: str) -> Any:
    """`x` with its last axes padded by elements of its own."""
    lead = x.ndim - len(widths)
    for axis, (a, b) in enumerate(widths):
        if a or b:
            index = beside(places(x.shape[lead + axis], a, b, mode), x)
            x = getitem(x, index, key=(*(slice(None),) * (lead + axis), ARRAY))
    return x


constant = on_arrays(surrounded)


KERNELS = {"reflect": "reflection", "replicate": "replication"}
"""How PyTorch's begin."""


@asking
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """`input` with its last axes begun and ended by more elements.

    `pad` holds the widths of the last axis, then those of the one before, and so on: ``(left,
    right, top, bottom, ...)``. `mode` is `"constant"`, `"reflect"`, `"replicate"` or `"circular"`,
    which need widths for all axes but the first two (or one).
    """
    input = tensor(input)
    widths = tuple(int(w) for w in pad)
    shape = input.raw.shape
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(widths) // 2 > len(shape):
        raise errors.too_many_widths(len(widths), len(shape))
    pairs = [*zip(widths[::2], widths[1::2], strict=True)][::-1]
    if mode == "constant":
        return constant(input, pairs, value or 0)
    if value is not None and value != 0:
        raise errors.value_of_mode(mode)
    if mode not in ("reflect", "replicate", "circular"):
        raise errors.unknown_mode(mode)
    n = len(pairs)
    if len(shape) not in (n + 1, n + 2):
        raise errors.widths_of_mode(len(shape), mode)
    lengths = shape[len(shape) - n :]
    for axis, ((a, b), m) in enumerate(zip(pairs, lengths, strict=True)):
        if mode == "reflect" and max(a, b) >= m:
            raise errors.too_wide("reflect", len(shape) - n + axis, (a, b), shape)
        if mode == "circular" and max(a, b) > m:
            raise errors.wraps_twice()
        if mode == "replicate" and not m:
            raise errors.nothing_to_repeat(shape)
        if m + a + b < (0 if mode == "circular" else 1):
            raise errors.negative_length(shape, pairs)
    if mode != "circular":
        lacking(f"{KERNELS[mode]}_pad{n}d", "bool", input)
    return repeated(input, pairs, mode)
