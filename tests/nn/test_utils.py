"""Clipping, vectors of parameters, packed sequences, fusion, older normalisations."""

import math

import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.nn import utils
from tapegrad.nn.utils import rnn


def params(*grads):
    made = []
    for g in grads:
        p = nn.Parameter(torch.zeros(len(g)))
        p.grad = torch.tensor(g)
        made.append(p)
    return made


def test_clip_grad_norm():
    ps = params([3.0, 0.0], [4.0])
    assert utils.clip_grad_norm_(ps, 1.0).item() == pytest.approx(5.0)
    assert ps[0].grad.tolist() == pytest.approx([0.6, 0.0], rel=1e-5)
    assert ps[1].grad.tolist() == pytest.approx([0.8], rel=1e-5)
    ps = params([0.3], [0.4])
    utils.clip_grad_norm_(ps, 1.0)
    assert ps[1].grad.tolist() == pytest.approx([0.4])
    assert utils.clip_grad_norm_(params([3.0, -7.0]), 1.0, math.inf).item() == 7.0
    assert utils.clip_grad_norm_([nn.Parameter(torch.zeros(1))], 1.0).item() == 0.0


def test_clip_grad_norm_of_what_is_not_finite():
    ps = params([math.inf, 1.0])
    assert utils.clip_grad_norm_(ps, 1.0).item() == math.inf
    assert math.isnan(ps[0].grad[0].item())
    assert ps[0].grad[1].item() == 0.0
    ps = params([math.nan], [1.0])
    assert math.isnan(utils.clip_grad_norm_(ps, 1.0).item())
    assert math.isnan(ps[1].grad.item())
    with pytest.raises(RuntimeError, match=r"The total norm of order 2.0 for gradients from"):
        utils.clip_grad_norm_(params([math.inf]), 1.0, error_if_nonfinite=True)


def test_gradients_of_a_sum_are_not_scaled_twice():
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    (3 * (a + b)).sum().backward()
    utils.clip_grad_norm_([a, b], 1.0)
    assert a.grad.tolist() == pytest.approx(b.grad.tolist())
    assert a.grad.tolist() == pytest.approx([0.5, 0.5], rel=1e-5)


def test_empty_generator_and_old_name():
    with pytest.warns(UserWarning, match="empty generator"):
        utils.clip_grad_norm_((p for p in ()), 1.0)
    with pytest.warns(FutureWarning, match="deprecated"):
        utils.clip_grad_norm(params([1.0]), 1.0)


def test_clip_grad_value():
    ps = params([3.0, -0.5, -9.0])
    utils.clip_grad_value_(ps, 1.0)
    assert ps[0].grad.tolist() == [1.0, -0.5, -1.0]


def test_total_norm_in_two_steps():
    ps = params([3.0], [4.0])
    total = utils.get_total_norm([p.grad for p in ps])
    utils.clip_grads_with_norm_(ps, 10.0, total)
    assert [p.grad.item() for p in ps] == [3.0, 4.0]


def test_vectors():
    m = nn.Linear(2, 1)
    vector = utils.parameters_to_vector(m.parameters())
    assert vector.shape == (3,)
    assert vector.requires_grad
    utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), m.parameters())
    assert m.weight.tolist() == [[1.0, 2.0]]
    assert m.bias.tolist() == [3.0]
    with pytest.raises(TypeError, match=r"expected torch.Tensor, but got: list"):
        utils.vector_to_parameters([1.0], m.parameters())


def sequences():
    return [torch.arange(n * 2.0).reshape(n, 2) + 10 * n for n in (2, 4, 3)]


def test_packing():
    packed = rnn.pack_sequence(sequences(), enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 3, 2, 1]
    assert packed.sorted_indices.tolist() == [1, 2, 0]
    assert packed.unsorted_indices.tolist() == [2, 0, 1]
    assert packed.data[:3, 0].tolist() == [40.0, 30.0, 20.0]
    assert packed.data[-1].tolist() == [46.0, 47.0]
    for x, y in zip(rnn.unpack_sequence(packed), sequences(), strict=True):
        assert torch.equal(x, y)
    assert packed.to(torch.float64).data.dtype == torch.float64
    assert packed.to(torch.float32) is packed


