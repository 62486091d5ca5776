"""The NumPy face as a whole: every name is there, and what is differentiable is."""

from __future__ import annotations

import importlib
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.numpy.dispatch import functions, ufuncs

from . import coverage
from .probes import PROBES, Probe

NAMES = """
abs absolute fabs acos arccos asin arcsin atan arctan acosh arccosh asinh arcsinh atanh arctanh
cbrt cos cosh sin sinh tan tanh exp exp2 expm1 log log10 log1p log2 negative positive reciprocal
sqrt square deg2rad degrees rad2deg radians conj conjugate sinc i0 real imag angle nan_to_num
real_if_close ceil floor trunc rint sign fix around round add subtract multiply divide
true_divide power pow float_power maximum minimum fmax fmin fmod mod remainder hypot arctan2
atan2 logaddexp logaddexp2 copysign floor_divide divmod modf frexp ldexp heaviside nextafter
clip sum prod mean std var max min amax amin ptp median nansum nanprod nanmean nanstd nanvar
nanmax nanmin nanmedian average percentile nanpercentile quantile nanquantile cumsum cumprod
nancumsum nancumprod cumulative_sum cumulative_prod trapezoid diff ediff1d gradient cov corrcoef
dot vdot inner outer matmul matvec vecmat vecdot tensordot einsum kron cross trace convolve
correlate reshape ravel transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis
expand_dims squeeze broadcast_to broadcast_arrays atleast_1d atleast_2d atleast_3d concatenate
concat stack vstack hstack dstack column_stack row_stack block append split array_split hsplit
vsplit dsplit unstack tile repeat roll rot90 flip fliplr flipud pad resize delete insert
trim_zeros diag diagonal diagflat tril triu vander meshgrid full full_like array asarray copy
astype ascontiguousarray asanyarray linspace logspace geomspace take take_along_axis choose
compress extract select where piecewise sort partition sort_complex unique unique_values union1d
fill_diagonal put_along_axis interp bincount histogram unwrap polyval polyadd polysub polymul
polydiv polyder polyint polyfit poly roots apply_along_axis apply_over_axes
"""

DIFFERENTIABLE = set(NAMES.split())

NAMESPACES = [pytest.param(tnp, id="tapegrad.numpy"), pytest.param(numpy, id="numpy")]


def test_there_is_a_probe_for_every_name():
    assert len(DIFFERENTIABLE) == 228
    assert PROBES.keys() == DIFFERENTIABLE


def public(namespace: Any) -> set[str]:
    return {name for name in dir(namespace) if not name.startswith("_")}


def test_every_public_name_of_numpy_is_there():
    assert public(numpy) <= public(tnp)
    for name in numpy.__all__:
        assert hasattr(tnp, name), name


def test_every_name_of_linalg_and_fft_is_there():
    assert public(numpy.linalg) <= public(tnp.linalg)
    assert public(numpy.fft) <= public(tnp.fft)


def test_unknown_names_raise():
    with pytest.raises(AttributeError, match="no_such_name"):
        exec("tnp.no_such_name", {"tnp": tnp})
    with pytest.raises(AttributeError, match="_private"):
        exec("tnp._private", {"tnp": tnp})


def test_every_differentiable_function_is_in_the_dispatch_table():
    for name in sorted(DIFFERENTIABLE - {"row_stack"}):  # which is vstack
        original = getattr(numpy, name)
        assert original in functions or original in ufuncs, name


def results(out: Any) -> list[Any]:
    """The results of floating point in what a function returned."""
    if isinstance(out, tuple | list):
        return [r for part in out for r in results(part)]
    return [out] if out.dtype.kind in "fc" else []


def loss_of(probe: Probe, np: Any) -> Callable[..., Any]:
    """A real number that all results of a probe enter, each element with another weight."""

    def loss(*inputs: Any) -> Any:
        total = 0.0
        for r in results(probe.call(np, *inputs)):
            weights = numpy.cos(1.0 + numpy.arange(r.size)).reshape(r.shape)
            if r.dtype.kind == "c":
                total = total + np.sum(np.real(r) * weights) + np.sum(np.imag(r) * weights[::-1])
            else:
                total = total + np.sum(r * weights)
        return total

    return loss


