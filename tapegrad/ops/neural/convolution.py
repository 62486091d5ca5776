"""Convolution as networks have it (a correlation), of any number of axes, with its two transposes.

The three operations are the three ways to contract images (N, C, ...), kernels (O, C / groups, ...)
and results (N, O, ...) with one another; so each one's rules are the two others. Images are taken
apart into columns, which a product of matrices combines with the kernels, a few images at a time:
what is between stays in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from numpy import ndarray

from ...core.op import Op
from ..blocks import LARGE
from ..define import Function, define
from ..index import getitem
from ..linear import broadcast_to, permute_dims, reshape, sum
from ..native import native
from ..samples import Sample, complex_normal, normal
from .windows import Columns, Layout, parts

Ints = tuple[int, ...]
FEW = 64
"""Images with fewer places than this are put side by side: many small products waste time."""


def _kernels(xp: Any, w: Any, groups: int) -> Any:
    """The kernels as matrices (groups, O / groups, elements of a column).

    A column has a channel's elements in the order (channel, *axes but the last, last).
    """
    return xp.reshape(w, (groups, w.shape[0] // groups, prod(w.shape[1:])))


def _side_by_side(xp: Any, matrices: Any) -> Any:
    """The matrices of images (n, groups, rows, places) as one of each group."""
    images, groups, rows, places = matrices.shape
    return xp.reshape(xp.permute_dims(matrices, (1, 2, 0, 3)), (groups, rows, images * places))


def _products(xp: Any, kernels: Any, matrices: Any) -> Any:
    """The products of kernels (groups, m, rows) with each image's matrix."""
    images, groups, _, places = matrices.shape
    if images == 1 or places >= FEW:
        return xp.matmul(kernels, matrices)
    values = xp.matmul(kernels, _side_by_side(xp, matrices))
    return xp.permute_dims(xp.reshape(values, (groups, -1, images, places)), (2, 0, 1, 3))


def _native(name: str, x: Any, y: Any, sizes: Ints | None, params: dict[str, Any]) -> Any:
    """What machine code gives for two large raw arrays of images; None where there is none."""
    if not type(x) is type(y) is ndarray or x.ndim != 4 or x.size <= LARGE or x.dtype != y.dtype:
        return None
    padding = tuple((p, p) for p in params["padding"])
    given = () if sizes is None else (sizes,)
    rest = params["stride"], params["dilation"], padding, params["groups"]
    return native(name, x, y, *given, *rest)


