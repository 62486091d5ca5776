"""Layers give PyTorch's values, gradients and representations."""

import json

import pytest

import tapegrad.torch as torch

from .recorded import FILE, cases, measured

RECORDED = json.loads(FILE.read_text())
CASES = cases(torch)


@pytest.mark.parametrize("name", RECORDED)
def test_layer(name):
    found = measured(*CASES[name])
    expected = RECORDED[name]
    assert found["repr"] == expected["repr"]
    for what in ("outputs", "gradients"):
        assert len(found[what]) == len(expected[what])
        for (shape, *values), (right_shape, *right) in zip(
            found[what], expected[what], strict=True
        ):
            assert shape == right_shape
            assert values == pytest.approx(right, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_attention_in_half_precision(dtype):
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)
    x = torch.randn(2, 3, 4)
    expected = layer(x)
    x = x.to(dtype).requires_grad_()
    y = layer.to(dtype)(x)
    y.sum().backward()
    assert y.dtype == x.grad.dtype == layer.self_attn.in_proj_weight.grad.dtype == dtype
    assert torch.allclose(y.float(), expected, atol=0.1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("parameters", ["single", "half"])
@pytest.mark.parametrize("kind", ["LayerNorm", "RMSNorm", "GroupNorm", "InstanceNorm1d"])
def test_normalisation_in_half_precision(kind, parameters, dtype):
    torch.manual_seed(0)
    sizes = {"GroupNorm": (2, 4), "InstanceNorm1d": (4,)}.get(kind, (3,))
    layer = getattr(torch.nn, kind)(*sizes)
    x = torch.randn(2, 4, 3).to(dtype).requires_grad_()
    expected = layer(x.detach().float())
    y = (layer if parameters == "single" else layer.to(dtype))(x)
    y.sum().backward()
    assert y.dtype == x.grad.dtype == dtype
    assert torch.allclose(y.float(), expected, atol=0.03)
