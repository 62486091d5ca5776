"""Compiled functions in processes that end early, fork, or have no llvmlite."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BEGIN = """
import os, sys
import numpy as np, tapegrad as tg
loss = lambda x: np.sum(np.sin(x) * np.exp(x))
x = np.linspace(0.0, 1.0, 5)
expected = tg.grad(loss)(x)
"""


def run(text):
    return subprocess.run(
        [sys.executable, "-c", BEGIN + text],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )


def test_ends_while_machine_code_is_made():
    ended = run("tg.compile(tg.grad(loss))(x)")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_works_on_both_sides_of_a_fork():
    ended = run("""
f = tg.compile(tg.grad(loss))
f(x)
child = os.fork()
g = tg.compile(lambda x: x * 2 + 1)
for _ in range(3):
    np.testing.assert_allclose(f(x), expected)
    np.testing.assert_allclose(g(x), 2 * x + 1)
    f.report(), g.report()
if child:
    sys.exit(os.waitpid(child, 0)[1])
""")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_works_without_llvmlite():
    ended = run("""
sys.modules["llvmlite"] = None
f = tg.compile(tg.grad(loss))
for _ in range(3):
    np.testing.assert_allclose(f(x), expected)
print(f.report())
try:
    tg.compile(loss, backend="llvm")(x)
except RuntimeError as error:
    print(error)
""")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "run by NumPy: llvmlite is not installed" in ended.stdout
    assert 'backend="llvm" is not possible here: llvmlite is not installed' in ended.stdout
