"""Complex numbers: the parts, the conjugate and the absolute value.

These are not holomorphic. As everywhere, a rule transposes and conjugates nothing: for a real
function of a complex input it gives ``g * 2 * df/dz``, so that the gradient of ``abs(z) ** 2`` is
``2 * conj(z)``.
"""

from __future__ import annotations

from typing import Any

from ..backend import is_complex
from .define import elementwise
from .rounding import sign
from .samples import away_from_zero, complex_normal, normal, one
from .selection import where

conj = elementwise(
    "conj",
    lambda g, _out, _x: conj(g),
    samples=one(complex_normal, normal),
    doc="The complex conjugate. Linear over the reals, and its own transpose.",
)
real = elementwise(
    "real",
    lambda g, _out, x: g + 0j if is_complex(x.dtype) else g,
    jvp=lambda tangents, _out, _x: real(tangents[0]),
    samples=one(complex_normal, normal),
    doc="The real part; of a real number, the number.",
)
imag = elementwise(
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


abs = elementwise(  # noqa: A001
    "abs",
    _abs_rule,
    jvp=lambda tangents, out, x: real(_abs_rule(tangents[0], out, x)),
    operator=abs,
    samples=one(away_from_zero, complex_normal),
    doc="The absolute value. Its derivative at 0 is 0.",
)
