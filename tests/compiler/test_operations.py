"""Every sample of every operation: compiled is eager, as are compiled derivatives."""

import re

import numpy as np
import pytest

import tapegrad as tg

from ..ops.check import active, cases, function_of

with np.errstate(all="ignore"):
    CASES = {name: (op, inputs, params) for name, op, inputs, params in cases()}

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def assert_same(actual, expected, rtol=1e-12):
    """Equal types, dtypes and shapes; values to a few units in the last place."""
    if isinstance(expected, np.ndarray):
        expected = expected[()]  # of a compiled function, single numbers are scalars
    assert type(actual) is type(expected)
    if isinstance(actual, tuple | list):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            assert_same(a, e, rtol)
        return
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if actual.dtype.kind in "fc":
        finite = np.abs(expected[np.isfinite(expected)])
        scale = float(np.max(finite, initial=0.0))
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * scale)
    else:
        assert np.array_equal(actual, expected)


def applied(op, inputs, params):
    """The operation as a function of its arrays, and these."""
    places = [i for i, x in enumerate(inputs) if hasattr(x, "dtype")]

    def function(*arrays):
        filled = list(inputs)
        for i, x in zip(places, arrays, strict=True):
            filled[i] = x
        return op.function(*filled, **params)

    return function, [inputs[i] for i in places]


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", CASES)
def test_value(name, backend):
    op, inputs, params = CASES[name]
    function, arrays = applied(op, inputs, params)
    compiled = tg.compile(function, backend=backend)
    for _ in range(2):  # traced, and run
        assert_same(compiled(*arrays), function(*arrays))


@pytest.mark.parametrize("name", CASES)
def test_source_runs_on_its_own(name):
    op, inputs, params = CASES[name]
    function, arrays = applied(op, inputs, params)
    if any(x.dtype.kind not in "biufc" for x in arrays):
        pytest.skip("runs as it is")
    compiled = tg.compile(function, backend="numpy")
    expected = tg.tree.leaves(compiled(*arrays))
    names = {}
    source = compiled.source()
    if re.search(r"^# p\d+: ", source, re.MULTILINE):
        pytest.skip("names an object that has no text, which the source says")
    exec(source, names)
    with np.errstate(all="ignore"):
        results = names["program"](*arrays)
    for actual, value in zip(results, expected, strict=True):
        assert_same(np.asarray(actual)[()], value)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", CASES)
def test_pullback(name, backend):
    op, inputs, params = CASES[name]
    chosen = active(op, inputs)
    function = function_of(op, inputs, params, chosen)
    values = [inputs[i] for i in chosen]
    if not chosen or not function(*values):
        pytest.skip("nothing to differentiate")

    def pulled(*xs):
        out, pullback = tg.vjp(function, *xs)
        return pullback(out)

    compiled = tg.compile(pulled, backend=backend)
    for _ in range(2):  # traced, and run
        assert_same(compiled(*values), pulled(*values))
