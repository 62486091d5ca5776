"""Reductions and accumulations of ufuncs: NumPy's dtypes and errors for every kind of input."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.core.array import untracked

UFUNCS = [
    *[np.add, np.multiply, np.subtract, np.divide, np.maximum, np.minimum, np.fmax, np.hypot],
    *[np.logaddexp, np.logical_and, np.logical_or, np.logical_xor, np.bitwise_or, np.equal],
]
INTEGERS = np.array([[100, 200, 3], [250, 7, 9]], np.uint8)
INPUTS = [
    INTEGERS,
    INTEGERS.astype(np.int8),
    INTEGERS > 100,
    INTEGERS.astype(np.float16),
    INTEGERS.astype(float),
    np.zeros((0, 3)),
    np.float64(3),
    np.array([np.nan, 1, -np.inf, np.inf, 2]),
]


def outcome(method, x, **arguments):
    """What NumPy or an operation gives, or None where it raises."""
    try:
        result = method(x, **arguments)
    except (TypeError, ValueError):
        return None
    return getattr(result, "data", result) if not isinstance(result, np.ndarray) else result


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_dtypes_are_numpys(ufunc, method):
    run = getattr(ufunc, method)
    for x in INPUTS:
        for arguments in (
            {},
            {"axis": -1},
            {"axis": 5},
            {"axis": None},
            *({"dtype": dtype} for dtype in ("u1", "?", "f2", "i8", "f8")),
        ):
            with np.errstate(all="ignore"):
                expected = outcome(run, x, **arguments)
                actual = outcome(run, untracked(x), **arguments)
            if expected is None:
                assert actual is None, (x, arguments)
                continue
            expected = np.asarray(expected)
            assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), (x, arguments)
            np.testing.assert_allclose(actual, expected, rtol=1e-2 if actual.itemsize < 4 else 1e-6)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (np.logaddexp.reduce, "logsumexp"),
        (lambda x: np.maximum.accumulate(x)[-1], "running_extreme"),
        (lambda x: np.minimum.accumulate(x)[-1], "running_extreme"),
    ],
)
def test_there_is_one_entry_for_all_elements(run, name):
    _, tape = tg.record(run)(np.arange(100.0))
    assert name in [entry.op for entry in tape]
    assert len(tape) <= 3


def test_the_last_of_equal_elements_is_the_running_extreme():
    x = np.array([1.0, 1.0, 0.0])
    assert tg.grad(lambda x: np.maximum.accumulate(x)[-1])(x).tolist() == [0.0, 1.0, 0.0]
    assert tg.grad(lambda x: np.minimum.accumulate(-x)[-1])(x).tolist() == [0.0, -1.0, 0.0]
