"""`functional_call` and `stack_module_state`: modules as functions of their parameters."""

import pytest

import tapegrad.torch as torch

nn = torch.nn
func = torch.func


def model():
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))


def ones_for(module):
    return {name: torch.ones_like(p) for name, p in module.named_parameters()}


def test_functional_call():
    m = model()
    before = dict(m.named_parameters())
    params = ones_for(m)
    x = torch.tensor([[1.0, 1.0]])
    expected = 3 * torch.tanh(torch.tensor(3.0)).item() + 1
    assert func.functional_call(m, params, (x,)).item() == pytest.approx(expected)
    assert func.functional_call(m, (params, {}), x).item() == pytest.approx(expected)
    assert all(before[name] is p for name, p in m.named_parameters())
    g = func.grad(lambda p: func.functional_call(m, p, (x,)).sum())(params)
    assert g["2.bias"].tolist() == [1.0]
    lanes = func.vmap(
        func.grad(lambda p, x: func.functional_call(m, p, (x[None],)).sum()), in_dims=(None, 0)
    )(params, torch.ones(4, 2))
    assert lanes["0.weight"].shape == (4, 3, 2)


def test_errors_of_functional_call():
    m = model()
    x = torch.ones(1, 2)
    with pytest.raises(RuntimeError, match=r"(?s)for Sequential:.*key\(s\): 'nope'.*Missing key"):
        func.functional_call(m, {"nope": x}, (x,), strict=True)
    with pytest.raises(ValueError, match="appears in multiple dictionaries"):
        func.functional_call(m, (ones_for(m), ones_for(m)), (x,))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 1, bias=False)
        self.b = nn.Linear(1, 1, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


def test_tied_weights():
    m = Tied()
    with torch.no_grad():
        m.a.weight.fill_(3.0)
    x = torch.ones(1, 1)
    given = {"a.weight": torch.tensor([[2.0]])}
    assert func.functional_call(m, given, (x,)).item() == 4.0
    assert func.functional_call(m, given, (x,), tie_weights=False).item() == 6.0


def test_stack_module_state():
    models = [nn.Linear(2, 1) for _ in range(3)]
    params, buffers = func.stack_module_state(models)
    assert params["weight"].shape == (3, 1, 2)
    assert params["weight"].is_leaf
    assert params["weight"].requires_grad
    assert not buffers
    x = torch.ones(4, 2)
    out = func.vmap(lambda p: func.functional_call(models[0], p, (x,)))(params)
    for k, m in enumerate(models):
        assert torch.allclose(out[k], m(x))
    models[0].eval()
    with pytest.raises(RuntimeError, match="same training/eval mode"):
        func.stack_module_state(models)
    with pytest.raises(RuntimeError, match="same class"):
        func.stack_module_state([nn.Linear(1, 1), nn.Tanh()])
    with pytest.raises(RuntimeError, match="at least one model"):
        func.stack_module_state([])
