"""Kolmogorov-Arnold layers: basis splines, gradients, grids, fitting."""

import numpy
import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad import nn


def layer(**options):
    torch.manual_seed(0)
    return nn.KANLinear(2, 3, **options).double()


def test_basis_splines_are_those_of_scipy():
    from scipy.interpolate import BSpline

    m = layer()
    x = numpy.linspace(-0.99, 0.99, 7)
    bases = m.b_splines(torch.from_numpy(numpy.stack([x, x], 1)))
    assert bases.shape == (7, 2, 8)
    knots = m.grid[0].numpy()
    expected = BSpline.design_matrix(x, knots, 3).toarray()
    numpy.testing.assert_allclose(bases[:, 0].numpy(), expected, atol=1e-12)
    numpy.testing.assert_allclose(bases.sum(-1).numpy(), 1.0)


def test_the_sum_of_base_and_splines():
    m = layer()
    x = torch.from_numpy(numpy.array([[0.3, -0.7], [0.1, 0.9]]))
    bases = m.b_splines(x)
    weight = m.spline_weight * m.spline_scaler.unsqueeze(-1)
    expected = torch.einsum("nik,jik->nj", bases, weight) + nn.functional.silu(x) @ m.base_weight.T
    assert torch.allclose(m(x), expected)
    assert m(x.reshape(2, 1, 2)).shape == (2, 1, 3)


def test_splines_through_values():
    m = layer()
    x = torch.from_numpy(numpy.linspace(-0.9, 0.9, 40).reshape(20, 2))
    y = torch.stack([x**2, x**3, 1 - x], -1)  # cubic: in the span
    coefficients = m.curve2coeff(x, y)
    assert coefficients.shape == (3, 2, 8)
    again = torch.einsum("nik,jik->nij", m.b_splines(x), coefficients)
    assert torch.allclose(again, y, atol=1e-8)


def test_gradients():
    m = layer(grid_size=3, spline_order=2)
    params, buffers = nn.state(m)
    x = numpy.array([[0.3, -0.7], [0.1, 0.8]])
    tg.check_grads(
        lambda p, x: (nn.functional_call(m, (p, buffers), x) ** 2).sum(), (params, x), order=1
    )


def test_moving_the_grid_keeps_the_function():
    m = nn.KANLinear(1, 1, grid_size=8).double()
    with torch.no_grad():
        m.spline_weight.copy_(torch.linspace(-1, 1, 11).double().sin().reshape(1, 1, 11))
    x = torch.linspace(-0.8, 0.8, 200).double().reshape(-1, 1)
    before = m(x)
    grid = m.grid.clone()
    m.update_grid(x)
    assert not torch.allclose(grid, m.grid)
    assert bool((m.grid[:, 1:] > m.grid[:, :-1]).all())
    assert (m(x) - before).abs().max().item() < 0.02


def test_options():
    m = layer(enable_standalone_scale_spline=False, grid_range=(0.0, 2.0), spline_order=0)
    assert [*dict(m.named_parameters())] == ["base_weight", "spline_weight"]
    numpy.testing.assert_allclose(m.grid[0].numpy(), [0.0, 0.4, 0.8, 1.2, 1.6, 2.0], atol=1e-7)
    assert repr(m) == "KANLinear(in_features=2, out_features=3, grid_size=5, spline_order=0)"
    with pytest.raises(ValueError, match=r"an increasing grid_range"):
        nn.KANLinear(1, 1, grid_range=(1.0, 0.0))
    with pytest.raises(ValueError, match=r"must have shape \(N, 2\), not \(3, 4\)"):
        m.b_splines(torch.ones(3, 4))


def test_a_network():
    torch.manual_seed(0)
    m = nn.KAN([2, 4, 1])
    x = torch.rand(64, 2) * 2 - 1
    y = (x[:, :1] * 3).sin() * x[:, 1:]
    losses = []
    for _ in range(150):
        m.zero_grad()
        loss = ((m(x) - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in m.parameters():
                p.sub_(p.grad)
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    assert m.regularization_loss().item() > 0
    m(x, update_grid=True)
    with pytest.raises(ValueError, match="at least two layers"):
        nn.KAN([2])
