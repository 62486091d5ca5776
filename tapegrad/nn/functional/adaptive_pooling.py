"""Pooling to a given size, with windows of unequal lengths or at random places."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

import numpy

from ...numpy.reading import known
from ...ops.index import ARRAY, getitem
from ...ops.join import stack
from ...ops.linear import reshape
from ...ops.locate import argmax
from ...ops.neural.pooling import sum_pool
from ...ops.sort import take_along
from ...ops.transfer import beside
from ...torch import Tensor
from ...torch.calls import in_single, on_arrays, raw_of
from ...torch.random import uniforms
from ...torch.refusals import refuse
from ...torch.resampling import along_axis
from . import errors
from .sizes import Ints, batched, each, unbatched

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
]

Function = Callable[..., Any]


def wanted(size: Any, lengths: Any, name: str) -> Ints:
    """The lengths of the result's axes; None keeps one."""
    n = len(lengths)
    sizes = (size,) * n if size is None or isinstance(size, int) else tuple(size)
    if len(sizes) != n:
        raise errors.adaptive_size(name, n, sizes)
    return tuple(m if s is None else int(s) for s, m in zip(sizes, lengths, strict=True))


def windows(n: int, m: int) -> tuple[Any, Any]:
    """Where the `m` windows on `n` elements begin and end."""
    at = numpy.arange(m)
    return at * n // m, -((at + 1) * -n // m)


