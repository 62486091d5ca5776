"""A call of every differentiable function of NumPy, on inputs away from kinks and ties."""

from __future__ import annotations

from typing import Any

import numpy

from .probe import Probes

PROBES = Probes()
probe, same = PROBES.probe, PROBES.same

rng = numpy.random.default_rng(3)
X = numpy.array([0.7, -1.3, 2.1, -0.4])
Y = numpy.array([1.2, 0.6, -0.8, 1.9])
POSITIVE = numpy.array([0.4, 1.7, 2.9, 0.8])
UNIT = numpy.array([0.3, -0.5, 0.8, -0.2])
ABOVE_ONE = 1.2 + POSITIVE
M = rng.standard_normal((3, 4))
N = rng.standard_normal((3, 4))
SQUARE = rng.standard_normal((3, 3)) + 3 * numpy.eye(3)
CUBE = rng.standard_normal((2, 3, 4))
Z = X + 1j * Y
HOLES = numpy.array([[0.3, numpy.nan, 1.2, -0.7], [2.0, 0.9, numpy.nan, 0.5]])
SCALAR = numpy.float64(1.3)


same("abs absolute fabs acos arccos asin arcsin atan arctan atanh arctanh cbrt cos cosh", UNIT)
same("sin sinh tan tanh asinh arcsinh exp exp2 expm1 negative positive reciprocal square", X)
same("acosh arccosh", ABOVE_ONE)
same("log log10 log1p log2 sqrt", POSITIVE)
same("deg2rad degrees rad2deg radians sinc i0 nan_to_num real_if_close", X)
same("conj conjugate real imag angle", Z)
same("ceil floor trunc rint sign fix around round", X)
same("add subtract multiply divide true_divide maximum minimum fmax fmin", X, Y)
same("power pow float_power", POSITIVE, Y)
same("fmod mod remainder hypot arctan2 atan2 logaddexp logaddexp2 copysign floor_divide", X, Y)
same("divmod heaviside nextafter", X, Y)
same("modf frexp", X)
probe("ldexp", lambda np, x: np.ldexp(x, numpy.array([1, -2, 3, 0])), X)
probe("clip", lambda np, x, low, high: np.clip(x, low, high), X, -1.0 + 0 * X, numpy.float64(1.5))

# reductions and scans
same("sum prod mean std var max min amax amin ptp median average", M, axis=0)
same("nansum nanprod nanmean nanstd nanvar nanmax nanmin nanmedian", HOLES, axis=1)
probe("percentile", lambda np, x: np.percentile(x, [30, 65], axis=1), M)
probe("quantile", lambda np, x: np.quantile(x, 0.3, axis=0), M)
probe("nanpercentile", lambda np, x: np.nanpercentile(x, 40, axis=1), HOLES)
probe("nanquantile", lambda np, x: np.nanquantile(x, 0.6, axis=1), HOLES)
same("cumsum cumprod cumulative_sum cumulative_prod", M, axis=1)
same("nancumsum nancumprod", HOLES, axis=1)
probe(
    "trapezoid",
    lambda np, y, x: np.trapezoid(y, x),
    M,
    numpy.array([0.0, 0.4, 1.1, 1.5]),
    fixed=(1,),
)
probe("diff", lambda np, x: np.diff(x, n=2, axis=1), M)
probe("ediff1d", lambda np, x: np.ediff1d(x, to_end=9.0), X)
probe("gradient", lambda np, x: np.gradient(x), M)
same("cov corrcoef", M)

# products
same("dot matmul", M, N.T)
same("vdot inner outer convolve correlate", X, Y)
same("vecdot", M, N)
probe("matvec", lambda np, a, x: np.matvec(a, x), M, X)
probe("vecmat", lambda np, x, a: np.vecmat(x, a), X, M.T)
probe("tensordot", lambda np, a, b: np.tensordot(a, b, axes=([1], [0])), CUBE, M)
probe("einsum", lambda np, a, b: np.einsum("ijk,jk->ki", a, b), CUBE, M)
same("kron", SQUARE, X[:2])
same("cross", X[:3], Y[:3])
same("trace", SQUARE)

# shapes
probe("reshape", lambda np, x: np.reshape(x, (2, -1)), M)
same("ravel transpose", CUBE)
probe("permute_dims", lambda np, x: np.permute_dims(x, (2, 0, 1)), CUBE)
same("matrix_transpose", CUBE)
probe("swapaxes", lambda np, x: np.swapaxes(x, 0, -1), CUBE)
probe("moveaxis", lambda np, x: np.moveaxis(x, 0, -1), CUBE)
probe("rollaxis", lambda np, x: np.rollaxis(x, 2), CUBE)
probe("expand_dims", lambda np, x: np.expand_dims(x, (0, 2)), M)
probe("squeeze", lambda np, x: np.squeeze(x[:, :1], axis=1), M)
probe("broadcast_to", lambda np, x: np.broadcast_to(x, (2, 4)), X)
probe("broadcast_arrays", lambda np, x, y: np.broadcast_arrays(x, y), M, X)
same("atleast_1d atleast_2d atleast_3d", SCALAR, X)
for joined in ("concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack"):
    probe(joined, lambda np, x, y, name=joined: getattr(np, name)([x, y]), M, N)