def finite(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """A direction for each input: none where it is NaN."""
    rng = numpy.random.default_rng(5)
    directions = []
    for x in inputs:
        t = numpy.asarray(rng.standard_normal(x.shape))
        if x.dtype.kind == "c":
            t = t + 1j * rng.standard_normal(x.shape)
        directions.append(numpy.where(numpy.isnan(x), 0.0, t)[()])
    return tuple(directions)


def difference(f: Callable[..., Any], xs: tuple[Any, ...], ts: tuple[Any, ...]) -> Any:
    h = 1e-6
    above = f(*(x + h * t for x, t in zip(xs, ts, strict=True)))
    below = f(*(x - h * t for x, t in zip(xs, ts, strict=True)))
    if isinstance(above, tuple):
        return tuple((a - b) / (2 * h) for a, b in zip(above, below, strict=True))
    return (above - below) / (2 * h)


def dot(gs: tuple[Any, ...], ts: tuple[Any, ...]) -> float:
    return float(sum(numpy.sum(g * t).real for g, t in zip(gs, ts, strict=True)))


everywhere = pytest.mark.parametrize("name", sorted(PROBES))
both = pytest.mark.parametrize("np", NAMESPACES)


@everywhere
@pytest.mark.filterwarnings("ignore:.*row_stack:DeprecationWarning")
def test_values_on_plain_arrays_are_numpys(name):
    probe = PROBES[name]
    for ours, theirs in zip(
        results(probe.call(tnp, *probe.inputs)),
        results(probe.call(numpy, *probe.inputs)),
        strict=True,
    ):
        numpy.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


OUT_OF_REACH = {"array", "asanyarray", "asarray", "ascontiguousarray", "full"}
"""Functions of plain NumPy that do not ask their arguments, but convert them."""


@everywhere
@both
@pytest.mark.filterwarnings("ignore:.*row_stack:DeprecationWarning")
def test_derivatives(name, np):
    probe = PROBES[name]
    if np is numpy and name in OUT_OF_REACH:
        with pytest.raises(TypeError, match="would take a traced value off the tape"):
            tg.grad(loss_of(probe, np))(*probe.inputs)
        return
    xs = probe.inputs
    ts = finite(xs)
    plain, loss = loss_of(probe, numpy), loss_of(probe, np)
    expected = difference(plain, xs, ts)
    every = tuple(range(len(xs)))
    value, gradient = tg.value_and_grad(loss, every)(*xs)
    numpy.testing.assert_allclose(value, plain(*xs), rtol=1e-12)
    for x, g in zip(xs, gradient, strict=True):
        assert g.shape == x.shape
        assert g.dtype == x.dtype
        assert numpy.all(numpy.isfinite(g))
    scale = max(1.0, abs(float(expected)))
    numpy.testing.assert_allclose(dot(gradient, ts), expected, atol=2e-7 * scale)
    value, tangent = tg.jvp(loss, xs, ts)
    numpy.testing.assert_allclose(value, plain(*xs), rtol=1e-12)
    numpy.testing.assert_allclose(tangent, expected, atol=2e-7 * scale)


@everywhere
@pytest.mark.filterwarnings("ignore:.*row_stack:DeprecationWarning")
def test_second_order(name):
    probe = PROBES[name]
    xs = probe.inputs
    ts = finite(xs)
    gradient = tg.grad(loss_of(probe, tnp), tuple(range(len(xs))))
    out, tangents = tg.jvp(gradient, xs, ts)
    for g, t, e in zip(out, tangents, difference(gradient, xs, ts), strict=True):
        assert t.shape == g.shape
        scale = max(1.0, float(numpy.max(numpy.abs(e), initial=0.0)))
        numpy.testing.assert_allclose(t, e, rtol=0, atol=3e-7 * scale)


def lanes(x: Any) -> Any:
    """Three inputs like `x`, its elements in other orders: away from kinks all the same."""
    if x.ndim == 0:
        return numpy.stack([x, 1.25 * x, 0.75 * x])
    return numpy.stack([x, numpy.flip(x).copy(), numpy.roll(x, 1)])


SORTED_INPUTS = {"interp": 1, "trapezoid": 1}
"""The input that must stay in order, so that only the others get lanes."""


@everywhere
@pytest.mark.filterwarnings("ignore:.*row_stack:DeprecationWarning")
def test_vmap_is_a_loop(name):
    probe = PROBES[name]
    if not probe.lanes:
        with pytest.raises(
            tg.errors.ConcretizationError, match="differs between the lanes of vmap"
        ):
            tg.vmap(lambda *xs: probe.call(tnp, *xs))(*map(lanes, probe.inputs))
        return
    fixed = SORTED_INPUTS.get(name)
    axes = tuple(None if i == fixed else 0 for i in range(len(probe.inputs)))
    stacked = [x if i == fixed else lanes(x) for i, x in enumerate(probe.inputs)]

    def call(*xs: Any) -> Any:
        return results(probe.call(tnp, *xs)), tg.grad(loss_of(probe, tnp), tuple(range(len(xs))))(
            *xs
        )

    out, gradients = tg.vmap(call, in_axes=axes)(*stacked)
    for lane in range(3):
        xs = [x if i == fixed else x[lane] for i, x in enumerate(stacked)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected, expected_gradients = call(*xs)
        for ours, theirs in zip((*out, *gradients), (*expected, *expected_gradients), strict=True):
            assert ours.dtype == theirs.dtype
            numpy.testing.assert_allclose(ours[lane], theirs, rtol=1e-9, atol=1e-9)


def test_the_page_on_coverage_is_up_to_date():
    page = Path(__file__).parents[2] / "docs" / "numpy-coverage.md"
    assert page.read_text() == coverage.page(), (
        "run python -m tests.numpy.coverage > docs/numpy-coverage.md"
    )


def test_no_module_of_the_face_is_forgotten():
    apart = {"decompositions", "fft", "linalg", "norms", "random", "reading"}
    for path in Path(tnp.__file__).parent.glob("*.py"):
        if path.stem in apart or path.stem.startswith("_"):
            continue
        module = importlib.import_module(f"tapegrad.numpy.{path.stem}")
        for name in getattr(module, "__all__", ()):
            assert getattr(tnp, name) is getattr(module, name) or name in tnp.standard.__all__, name


def test_completion_offers_public_names_only():
    assert set(dir(tg)) == {*tg.__all__, "scipy", "vision", "__version__"}
    assert all(hasattr(tg, name) for name in dir(tg))
    assert set(dir(tnp)) == {name for name in dir(numpy) if not name.startswith("_")}
    with pytest.raises(AttributeError, match="module 'tapegrad' has no attribute 'gradient'"):
        exec("tg.gradient", {"tg": tg})


@pytest.mark.parametrize("name", ["numpy.sum", "numpy.sin", "numpy.linalg.norm", "numpy.fft.fft"])
def test_functions_say_where_they_are_from(name):
    path, _, own = f"tapegrad.{name}".rpartition(".")
    function = getattr(importlib.import_module(path), own)
    assert function.__module__ == path
    assert pickle.loads(pickle.dumps(function)) is function
