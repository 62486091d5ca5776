"""Large arrays are computed by NumPy in tiles, to the same numbers."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.compiler import numpy_tiles
from tapegrad.compiler.numpy_source import source_of
from tapegrad.compiler.passes import optimise
from tapegrad.compiler.trace import Trace

from .test_random_programs import check

rng = np.random.default_rng(0)


def chain(x):
    y = x * 0.9 + 0.1
    y = np.maximum(y * x, 0.2) - 0.5 * x
    return np.sum(np.abs(y) * x), y * 2


def rows(x, w, v):
    y = x * w + v  # (rows, columns), (columns,), (rows, 1)
    z = np.where(y > 0.5, y, -v) * y
    counts = (z > 1).astype("int32") + 1
    return z.T, counts.sum(axis=0), (z / counts).max(axis=1), z - z.mean(axis=0)


ROWS = [rng.standard_normal(shape) for shape in ((3001, 70), (70,), (3001, 1))]
CASES = {
    "chain": (chain, [rng.standard_normal(300_000)]),
    "rows": (rows, ROWS),
    "views": (rows, [ROWS[0][::-1], ROWS[1][::-1], ROWS[2]]),
    "gradient": (tg.value_and_grad(lambda x: chain(x)[0]), [rng.standard_normal(300_001)]),
    "few rows": (lambda x: np.tanh(x * 2) + x, [rng.standard_normal((2, 200_000))]),
    "dtypes": (
        lambda x: ((x * x).astype("float32") * np.float32(2), (x > 0) & (x * 2 < 1)),
        [rng.standard_normal(200_000)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_results_are_the_same_to_the_last_bit(name):
    function, arrays = CASES[name]
    compiled = tg.compile(function, backend="numpy")
    expected = tg.tree.leaves(function(*arrays))
    kept = []
    for _ in range(3):
        results = tg.tree.leaves(compiled(*arrays))
        for actual, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(actual, wanted)
            assert actual.dtype == wanted.dtype
        kept.append(results)
    assert not any(np.may_share_memory(a, b) for a in kept[0] for b in kept[1])


def test_what_stays_inside_is_never_a_whole_array():
    trace = Trace(lambda x: list(chain(x)), [rng.standard_normal(300_000)])
    graph, _ = optimise(trace.graph)
    source = source_of(graph)
    assert source.text.count("for i in range(0, 300000, 8192):") == 1
    assert source.buffers == [((300_000,), np.dtype("f8"))]  # of what is added up
    small = Trace(lambda x: list(chain(x)), [rng.standard_normal(3000)])
    assert "for i in" not in source_of(optimise(small.graph)[0]).text


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(100, 130))
def test_random_programs_in_small_tiles(seed, monkeypatch):
    monkeypatch.setattr(numpy_tiles, "LARGE", 40)
    monkeypatch.setattr(numpy_tiles, "TILE", 80)
    check(seed, ["numpy"])
