"""Discrete cosine and sine transforms of types 1 to 4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import errors
from ..backend import is_complex, namespace, on_device, scipy_module
from ..core.op import Op
from ..core.record import raw
from .define import Function, batch_axis, define
from .samples import Sample, complex_normal, normal

TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}
"""The type of the transposed transform, up to a scale at the edges."""


def _forward(
    xp: Any, x: Any, *, kind: str, type: int, axis: tuple[int, ...], norm: str, orthogonal: bool
) -> Any:
    transform = getattr(scipy_module(xp, "fft"), kind)
    if on_device(x):
        if is_complex(x.dtype) or type not in (2, 3) or orthogonal is not (norm == "ortho"):
            raise errors.not_on_device(f"scipy.fft.{kind} of this type and scale", xp.__name__)
        return transform(x, type=type, axes=axis, norm=norm)
    options = {} if is_complex(x.dtype) else {"orthogonalize": orthogonal}
    return xp.asarray(transform(x, type=type, axes=axis, norm=norm, **options))


def edge_weights(kind: str, type: int, n: int) -> list[float]:
    """By which w the matrix M of a type, and M' of the transposed type, have ``M.T = w M' / v``.

    `v` is the same of the transposed type.
    """
    weights = [1.0] * n
    if kind == "dctn" and type == 1:
        weights = [1.0, *(2.0,) * (n - 2), 1.0]
    elif type == 3:
        weights[0 if kind == "dctn" else -1] = 0.5
    return weights


def weighted(x: Any, kind: str, type: int, axis: tuple[int, ...], divide: bool) -> Any:
    """`x` times, or divided by, the weights of the edges along each axis."""
    xp = namespace(raw(x))
    for a in axis:
        weights = edge_weights(kind, type, x.shape[a])
        if any(w != 1.0 for w in weights):
            column = xp.asarray([1.0 / w if divide else w for w in weights], dtype=x.dtype)
            x = x * xp.reshape(column, (-1, *(1,) * (x.ndim - a - 1)))
    return x


def _rule(
    g: Any,
    _out: Any,
    _x: Any,
    *,
    kind: str,
    type: int,
    axis: tuple[int, ...],
    norm: str,
    orthogonal: bool,
) -> Any:
    other = TRANSPOSED[type]
    if not orthogonal:
        g = weighted(g, kind, other, axis, divide=True)
    d = real_transform(g, kind=kind, type=other, axis=axis, norm=norm, orthogonal=orthogonal)
    return d if orthogonal else weighted(d, kind, type, axis, divide=False)


def _samples(rng: Any) -> Iterator[Sample]:
    for kind in ("dctn", "dstn"):
        for type in (1, 2, 3, 4):
            for norm, orthogonal in (("backward", False), ("ortho", True)):
                params = {"kind": kind, "type": type, "norm": norm, "orthogonal": orthogonal}
                yield (normal(rng, (5,)),), {**params, "axis": (0,)}
        params = {"kind": kind, "type": 3, "norm": "ortho", "orthogonal": False}
        yield (normal(rng, (2, 3, 4)),), {**params, "axis": (2, 1)}
        params = {"kind": kind, "type": 2, "norm": "forward", "orthogonal": True}
        yield (normal(rng, (2, 3)),), {**params, "axis": (1,)}
    params = {"kind": "dctn", "type": 1, "norm": "forward", "orthogonal": False}
    yield (complex_normal(rng, (4,)),), {**params, "axis": (0,)}


real_transform: Function = define(
    Op(
        "real_transform",
        forward=_forward,
        vjp=(_rule,),
        jvp="linear",
        batch=batch_axis,
        samples=_samples,
        doc="The cosine (`dctn`) or sine (`dstn`) transform over the axes `axis`, as in SciPy; of "
        "the real and the imaginary part. `orthogonal` scales the edges as `orthogonalize` does.",
    ),
    structural=True,
)
