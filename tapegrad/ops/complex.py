"""Complex numbers: the parts, the conjugate and the absolute value.

These are not holomorphic. As everywhere, a rule transposes and conjugates nothing: for a real
function of a complex input it gives ``g * 2 * df/dz``, so that the gradient of ``abs(z) ** 2`` is
``2 * conj(z)``.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from ..backend import is_complex
from .define import Function, elementwise
from .rounding import sign
from .samples import away_from_zero, complex_normal, normal, one
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


def _abs_rule(g: Any, out: Any, x: Any) -> Any:
    if is_complex(x.dtype):
        return g * (conj(x) / where(out == 0, 1, out))
    return g * sign(x)


abs = elementwise(
    "abs",
    _abs_rule,
    jvp=lambda tangents, out, x: real(_abs_rule(tangents[0], out, x)),
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
