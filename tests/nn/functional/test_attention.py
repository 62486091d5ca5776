"""Attention where a query has no key, with PyTorch's values and gradients; its mistakes."""

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad import nn

F = torch.nn.functional
INFINITY = float("inf")


def given(grad=True):
    q = torch.tensor([[[1.0, 0.5], [0.2, -1.0]]], requires_grad=grad)
    k = torch.tensor([[[0.3, 0.1], [-0.4, 0.8], [1.0, 1.0]]], requires_grad=grad)
    v = torch.tensor([[[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]], requires_grad=grad)
    return q, k, v


def masks():
    truth = torch.tensor([[True, False, True], [False, False, False]])
    numbers = torch.where(truth, 0.0, -INFINITY)
    return [truth, numbers, numbers.reshape(1, 2, 3), numbers.clone().requires_grad_()]


@pytest.mark.parametrize("i", range(4))
def test_a_query_without_keys_is_given_zeros(i):
    q, k, v = given()
    mask = masks()[i]
    out = F.scaled_dot_product_attention(q, k, v, mask)
    expected = [[0.6536074029614491, 0.9608222088843477], [0.0, 0.0]]
    np.testing.assert_allclose(out[0].detach(), expected, rtol=1e-6)
    out.sum().backward()
    np.testing.assert_array_equal(q.grad[0, 1], [0, 0])
    np.testing.assert_array_equal(k.grad[0, 1], [0, 0])
    np.testing.assert_allclose(
        v.grad[0], [[0.3072148059] * 2, [0, 0], [0.6927851941] * 2], rtol=1e-6
    )
    for x in (q, k, v) if mask.grad is None else (q, k, v, mask):
        assert torch.isfinite(x.grad).all()


def test_heads_that_are_shared_and_causal():
    q, k, v = given(grad=False)
    q = torch.cat([q, -q])
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    np.testing.assert_allclose(out[:, 0], v[0, :1].expand(2, 2), rtol=1e-6)


def attention(**options):
    torch.manual_seed(0)
    return nn.MultiheadAttention(4, 2, batch_first=True, **options)


def test_multi_head_weights_of_no_keys_are_undefined():
    layer = attention()
    x = torch.ones(2, 3, 4)
    padding = torch.tensor([[False, False, True], [True, True, True]])
    out, weights = layer(x, x, x, key_padding_mask=padding)
    np.testing.assert_allclose(weights[0].detach(), [[0.5, 0.5, 0]] * 3)
    assert torch.isnan(weights[1]).all()
    assert torch.isnan(out[1]).all()
    assert torch.isfinite(out[0]).all()
    out, weights = layer(x, x, x, key_padding_mask=padding, need_weights=False)
    assert weights is None
    np.testing.assert_array_equal(out[1].detach(), layer.out_proj.bias.expand(3, 4).detach())


def test_the_hint_of_causality_stands_for_the_mask_without_weights():
    layer = attention(add_zero_attn=True)
    x = torch.arange(12.0).reshape(1, 3, 4)
    later = torch.ones(3, 3, dtype=torch.bool).triu(1)
    out, _ = layer(x, x, x, attn_mask=later, is_causal=True, need_weights=False)
    causal, _ = layer(x, x, x, attn_mask=~later, is_causal=True, need_weights=False)
    masked, _ = layer(x, x, x, attn_mask=later, is_causal=True)
    assert torch.equal(out, causal)
    assert not torch.equal(out, masked)


def test_mistakes():
    q, k, v = given(grad=False)
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(8\) must match .* b \(2\)"):
        F.scaled_dot_product_attention(q.expand(8, 2, 2), k.expand(2, 3, 2), v.expand(2, 3, 2))
    with pytest.raises(RuntimeError, match=r"to be: \[1, 2\] but got: \[1, 1\]"):
        F.scaled_dot_product_attention(q, k[..., :1], v)
    with pytest.raises(RuntimeError, match=r"to be: \[1, 3\] but got: \[1, 2\]"):
        F.scaled_dot_product_attention(q, k, v[:, :2])
    with pytest.raises(RuntimeError, match=r"attn_mask\.dtype: long int and  query\.dtype: float"):
        F.scaled_dot_product_attention(q, k, v, torch.ones(2, 3, dtype=torch.int64))
    with pytest.raises(RuntimeError, match=r"a \(3\) must match the size of tensor b \(4\)"):
        F.scaled_dot_product_attention(q, k, v, torch.ones(2, 4))
    with pytest.raises(RuntimeError, match="same dtype, got input1: float, input2: double"):
        F.bilinear(q[0], q[0].double(), torch.ones(3, 2, 2))