probe("row_stack", lambda np, x, y: np.row_stack([x, y]), M, N)
probe("block", lambda np, x, y: np.block([[x, y], [y, x]]), M, N)
probe("append", lambda np, x, y: np.append(x, y, axis=0), M, N)
probe("split", lambda np, x: np.split(x, [1, 3], axis=1), M)
probe("array_split", lambda np, x: np.array_split(x, 3), X)
same("hsplit vsplit", CUBE.reshape(4, 6), indices_or_sections=2)
probe("dsplit", lambda np, x: np.dsplit(x, 2), CUBE)
probe("unstack", lambda np, x: np.unstack(x, axis=1), M)
probe("tile", lambda np, x: np.tile(x, (2, 3)), M)
probe("repeat", lambda np, x: np.repeat(x, [1, 0, 2], axis=0), M)
probe("roll", lambda np, x: np.roll(x, (1, 2), axis=(0, 1)), M)
probe("rot90", lambda np, x: np.rot90(x), M)
same("flip fliplr flipud", M)
probe("pad", lambda np, x: np.pad(x, ((1, 2), (0, 1)), mode="reflect"), M)
probe("resize", lambda np, x: np.resize(x, (3, 5)), X)
probe("delete", lambda np, x: np.delete(x, [1, 2], axis=1), M)
probe("insert", lambda np, x, y: np.insert(x, 1, y, axis=0), M, X)
probe("trim_zeros", lambda np, x: np.trim_zeros(np.concatenate([[0.0], x, [0.0]])), X)
same("diag", SQUARE)
probe("diagonal", lambda np, x: np.diagonal(x, 1), M)
probe("diagflat", lambda np, x: np.diagflat(x, 1), X)
same("tril triu", M, k=-1)
probe("vander", lambda np, x: np.vander(x, 3), X)
probe("meshgrid", lambda np, x, y: np.meshgrid(x, y, indexing="ij"), X, Y[:2])

# creation
probe("full", lambda np, x: np.full((2, 4), x), X)
probe("full_like", lambda np, x, v: np.full_like(x, v), M, SCALAR)
probe("array", lambda np, x, y: np.array([[x, 2.0], [y, x]]), SCALAR, -SCALAR)
same("asarray copy ascontiguousarray asanyarray", M)
probe("astype", lambda np, x: np.astype(x, numpy.complex128), M)
probe("linspace", lambda np, a, b: np.linspace(a, b, 5, axis=1), X, Y)
probe("logspace", lambda np, a, b: np.logspace(a, b, 4, base=2.5), UNIT, UNIT[::-1].copy())
probe("geomspace", lambda np, a, b: np.geomspace(a, b, 4), POSITIVE, ABOVE_ONE)

# selection
probe("take", lambda np, x: np.take(x, [[0, 2], [2, 1]], axis=0), M)
probe(
    "take_along_axis",
    lambda np, x: np.take_along_axis(x, numpy.array([[0, 3], [1, 1], [2, 0]]), axis=1),
    M,
)
probe("choose", lambda np, x, y: np.choose(numpy.array([0, 1, 1, 0]), [x, y]), X, Y)
probe("compress", lambda np, x: np.compress([True, False, True], x, axis=0), M)
probe("extract", lambda np, x: np.extract(numpy.array([True, False, True, True]), x), X)
probe("select", lambda np, x, y: np.select([x > 1, x < 0], [x * y, y**2], default=3.0), X, Y)
probe("where", lambda np, x, y: np.where(x > y, x, y), X, Y)
probe("piecewise", lambda np, x: np.piecewise(x, [x < 0, x >= 0], [np.exp, lambda v: v**2]), X)
same("sort", M)
probe("partition", lambda np, x: np.sort(np.partition(x, 2)[:2]), X)
same("sort_complex", Z)
probe("unique", lambda np, x: np.unique(x), X)
probe("unique_values", lambda np, x: np.sort(np.unique_values(x)), X)
probe("union1d", lambda np, x, y: np.union1d(x, y), X, Y)


def fill_diagonal(np: Any, x: Any, v: Any) -> Any:
    x = np.copy(x)
    np.fill_diagonal(x, v)
    return x


def put_along_axis(np: Any, x: Any, v: Any) -> Any:
    x = np.copy(x)
    np.put_along_axis(x, numpy.array([[0, 3], [1, 2], [2, 0]]), v, axis=1)
    return x


def _last(quotient: Any, rest: Any) -> tuple[Any, Any]:
    """A division without the leading coefficients of the rest, which are what rounding leaves."""
    return quotient, rest[-1:]


probe("fill_diagonal", fill_diagonal, SQUARE, SCALAR)
probe("put_along_axis", put_along_axis, M, N[:, :2])

# numerics
probe(
    "interp",
    lambda np, x, xp, fp: np.interp(x, xp, fp),
    UNIT,
    numpy.array([-0.9, -0.1, 0.4, 1.1]),
    Y,
    fixed=(1,),
)
probe("bincount", lambda np, w: np.bincount(numpy.array([0, 2, 2, 1]), w, minlength=4), X)
probe("histogram", lambda np, x, w: np.histogram(x, 3, (-2.0, 3.0), weights=w)[0], X, Y)
probe("unwrap", lambda np, x: np.unwrap(5 * x), X)
probe("polyval", lambda np, p, x: np.polyval(p, x), Y, X)
same("polyadd polysub polymul", X, Y[:3])
probe("polydiv", lambda np, u, v: _last(*np.polydiv(u, v)), X, ABOVE_ONE[:2])
probe("polyder", lambda np, p: np.polyder(p, 2), X)
probe("polyint", lambda np, p: np.polyint(p, 2, k=[1.0, 2.0]), X)
probe("polyfit", lambda np, x, y: np.polyfit(x, y, 2), X, Y)
same("poly", UNIT[:3])
probe("roots", lambda np, p: np.real(np.sum(np.roots(p) ** 2)), numpy.array([1.0, -2.7, 0.4, 1.9]))
probe("apply_along_axis", lambda np, x: np.apply_along_axis(lambda v: v * np.sum(v), 0, x), M)
probe("apply_over_axes", lambda np, x: np.apply_over_axes(np.sum, np.sin(x), [0, 2]), CUBE)
