"""Images taken apart into windows, and put together from them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from ...core.op import Op
from ..define import Function, define
from ..linear import reshape
from ..samples import Sample, normal
from .windows import Columns, Layout

Ints = tuple[int, ...]


def _unfold_forward(xp: Any, x: Any, *, kernel: Ints, **params: Any) -> Any:
    layout = Layout(x.shape[2:], kernel, groups=1, **params)
    columns = Columns(xp, layout, x.shape[1], x.shape[0], x.dtype)
    out = columns.apart(xp, x)
    return xp.asarray(xp.reshape(out, (out.shape[0], *out.shape[2:])), copy=layout.is_product)


def _fold_forward(xp: Any, y: Any, *, kernel: Ints, to: Ints, **params: Any) -> Any:
    layout = Layout(to, kernel, groups=1, **params)
    columns = Columns(xp, layout, y.shape[1] // prod(kernel), y.shape[0], y.dtype)
    return xp.asarray(columns.together(xp, y), copy=True)


def _unfold_rule(g: Any, _out: Any, shape: Any, **params: Any) -> Any:
    return fold(g, to=shape[2:], **params)


def _fold_rule(g: Any, _out: Any, _y: Any, *, to: Ints, **params: Any) -> Any:
    return unfold(g, **params)


def _batch(function: Any, _mapped: tuple[bool, ...], x: Any, **params: Any) -> Any:
    """Lanes as more images."""
    out = function(reshape(x, to=(x.shape[0] * x.shape[1], *x.shape[2:])), **params)
    return reshape(out, to=(x.shape[0], x.shape[1], *out.shape[1:]))


CASES: tuple[tuple[Ints, dict[str, Any]], ...] = (
    (
        (2, 2, 4, 5),
        {"kernel": (2, 3), "stride": (1, 2), "padding": (1, 0), "dilation": (1, 1)},
    ),
    (
        (1, 1, 5, 3),
        {"kernel": (2, 1), "stride": (2, 1), "padding": (0, 0), "dilation": (3, 1)},
    ),
    ((1, 2, 2, 2), {"kernel": (1, 1), "stride": (1, 1), "padding": (0, 0), "dilation": (1, 1)}),
)


def _unfold_samples(rng: Any) -> Iterator[Sample]:
    for shape, params in CASES:
        yield (normal(rng, shape),), params


def _fold_samples(rng: Any) -> Iterator[Sample]:
    for shape, params in CASES:
        layout = Layout(shape[2:], groups=1, **params)
        columns = (shape[0], shape[1] * prod(layout.kernel), prod(layout.result))
        yield (normal(rng, columns),), {**params, "to": shape[2:]}


unfold: Function = define(
    Op(
        "unfold_images",
        forward=_unfold_forward,
        vjp=(_unfold_rule,),
        jvp="linear",
        batch=_batch,
        samples=_unfold_samples,
        doc="The windows of images (N, C, ...) as columns (N, C * elements of a window, windows).",
    ),
    structural=True,
)
fold: Function = define(
    Op(
        "fold_images",
        forward=_fold_forward,
        vjp=(_fold_rule,),
        jvp="linear",
        batch=_batch,
        samples=_fold_samples,
        doc="The transpose of `unfold`: windows added up where they overlap, to images whose axes "
        "have the lengths `to`.",
    ),
    structural=True,
)
