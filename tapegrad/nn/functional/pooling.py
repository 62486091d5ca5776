"""Pooling: means, norms and maxima of windows, and what puts maxima back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from ...core.array import Array
from ...ops.linear import reshape
from ...ops.neural.pooling import max_pool, max_pool_index, sum_pool
from ...ops.selection import where
from ...ops.sort import put_along
from ...ops.transfer import beside
from ...torch import Tensor
from ...torch.calls import cast, on_arrays, raw_of
from ...torch.refusals import refuse
from . import errors
from .sizes import Ints, batched, each, unbatched

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

Function = Callable[..., Any]


def steps_of(stride: Any, kernel: Ints, n: int, name: str) -> Ints:
    """The steps from window to window: by default, their lengths."""
    if stride is None or stride == [] or stride == ():
        return kernel
    return each(stride, n, "stride", name)


def counts(
    lengths: Any, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil: bool
) -> Ints:
    """How many windows there are along each axis.

    If `ceil`, a window may reach over the end, but begins inside (or in the padding before).
    """
    out = []
    for n, k, s, p, d in zip(lengths, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        many = (-(-room // s) if ceil else room // s) + 1
        if ceil and (many - 1) * s >= n + p:
            many -= 1
        out.append(many)
    return tuple(out)


def check_windows(x: Any, kernel: Ints, stride: Ints, padding: Ints, to: Ints, name: str) -> None:
    """Raise for windows that are none."""
    if min(kernel) <= 0:
        raise RuntimeError(f"{name}: kernel size should be greater than zero, but got {kernel}")
    if min(stride) <= 0:
        raise RuntimeError(f"{name}: stride should be greater than zero, but got {stride}")
    if min(padding) < 0:
        raise RuntimeError(f"{name}: pad must be non-negative, but got pad: {min(padding)}")
    for k, p in zip(kernel, padding, strict=True):
        if 2 * p > k:
            raise errors.pooled_padding(p, k)
    if min(to) <= 0:
        raise errors.pooled_size(x.shape, to)


def maxima(n: int) -> tuple[Function, Function, Function]:
    """`max_pool1d` and so on: with indices or without, with them, and the core's part."""
    name = f"max_pool{n}d"

    @on_arrays
    def both(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        indices: bool = True,
    ) -> Any:
        x, added = batched(input, n, name)
        kernel = each(kernel_size, n, "kernel_size", name)
        params = {
            "stride": steps_of(stride, kernel, n, name),
            "padding": each(padding, n, "padding", name),
            "dilation": each(dilation, n, "dilation", name),
        }
        to = counts(x.shape[2:], kernel, **params, ceil=ceil_mode)
        check_windows(x, kernel, params["stride"], params["padding"], to, name)
        values = unbatched(max_pool(x, kernel=kernel, to=to, **params), added)
        if type(values) is Array and values.slot:  # its entry keeps the maxima, and it may be
            values.raw = values.raw.copy()  # written into, as by an activation in place
        if not indices:
            return values
        places = max_pool_index(x, kernel=kernel, to=to, **params)
        return values, unbatched(places, added)

    both.__name__ = name

    def function(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        return both(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)

    def with_indices(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        return both(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The maxima of windows of {n} axes of images (N, C, ...), and at times where they are.\n\n"
        "Of equal elements of a window the first one counts. Padding is below every element."
    )
    refuse({name: both}, "max_pool3d" if n == 3 else "max_pool2d", "bool complex", name)
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    with_indices.__doc__ = f"`{name}` with the places of the maxima, in an image taken as flat."
    return function, with_indices, both


max_pool1d, max_pool1d_with_indices, _ = maxima(1)
max_pool2d, max_pool2d_with_indices, _ = maxima(2)
max_pool3d, max_pool3d_with_indices, _ = maxima(3)


def divisors(
    lengths: Any, kernel: Ints, stride: Ints, padding: Ints, to: Ints, include: bool
) -> Any:
    """How many elements each mean is of; those of the padding are counted if `include`."""
    total: Any = 1
    for a, (n, k, s, p, m) in enumerate(zip(lengths, kernel, stride, padding, to, strict=True)):
        start = numpy.arange(m) * s - p
        end = numpy.minimum(start + k, n + p)
        if not include:
            start, end = numpy.maximum(start, 0), numpy.minimum(end, n)
        total = total * (end - start).reshape(-1, *(1,) * (len(to) - a - 1))
    return total


def means(n: int) -> Function:
    """`avg_pool1d` and so on."""
    name = f"avg_pool{n}d"

    @on_arrays
    def function(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        x, added = batched(input, n, name)
        kernel = each(kernel_size, n, "kernel_size", name)
        params = {
            "stride": steps_of(stride, kernel, n, name),
            "padding": each(padding, n, "padding", name),
        }
        to = counts(x.shape[2:], kernel, **params, dilation=(1,) * n, ceil=ceil_mode)
        check_windows(x, kernel, **params, to=to, name=name)
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        total = sum_pool(x, kernel=kernel, to=to, **params)
        if divisor_override is not None:
            number: Any = divisor_override
        elif not ceil_mode and (count_include_pad or not any(params["padding"])):
            number = math.prod(kernel)
        else:
            number = divisors(x.shape[2:], kernel, **params, to=to, include=count_include_pad)
            number = beside(number.astype(x.dtype), x)
        return unbatched(cast(total / number, x.dtype), added)  # integers towards 0

    def shorter(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> Any:
        return function(input, kernel_size, stride, padding, ceil_mode, count_include_pad)

    public = shorter if n == 1 else function
    vars(public).update(vars(function))
    public.__name__ = public.__qualname__ = name
    public.__doc__ = (
        f"The means of windows of {n} axes of images (N, C, ...).\n\n"
        "Padding counts as zeros, or (`count_include_pad=False`) not at all; `ceil_mode` lets "
        "windows reach over the end."
    )
    return public


avg_pool1d = means(1)
avg_pool2d = means(2)
avg_pool3d = means(3)


def norms(n: int) -> Function:
    """`lp_pool1d` and so on."""
    name = f"lp_pool{n}d"

    @on_arrays
    def function(
        input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Any:
        x, added = batched(input, n, name)
        kernel = each(kernel_size, n, "kernel_size", name)
        zeros = (0,) * n
        params = {"stride": steps_of(stride, kernel, n, name), "padding": zeros}
        to = counts(x.shape[2:], kernel, **params, dilation=(1,) * n, ceil=ceil_mode)
        check_windows(x, kernel, **params, to=to, name=name)
        total = sum_pool(x**norm_type, kernel=kernel, to=to, **params)
        if ceil_mode:  # the mean of what is inside counts for the whole window
            inside = divisors(x.shape[2:], kernel, **params, to=to, include=True)
            total = total * (math.prod(kernel) / inside).astype(x.dtype)
        positive = ~(raw_of(total) <= 0)  # a NaN stays one
        root = where(positive, where(positive, total, 1) ** (1 / norm_type), 0)
        return unbatched(root, added)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The `norm_type`-norms of windows of {n} axes; 0 where the sum is not above."
    )
    return function


lp_pool1d = norms(1)
lp_pool2d = norms(2)
lp_pool3d = norms(3)


def unpooling(n: int) -> Function:
    """`max_unpool1d` and so on."""
    name = f"max_unpool{n}d"

    @on_arrays
    def function(
        input: Any,
        indices: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        output_size: Any = None,
    ) -> Any:
        x, added = batched(input, n, name)
        if indices.shape != input.shape:
            raise errors.unpooled_indices(input.shape, indices.shape)
        kernel = each(kernel_size, n, "kernel_size", name)
        stride = steps_of(stride, kernel, n, name)
        pads = each(padding, n, "padding", name)
        axes = zip(x.shape[2:], stride, kernel, pads, strict=True)
        to = tuple((m - 1) * s + k - 2 * p for m, s, k, p in axes)
        if output_size is not None:
            given = tuple(output_size)[-n:]
            if any(abs(a - b) >= s for a, b, s in zip(given, to, stride, strict=True)):
                raise errors.unpooled_size(given, to, stride)
            to = given
        lead, size = x.shape[:2], math.prod(to)
        flat = reshape(x, to=(*lead, math.prod(x.shape[2:])))
        places = reshape(indices, to=flat.shape)
        values = raw_of(places)
        if values.size and (values.min() < 0 or values.max() >= size):
            raise errors.unpooled_place(values, to)
        out = put_along(flat, places, axis=2, once=True, to=(*lead, size))
        return unbatched(reshape(out, to=(*lead, *to)), added)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Zeros with the maxima that `max_pool{n}d` gave where they were.\n\n"
        "Where several maxima were one element, it is written once; each of them has its gradient."
    )
    return function


max_unpool1d = unpooling(1)
max_unpool2d = unpooling(2)
max_unpool3d = unpooling(3)

refuse(globals(), "avg_pool2d", "bool uint8 int8 int16 int32 complex", "avg_pool1d avg_pool2d")
refuse(globals(), "avg_pool3d_out_frame", "bool uint8 half complex", "avg_pool3d")
refuse(globals(), "max_unpool2d", "bool integer complex", "max_unpool1d max_unpool2d")
refuse(globals(), "max_unpool3d", "bool integer complex", "max_unpool3d")
