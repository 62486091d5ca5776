"""Files between this package, PyTorch and the safetensors package, in both directions."""

import numpy as np
import pytest

import tapegrad
import tapegrad.torch as torch

real = pytest.importorskip("torch", reason="compares with PyTorch")
safetensors = pytest.importorskip("safetensors.torch", reason="compares with safetensors")

DTYPES = [
    *["bool", "uint8", "int8", "int16", "int32", "int64"],
    *["float16", "bfloat16", "float32", "float64", "complex64"],
]


def state(module, dtype):
    x = module.arange(6).reshape(2, 3).to(getattr(module, dtype))
    return {"a": x, "b.c": x[0].clone(), "scalar": x[1, 1].clone(), "empty": x[:0].clone()}


def same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name, x in ours.items():
        y = theirs[name]
        assert str(x.dtype) == str(y.dtype)
        assert tuple(x.shape) == tuple(y.shape)
        assert x.tolist() == y.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_safetensors(tmp_path, dtype):
    path = tmp_path / "a.safetensors"
    tapegrad.save(state(torch, dtype), path)
    same(state(torch, dtype), safetensors.load_file(path))
    safetensors.save_file(state(real, dtype), path)
    same(tapegrad.load(path), state(real, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_pt(tmp_path, dtype):
    path = tmp_path / "a.pt"
    torch.save(state(torch, dtype), path)
    same(state(torch, dtype), real.load(path, weights_only=True))
    real.save(state(real, dtype), path)
    same(torch.load(path), state(real, dtype))


def test_strided_tensors(tmp_path):
    path = tmp_path / "a.pt"
    x = real.arange(12.0).reshape(3, 4)
    real.save({"t": x.T, "part": x[1:, ::2], "expanded": x[:1].expand(5, 4)}, path)
    back = torch.load(path)
    assert back["t"].tolist() == x.T.tolist()
    assert back["part"].tolist() == x[1:, ::2].tolist()
    assert back["expanded"].tolist() == x[:1].expand(5, 4).tolist()


def test_numpy_scalars_in_a_checkpoint(tmp_path):
    path = tmp_path / "a.pt"
    real.save({"loss": np.float64(0.25), "step": np.int64(3)}, path)
    assert torch.load(path) == {"loss": 0.25, "step": 3}


def test_optimiser_state(tmp_path):
    w = real.nn.Parameter(real.ones(2))
    optimiser = real.optim.Adam([w])
    w.sum().backward()
    optimiser.step()
    path = tmp_path / "a.pt"
    real.save({"optimiser": optimiser.state_dict(), "epoch": 1}, path)
    back = torch.load(path)
    tapegrad.save(back, tmp_path / "a.safetensors")
    again = tapegrad.load(tmp_path / "a.safetensors")
    theirs = optimiser.state_dict()
    assert again["epoch"] == 1
    assert again["optimiser"]["param_groups"] == theirs["param_groups"]
    same(again["optimiser"]["state"][0], theirs["state"][0])
