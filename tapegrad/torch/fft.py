"""`torch.fft`: discrete Fourier transforms."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy

from ..numpy import fft as transforms
from . import errors
from .calls import cast, on_arrays
from .dtypes import defaults
from .filling import made
from .joining import roll
from .reductions import wrapped
from .refusals import refuse
from .tensor import Tensor

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

SINGLE = "fF"


def prepared(x: Any, real: bool) -> Any:
    """An input as floating point, real where that is needed."""
    if real and x.dtype.kind == "c":
        raise RuntimeError(f"expects a real input tensor, but got {x.dtype}")
    return cast(x, defaults.real.dtype) if x.dtype.kind in "biu" else x


def fitted(result: Any, x: Any) -> Any:
    """A result in the precision of the input."""
    single = x.dtype.char in SINGLE
    if result.dtype.kind == "c":
        return cast(result, numpy.dtype(numpy.complex64 if single else numpy.complex128))
    return cast(result, numpy.dtype(numpy.float32 if single else numpy.float64))


def along_one(name: str, real: bool = False) -> Callable[..., Tensor]:
    """A transform along one axis."""
    transform = getattr(transforms, name)

    @on_arrays
    def function(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
        x = prepared(input, real)
        axis = wrapped(dim, x.ndim)
        if n is not None and n < 1:
            raise errors.bad_transform_size(n)
        return fitted(transform(x, n, axis, norm), x)

    function.__name__ = name
    function.__doc__ = f"NumPy's `fft.{name}` along the axis `dim`."
    return function


def along_many(name: str, real: bool = False, two: bool = False) -> Callable[..., Tensor]:
    """A transform along several axes: the last two, or by default all."""
    transform = getattr(transforms, name)
    usual: Any = (-2, -1) if two else None

    @on_arrays
    def function(input: Any, s: Any = None, dim: Any = usual, norm: str | None = None) -> Any:
        x = prepared(input, real)
        sizes = None if s is None else [*s]
        if dim is None:
            axes = [*range(x.ndim - len(sizes), x.ndim)] if sizes else [*range(x.ndim)]
        else:
            axes = [dim] if isinstance(dim, int) else [*dim]
        axes = [wrapped(a, x.ndim) for a in axes]
        if len(set(axes)) < len(axes):
            raise RuntimeError("FFT dims must be unique")
        if sizes is not None:
            sizes = [
                sizes_of(n, x, a, name, i == len(axes) - 1)
                for i, (n, a) in enumerate(builtins.zip(sizes, axes, strict=True))
            ]
        if not axes:
            return x
        return fitted(transform(x, sizes, axes, norm), x)

    function.__name__ = f"{name[:-1]}2" if two else name
    function.__doc__ = f"NumPy's `fft.{name}` along the axes `dim`."
    return function


def sizes_of(n: int, x: Any, axis: int, name: str, last: bool) -> int:
    """The length of a transform, where -1 stands for that of the axis."""
    if n != -1:
        return n
    own = x.shape[axis]
    return 2 * (own - 1) if last and name == "irfftn" else own


fft = along_one("fft")
ifft = along_one("ifft")
rfft = along_one("rfft", real=True)
irfft = along_one("irfft")
hfft = along_one("hfft")
ihfft = along_one("ihfft", real=True)
fftn = along_many("fftn")
ifftn = along_many("ifftn")
rfftn = along_many("rfftn", real=True)
irfftn = along_many("irfftn")
fft2 = along_many("fftn", two=True)
ifft2 = along_many("ifftn", two=True)
rfft2 = along_many("rfftn", real=True, two=True)
irfft2 = along_many("irfftn", two=True)

OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfftn(
    input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None
) -> Tensor:
    """The real transform of a signal that is Hermitian over the axes `dim`."""
    return irfftn(input.conj(), s, dim, OPPOSITE[norm], out=out)


def hfft2(
    input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None
) -> Tensor:
    """`hfftn` of the last two axes."""
    return hfftn(input, s, dim, norm, out=out)


def ihfftn(
    input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None
) -> Tensor:
    """The inverse of `hfftn`."""
    return rfftn(input, s, dim, OPPOSITE[norm]).conj()


def ihfft2(
    input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None
) -> Tensor:
    """`ihfftn` of the last two axes."""
    return ihfftn(input, s, dim, norm)


def fftfreq(n: int, d: float = 1.0, **options: Any) -> Tensor:
    """The frequencies of the results of `fft`."""
    return made(numpy.fft.fftfreq(n, d), **{"dtype": defaults.real, **options})


def rfftfreq(n: int, d: float = 1.0, **options: Any) -> Tensor:
    """The frequencies of the results of `rfft`."""
    return made(numpy.fft.rfftfreq(n, d), **{"dtype": defaults.real, **options})


def shifted(input: Tensor, dim: Any, sign: int) -> Tensor:
    """A tensor turned by half along axes."""
    n = input.raw.ndim
    dims = range(n) if dim is None else (dim,) if isinstance(dim, int) else dim
    axes = [wrapped(a, n) for a in dims]
    halves = [input.raw.shape[a] // 2 if sign > 0 else -(input.raw.shape[a] // 2) for a in axes]
    return roll(input, tuple(halves), tuple(axes)) if axes else input


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The frequency zero moved to the middle."""
    return shifted(input, dim, 1)


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The inverse of `fftshift`."""
    return shifted(input, dim, -1)


refuse(
    globals(),
    "Unsupported dtype {kind}",
    "half",
    "fft fft2 fftn hfft rfft rfft2 rfftn ifft ifft2 ifftn ihfft irfft irfft2 irfftn",
)
