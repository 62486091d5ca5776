"""Factors of symmetric and Hermitian matrices that need not be definite, and systems by them.

LAPACK's sytrf and hetrf give ``P L D L^H P^T``, where D has blocks of one and two rows, packed in
one matrix; sytrs and hetrs solve by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from .. import errors
from ..backend import is_complex, namespace
from ..core.op import Op
from .complex import conj
from .define import Function, define
from .lapack import on_host
from .matrices import stacked_batch
from .samples import Sample

PACKED = "LAPACK's packed factors depend on the order that pivoting took; use solve or cholesky"


PREFIXES = {"f": "s", "d": "d", "F": "c", "D": "z"}


def routine(name: str, char: str, hermitian: bool) -> Any:
    """LAPACK's routine for matrices of a dtype."""
    from scipy.linalg import lapack

    kind = "he" if hermitian and char in "FD" else "sy"
    return getattr(lapack, f"{PREFIXES[char]}{kind}{name}")


@on_host
def _ldl_forward(x: Any, *, hermitian: bool) -> Any:
    x = x if x.dtype.kind in "fc" else x.astype(float)
    factor = routine("trf", x.dtype.char, hermitian)
    packed = numpy.empty_like(x)
    pivots = numpy.empty(x.shape[:-1], dtype=numpy.int32)
    report = numpy.zeros(x.shape[:-2], dtype=numpy.int32)
    for i in numpy.ndindex(report.shape):
        if x[i].size:
            ldu, pivots[i], report[i] = factor(x[i], lower=1)
            packed[i] = numpy.tril(ldu)
    return packed, pivots, report[()]


def _ldl_rule(_g: Any, _out: Any, _x: Any, *, hermitian: bool) -> Any:
    raise errors.no_parameter_derivative("linalg.ldl_factor", "A", PACKED)


def _ldl_jvp(_tangents: tuple[Any, ...], _out: Any, _x: Any, *, hermitian: bool) -> Any:
    raise errors.no_parameter_derivative("linalg.ldl_factor", "A", PACKED)


def _ldl_samples(rng: Any) -> Iterator[Sample]:
    matrix = namespace().asarray([[1, 2], [2, 1]])
    yield (matrix,), {"hermitian": False}
    yield (namespace().stack([matrix, matrix * 2]),), {"hermitian": True}


ldl: Function = define(
    Op(
        "ldl",
        forward=_ldl_forward,
        vjp=(_ldl_rule,),
        jvp=_ldl_jvp,
        batch=lambda function, _mapped, x, *, hermitian: function(x, hermitian=hermitian),
        samples=_ldl_samples,
        outputs=3,
        doc="LAPACK's packed factors of symmetric (or Hermitian) matrices, whose lower triangle is "
        "read; its pivots, from 1 on; and its report. Without derivative.",
    )
)


@on_host
def _systems_forward(packed: Any, pivots: Any, b: Any, *, hermitian: bool) -> Any:
    to = b.dtype if packed.dtype.kind in "biu" else numpy.result_type(packed, b)
    solve = routine("trs", to.char, hermitian)
    out = numpy.empty(b.shape, dtype=to)
    for i in numpy.ndindex(packed.shape[:-2]):
        if out[i].size:
            out[i] = solve(packed[i].astype(to), pivots[i], b[i].astype(to), lower=1)[0]
    return out


def _systems_rule(
    g: Any,
    _out: Any,
    packed: Any,
    pivots: Any,
    _b: Any,
    *,
    wanted: tuple[bool, ...],
    hermitian: bool,
) -> tuple[Any, ...]:
    if wanted[0]:
        raise errors.no_parameter_derivative("linalg.ldl_solve", "LD", PACKED)
    if hermitian and is_complex(packed.dtype):  # the transposed matrix is the conjugate one
        return None, None, conj(ldl_systems(packed, pivots, conj(g), hermitian=True))
    return None, None, ldl_systems(packed, pivots, g, hermitian=hermitian)


def _systems_jvp(
    tangents: tuple[Any, ...], _out: Any, packed: Any, pivots: Any, _b: Any, *, hermitian: bool
) -> Any:
    if tangents[0] is not None:
        raise errors.no_parameter_derivative("linalg.ldl_solve", "LD", PACKED)
    return ldl_systems(packed, pivots, tangents[2], hermitian=hermitian)


def _systems_samples(rng: Any) -> Iterator[Sample]:
    xp = namespace()
    packed, pivots = xp.asarray([[1, 0], [2, 1]]), xp.asarray([-2, -2])  # of [[1, 2], [2, 1]]
    yield (packed, pivots, rng.normal(size=(2, 1))), {"hermitian": False}
    yield (packed, pivots, rng.normal(size=(2, 2)) + 1j), {"hermitian": True}


ldl_systems: Function = define(
    Op(
        "ldl_systems",
        forward=_systems_forward,
        vjp=_systems_rule,
        joint=True,
        jvp=_systems_jvp,
        batch=stacked_batch,
        samples=_systems_samples,
        doc="The solutions of systems by `ldl` factors. The derivative is that in the right hand "
        "sides.",
    )
)
