"""The namespaces of NumPy and SciPy that have a face here, with a probe of each function."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import numpy
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special
import scipy.stats

import tapegrad.numpy as tnp
from tapegrad.numpy.dispatch import functions, ufuncs
from tapegrad.scipy import fft, integrate, interpolate, linalg, ndimage, signal, special, stats
from tapegrad.scipy.stats.base import Named

from . import (
    of_integrals,
    of_linalg,
    of_numpy,
    of_numpy_others,
    of_scipy,
    of_scipy_linalg,
    of_special,
    of_stats,
)
from .probe import Probes


class Face(NamedTuple):
    """A namespace: `names` are its functions that take recorded arrays, `refused` the others."""

    title: str
    ours: Any
    original: Any
    probes: Probes
    names: frozenset[str]
    refused: tuple[str, ...]


ASKING = numpy.ufunc | type(numpy.sum)


def array_functions(module: ModuleType) -> Iterator[str]:
    """The public functions of one of NumPy's namespaces that ask the arrays they are given."""
    creation = set(tnp.creation.__all__) - {"from_dlpack"}  # which takes other libraries' arrays
    for name in module.__all__:
        if isinstance(getattr(module, name), ASKING) or name in creation:
            yield name


def of_numpys(title: str, ours: Any, module: Any, *probes: Probes) -> Face:
    unlisted = {"row_stack"} & set(dir(module))  # deprecated, but there
    names = unlisted | {
        name
        for name in array_functions(module)
        if (original := getattr(module, name)) in functions
        or original in ufuncs
        or getattr(ours, name) is not original
    }
    refused = sorted(set(array_functions(module)) - names)
    return Face(title, ours, module, joined(probes), frozenset(names), tuple(refused))


def of_scipys(ours: Any, module: Any, probes: Probes, own: Iterable[str]) -> Face:
    """`own` are the names that this package defines; SciPy's other functions are refused.

    Those of `scipy.fft` take no arrays, but settings.
    """
    own = frozenset(own)
    refused = sorted(
        name
        for name in module.__all__
        if module is not scipy.fft
        and name not in own
        and (inspect.isfunction(value := getattr(module, name)) or isinstance(value, numpy.ufunc))
    )
    return Face(module.__name__, ours, module, probes, own, tuple(refused))


def joined(probes: Iterable[Probes]) -> Probes:
    return Probes({name: probe for part in probes for name, probe in part.items()})


def defined(ours: Any, module: Any) -> Iterator[str]:
    """The functions of SciPy's namespace in whose place this package has its own."""
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value) and not inspect.isclass(value) and vars(ours).get(name) is not None:
            yield name


def methods(names: Iterable[str]) -> Iterator[str]:
    """Distributions by their methods, functions and classes as they are."""
    for name in names:
        value = getattr(stats, name)
        if not isinstance(value, Named):
            yield name
        else:
            every = (*of_stats.DENSITIES, *of_stats.MASSES, *of_stats.QUANTILES)
            _, parts = of_stats.SKEWED.get(name, ((), every))
            yield from {f"{name}.{part}" for part in parts if hasattr(type(value), part)}


SPECIAL = (special.ufuncs, special.functions, special.composed, special.distributions)

FACES = (
    of_numpys("numpy", tnp, numpy, of_numpy.PROBES, of_numpy_others.PROBES),
    of_numpys("numpy.linalg", tnp.linalg, numpy.linalg, of_linalg.LINALG),
    of_numpys("numpy.fft", tnp.fft, numpy.fft, of_linalg.FFT),
    of_scipys(linalg, scipy.linalg, of_scipy_linalg.PROBES, defined(linalg, scipy.linalg)),
    of_scipys(fft, scipy.fft, of_scipy.FFT, defined(fft, scipy.fft)),
    of_scipys(
        special,
        scipy.special,
        of_special.PROBES,
        [name for module in SPECIAL for name in module.__all__],
    ),
    of_scipys(stats, scipy.stats, of_stats.PROBES, methods(stats.__all__)),
    of_scipys(signal, scipy.signal, of_scipy.SIGNAL, signal.__all__),
    of_scipys(ndimage, scipy.ndimage, of_scipy.NDIMAGE, ndimage.__all__),
    of_scipys(interpolate, scipy.interpolate, of_scipy.INTERPOLATE, interpolate.__all__),
    Face(
        "scipy.integrate",
        integrate,
        scipy.integrate,
        of_integrals.INTEGRATE,
        frozenset(integrate.sampled.__all__),
        (),
    ),
    Face(
        "tapegrad.scipy.special",
        special.aliases,
        special.aliases,
        of_special.OTHER_NAMES,
        frozenset(special.aliases.__all__),
        (),
    ),
)