def mean_of_windows(x: Any, to: Ints) -> Any:
    """The means of windows that cover the last axes evenly."""
    lengths = x.shape[x.ndim - len(to) :]
    if all(m and n % m == 0 for n, m in zip(lengths, to, strict=True)):
        kernel = tuple(n // m for n, m in zip(lengths, to, strict=True))
        zeros = (0,) * len(to)
        total = sum_pool(x, kernel=kernel, stride=kernel, padding=zeros, to=to)
        return total / prod(kernel)
    for a, (n, m) in enumerate(zip(lengths, to, strict=True)):
        start, end = windows(n, m)
        at = numpy.arange(n)
        matrix = (at >= start[:, None]) & (at < end[:, None])
        weights = (matrix / numpy.maximum(end - start, 1)[:, None]).astype(x.dtype)
        x = along_axis(x, weights, x.ndim - len(to) + a)
    return x


def adaptive_means(n: int) -> Function:
    """`adaptive_avg_pool1d` and so on."""
    name = f"adaptive_avg_pool{n}d"

    @on_arrays
    @in_single
    def function(input: Any, output_size: Any) -> Any:
        x, added = batched(input, n, name)
        to = wanted(output_size, x.shape[2:], name)
        if min(to) < 0:
            raise errors.adaptive_size(name, n, to)
        return unbatched(mean_of_windows(x, to), added)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The means of windows that cover {n} axes, to a result of a given size."
    return function


adaptive_avg_pool1d = adaptive_means(1)
adaptive_avg_pool2d = adaptive_means(2)
adaptive_avg_pool3d = adaptive_means(3)


def places_of_maxima(x: Any, to: Ints) -> Any:
    """Where the maxima of windows are in the last axes taken as flat."""
    lead, lengths = x.shape[:2], x.shape[2:]
    edges = [windows(n, m) for n, m in zip(lengths, to, strict=True)]
    flat = numpy.arange(prod(lengths)).reshape(lengths)
    found = []
    for spot in product(*map(range, to)):
        part = tuple(slice(int(e[0][i]), int(e[1][i])) for e, i in zip(edges, spot, strict=True))
        inside = flat[part].reshape(-1)
        values = reshape(getitem(x, key=(Ellipsis, *part)), to=(*lead, inside.size))
        best = argmax(values, axis=2, keepdims=False)
        found.append(getitem(beside(inside, x), best, key=(ARRAY,)))
    return reshape(stack(*found, axis=2), to=(*lead, *to))


def picked(x: Any, places: Any) -> Any:
    """The elements of images at flat places."""
    lead = x.shape[:2]
    flat = reshape(x, to=(*lead, prod(x.shape[2:])))
    values = take_along(flat, reshape(places, to=(*lead, prod(places.shape[2:]))), axis=2)
    return reshape(values, to=places.shape)


def with_or_without(both: Function, name: str, doc: str) -> tuple[Function, Function]:
    """The functions that give values, or values and places."""

    def function(
        input: Tensor, output_size: Any = None, return_indices: bool = False, **options: Any
    ) -> Any:
        values, places = both(input, output_size, **options)
        return (values, places) if return_indices else values

    def with_indices(
        input: Tensor, output_size: Any = None, return_indices: bool = False, **options: Any
    ) -> Any:
        return both(input, output_size, **options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    vars(function).update(vars(both))
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    with_indices.__doc__ = f"`{name}` with the places of the maxima, in an image taken as flat."
    return function, with_indices


def adaptive_maxima(n: int) -> tuple[Function, Function]:
    """`adaptive_max_pool1d` and so on."""
    name = f"adaptive_max_pool{n}d"

    @on_arrays
    def both(input: Any, output_size: Any) -> Any:
        x, added = batched(input, n, name)
        to = wanted(output_size, x.shape[2:], name)
        if 0 in x.shape[1:]:
            raise errors.adaptive_empty(name, input.shape)
        places = places_of_maxima(raw_of(x), to)
        return unbatched(picked(x, places), added), unbatched(places, added)

    both.__name__ = name
    return with_or_without(
        both, name, f"The maxima of windows that cover {n} axes, to a result of a given size."
    )


def known_values(x: Any, name: str) -> Any:
    """The data that places depend on; mapped values have none."""
    return known(x, name) if hasattr(x, "raw") else x


adaptive_max_pool1d, adaptive_max_pool1d_with_indices = adaptive_maxima(1)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices = adaptive_maxima(2)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices = adaptive_maxima(3)


def starts_of(samples: Any, n: int, k: int, m: int) -> Any:
    """Where random windows of `k` of `n` elements begin (N, C, m), from numbers (N, C)."""
    if m == 1:
        return numpy.full((*samples.shape, 1), n - k)
    alpha = (n - k) / (m - 1)
    at = numpy.arange(m - 1)
    shift = samples[..., None]
    inner = numpy.floor((at + shift) * alpha) - numpy.floor(shift * alpha)
    last = numpy.full((*samples.shape, 1), n - k)
    return numpy.concatenate([inner.astype(numpy.int64), last], -1)


def fractional(n: int) -> tuple[Function, Function]:
    """`fractional_max_pool2d` and `fractional_max_pool3d`."""
    name = f"fractional_max_pool{n}d"

    @on_arrays
    def both(
        input: Any,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        random_samples: Any = None,
    ) -> Any:
        x, added = batched(input, n, name)
        kernel = each(kernel_size, n, "kernel_size", name)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if output_size is None:
            ratios = (output_ratio,) * n if isinstance(output_ratio, float) else output_ratio
            to = tuple(int(m * r) for m, r in zip(x.shape[2:], ratios, strict=True))
        else:
            to = each(output_size, n, "output_size", name)
        for m, k, o in zip(x.shape[2:], kernel, to, strict=True):
            if o + k - 1 > m:
                raise errors.fractional_size(name, o, k, m)
        if random_samples is None:
            samples = uniforms((*x.shape[:2], n), x.dtype, None)
        else:
            given = raw_of(random_samples)[: x.shape[0]]
            samples = numpy.broadcast_to(given, (*x.shape[:2], n))
        values = known_values(x, name)
        order = range(n) if n == 3 else (1, 0)  # the first sample is of the width, of two axes
        axes = zip(order, x.shape[2:], kernel, to, strict=True)
        edges = [starts_of(samples[..., i], m, k, o) for i, m, k, o in axes]
        best: Any = None
        places: Any = None
        flat = values.reshape(*x.shape[:2], prod(x.shape[2:]))
        for spot in product(*map(range, kernel)):
            place: Any = 0
            for a, (at, j, m) in enumerate(zip(edges, spot, x.shape[2:], strict=True)):
                ones = (1,) * (n - a - 1)
                here = (at + j).reshape(*x.shape[:2], *(1,) * a, to[a], *ones)
                place = place * m + here
            part = numpy.take_along_axis(flat, place.reshape(*x.shape[:2], prod(to)), 2)
            part = part.reshape(place.shape)
            if best is None:
                best, places = part, place
            else:
                better = part > best
                places = numpy.where(better, place, places)
                best = numpy.where(better, part, best)
        return unbatched(picked(x, places), added), unbatched(places, added)

    both.__name__ = name

    def function(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> Any:
        values, places = both(input, kernel_size, output_size, output_ratio, _random_samples)
        return (values, places) if return_indices else values

    def with_indices(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> Any:
        return both(input, kernel_size, output_size, output_ratio, _random_samples)

    vars(function).update(vars(both))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The maxima of windows of {n} axes at random places (Graham's fractional pooling).\n\n"
        "The result has the size `output_size`, or the part `output_ratio` of the input's."
    )
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    with_indices.__doc__ = f"`{name}` with the places of the maxima, in an image taken as flat."
    return function, with_indices


fractional_max_pool2d, fractional_max_pool2d_with_indices = fractional(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices = fractional(3)

refuse(
    globals(),
    "adaptive_avg_pool2d",
    "bool integer complex",
    "adaptive_avg_pool1d adaptive_avg_pool2d",
)
refuse(globals(), "adaptive_avg_pool3d_cpu", "bool integer complex", "adaptive_avg_pool3d")
refuse(
    globals(),
    "adaptive_max_pool2d",
    "bool integer complex",
    "adaptive_max_pool1d adaptive_max_pool2d",
)
refuse(globals(), "adaptive_max_pool3d_cpu", "bool integer complex", "adaptive_max_pool3d")
refuse(
    globals(), "check_uniform_bounds", "bool integer", "fractional_max_pool2d fractional_max_pool3d"
)
refuse(globals(), "{name}_out_frame", "complex", "fractional_max_pool2d fractional_max_pool3d")
