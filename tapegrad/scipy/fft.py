"""`scipy.fft`, for plain and for recorded arrays.

Importing this module also makes SciPy's own functions take recorded arrays (those of transforms, by
SciPy's protocol for backends).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy
import scipy.fft
from scipy.fft._fftlog_backend import fhtcoeff

from .. import errors
from ..backend import is_complex
from ..numpy.dispatch import np
from ..numpy.operands import conjugate, operand
from ..numpy.reading import any_recorded
from ..numpy.spectrum import Kind, inexact, places, resized, scale, shifted, transform
from ..ops.cosine import TRANSPOSED, real_transform
from .dispatch import Function, implements

__all__ = list(scipy.fft.__all__)


def __getattr__(name: str) -> Any:
    """SciPy's own, for every name that is not here."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(scipy.fft, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.fft)})


def _without_plan(name: str, plan: Any) -> None:
    if plan is not None:
        raise errors.not_in_scipy_face(f"fft.{name}", "plan=", "Leave it out.")


def _one_axis(original: Function, kind: Kind, inverse: bool) -> Function:
    """A transform along one axis, for which the array is cropped or filled up to the size `n`."""

    def run(
        x: Any,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        plan: Any = None,
    ) -> Any:
        _without_plan(original.__name__, plan)
        x = operand(x)
        return transform(kind, x, places(x, axis, (n,)), (n,), norm, inverse)

    return _entered(original, run)


def _several_axes(
    original: Function, kind: Kind, inverse: bool, default: tuple[int, ...] | None
) -> Function:
    """A transform over several axes, which get the sizes `s`."""

    def run(
        x: Any,
        s: Any = None,
        axes: Any = default,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        plan: Any = None,
    ) -> Any:
        _without_plan(original.__name__, plan)
        x = operand(x)
        s = _sizes(s)
        return transform(kind, x, _distinct(places(x, axes, s)), s, norm, inverse)

    return _entered(original, run)


def _sizes(s: Any) -> list[int] | None:
    return None if s is None else [index(n) for n in (s if isinstance(s, Sequence) else (s,))]


def _distinct(axes: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(axes)) < len(axes):
        raise ValueError("all axes must be unique")
    return axes


def _entered(original: Function, run: Function) -> Function:
    """This namespace's function, which SciPy's own finds too."""
    _backend.functions[original.__name__] = run
    return implements(original)(run)


class _Backend:
    """What SciPy asks, by its protocol for backends, before it computes a transform itself."""

    __ua_domain__ = "numpy.scipy.fft"

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}

    def __ua_function__(self, method: Function, args: Any, kwargs: Any) -> Any:
        run = self.functions.get(method.__name__)
        if run is None or not any_recorded((args, kwargs)):
            return NotImplemented
        return run(*args, **kwargs)


_backend = _Backend()

fft = _one_axis(scipy.fft.fft, "whole", inverse=False)
ifft = _one_axis(scipy.fft.ifft, "whole", inverse=True)
rfft = _one_axis(scipy.fft.rfft, "half", inverse=False)
irfft = _one_axis(scipy.fft.irfft, "real", inverse=True)
hfft = _one_axis(scipy.fft.hfft, "real", inverse=False)
ihfft = _one_axis(scipy.fft.ihfft, "half", inverse=True)

fftn = _several_axes(scipy.fft.fftn, "whole", inverse=False, default=None)
ifftn = _several_axes(scipy.fft.ifftn, "whole", inverse=True, default=None)
rfftn = _several_axes(scipy.fft.rfftn, "half", inverse=False, default=None)
irfftn = _several_axes(scipy.fft.irfftn, "real", inverse=True, default=None)
hfftn = _several_axes(scipy.fft.hfftn, "real", inverse=False, default=None)
ihfftn = _several_axes(scipy.fft.ihfftn, "half", inverse=True, default=None)

fft2 = _several_axes(scipy.fft.fft2, "whole", inverse=False, default=(-2, -1))
ifft2 = _several_axes(scipy.fft.ifft2, "whole", inverse=True, default=(-2, -1))
rfft2 = _several_axes(scipy.fft.rfft2, "half", inverse=False, default=(-2, -1))
irfft2 = _several_axes(scipy.fft.irfft2, "real", inverse=True, default=(-2, -1))
hfft2 = _several_axes(scipy.fft.hfft2, "real", inverse=False, default=(-2, -1))
ihfft2 = _several_axes(scipy.fft.ihfft2, "half", inverse=True, default=(-2, -1))


