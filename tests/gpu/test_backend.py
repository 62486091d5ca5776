"""Whether there is a device is found by running a kernel; CuPy itself may be missing or broken.

A false `cupy` on the path of a new process stands for each case.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import backend
from tapegrad.core.op import table
from tapegrad.ops.transfer import to_host, to_place

from .check import attempted
from .report import Row
from .standin import counts, to_device, xp
from .standin import to_host as taken

ROOT = Path(__file__).parents[2]

CASES = {
    "none": (None, "CuPy is not installed (it comes with the extras cuda12 and cuda13)"),
    "broken": (
        "raise RuntimeError('libcuda is from another age\\nand more')",
        "CuPy does not load: RuntimeError: libcuda is from another age",
    ),
    "without a driver": (
        "def arange(n): raise OSError('cudaErrorInsufficientDriver: the driver is too old\\n...')",
        "no device runs a kernel: OSError: cudaErrorInsufficientDriver: the driver is too old",
    ),
    "wrong": (
        "import numpy\ndef arange(n): return numpy.zeros(n)",
        "a device gave 3 where 6 was due",
    ),
}


def run(folder, program):
    """The output of a program, where the modules of a folder come first."""
    env = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def fake(tmp_path):
    """Writes a module named `cupy` with some text."""

    def write(text):
        if text is None:
            text = "raise ImportError('there is none')"
        (tmp_path / "cupy.py").write_text(text)
        return tmp_path

    return write


@pytest.mark.parametrize("case", CASES)
def test_without_a_device_there_is_a_reason(fake, case):
    text, reason = CASES[case]
    folder = fake(text)
    program = "from tapegrad.backend import gpu; print(*gpu(), sep=': ')"
    assert run(folder, program) == f"None: {reason}\n"
    assert f"none: {reason}\n" in run(folder, "from tapegrad.cli import main; main(['info'])")


def test_importing_and_computing_load_no_cupy(fake):
    folder = fake("raise AssertionError('imported')")
    program = """
import numpy as np, tapegrad as tg, tapegrad.numpy as tnp, sys
assert tg.grad(lambda x: tnp.sin(x).sum())(np.zeros(2)).tolist() == [1.0, 1.0]
assert 'cupy' not in sys.modules
"""
    run(folder, program)


def test_places():
    x = np.arange(3.0)
    there = to_device(x)
    assert backend.place_of(x) == backend.place_of(2.0) == backend.HOST
    assert backend.place_of(there) == ("standin", 0)
    assert backend.put(x, backend.HOST) is x
    assert backend.put(there, ("standin", 0)) is there
    counts.clear()
    moved = backend.put(x, ("standin", 0))
    assert type(moved) is xp.ndarray
    assert counts == {"uploads": 1}
    back = backend.put(moved, backend.HOST)
    assert type(back) is np.ndarray
    assert counts == {"uploads": 1, "downloads": 1, "waits": 1}
    assert isinstance(backend.put(to_device(np.float32(2)), backend.HOST), np.float32)


def test_transfers_are_recorded():
    place = "standin", 0
    x = np.array([1.0, 2.0, 3.0])

    def f(x):
        y = to_place(x, place) * 2.0
        return (to_host(y * y) * x).sum()

    np.testing.assert_allclose(tg.grad(f)(x), 12 * x * x)
    np.testing.assert_allclose(tg.hessian(f)(x), np.diag(24 * x))
    np.testing.assert_allclose(tg.jvp(f, (x,), (x,))[1], 12 * (x**3).sum())
    np.testing.assert_allclose(tg.vmap(f)(np.stack([x, x])), [4 * (x**3).sum()] * 2)
    g = tg.grad(lambda x: (to_place(x, place) * to_device(x.raw)).sum())(x)
    assert type(g) is np.ndarray
    back = tg.grad(lambda y: (to_host(y) * x).sum())(to_device(x))
    np.testing.assert_allclose(taken(back), x)


def test_an_operation_of_the_host_says_so():
    message = (
        "schur.* is computed on the CPU alone: standin has nothing of the kind, and nothing is "
        r"copied unasked. Take the arrays to the host first, as standin's .get\(\) does, and "
        "bring back what comes out with standin.asarray."
    )
    with pytest.raises(TypeError, match=message):
        table["schur"].function(to_device(np.eye(2)))


def test_arrays_of_both_kinds_do_not_mix():
    with pytest.raises(TypeError, match="Unsupported type"):
        tg.grad(lambda x: (x * np.ones(3)).sum())(to_device(np.ones(3)))
    with pytest.raises(TypeError, match="Unsupported type"):
        tg.grad(lambda x: (x * to_device(np.ones(3))).sum())(np.ones(3))


def test_the_check_for_gpus_says_why_it_is_skipped(fake):
    folder = fake(None)
    said = run(folder, "import sys\nfrom tests.gpu.check import main\nsys.exit(main())")
    assert said == (
        "skipped, since there is no GPU: CuPy is not installed (it comes with the extras cuda12 "
        "and cuda13)\n"
    )


@pytest.mark.slow
def test_the_check_for_gpus_runs_to_its_end_on_the_stand_in():
    command = [sys.executable, "-m", "tests.gpu.check", "--rehearse", "--seconds", "20"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.stderr
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("!")] == []
    assert len(lines) > 25
    assert done.returncode == 0


def test_a_part_of_the_check_that_raises_is_a_line():
    def part():
        yield Row("first", "fine")
        raise ValueError("no luck")

    assert list(attempted("part", part)) == [
        Row("first", "fine"),
        Row("WRONG: part ended early", "ValueError: no luck", good=False),
    ]
