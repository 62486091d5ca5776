"""Discrete Fourier transforms: of complex and of real arrays, and back to real ones.

All are linear, and their rules are transforms again: the matrix of the transform is symmetric, and
a rule transposes without conjugating. Sizes are those of the arrays; `resized` crops and pads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.op import Op
from .complex import real as real_part
from .define import Function, batch_axis, define
from .samples import Sample, complex_normal, each, normal

NORMS = ("backward", "ortho", "forward")
"""How much a transform scales: not at all, by 1/sqrt(n), by 1/n, whichever its direction."""

OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
"""The scale of the inverse of a transform; what an inverse transform of a library calls it."""


def _resized_forward(xp: Any, x: Any, *, to: tuple[int, ...]) -> Any:
    out = xp.zeros(to, dtype=x.dtype)
    common = tuple(slice(min(n, m)) for n, m in zip(x.shape, to, strict=True))
    out[common] = x[common]
    return out


def _resized_rule(g: Any, _out: Any, shape: Any, *, to: tuple[int, ...]) -> Any:
    return resized(g, to=shape)


resized: Function = define(
    Op(
        "resized",
        forward=_resized_forward,
        vjp=(_resized_rule,),
        jvp="linear",
        batch=lambda function, mapped, x, *, to: function(x, to=(x.shape[0], *to)),
        samples=each(
            (((4,),), {"to": (6,)}),
            (((2, 3),), {"to": (3, 2)}),
            (((2, 3),), {"to": (2, 1)}),
        ),
        doc="`x` cropped, or filled up with zeros, at the end of each axis to the shape `to`.",
    ),
    structural=True,
)


def _c2c_forward(
    xp: Any, x: Any, *, axis: tuple[int, ...], norm: str, inverse: bool, real: bool
) -> Any:
    if inverse:
        norm = OPPOSITE[norm]
    if len(axis) == 1:
        transform = xp.fft.ifft if inverse else xp.fft.fft
        return transform(x, axis=axis[0], norm=norm)
    transform = xp.fft.ifftn if inverse else xp.fft.fftn
    return transform(x, axes=axis, norm=norm)


def _c2c_rule(
    g: Any, _out: Any, _x: Any, *, axis: tuple[int, ...], norm: str, inverse: bool, real: bool
) -> Any:
    d = c2c(g, axis=axis, norm=norm, inverse=inverse, real=False)
    return real_part(d) if real else d


def _c2c_samples(rng: Any) -> Iterator[Sample]:
    forward = {"norm": "backward", "inverse": False, "real": False}
    yield (complex_normal(rng, (5,)),), {**forward, "axis": (0,)}
    yield (normal(rng, (4,)),), {**forward, "axis": (0,), "real": True}
    yield (complex_normal(rng, (2, 3)),), {**forward, "axis": (1, 0), "norm": "ortho"}
    yield (complex_normal(rng, (3, 2)),), {**forward, "axis": (0,), "inverse": True}
    yield (
        (normal(rng, (2, 3, 2)),),
        {"axis": (0, 1), "norm": "forward", "inverse": True, "real": True},
    )


c2c: Function = define(
    Op(
        "c2c",
        forward=_c2c_forward,
        vjp=(_c2c_rule,),
        jvp="linear",
        batch=batch_axis,
        samples=_c2c_samples,
        doc="The transform over the axes `axis` with all frequencies. `real`: of a real `x`.",
    ),
    structural=True,
)


def twins(n: int, axis: int) -> tuple[slice, ...]:
    """The key of those elements of half a spectrum that stand for two of the whole."""
    return (*(slice(None),) * axis, slice(1, (n + 1) // 2))


def _r2c_forward(xp: Any, x: Any, *, axis: int, norm: str, inverse: bool, twice: bool) -> Any:
    out = xp.fft.rfft(x, axis=axis, norm=norm)
    if twice:
        out[(*twins(x.shape[axis], axis), Ellipsis)] *= 2.0
    return xp.conj(out) if inverse else out


def _r2c_rule(
    g: Any, _out: Any, shape: Any, *, axis: int, norm: str, inverse: bool, twice: bool
) -> Any:
    return c2r(g, axis=axis, n=shape[axis], norm=norm, inverse=inverse, twice=twice)


def _batch_one(
    function: Function, mapped: tuple[bool, ...], x: Any, *, axis: int, **params: Any
) -> Any:
    return function(x, axis=axis + 1, **params)


def _r2c_samples(rng: Any) -> Iterator[Sample]:
    for n, norm, inverse, twice in (
        (6, "backward", False, False),
        (5, "ortho", True, True),
        (1, "forward", False, True),
        (4, "forward", True, False),
    ):
        params = {"norm": norm, "inverse": inverse, "twice": twice}
        yield (normal(rng, (n,)),), {"axis": 0, **params}
        yield (normal(rng, (2, n, 3)),), {"axis": 1, **params}


r2c: Function = define(
    Op(
        "r2c",
        forward=_r2c_forward,
        vjp=(_r2c_rule,),
        jvp="linear",
        batch=_batch_one,
        samples=_r2c_samples,
        doc="The transform of a real array along `axis`, with the half of its frequencies that "
        "determines the others; `twice` doubles those that stand for two.",
    ),
    structural=True,
)


def _c2r_forward(
    xp: Any, x: Any, *, axis: int, n: int, norm: str, inverse: bool, twice: bool
) -> Any:
    if not inverse:
        x = xp.conj(x)
    if not twice:
        x = x + 0.0 if inverse else x
        x[(*twins(n, axis), Ellipsis)] *= 0.5
    return xp.fft.irfft(x, n=n, axis=axis, norm=OPPOSITE[norm])


def _c2r_rule(
    g: Any, _out: Any, _x: Any, *, axis: int, n: int, norm: str, inverse: bool, twice: bool
) -> Any:
    return r2c(g, axis=axis, norm=norm, inverse=inverse, twice=twice)


def _c2r_samples(rng: Any) -> Iterator[Sample]:
    for (x,), params in _r2c_samples(rng):
        n = x.shape[params["axis"]]
        shape = tuple(n // 2 + 1 if i == params["axis"] else m for i, m in enumerate(x.shape))
        yield (complex_normal(rng, shape),), {**params, "n": n}


c2r: Function = define(
    Op(
        "c2r",
        forward=_c2r_forward,
        vjp=(_c2r_rule,),
        jvp="linear",
        batch=_batch_one,
        samples=_c2r_samples,
        doc="The real part of the transform, of size `n` along `axis`, of the half of a spectrum; "
        "`twice` counts the elements that stand for two twice, as for a Hermitian spectrum.",
    ),
    structural=True,
)
