"""Splines in FITPACK's form, of least squares, and with a penalty on their curvature.

A spline that is smoothed up to a bound, or whose smoothness is chosen by cross-validation, takes
what it chooses from the data in steps or by a search. It is SciPy's, then, and raises where the
data are tracked; where it is evaluated may be tracked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import index
from typing import Any

import numpy
import scipy.interpolate
from numpy.lib.array_utils import normalize_axis_index

from ... import errors
from ...numpy.dispatch import np
from ...numpy.reading import any_recorded
from ...ops.banded import solve_banded
from ...ops.index import ARRAY, scatter_add
from ...ops.linear import reshape
from .arguments import column, floating, values
from .bspline import BSpline, make_interp_spline
from .collocation import entries

Tck = tuple[Any, Any, int]


def ours(spline: scipy.interpolate.BSpline) -> BSpline:
    """SciPy's spline as this package's."""
    return BSpline.construct_fast(spline.t, spline.c, spline.k, spline.extrapolate, spline.axis)


def recorded(*inputs: Any) -> bool:
    return any_recorded(inputs) or any(isinstance(x, BSpline) for x in inputs)


def implements(original: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate what takes the place of SciPy's function where something is recorded."""

    def decorate(implementation: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def function(*args: Any, **kwargs: Any) -> Any:
            if recorded(*args, *kwargs.values()):
                return implementation(*args, **kwargs)
            return original(*args, **kwargs)

        return function

    return decorate


# FITPACK's form: a tuple of the knots, the coefficients (padded to as many), and the degree


def spline_of(tck: Any) -> BSpline:
    """The spline of a tuple; one that is a spline already stays as it is."""
    if isinstance(tck, BSpline):
        return tck
    t, c, k = tck.tck if isinstance(tck, scipy.interpolate.BSpline) else tck
    t, c = floating(t), floating(c)
    return BSpline.construct_fast(t, c[: t.shape[0] - k - 1], k)


def padded(spline: BSpline, last: bool = False) -> Tck:
    """A spline as a tuple, with coefficients padded with zeros, or with the last one."""
    c = spline.c
    shape = (spline.t.shape[0] - c.shape[0], *c.shape[1:])
    padding = np.broadcast_to(c[-1:], shape) if last else numpy.zeros(shape)
    return spline.t, np.concatenate([c, padding]), spline.k


def is_parametric(tck: Any) -> bool:
    """Whether a tuple is that of a curve: its coefficients are a list, an array a coordinate."""
    return isinstance(tck, tuple | list) and isinstance(tck[1], list | tuple)


@implements(scipy.interpolate.splev)
def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    if is_parametric(tck):
        t, coordinates, k = tck
        return [splev(x, (t, c, k), der, ext) for c in coordinates]
    if ext not in (0, 1, 2, 3):
        raise ValueError(f"ext = {ext} not in (0, 1, 2, 3) ")
    spline, x = spline_of(tck), floating(x)
    if spline.c.ndim > 1:
        raise ValueError("Calling splev() with BSpline objects with c.ndim > 1 is not allowed.")
    if not 0 <= der <= spline.k:
        raise ValueError(f"0<=der={der}<=k={spline.k} must hold")
    first, last = spline._ends()
    outside = (x < first) | (x > last)
    if ext == 2 and numpy.any(values(outside)):
        raise ValueError("Invalid input data")
    if ext == 3 and der == 0:  # FITPACK extends derivatives as with ext=0
        x = np.clip(x, first, last)
    out = spline(x, der, True)
    return np.where(outside, 0.0, out) if ext == 1 else out


@implements(scipy.interpolate.splint)
def splint(a: Any, b: Any, tck: Any, full_output: int = 0) -> Any:
    if full_output:
        raise errors.no_scipy_rule(
            "scipy.interpolate.splint", "with full_output=1 it gives values of its own computation"
        )
    if is_parametric(tck):
        t, coordinates, k = tck
        return [splint(a, b, (t, c, k)) for c in coordinates]
    return spline_of(tck).integrate(a, b, extrapolate=False)


@implements(scipy.interpolate.splder)
def splder(tck: Any, n: int = 1) -> Any:
    out = spline_of(tck).derivative(n)
    return padded(out, last=n < 0) if isinstance(tck, tuple | list) else out


@implements(scipy.interpolate.splantider)
def splantider(tck: Any, n: int = 1) -> Any:
    out = spline_of(tck).antiderivative(n)
    return padded(out, last=n > 0) if isinstance(tck, tuple | list) else out


@implements(scipy.interpolate.splrep)
def splrep(
    x: Any,
    y: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: float | None = None,
    t: Any = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> Any:
    if full_output or per or task == 1 or not (xb is None and xe is None):
        raise errors.no_scipy_rule(
            "scipy.interpolate.splrep",
            "per, xb, xe, task=1 and full_output are FITPACK's alone; see make_interp_spline",
        )
    x, y = floating(x), floating(y)
    if t is not None:
        inner = floating(t)
        ends = (np.broadcast_to(end, (k + 1,)) for end in (x[0], x[-1]))
        knots = np.concatenate([next(ends), inner, next(ends)])
        return padded(make_lsq_spline(x, y, knots, k, w))
    if s or (s is None and w is not None):
        raise smoothed("splrep")
    return padded(make_interp_spline(x, y, k))


def smoothed(name: str) -> TypeError:
    return errors.no_scipy_rule(
        f"scipy.interpolate.{name}",
        "a smoothing spline takes its knots from the data in steps; give knots t, or take "
        "make_smoothing_spline with lam",
    )


# Least squares, and a penalty on the curvature


def make_lsq_spline(
    x: Any,
    y: Any,
    t: Any,
    k: int = 3,
    w: Any = None,
    axis: int = 0,
    check_finite: bool = True,
    *,
    method: str = "qr",
) -> BSpline:
    """The spline with knots `t` that is closest to values in the sense of least squares, with
    weights; see `scipy.interpolate.make_lsq_spline`. Differentiable in all arrays."""
    if not recorded(x, y, t, w):
        own = scipy.interpolate.make_lsq_spline(x, y, t, k, w, axis, check_finite, method=method)
        return ours(own)
    x, y, t, k = floating(x), floating(y), floating(t), index(k)
    axis = normalize_axis_index(axis, y.ndim)
    y = np.moveaxis(y, axis, 0)
    nodes, knots = values(x), values(t)
    if x.ndim != 1 or x.shape[0] < k + 1:
        raise ValueError("Need more x points." if x.ndim == 1 else "Expect x to be a 1-D sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if nodes is not None and knots is not None:
        if (numpy.diff(nodes) < 0).any() or (numpy.diff(knots) < 0).any():
            raise ValueError("Expect x and t to be 1D non-decreasing sequences.")
        if k > 0 and ((nodes < knots[k]) | (nodes > knots[-k - 1])).any():
            raise ValueError(f"Out of bounds w/ x = {nodes}.")
    count = t.shape[0] - k - 1
    weights, row, place = entries(t, x, k, 0, count, 0)
    matrix = scatter_add(weights, row, place, key=(ARRAY, ARRAY), to=(x.shape[0], count))
    side = reshape(y, to=(x.shape[0], y.size // x.shape[0]))
    if w is not None:
        w = floating(w)
        if w.shape != x.shape:
            raise ValueError(f"Shapes of x {x.shape} and w {w.shape} are incompatible")
        matrix, side = column(w, like=matrix) * matrix, column(w, like=side) * side
    c = np.linalg.lstsq(matrix, side)[0]
    return BSpline.construct_fast(t, reshape(c, to=(count, *y.shape[1:])), k, True, axis)


def make_smoothing_spline(
    x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: int = 0
) -> BSpline:
    """The cubic spline with the least sum of weighted squares of what it leaves and of `lam` times
    the integral of its squared curvature; see `scipy.interpolate.make_smoothing_spline`.

    Differentiable in all arrays and in `lam`, which must be given, then: by default it is the one
    that does best in cross-validation, and is found by a search.

    >>> import numpy as np
    >>> import tapegrad as tg
    >>> x, y = np.arange(6.0), np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    >>> print(round(tg.grad(lambda lam: make_smoothing_spline(x, y, lam=lam)(1.0))(0.1), 4))
    -1.1391
    """
    if not recorded(x, y, w, lam):
        return ours(scipy.interpolate.make_smoothing_spline(x, y, w, lam, axis=axis))
    if lam is None:
        raise errors.no_scipy_rule(
            "scipy.interpolate.make_smoothing_spline",
            "without lam, cross-validation chooses it by a search; give lam",
        )
    x, y = floating(x), floating(y)
    axis = normalize_axis_index(axis, y.ndim)
    y = np.moveaxis(y, axis, 0)
    w = numpy.ones(x.shape) if w is None else floating(w)
    n = check_smoothing(x, y, w, lam)
    side = reshape(y, to=(n, y.size // n))
    # With h the widths, q the second differences and r the Gram matrix of the hat functions, the
    # curvatures c at the inner nodes solve (r + lam * q^T q / w) c = q^T y (Reinsch, 1967).
    h = np.diff(x)
    left, right = 1 / h[:-1], 1 / h[1:]
    middle = -(left + right)
    u = 1 / w
    zero = numpy.zeros(1)
    main = (h[:-1] + h[1:]) / 3 + lam * (
        left * left * u[:-2] + middle * middle * u[1:-1] + right * right * u[2:]
    )
    first = h[1:-1] / 6 + lam * (
        middle[:-1] * left[1:] * u[1:-2] + right[:-1] * middle[1:] * u[2:-1]
    )
    second = lam * (right[:-2] * left[2:] * u[2:-2])
    bands = np.stack(
        [
            np.concatenate([zero, zero, second]),
            np.concatenate([zero, first]),
            main,
            np.concatenate([first, zero]),
            np.concatenate([second, zero, zero]),
        ]
    )
    slopes = np.diff(side, axis=0) / column(h, like=side)
    curvatures = solve_banded(bands, np.diff(slopes, axis=0), lower=2, upper=2, definite=False)
    none = numpy.zeros((1, side.shape[1]))
    bends = np.diff(np.concatenate([none, curvatures, none]), axis=0) / column(h, like=side)
    forces = np.diff(np.concatenate([none, bends, none]), axis=0)
    smooth = side - column(lam * u, like=side) * forces
    spline = make_interp_spline(x, reshape(smooth, to=y.shape), 3, bc_type="natural")
    return BSpline.construct_fast(spline.t, spline.c, 3, True, axis)


def check_smoothing(x: Any, y: Any, w: Any, lam: Any) -> int:
    """The number of nodes; raises as SciPy does."""
    nodes, weights, strength = values(x), values(w), values(lam)
    if x.ndim != 1 or x.shape[0] != y.shape[0]:
        raise ValueError(f"``x`` should be 1D and {x.shape = } == {y.shape = }")
    if nodes is not None and (numpy.diff(nodes) <= 0).any():
        raise ValueError("``x`` should be an ascending array")
    if weights is not None and (weights <= 0).any():
        raise ValueError("Invalid vector of weights")
    if x.shape[0] <= 4:
        raise ValueError("``x`` and ``y`` length must be at least 5")
    if strength is not None and (strength < 0).any():
        raise ValueError("Regularization parameter should be non-negative")
    return int(x.shape[0])


def make_splrep(x: Any, y: Any, *, s: float = 0, k: int = 3, **options: Any) -> BSpline:
    """The spline that is smoothed up to a sum of squares `s` of what it leaves; see
    `scipy.interpolate.make_splrep`. Differentiable in the data where it leaves nothing."""
    if not recorded(x, y, *options.values()):
        return ours(scipy.interpolate.make_splrep(x, y, s=s, k=k, **options))
    if s or options:
        raise smoothed("make_splrep")
    return make_interp_spline(x, y, k)
