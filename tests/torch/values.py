"""Small tensors that tests share, and the comparison with recorded values."""

import numpy as np

import tapegrad.torch as torch

X = torch.tensor([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]])
D = torch.tensor([0.5, -1.5], dtype=torch.float64)
W = torch.arange(6).reshape(2, 3)
U = torch.tensor([0, 1, 200], dtype=torch.uint8)
B = torch.tensor([True, False, True])
C = torch.tensor([1 + 2j, -0.5j])
S = torch.tensor(2.0)
N = torch.tensor(3)
E = torch.zeros(0, 3)


def same(result, expected):
    """Check a result against ``(dtype, nested lists)``, ``(dtype, [], shape)``, a list, a value."""
    if isinstance(expected, list) and not isinstance(result, list):
        assert len(result) == len(expected)
        for r, e in zip(result, expected, strict=True):
            same(r, e)
        return
    if isinstance(result, torch.Tensor):
        dtype, value, *shape = expected
        assert str(result.dtype) == f"torch.{dtype}"
        data = np.asarray(result.detach().tolist())
        wanted = np.asarray(value)
        assert tuple(result.shape) == (shape[0] if shape else wanted.shape)
        if wanted.size:
            rtol = {"float16": 2e-3, "bfloat16": 1e-2}.get(dtype, 2e-6)
            np.testing.assert_allclose(data, wanted, rtol=rtol, atol=1e-7)
    elif isinstance(result, torch.dtype):
        assert str(result) == expected
    elif isinstance(result, float):
        np.testing.assert_allclose(result, expected, rtol=1e-7)
    else:
        assert result == expected
