"""Complex numbers: the parts, the conjugate and the absolute value.

These are not holomorphic. As everywhere, a rule transposes and conjugates nothing: for a real
function of a complex input it gives ``g * 2 * df/dz``, so that the gradient of ``abs(z) ** 2`` is
``2 * conj(z)``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy
from numpy import generic, ndarray

from ..backend import is_complex
from ..core.mutation import writers
from ..core.op import Op
from .define import Function, define, elementwise
from .linear import broadcast_to, cast
from .rounding import sign
from .samples import Sample, away_from_zero, complex_normal, each, normal, one
from .selection import where

conj: Function = elementwise(
    "conj",
    lambda g, _out, _x: conj(g),
    samples=one(complex_normal, normal),
    doc="The complex conjugate. Linear over the reals, and its own transpose.",
)
real: Function = elementwise(
    "real",
    lambda g, _out, x: g + 0j if is_complex(x.dtype) else g,
    jvp=lambda tangents, _out, _x: real(tangents[0]),
    samples=one(complex_normal, normal),
    doc="The real part; of a real number, the number.",
)
imag: Function = elementwise(
    "imag",
    lambda g, _out, x: g * -1j if is_complex(x.dtype) else g * 0,
    jvp=lambda tangents, _out, _x: imag(tangents[0]),
    samples=one(complex_normal, normal),
    doc="The imaginary part; of a real number, 0.",
)


def _joined(xp: Any, x: Any, y: Any) -> Any:
    out = xp.empty(x.shape, dtype=xp.result_type(x.dtype, xp.complex64))
    xp.copyto(out.real, x)
    xp.copyto(out.imag, y)
    return out if out.shape else out[()]


def _joined_rule(g: Any, _out: Any, _x: Any, _y: Any, *, argnum: int) -> Any:
    return real(g) if argnum == 0 else -imag(g)


def _joined_jvp(tangents: tuple[Any, ...], _out: Any, _x: Any, _y: Any) -> Any:
    t, u = tangents
    return _join(u * 0 if t is None else t, t * 0 if u is None else u)


def _joined_batch(function: Function, mapped: tuple[bool, ...], x: Any, y: Any) -> Any:
    lanes = x.shape[0] if mapped[0] else y.shape[0]
    return function(
        *(
            v if has else broadcast_to(v, to=(lanes, *v.shape))
            for v, has in zip((x, y), mapped, strict=True)
        )
    )


_join: Function = define(
    Op(
        "from_parts",
        forward=_joined,
        vjp=_joined_rule,
        jvp=_joined_jvp,
        batch=_joined_batch,
        samples=each((((), ()), {}), (((4,), (4,)), {}), (((2, 3), (2, 3)), {})),
        doc="The complex number with the real part `x` and the imaginary part `y`, of one shape "
        "and dtype. The sum of `x` and `1j * y` has a NaN for it where `y` is infinite.",
    )
)


def from_parts(x: Any, y: Any) -> Any:
    """The complex numbers with the real parts `x` and the imaginary parts `y`."""
    shape = numpy.broadcast_shapes(x.shape, y.shape)
    dtype = numpy.empty(0, numpy.result_type(x.dtype, y.dtype, numpy.complex64)).real.dtype
    x, y = cast(x, dtype), cast(y, dtype)
    return _join(
        x if x.shape == shape else broadcast_to(x, to=shape),
        y if y.shape == shape else broadcast_to(y, to=shape),
    )


def _pairs(rng: Any) -> Iterator[Sample]:
    for shape in ((2,), (3, 2), (2, 3, 2)):
        yield (normal(rng, shape),), {}


def _split(xp: Any, z: Any) -> Any:
    if isinstance(z, ndarray | generic):
        return numpy.asarray(z)[..., None].view(z.real.dtype)
    return xp.stack([xp.real(z), xp.imag(z)], axis=-1)


def _paired(xp: Any, x: Any) -> Any:
    if isinstance(x, ndarray) and x.strides[-1] == x.itemsize:
        return x.view(xp.result_type(x.dtype, xp.complex64))[..., 0]
    return _joined(xp, x[..., 0], x[..., 1])


as_pairs: Function = define(
    Op(
        "as_pairs",
        forward=_split,
        vjp=(lambda g, _out, _z: conj(of_pairs(g)),),
        jvp="linear",
        batch=lambda function, mapped, z: function(z),
        samples=one(complex_normal),
        doc="The real and the imaginary parts, along a new last axis. A view where NumPy has one.",
    ),
    structural=True,
)
of_pairs: Function = define(
    Op(
        "of_pairs",
        forward=_paired,
        vjp=(lambda g, _out, _x: as_pairs(conj(g)),),
        jvp="linear",
        batch=lambda function, mapped, x: function(x),
        samples=_pairs,
        doc="The complex numbers whose parts are along the last axis: the inverse of `as_pairs`.",
    ),
    structural=True,
)
writers.update(as_pairs=lambda base, new: of_pairs(new), of_pairs=lambda base, new: as_pairs(new))


def _abs_rule(g: Any, _out: Any, x: Any) -> Any:
    return g * (conj(phase(x)) if is_complex(x.dtype) else sign(x))


abs = elementwise(
    "abs",
    _abs_rule,
    jvp=lambda tangents, _out, x: real(_abs_rule(tangents[0], None, x)),
    operator=operator.abs,
    samples=one(away_from_zero, complex_normal),
    doc="The absolute value. Its derivative at 0 is 0.",
)
fabs = elementwise("fabs", lambda g, _out, x: g * sign(x), samples=one(away_from_zero))


def _complex_away(rng: Any, shape: tuple[int, ...]) -> Any:
    return away_from_zero(rng, shape) + 1j * normal(rng, shape)


def _size_of(x: Any) -> Any:
    """The absolute value of `x` to divide by, so that the quotient at 0 is 0."""
    size = abs(x)
    return where(size == 0, math.inf, size)


phase = elementwise(
    "phase",
    lambda g, out, x: (g - conj(out) * real(g * out)) / _size_of(x),
    forward=lambda xp, x: xp.sign(x),
    jvp=lambda tangents, out, x: (tangents[0] - out * real(conj(out) * tangents[0])) / _size_of(x),
    steep=True,
    samples=one(_complex_away),
    doc="`sign` of a complex number, `x / abs(x)`, with its derivative, which at 0 is 0.",
)
