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
        timeout=300,
    )


def test_ends_while_machine_code_is_made():
    ended = run("tg.compile(tg.grad(loss))(x)")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_works_on_both_sides_of_a_fork():
    ended = run("""
import warnings
warnings.simplefilter("ignore")  # Python's own, since 3.12: other threads run
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forks_while_other_threads_run_programs():
    ended = run("""
import threading, warnings
warnings.simplefilter("ignore")
os.environ["OMP_NUM_THREADS"] = "2"
large = np.ones(1_000_000)
f = tg.compile(lambda x: np.sum(np.exp(x) * x))
for _ in range(3):
    f(large)
f.report()
f(large)  # by the way that later calls go: a fork must not come while a thread imports a module
done = threading.Event()
def work():
    while not done.is_set():
        f(large)
thread = threading.Thread(target=work)
thread.start()
for i in range(3):
    child = os.fork()
    if not child:
        g = tg.compile(lambda x: x * 2.5 + i)
        right = np.isclose(f(large), np.e * 1e6) and np.allclose(g(x), x * 2.5 + i)
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
done.set()
thread.join()
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
