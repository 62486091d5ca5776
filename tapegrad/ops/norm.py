"""The Euclidean length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..backend import is_complex
from ..core.op import Op
from .complex import conj, real
from .define import batch_axis, define
from .linear import in_single, reshape, sum
from .samples import Sample, complex_normal, normal
from .selection import where


def _direction(x: Any, out: Any, axis: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """The conjugate of `x` over its length, and the length's shape with the axes kept."""
    kept = tuple(1 if a in axis else n for a, n in enumerate(x.shape))
    length = reshape(out, to=kept) if x.ndim else out
    x = conj(x) if is_complex(x.dtype) else x
    return x / where(length == 0, 1, length), kept


def _length_rule(g: Any, out: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    direction, kept = _direction(x, out, axis)
    return (g if keepdims or not x.ndim else reshape(g, to=kept)) * direction


def _length_jvp(
    tangents: tuple[Any, ...], out: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool
) -> Any:
    direction, _ = _direction(x, out, axis)
    change = direction * tangents[0]
    return sum(real(change) if is_complex(x.dtype) else change, axis=axis, keepdims=keepdims)


@in_single
def _length_forward(xp: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    squares = xp.real(xp.conj(x) * x) if is_complex(x.dtype) else x * x
    return xp.sqrt(xp.sum(squares, axis=axis, keepdims=keepdims))


def _length_samples(rng: Any) -> Iterator[Sample]:
    for shape, axis, keepdims in (
        ((3,), (0,), False),
        ((3,), (0,), True),
        ((2, 3), (0, 1), False),
        ((2, 3), (1,), True),
        ((2, 3, 2), (0, 2), False),
        ((), (), False),
    ):
        yield (normal(rng, shape),), {"axis": axis, "keepdims": keepdims}
    yield (complex_normal(rng, (2, 3)),), {"axis": (1,), "keepdims": False}


length = define(
    Op(
        "length",
        forward=_length_forward,
        vjp=(_length_rule,),
        jvp=_length_jvp,
        batch=batch_axis,
        steep=True,
        samples=_length_samples,
        doc="The square root of the sum of squares over the axes `axis`. Its derivative at 0 is 0.",
    ),
    structural=True,
)
