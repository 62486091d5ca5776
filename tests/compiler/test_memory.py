"""Generated code stays inside its arrays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
