"""Names of PyTorch's that are not here say why, and those that programs call are here."""

import copy
import subprocess
import sys
import warnings

import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.torch.absent import REASONS, UTILITIES

HALF = torch.ones(2, dtype=torch.float16)


@pytest.mark.parametrize("name", REASONS)
def test_why_a_name_is_absent(name):
    with pytest.raises(AttributeError, match=f"'tapegrad.torch' has no attribute '{name}': "):
        getattr(torch, name)


@pytest.mark.parametrize("name", UTILITIES)
def test_why_a_utility_is_absent(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': "):
        getattr(torch.utils, name)


def test_a_misspelt_name():
    with pytest.raises(AttributeError, match=r"'tapegrad\.torch' has no attribute 'sofmax'$"):
        _ = torch.sofmax


@pytest.mark.parametrize(
    "made",
    [
        lambda: HALF * 1j,
        lambda: HALF * torch.tensor(1j),
        lambda: torch.complex(HALF, HALF),
        lambda: torch.view_as_complex(HALF),
        lambda: torch.float16.to_complex(),
        lambda: HALF.chalf(),
    ],
)
def test_complex_numbers_of_half_precision(made):
    with pytest.raises(RuntimeError, match=r"torch.complex32. NumPy has no .* use torch.complex64"):
        made()


def test_complex_numbers_without_axes_take_the_precision_of_arrays():
    wide = torch.tensor(1j, dtype=torch.complex128)
    assert (torch.ones(2) * wide).dtype is torch.complex64
    assert (torch.ones(2, dtype=torch.bfloat16) * wide).dtype is torch.complex64
    assert (torch.ones(2, dtype=torch.float64) * torch.tensor(1j)).dtype is torch.complex128
    assert (torch.ones(()) * wide).dtype is torch.complex128


def test_methods_of_networks():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    assert x.prelu(torch.tensor([0.5])).tolist() == [-0.5, 2.0]
    assert x.hardshrink(1.5).tolist() == [0.0, 2.0]
    assert int(torch.tensor([1, 3]).hash_tensor()) == 2


def test_a_module_compiles_in_place():
    layer = nn.Linear(3, 2)
    x = torch.randn(4, 3)
    right = layer(x)
    layer.compile()
    assert copy.deepcopy(layer)(x).tolist() == right.tolist()
    layer.compile(backend="tapegrad")
    assert torch.allclose(layer(x), right)
    layer(x).sum().backward()
    assert layer.bias.grad.tolist() == [4.0, 4.0]


def test_torch_compiler_leaves_functions_as_they_are():
    compiler = torch.compiler
    assert compiler.disable(len) is len
    assert compiler.disable()(len) is len
    assert compiler.allow_in_graph(len) is len
    assert not compiler.is_compiling()
    assert "tapegrad" in compiler.list_backends()
    with compiler.set_stance("force_eager"):
        compiler.reset()


def test_torch_cpu():
    assert torch.cpu.is_available()
    assert (torch.cpu.device_count(), torch.cpu.current_device()) == (1, "cpu")
    torch.cpu.synchronize()
    with torch.cpu.stream(None):
        pass


def test_names_for_annotations():
    assert isinstance(3, torch.types.Number)
    assert isinstance("cpu", torch.types.Device)


def test_older_names_of_autocast():
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.is_autocast_cpu_enabled()
        assert torch.get_autocast_cpu_dtype() is torch.bfloat16
    assert torch.get_autocast_gpu_dtype() is torch.float16
    assert not torch.is_autocast_cache_enabled()
    torch.clear_autocast_cache()
    assert torch.cuda.amp.custom_fwd is torch.amp.custom_fwd


def test_batch_norms_without_running_means():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    assert torch.func.replace_all_batch_norm_modules_(net) is net
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    each = torch.func.vmap(net, randomness="different")(torch.randn(5, 4, 2))
    assert tuple(each.shape) == (5, 4, 3)
    net.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.allclose(net(torch.randn(8, 2)).mean(0), torch.zeros(3), atol=1e-6)


def test_names_of_python_load_nothing():
    program = """
import sys

import tapegrad.torch as torch

for value in vars(torch).values():  # as doctest and inspect do
    hasattr(value, "__wrapped__")
hasattr(torch, "__wrapped__")
assert "tapegrad.torch.absent" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_modules_are_loaded_when_they_are_asked_for():
    assert callable(torch.multiprocessing.spawn)
    assert callable(torch.distributions.Normal)