def _convolve_forward(xp: Any, x: Any, w: Any, *bias: Any, **params: Any) -> Any:
    found = _native("convolve", x, w, None, params)
    if found is not None:
        if bias:
            found += bias[0].reshape(-1, 1, 1)
        return found
    layout = Layout(x.shape[2:], w.shape[2:], **params)
    groups = layout.groups
    images, channels = x.shape[:2]
    out = xp.empty((images, w.shape[0], *layout.result), dtype=xp.result_type(x, w, *bias))
    step = layout.count(channels, x)
    columns = Columns(xp, layout, channels, min(images, step), x.dtype)
    kernels = _kernels(xp, w, groups)
    offset = xp.reshape(bias[0], (groups, w.shape[0] // groups, 1)) if bias else None
    for part in parts(images, step):
        values = _products(xp, kernels, columns.apart(xp, x[part, ...]))
        if offset is not None:
            values += offset
        out[part, ...] = xp.reshape(values, (-1, *out.shape[1:]))
    return out


def _transposed_forward(xp: Any, y: Any, w: Any, *, to: Ints, **params: Any) -> Any:
    images_of = (y.shape[0], w.shape[1] * params["groups"], *to)
    found = _native("input_gradient", y, w, images_of, params)
    if found is not None:
        return found
    layout = Layout(to, w.shape[2:], **params, result=y.shape[2:])
    groups = layout.groups
    images, channels = y.shape[0], w.shape[1] * groups
    out = xp.empty((images, channels, *to), dtype=xp.result_type(y, w))
    step = layout.count(channels, y)
    if layout.dense and not layout.is_product and prod(layout.result) >= FEW:
        _dense(xp, layout, y, w, out, step)
        return out
    columns = Columns(xp, layout, channels, min(images, step), out.dtype)
    kernels = xp.matrix_transpose(_kernels(xp, w, groups))
    rows = xp.reshape(y, (images, groups, y.shape[1] // groups, prod(y.shape[2:])))
    for part in parts(images, step):
        out[part, ...] = columns.together(xp, _products(xp, kernels, rows[part, ...]))
    return out


def _dense(xp: Any, layout: Layout, y: Any, w: Any, out: Any, step: int) -> None:
    """The transpose for strides of 1, into `out`.

    Results are laid into padded images, once for each element of the kernel but those along the
    last axis. The product with the kernels adds these up; lines of padded images, shifted by a
    place or more, are left to be added.
    """
    groups, images = layout.groups, y.shape[0]
    channels, size = out.shape[1], prod(layout.padded)
    many = min(images, step)
    shape = (many, groups, len(layout.others), y.shape[1] // groups, *layout.padded)
    laid = xp.zeros(shape, dtype=y.dtype)
    whole = slice(0, layout.result[-1])
    kernels = xp.reshape(w, (groups, shape[3], channels // groups, shape[2], layout.kernel[-1]))
    kernels = xp.reshape(
        xp.permute_dims(kernels, (0, 2, 4, 3, 1)),
        (groups, channels // groups * layout.kernel[-1], shape[2] * shape[3]),
    )
    for part in parts(images, step):
        results = xp.reshape(y[part, ...], (-1, groups, shape[3], *y.shape[2:]))
        count = results.shape[0]
        for i, spans in enumerate(layout.others):
            laid[(slice(0, count), slice(None), i, slice(None), *spans, whole)] = results
        rows = xp.reshape(laid[:count, ...], (count, groups, shape[2] * shape[3], size))
        lines = xp.reshape(xp.matmul(kernels, rows), (count, channels, layout.kernel[-1], size))
        total = lines[:, :, 0, :]
        for j, shift in enumerate(layout.shifts[-1]):
            if j:
                total[..., shift:] += lines[:, :, j, : size - shift]
        total = xp.reshape(total, (count, channels, *layout.padded))
        out[part, ...] = total[(slice(None), slice(None), *layout.inside)]


def _kernel_forward(xp: Any, x: Any, y: Any, *, kernel: Ints, **params: Any) -> Any:
    weights = (y.shape[1], x.shape[1] // params["groups"], *kernel)
    found = _native("weight_gradient", x, y, weights, params)
    if found is not None:
        return found
    layout = Layout(x.shape[2:], kernel, **params, result=y.shape[2:])
    groups = layout.groups
    images, channels = x.shape[:2]
    to = (y.shape[1], channels // groups, *kernel)
    total = xp.zeros((groups, prod(to[1:]), to[0] // groups), dtype=xp.result_type(x, y))
    step = layout.count(channels, x)
    columns = Columns(xp, layout, channels, min(images, step), x.dtype)
    rows = xp.reshape(y, (images, groups, to[0] // groups, prod(y.shape[2:])))
    for part in parts(images, step):
        places, results = columns.apart(xp, x[part, ...]), rows[part, ...]
        if prod(layout.result) < FEW:
            results = xp.matrix_transpose(_side_by_side(xp, results))
            total += xp.matmul(_side_by_side(xp, places), results)
        else:
            total += xp.sum(xp.matmul(places, xp.matrix_transpose(results)), axis=0)
    return xp.reshape(xp.matrix_transpose(total), to)


def _rule_x(g: Any, _out: Any, x: Any, w: Any, *_rest: Any, **params: Any) -> Any:
    return convolve_transposed(g, w, to=x.shape[2:], **params)


def _rule_w(g: Any, _out: Any, x: Any, w: Any, *_rest: Any, **params: Any) -> Any:
    return convolve_kernel(x, g, kernel=w.shape[2:], **params)


def _rule_bias(g: Any, _out: Any, _x: Any, _w: Any, _bias: Any, **_params: Any) -> Any:
    return sum(g, axis=(0, *range(2, g.ndim)), keepdims=False)


def _convolve_jvp(tangents: Any, _out: Any, x: Any, w: Any, *_rest: Any, **params: Any) -> Any:
    tx, tw, *tb = tangents
    total = None
    if tx is not None:
        total = convolve(tx, w, **params)
    if tw is not None:
        part = convolve(x, tw, **params)
        total = part if total is None else total + part
    if tb and tb[0] is not None:
        if total is None:
            total = 0 * convolve(x, w, **params)
        total = total + reshape(tb[0], to=(-1, *(1,) * (x.ndim - 2)))
    return total


def _transposed_rule_y(g: Any, _out: Any, y: Any, w: Any, *, to: Ints, **params: Any) -> Any:
    return first(convolve(g, w, **params), y.shape)


def _transposed_rule_w(g: Any, _out: Any, y: Any, w: Any, *, to: Ints, **params: Any) -> Any:
    return convolve_kernel(g, y, kernel=w.shape[2:], **params)


def _kernel_rule_x(g: Any, _out: Any, x: Any, y: Any, *, kernel: Ints, **params: Any) -> Any:
    return convolve_transposed(y, g, to=x.shape[2:], **params)


def _kernel_rule_y(g: Any, _out: Any, x: Any, y: Any, *, kernel: Ints, **params: Any) -> Any:
    return first(convolve(x, g, **params), y.shape)


def first(out: Any, to: Ints) -> Any:
    """The results of a convolution up to a shape: its transpose may give longer images."""
    return out if out.shape == to else getitem(out, key=tuple(map(slice, to)))


def _with_lanes(mapped: tuple[bool, ...], inputs: Any) -> Any:
    """All inputs with the lanes in front."""
    lanes = next(x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has)
    return lanes, [
        x if has else broadcast_to(x, to=(lanes, *x.shape))
        for x, has in zip(inputs, mapped, strict=True)
    ]


def _more_channels(x: Any) -> Any:
    """Lanes of images (L, N, C, ...) as more channels of each (N, L * C, ...)."""
    x = permute_dims(x, axes=(1, 0, *range(2, x.ndim)))
    return reshape(x, to=(x.shape[0], x.shape[1] * x.shape[2], *x.shape[3:]))


def _more(x: Any) -> Any:
    """Lanes as more images, or more kernels."""
    return reshape(x, to=(x.shape[0] * x.shape[1], *x.shape[2:]))


def _apart(x: Any, lanes: int) -> Any:
    """The inverse of `_more`."""
    return reshape(x, to=(lanes, x.shape[0] // lanes, *x.shape[1:]))


def _channels_apart(x: Any, lanes: int) -> Any:
    """The inverse of `_more_channels`."""
    x = reshape(x, to=(x.shape[0], lanes, x.shape[1] // lanes, *x.shape[2:]))
    return permute_dims(x, axes=(1, 0, *range(2, x.ndim)))


def _images_batch(
    function: Any, mapped: tuple[bool, ...], x: Any, w: Any, *, groups: int, **params: Any
) -> Any:
    """The batch rule of an operation of images and kernels: more images, or more groups."""
    if not mapped[1]:
        return _apart(function(_more(x), w, groups=groups, **params), x.shape[0])
    lanes, (x, w) = _with_lanes(mapped, (x, w))
    out = function(_more_channels(x), _more(w), groups=lanes * groups, **params)
    return _channels_apart(out, lanes)


def _convolve_batch(
    function: Any, mapped: tuple[bool, ...], x: Any, w: Any, *bias: Any, **params: Any
) -> Any:
    if not any(mapped[:2]):
        out = function(x, w, **params)
    else:
        out = _images_batch(function, mapped[:2], x, w, **params)
    if not bias:
        return out
    ones = (1,) * len(params["stride"])
    has = mapped[2]
    lead = (bias[0].shape[0], 1) if has else ()
    return out + reshape(bias[0], to=(*lead, bias[0].shape[has], *ones))


def _kernel_batch(
    function: Any, mapped: tuple[bool, ...], x: Any, y: Any, *, groups: int, **params: Any
) -> Any:
    lanes, (x, y) = _with_lanes(mapped, (x, y))
    out = function(_more_channels(x), _more_channels(y), groups=lanes * groups, **params)
    return _apart(out, lanes)


CASES: tuple[tuple[Ints, Ints, dict[str, Any]], ...] = (
    ((2, 2, 5), (3, 2, 2), {"stride": (1,), "padding": (0,), "dilation": (1,), "groups": 1}),
    ((1, 4, 6), (2, 2, 3), {"stride": (2,), "padding": (2,), "dilation": (2,), "groups": 2}),
    (
        (2, 2, 4, 5),
        (2, 1, 3, 2),
        {"stride": (1, 2), "padding": (1, 0), "dilation": (1, 1), "groups": 2},
    ),
    (
        (2, 2, 3, 2),
        (3, 2, 1, 1),
        {"stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1},
    ),
    (
        (2, 2, 1, 3),
        (3, 2, 1, 1),
        {"stride": (1, 3), "padding": (0, 2), "dilation": (1, 1), "groups": 1},
    ),
    (
        (1, 1, 3, 3, 3),
        (2, 1, 2, 2, 1),
        {"stride": (1, 1, 2), "padding": (0, 1, 0), "dilation": (1, 2, 1), "groups": 1},
    ),
)


def _shapes() -> Iterator[tuple[Ints, Ints, Ints, dict[str, Any]]]:
    """Shapes of images, kernels and results, and parameters."""
    for image, kernel, params in CASES:
        layout = Layout(image[2:], kernel[2:], **params)
        yield image, kernel, (image[0], kernel[0], *layout.result), params


def _convolve_samples(rng: Any) -> Iterator[Sample]:
    for i, (image, kernel, _, params) in enumerate(_shapes()):
        x, w = normal(rng, image), normal(rng, kernel)
        yield ((x, w, normal(rng, kernel[:1])) if i % 2 else (x, w)), params
    image, kernel, _, params = next(_shapes())
    yield (complex_normal(rng, image), complex_normal(rng, kernel)), params


def _transposed_samples(rng: Any) -> Iterator[Sample]:
    params = {"stride": (1,), "padding": (0,), "dilation": (3,), "groups": 1}
    yield (normal(rng, (2, 2, 3)), normal(rng, (2, 1, 2))), {**params, "to": (8,)}
    for image, kernel, result, params in _shapes():
        yield (normal(rng, result), normal(rng, kernel)), {**params, "to": image[2:]}


def _kernel_samples(rng: Any) -> Iterator[Sample]:
    for image, kernel, result, params in _shapes():
        yield (normal(rng, image), normal(rng, result)), {**params, "kernel": kernel[2:]}


convolve: Function = define(
    Op(
        "convolve",
        forward=_convolve_forward,
        vjp=(_rule_x, _rule_w, _rule_bias),
        jvp=_convolve_jvp,
        batch=_convolve_batch,
        samples=_convolve_samples,
        promote=True,
        doc="The correlation of images (N, C, ...) with kernels (O, C / groups, ...), and at times "
        "a bias (O,).",
    )
)

convolve_transposed: Function = define(
    Op(
        "convolve_transposed",
        forward=_transposed_forward,
        vjp=(_transposed_rule_y, _transposed_rule_w),
        jvp="multilinear",
        batch=_images_batch,
        samples=_transposed_samples,
        promote=True,
        doc="The transpose of `convolve` as a map of images: results (N, O, ...) to images whose "
        "axes have the lengths `to`.",
    )
)

convolve_kernel: Function = define(
    Op(
        "convolve_kernel",
        forward=_kernel_forward,
        vjp=(_kernel_rule_x, _kernel_rule_y),
        jvp="multilinear",
        batch=_kernel_batch,
        samples=_kernel_samples,
        promote=True,
        doc="The transpose of `convolve` as a map of kernels: images and results to kernels whose "
        "axes have the lengths `kernel`.",
    )
)
