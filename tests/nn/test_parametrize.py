"""Parametrizations: values, gradients, assignment, removal, the ready ones."""

import copy
import pickle

import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.nn.utils import parametrizations, parametrize


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)

    def right_inverse(self, x):
        return x.triu()


class Doubled(nn.Module):
    def forward(self, x):
        return 2 * x


def test_register():
    m = nn.Linear(3, 3)
    assert parametrize.register_parametrization(m, "weight", Symmetric()) is m
    assert torch.equal(m.weight, m.weight.transpose(0, 1))
    assert parametrize.is_parametrized(m)
    assert parametrize.is_parametrized(m, "weight")
    assert not parametrize.is_parametrized(m, "bias")
    assert parametrize.type_before_parametrizations(m) is nn.Linear
    assert isinstance(m, nn.Linear)
    assert type(m).__name__ == "ParametrizedLinear"
    assert repr(m) == (
        "ParametrizedLinear(\n"
        "  in_features=3, out_features=3, bias=True\n"
        "  (parametrizations): ModuleDict(\n"
        "    (weight): ParametrizationList(\n"
        "      (0): Symmetric()\n"
        "    )\n"
        "  )\n"
        ")"
    )
    assert [*dict(m.named_parameters())] == ["bias", "parametrizations.weight.original"]
    m(torch.ones(2, 3)).sum().backward()
    assert m.parametrizations.weight.original.grad.tolist() == [
        [2.0, 4.0, 4.0],
        [0.0, 2.0, 4.0],
        [0.0, 0.0, 2.0],
    ]


def test_assignment():
    m = nn.Linear(2, 2)
    parametrize.register_parametrization(m, "weight", Symmetric())
    m.weight = torch.tensor([[1.0, 2.0], [2.0, 5.0]])
    assert m.weight.tolist() == [[1.0, 2.0], [2.0, 5.0]]
    parametrize.register_parametrization(m, "weight", Doubled())
    assert m.weight.tolist() == [[2.0, 4.0], [4.0, 10.0]]
    with pytest.raises(RuntimeError, match="Doubled does not implement right_inverse"):
        m.weight = torch.ones(2, 2)


def test_removal():
    m = nn.Linear(2, 2)
    original = m.weight
    parametrize.register_parametrization(m, "weight", Doubled())
    with torch.no_grad():
        original.copy_(torch.ones(2, 2))
    parametrize.remove_parametrizations(m, "weight", leave_parametrized=False)
    assert m.weight.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert type(m) is nn.Linear
    parametrize.register_parametrization(m, "weight", Doubled())
    parametrize.remove_parametrizations(m, "weight")
    assert m.weight.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert isinstance(m.weight, nn.Parameter)
    with pytest.raises(ValueError, match="does not have a parametrization on weight"):
        parametrize.remove_parametrizations(m, "weight")


def test_checks():
    class Wider(nn.Module):
        def forward(self, x):
            return torch.cat([x, x])

    m = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="may not change the shape of the tensor"):
        parametrize.register_parametrization(m, "weight", Wider())
    assert isinstance(m.weight, nn.Parameter)
    with pytest.raises(ValueError, match="does not have a parameter, a buffer"):
        parametrize.register_parametrization(m, "other", Doubled())
    parametrize.register_parametrization(m, "weight", Wider(), unsafe=True)
    assert m.weight.shape == (4, 2)


def test_cached():
    calls = []

    class Counting(nn.Module):
        def forward(self, x):
            calls.append(1)
            return x * 1

    m = nn.Linear(1, 1)
    parametrize.register_parametrization(m, "weight", Counting(), unsafe=True)
    with parametrize.cached():
        assert m.weight is m.weight
    assert len(calls) == 1
    assert m.weight is not m.weight


def test_copies():
    m = nn.Linear(2, 2)
    parametrize.register_parametrization(m, "weight", Doubled())
    other = copy.deepcopy(m)
    parametrize.remove_parametrizations(other, "weight")
    assert parametrize.is_parametrized(m)
    assert torch.equal(m.weight, other.weight)
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        pickle.dumps(m)


def test_transfer():
    m, other = nn.Linear(2, 2), nn.Linear(2, 2)
    parametrize.register_parametrization(m, "weight", Doubled())
    parametrize.transfer_parametrizations_and_params(m, other)
    assert torch.equal(m.weight, other.weight)
    assert [*other.state_dict()] == ["bias", "parametrizations.weight.original"]


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
@pytest.mark.parametrize("how", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("trivial", [True, False])
def test_orthogonal(shape, how, trivial):
    torch.manual_seed(0)
    m = nn.Linear(*shape).double()
    parametrizations.orthogonal(m, "weight", how, use_trivialization=trivial)
    w = m.weight
    small = w @ w.mT if shape[0] > shape[1] else w.mT @ w
    if shape[0] == shape[1] or trivial or how != "householder":
        assert torch.allclose(small, torch.eye(min(shape), dtype=torch.float64), atol=1e-10)
    (w * torch.arange(w.numel(), dtype=torch.float64).reshape(w.shape)).sum().backward()
    assert m.parametrizations.weight.original.grad.isfinite().all()


def test_orthogonal_assignment():
    m = nn.Linear(2, 2).double()
    parametrizations.orthogonal(m)
    turn = torch.tensor([[0.6, -0.8], [0.8, 0.6]], dtype=torch.float64)
    m.weight = turn
    assert torch.allclose(m.weight, turn)


def test_weight_norm():
    m = nn.Linear(2, 2)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
    parametrizations.weight_norm(m)
    assert torch.allclose(m.weight, torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
    assert m.parametrizations.weight.original0.tolist() == [[5.0], [2.0]]
    m.weight = torch.tensor([[0.0, 1.0], [6.0, 8.0]])
    assert m.parametrizations.weight.original0.tolist() == [[1.0], [10.0]]
    old = {"bias": m.bias, "weight_g": torch.ones(2, 1), "weight_v": torch.ones(2, 2)}
    m.load_state_dict(old)
    assert torch.allclose(m.weight, torch.full((2, 2), 0.5**0.5))


def test_spectral_norm():
    torch.manual_seed(0)
    m = nn.Linear(2, 2)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[3.0, 0.0], [0.0, 1.0]]))
    parametrizations.spectral_norm(m, n_power_iterations=20)
    assert torch.allclose(m.weight, torch.tensor([[1.0, 0.0], [0.0, 1 / 3]]), atol=1e-5)
    m.eval()
    before = m.parametrizations.weight[0]._u.clone()
    _ = m.weight
    assert torch.equal(before, m.parametrizations.weight[0]._u)