def test_padding():
    padded = rnn.pad_sequence(sequences(), batch_first=True, padding_value=-1.0)
    assert padded.shape == (3, 4, 2)
    assert padded[0, 2:].tolist() == [[-1.0, -1.0], [-1.0, -1.0]]
    left = rnn.pad_sequence(sequences(), padding_side="left")
    assert left[:2, 0].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    lengths = torch.tensor([2, 4, 3])
    for x, y in zip(rnn.unpad_sequence(padded, lengths, True), sequences(), strict=True):
        assert torch.equal(x, y)


def test_padded_and_packed():
    padded = rnn.pad_sequence(sequences())
    with pytest.raises(RuntimeError, match="`lengths` array must be sorted in decreasing order"):
        rnn.pack_padded_sequence(padded, [2, 4, 3])
    with pytest.raises(RuntimeError, match="Length of all samples has to be greater than 0"):
        rnn.pack_padded_sequence(padded, [4, 3, 0])
    packed = rnn.pack_padded_sequence(padded, [2, 4, 3], enforce_sorted=False)
    again, lengths = rnn.pad_packed_sequence(packed, total_length=6, padding_value=7.0)
    assert lengths.tolist() == [2, 4, 3]
    assert again.shape == (6, 3, 2)
    assert torch.equal(again[:4, 1], sequences()[1])
    assert again[5, 1].tolist() == [7.0, 7.0]
    with pytest.raises(ValueError, match="Expected total_length to be at least the length"):
        rnn.pad_packed_sequence(packed, total_length=3)


def test_gradients_flow_through_packing():
    xs = [x.requires_grad_() for x in sequences()]
    padded, _ = rnn.pad_packed_sequence(rnn.pack_sequence(xs, enforce_sorted=False))
    (padded * 3).sum().backward()
    assert all(x.grad.eq(3).all() for x in xs)


def test_fusion():
    torch.manual_seed(0)
    conv, norm = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3)
    norm(torch.rand(4, 3, 5, 5))
    conv.eval(), norm.eval()
    x = torch.rand(1, 2, 6, 6)
    fused = utils.fuse_conv_bn_eval(conv, norm)
    assert torch.allclose(fused(x), norm(conv(x)), atol=1e-6)
    linear, norm = nn.Linear(2, 3, bias=False).eval(), nn.BatchNorm1d(3)
    norm(torch.rand(4, 3))
    fused = utils.fuse_linear_bn_eval(linear, norm.eval())
    x = torch.rand(5, 2)
    assert torch.allclose(fused(x), norm(linear(x)), atol=1e-6)
    with pytest.raises(AssertionError, match="Fusion only for eval"):
        utils.fuse_linear_bn_eval(linear.train(), norm)


@pytest.mark.filterwarnings("ignore:.*weight_norm. is deprecated")
def test_weight_norm_by_a_hook():
    m = nn.Linear(2, 3)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[3.0, 4.0], [0.0, 1.0], [6.0, 8.0]]))
    m = utils.weight_norm(m)
    assert [*dict(m.named_parameters())] == ["bias", "weight_g", "weight_v"]
    assert m.weight_g.tolist() == [[5.0], [1.0], [10.0]]
    m(torch.ones(1, 2)).sum().backward()
    assert m.weight_g.grad.tolist() == [[pytest.approx(1.4)], [1.0], [pytest.approx(1.4)]]
    with pytest.raises(RuntimeError, match="Cannot register two weight_norm hooks"):
        utils.weight_norm(m)
    utils.remove_weight_norm(m)
    assert [*dict(m.named_parameters())] == ["bias", "weight"]
    with pytest.raises(ValueError, match="weight_norm of 'weight' not found in"):
        utils.remove_weight_norm(m)


def test_spectral_norm_by_a_hook():
    torch.manual_seed(0)
    m = nn.Linear(2, 2)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[3.0, 0.0], [0.0, 1.0]]))
    m = utils.spectral_norm(m, n_power_iterations=30)
    m(torch.ones(1, 2))
    assert torch.allclose(m.weight, torch.tensor([[1.0, 0.0], [0.0, 1 / 3]]), atol=1e-5)
    assert {*dict(m.named_buffers())} == {"weight_u", "weight_v"}
    utils.remove_spectral_norm(m)
    assert isinstance(m.weight, nn.Parameter)


def test_skip_init():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    m = utils.skip_init(nn.Linear, 2, 3)
    assert m.weight.shape == (3, 2)
    assert torch.equal(torch.rand(1), expected)
    with pytest.raises(RuntimeError, match="must support a 'device' arg"):
        utils.skip_init(nn.ReLU)
