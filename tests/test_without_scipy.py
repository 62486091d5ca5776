"""Where SciPy is not installed, everything else works, and what needs it says so."""

import subprocess
import sys

PROGRAM = """
import sys

sys.modules["scipy"] = None
import pydoc

import tapegrad as tg

assert "grad" in pydoc.render_doc(tg)
assert float(tg.grad(lambda x: x**3)(2.0)) == 12.0
for name in ("scipy", "sparse", "sparse_jacobian", "sparse_hessian", "sparsity"):
    assert name not in dir(tg)
    try:
        getattr(tg, name)
    except ModuleNotFoundError as error:
        print(error)

import tapegrad.torch as torch

try:
    torch.nn.functional.gelu(torch.ones(2, dtype=torch.float64))
except ModuleNotFoundError as error:
    print(error)
"""


def test_what_needs_scipy_says_so():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    needs = "needs SciPy, which is not installed: pip install scipy"
    parts = ("scipy", *["sparse"] * 4)
    names = [*(f"tapegrad.{part}" for part in parts), "What scipy.special computes here"]
    assert done.stdout.splitlines() == [f"{name} {needs}" for name in names]