def _trigonometric(
    kind: str,
    x: Any,
    type: int,
    axes: tuple[int, ...],
    sizes: Sequence[int | None] | None,
    norm: str | None,
    orthogonalize: bool | None,
    inverse: bool,
) -> Any:
    """A cosine or sine transform; an inverse one is that of the transposed type, scaled."""
    if type not in TRANSPOSED:
        raise ValueError(f"the type of a cosine or sine transform is 1, 2, 3 or 4, not {type}.")
    x = inexact(x)
    axes = _distinct(axes)
    given = sizes or (None,) * len(axes)
    whole = [x.shape[a] if n is None or n == -1 else n for n, a in zip(given, axes, strict=True)]
    least = 2 if kind == "dctn" and type == 1 else 1
    if any(n < least for n in whole):
        raise ValueError(f"invalid number of data points ({whole}) specified")
    x = resized(x, axes, whole)
    by = scale(norm, inverse)
    if orthogonalize is None or is_complex(x.dtype):  # as SciPy does with complex numbers
        orthogonalize = by == "ortho"
    return real_transform(
        x,
        kind=kind,
        type=TRANSPOSED[type] if inverse else type,
        axis=axes,
        norm=by,
        orthogonal=orthogonalize,
    )


def _trigonometric_pair(original: Function, several: Function, inverse: bool) -> list[Function]:
    """A cosine or sine transform along one axis, and that over several."""
    kind = "dctn" if "dct" in original.__name__ else "dstn"

    def along_one(
        x: Any,
        type: int = 2,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        orthogonalize: bool | None = None,
    ) -> Any:
        x = operand(x)
        axes = places(x, axis, (n,))
        return _trigonometric(kind, x, type, axes, (n,), norm, orthogonalize, inverse)

    def along_several(
        x: Any,
        type: int = 2,
        s: Any = None,
        axes: Any = None,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        orthogonalize: bool | None = None,
    ) -> Any:
        x = operand(x)
        s = _sizes(s)
        return _trigonometric(kind, x, type, places(x, axes, s), s, norm, orthogonalize, inverse)

    return [_entered(original, along_one), _entered(several, along_several)]


dct, dctn = _trigonometric_pair(scipy.fft.dct, scipy.fft.dctn, inverse=False)
idct, idctn = _trigonometric_pair(scipy.fft.idct, scipy.fft.idctn, inverse=True)
dst, dstn = _trigonometric_pair(scipy.fft.dst, scipy.fft.dstn, inverse=False)
idst, idstn = _trigonometric_pair(scipy.fft.idst, scipy.fft.idstn, inverse=True)


@implements(scipy.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    return shifted(x, axes, inverse=False)


@implements(scipy.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    return shifted(x, axes, inverse=True)


def _hankel(a: Any, dln: Any, mu: Any, offset: Any, bias: Any, inverse: bool) -> Any:
    if any_recorded((dln, mu, offset, bias)):
        raise errors.not_in_scipy_face(
            f"fft.{'i' * inverse}fht", "dln, mu, offset or bias", "Pass these as plain numbers."
        )
    x = inexact(operand(a))
    n = x.shape[-1]
    factors = fhtcoeff(n, dln, mu, offset=offset, bias=bias, inverse=inverse)
    factors = factors.astype(numpy.result_type(x.dtype, numpy.complex64))
    away = ((numpy.arange(n) - (n - 1) / 2) * dln).astype(x.dtype)
    power = bias if inverse else -bias
    x = x * numpy.exp(power * (away + (offset if inverse else 0.0)))
    spectrum = transform("half", x, (x.ndim - 1,), None, None, inverse=False)
    spectrum = spectrum / conjugate(factors) if inverse else spectrum * factors
    x = transform("real", spectrum, (x.ndim - 1,), (n,), None, inverse=True)
    x = np.flip(x, -1)
    return x * numpy.exp(power * (away + (0.0 if inverse else offset)))


def _fht(a: Any, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Any:
    return _hankel(a, dln, mu, offset, bias, inverse=False)


def _ifht(A: Any, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Any:
    return _hankel(A, dln, mu, offset, bias, inverse=True)


fht = _entered(scipy.fft.fht, _fht)
ifht = _entered(scipy.fft.ifht, _ifht)

scipy.fft.register_backend(_backend)
