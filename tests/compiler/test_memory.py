"""Generated code stays inside its arrays, and overwrites nothing that is still read."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.compiler.llvm.host import unavailable

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(unavailable(), reason="needs llvmlite")
@pytest.mark.skipif(sys.platform != "linux", reason="protects pages as Linux does")
@pytest.mark.parametrize(
    ("first", "last"), [(0, 15), pytest.param(15, 400, marks=pytest.mark.slow)]
)
def test_no_access_beside_an_array(first, last):
    run = subprocess.run(
        [sys.executable, "-m", "tests.compiler.guarded", str(first), str(last)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-2000:]


@pytest.mark.skipif(unavailable(), reason="needs llvmlite")
def test_a_result_does_not_take_the_place_of_what_is_still_read_in_another_order():
    def function(x):
        a = np.exp(x)
        b = a * a.sum(axis=0)
        c = b.sum()
        return (np.flip(a, 1) * b + c).sum(axis=1), (b + c).sum(axis=1)

    x = np.random.default_rng(0).standard_normal((6, 9))
    compiled = tg.compile(function, backend="llvm")
    for _ in range(2):
        for actual, expected in zip(compiled(x), function(x), strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-13)
