"""Kernels in eager code: the results are NumPy's, and nothing is imported for small arrays."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.compiler.llvm.host import unavailable
from tapegrad.nn import functional
from tapegrad.ops import native

ROOT = Path(__file__).parents[2]

rng = np.random.default_rng(0)

LABELS = torch.tensor(rng.integers(0, 300, 200))

KERNELS = torch.tensor(rng.standard_normal((6, 15, 3, 3)))

CASES = {
    "softmax": lambda x: functional.softmax(x, -1),
    "log_softmax": lambda x: functional.log_softmax(x, -1),
    "cross_entropy": lambda x: functional.cross_entropy(x, LABELS, reduction="none"),
    "layer_norm": lambda x: functional.layer_norm(x, (300,)),
    "layer_norm affine": lambda x: functional.layer_norm(
        x, (300,), (x[0] * 2).detach(), x[1].detach()
    ),
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "sigmoid": torch.sigmoid,
    "softplus": lambda x: functional.softplus(9 * x),
    "mish": functional.mish,
    "erf": torch.erf,
    "erfc": torch.erfc,
    "logsigmoid": functional.logsigmoid,
    "convolution": lambda x: functional.conv2d(
        x.reshape(4, 15, 40, 25), KERNELS.to(x.dtype), padding=1, stride=(2, 1)
    ),
    "attention": lambda x: functional.scaled_dot_product_attention(0.1 * x, x + 1, x - 1),
}

UNITS = {"float32": 40, "float64": 60}
"""Units in the last place, of the largest element, by which results may differ."""


def values_and_gradients(function, dtype):
    own = np.random.default_rng(1)
    x = torch.tensor(own.standard_normal((200, 300)).astype(dtype)).requires_grad_()
    y = function(x)
    g = torch.tensor(own.standard_normal(y.shape).astype(dtype))
    y.backward(g)
    return y.detach().numpy(), x.grad.numpy()


@pytest.mark.skipif(unavailable() is not None, reason="there is no machine code here")
@pytest.mark.parametrize("dtype", UNITS)
@pytest.mark.parametrize("name", CASES)
def test_kernels_give_what_numpy_does(name, dtype, monkeypatch):
    asked = []
    kernels = native.kernels()

    class Asked(dict):
        def get(self, name):
            asked.append(name)
            return kernels.get(name)

    monkeypatch.setattr(native, "kernels", lambda: Asked())
    for _ in range(3):  # a convolution gets code when it is asked for often
        found = values_and_gradients(CASES[name], dtype)
    assert asked
    monkeypatch.setattr(native, "kernels", dict)
    expected = values_and_gradients(CASES[name], dtype)
    for a, e in zip(found, expected, strict=True):
        assert (a.dtype, a.shape) == (e.dtype, e.shape)
        scale = np.max(np.abs(e)) * np.finfo(dtype).eps
        np.testing.assert_allclose(a, e, rtol=0, atol=UNITS[dtype] * scale)


@pytest.mark.skipif(unavailable() is not None, reason="there is no machine code here")
def test_cotangents_that_are_no_arrays_in_one_piece():
    x = torch.tensor(rng.standard_normal((200, 300))).requires_grad_()
    functional.layer_norm(x, (300,)).sum().backward()  # its cotangent is one number, repeated
    np.testing.assert_allclose(x.grad.numpy(), 0, atol=1e-12)


PROGRAM = """
import sys
import numpy as np
import tapegrad.torch as torch
from tapegrad.nn import functional
def run(size):
    x = torch.ones(size, 100).requires_grad_()
    functional.gelu(functional.layer_norm(functional.softmax(x, -1), (100,))).sum().backward()
run(10)
assert sys.modules.get("llvmlite") is None
run(1000)
print("llvmlite.binding" in sys.modules)
"""


@pytest.mark.parametrize("variables", [{}, {"TAPEGRAD_KERNELS": "0"}])
def test_nothing_is_imported_before_an_array_is_large(variables):
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
    )
    assert ended.stderr == ""
    assert (ended.stdout == "True\n") == (not variables and unavailable() is None)


def test_works_without_llvmlite():
    ended = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['llvmlite'] = None\n" + PROGRAM],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (ended.stdout, ended.stderr) == ("False\n", "")
