"""What can be seen of the true CuPy without a device. Skipped where it is not installed.

Its kernels are traced up to where a driver is needed; its arrays stand on memory that is not there.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tapegrad as tg
from tapegrad import backend, optim
from tapegrad.core.op import table
from tapegrad.optim.arithmetic import Numbers
from tapegrad.optim.cuda import text_of
from tapegrad.optim.functional import adam
from tapegrad.torch import philox
from tapegrad.torch.tensor import wrap

from . import names
from .networks import mlp

cupy = pytest.importorskip("cupy")

if backend.gpu()[0] is not None:
    pytest.skip("there is a device: check.py looks at more", allow_module_level=True)


def ghost(shape, dtype=np.float32):
    """An array that may be looked at from outside."""
    memory = cupy.cuda.UnownedMemory(4096, 1 << 20, None, device_id=0)
    return cupy.ndarray(shape, dtype=dtype, memptr=cupy.cuda.MemoryPointer(memory, 0))


def test_the_stand_in_offers_what_there_is():
    recorded = Path(names.__file__).with_name("cupy_names.txt").read_text().splitlines()
    modules = {line.split(" ")[0].rpartition(".")[0] for line in recorded}
    found = [line for line in names.lines() if line.split(" ")[0].rpartition(".")[0] in modules]
    assert [line.split(" ")[0] for line in found] == [line.split(" ")[0] for line in recorded]


def test_its_arrays_are_known():
    x = ghost((2, 3))
    assert backend.is_raw(x)
    assert backend.on_device(x)
    assert backend.namespace(np.ones(3), 2.0, x) is cupy
    assert backend.place_of(x) == ("cupy", 0)


@pytest.fixture
def traced(monkeypatch):
    """The dtypes of what fused functions give, as they are traced."""
    seen = []

    def fuse(kernel_name):
        assert kernel_name.isidentifier()

        def decorate(function):
            def noted(*args):
                out = function(*args)
                seen.append([x.dtype for x in (out if isinstance(out, tuple) else (out,))])
                return out

            return original(kernel_name=kernel_name)(noted)

        return decorate

    original = cupy.fuse
    monkeypatch.setattr(cupy, "fuse", fuse)
    monkeypatch.setattr("tapegrad.ops.fused.kernels", {})
    return seen


def launched(function, *args, **params):
    """Run until a kernel is launched."""
    errors = cupy.cuda.runtime.CUDARuntimeError, ImportError
    with pytest.raises(errors, match=r"Insufficient|NoDevice|libcublas"):
        function(*args, **params)


ELU = {"alpha": 1.0, "scale": 1.5, "inner": 1.0}
CHAINS = [
    *[(name, {}) for name in ("sigmoid", "gelu", "gelu_tanh", "silu", "mish")],
    ("elu", ELU),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "params"), CHAINS)
def test_chains_are_traced(traced, name, params, dtype):
    x = ghost((3, 4), dtype)
    launched(table[name].forward, cupy, x, **params)
    launched(table[name].vjp[0], x, x, x, **params)
    assert len(traced) >= 2  # with those of the functions that a chain calls
    assert all(dtypes == [dtype] for dtypes in traced)


def test_other_chains_are_traced(traced):
    x = ghost((3, 4))
    launched(table["guard"].forward, cupy, x, x)
    launched(table["leaky_relu"].vjp[0], x, x, x, slope=0.1)
    assert traced == [[np.float32], [np.float32]]


OPTIMISERS = {
    "SGD": {"momentum": 0.9, "nesterov": True},
    "Adam": {"amsgrad": True},
    "AdamW": {},
    "Adamax": {},
    "NAdam": {},
    "RAdam": {},
    "RMSprop": {"momentum": 0.9, "centered": True},
    "Adagrad": {},
    "Adadelta": {},
    "ASGD": {},
    "Rprop": {},
}


@pytest.fixture(scope="module")
def nvrtc():
    """The compiler of kernels, which needs no device; it comes with CUDA's toolkit."""
    from cupy.cuda import nvrtc

    try:
        nvrtc.getVersion()
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"there is no compiler of kernels: {error}")
    return nvrtc


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", OPTIMISERS)
def test_kernels_of_rules_compile(nvrtc, name, dtype):
    """The text of an optimiser's kernel, for a GPU of compute capability 9.0."""
    made = getattr(optim, name)([wrap(np.zeros((2, 2)))], lr=0.1, **OPTIMISERS[name])
    rule, options = made.rule, {**made.defaults, **made.always}
    _, c = rule.coefficients(Numbers, options, {"step": 1.0, **rule.numbers(options)})
    arrays = [*rule.arrays(options, (2, 2))]
    dtypes = [np.dtype(getattr(ml_dtypes, dtype, dtype))] * (2 + len(arrays))
    program = nvrtc.createProgram(text_of(rule, dtypes, arrays, c, options), "update.cu", [], [])
    folders = Path(cupy.__file__).parent / "_core" / "include", *toolkit()
    flags = ["-std=c++17", "-arch=sm_90", *(f"-I{folder}" for folder in folders)]
    try:
        nvrtc.compileProgram(program, flags)
    except nvrtc.NVRTCError:
        raise AssertionError(nvrtc.getProgramLog(program)) from None
    assert "update" in str(nvrtc.getPTX(program))


@pytest.mark.parametrize("kind", philox.MAKERS)
def test_kernels_of_random_numbers_compile(nvrtc, kind):
    program = nvrtc.createProgram(philox.text_of(kind), "draw.cu", [], [])
    nvrtc.compileProgram(program, ["-std=c++17", "-arch=sm_90"])
    assert "draw" in str(nvrtc.getPTX(program))


def toolkit():
    """Where the toolkit's headers are, if it was installed as packages."""
    found = find_spec("nvidia")
    folders = found.submodule_search_locations if found is not None else None
    return [Path(folder, "cuda_runtime", "include") for folder in folders or ()]


def test_rules_reach_the_device():
    rule = adam(lr=1e-3)
    arrays = {name: ghost((3,)) for name in ("exp_avg", "exp_avg_sq")}
    launched(rule.update, ghost((3,)), {"step": np.array(2.0), "arrays": arrays}, ghost((3,)))


def test_its_ufuncs_record():
    x = np.array([0.5, 2.0])
    g = tg.grad(lambda x: (cupy.sin(x) * cupy.maximum(x, 1.0)).sum())(x)
    np.testing.assert_allclose(g, [np.cos(0.5), 2 * np.cos(2) + np.sin(2)])
    h = tg.hessian(lambda x: cupy.exp(x).sum())(x)
    np.testing.assert_allclose(h, np.diag(np.exp(x)))
    with pytest.raises(TypeError, match="CuPy's kernel own has no rule for traced arrays"):
        tg.grad(cupy.ElementwiseKernel("T x", "T y", "y = x", "own"))(2.0)


def test_a_network_reaches_the_device():
    network = mlp(batch=2, inner=3, hidden=4)
    params = tg.tree.map(lambda x: ghost(x.shape), network.params)
    launched(network.loss, params, ghost((2, 3)), ghost((2,), np.int64))
