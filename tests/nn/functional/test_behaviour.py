"""What `nn.functional` does beside values: edges, in place, randomness, other faces, transforms."""

import math

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad.core.op import table

F = torch.nn.functional


def tensor(data, grad=False):
    x = torch.tensor(data, dtype=torch.float64)
    return x.requires_grad_() if grad else x


def test_nn_is_one_package():
    assert torch.nn is tg.nn
    assert tg.nn.functional is F


def test_hardsigmoid():
    x = tensor([-4.0, -1.5, 0.0, 1.5, 4.0], grad=True)
    y = F.hardsigmoid(x)
    np.testing.assert_allclose(y.detach().numpy(), [0, 0.25, 0.5, 0.75, 1])
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0, 1 / 6, 1 / 6, 1 / 6, 0])


def test_sigmoid_keeps_small_numbers():
    x = torch.tensor([-80.0, -800.0, 800.0, math.nan])
    np.testing.assert_allclose(
        F.sigmoid(x).numpy(), [np.exp(np.float32(-80)), 0, 1, np.nan], rtol=1e-6
    )


def test_normal_integral_in_single_precision():
    x = np.linspace(-9, 9, 40001, dtype=np.float32)
    integral = table["normal_integral"].function
    exact = integral(x.astype(np.float64))
    assert integral(x).dtype == np.float32
    np.testing.assert_allclose(integral(x), exact, rtol=0, atol=2e-7)


def test_activations_in_place():
    x = tensor([-1.0, 2.0])
    assert F.relu(x, inplace=True) is x
    assert F.elu_(tensor([-1.0])).item() == math.expm1(-1)
    np.testing.assert_array_equal(x.numpy(), [0, 2])
    y = tensor([-1.0, 2.0], grad=True) * 1
    F.silu(y, inplace=True).sum().backward()


def test_cross_entropy_of_large_logits():
    x = tensor([[1000.0, 0.0]], grad=True)
    loss = F.cross_entropy(x, torch.tensor([1]))
    assert loss.item() == 1000
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[1, -1]])


def test_cross_entropy_with_all_labels_ignored():
    x = tensor(np.ones((2, 3)), grad=True)
    ignored = torch.tensor([-100, -100])
    with np.errstate(invalid="ignore"):
        assert math.isnan(F.cross_entropy(x, ignored).item())
    total = F.cross_entropy(x, ignored, reduction="sum")
    assert total.item() == 0
    total.backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.zeros((2, 3)))


def test_first_of_equal_maxima_has_the_gradient():
    x = torch.zeros(1, 1, 2, 4).requires_grad_()
    values, places = F.max_pool2d(x, 2, return_indices=True)
    np.testing.assert_array_equal(places.numpy(), [[[[0, 2]]]])
    values.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[[[1, 0, 1, 0], [0, 0, 0, 0]]]])


def test_query_that_may_look_at_nothing():
    q, k, v = (torch.ones(1, 2, 3) for _ in range(3))
    mask = torch.tensor([[True, True], [False, False]])
    out = F.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_array_equal(out.numpy(), [[[1, 1, 1], [0, 0, 0]]])


def test_running_means_move():
    x = tensor(np.arange(12.0).reshape(6, 2))
    mean, variance = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    F.batch_norm(x, mean, variance, training=True, momentum=0.5)
    np.testing.assert_allclose(mean.numpy(), [2.5, 3.0])
    np.testing.assert_allclose(variance.numpy(), 0.5 + 0.5 * x.numpy().var(0, ddof=1))


def test_embedding_shortens_long_rows_in_place():
    weight = tensor([[3.0, 4.0], [0.3, 0.4]])
    F.embedding(torch.tensor([0, 1]), weight, max_norm=1.0)
    np.testing.assert_allclose(weight.numpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)


def test_embedding_scales_gradients_by_frequency():
    weight = tensor(np.ones((3, 2)), grad=True)
    F.embedding(torch.tensor([0, 0, 2]), weight, scale_grad_by_freq=True).sum().backward()
    np.testing.assert_array_equal(weight.grad.numpy(), [[1, 1], [0, 0], [1, 1]])


def test_dropout():
    torch.manual_seed(0)
    x = torch.ones(100, 100).requires_grad_()
    y = F.dropout(x, 0.25)
    kept = y.detach().numpy() != 0
    assert abs(kept.mean() - 0.75) < 0.02
    np.testing.assert_allclose(y.detach().numpy(), kept / 0.75, rtol=1e-6)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), y.detach().numpy())
    torch.manual_seed(0)
    assert (F.dropout(x, 0.25) == y).all()
    assert F.dropout(x, 0.5, training=False) is x
    assert not F.dropout(x, 1.0).any()


def test_channels_drop_as_a_whole():
    y = F.dropout2d(torch.ones(8, 16, 3, 3), 0.5).numpy()
    assert set(np.unique(y)) == {0, 2}
    assert (y == y[:, :, :1, :1]).all()


def test_alpha_dropout_keeps_mean_and_variance():
    x = torch.randn(200, 500)
    y = F.alpha_dropout(x, 0.3, training=True).numpy()
    assert abs(y.mean()) < 0.02
    assert abs(y.var() - 1) < 0.02


def test_random_slopes():
    x = -torch.ones(1000)
    y = F.rrelu(x, 0.1, 0.3, training=True).numpy()
    assert -0.3 <= y.min() < -0.29
    assert -0.11 < y.max() <= -0.1
    np.testing.assert_allclose(F.rrelu(x, 0.1, 0.3).numpy(), -0.2, rtol=1e-6)


def test_gumbel_softmax():
    logits = torch.zeros(5, 4).requires_grad_()
    hard = F.gumbel_softmax(logits, hard=True)
    np.testing.assert_allclose(hard.detach().numpy().max(1), 1, rtol=1e-6)
    (hard * torch.arange(4)).sum().backward()
    assert logits.grad.abs().sum() > 0


def test_arrays_of_other_faces():
    x = np.arange(12.0).reshape(3, 4)
    w = np.ones((2, 4))

    def loss(w):
        return F.cross_entropy(F.relu(F.linear(x, w)), np.array([0, 1, 0]))

    gradient = tg.grad(loss)(w)
    assert type(gradient) is np.ndarray
    np.testing.assert_allclose(gradient[0], -gradient[1])


def test_mapped_layers():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(3, 2, 2, 5, 5)), rng.normal(size=(3, 4, 2, 3, 3))

    def layer(x, w):
        return F.max_pool2d(F.relu(F.conv2d(x, w)), 2, 1)

    out = tg.vmap(layer)(torch.from_numpy(x), torch.from_numpy(w))
    for lane in range(3):
        alone = layer(torch.from_numpy(x[lane]), torch.from_numpy(w[lane]))
        np.testing.assert_allclose(out[lane].numpy(), alone.numpy(), rtol=1e-12)


def test_second_derivative_through_a_network():
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.normal(size=(2, 1, 4, 4))).requires_grad_()
    w = torch.from_numpy(rng.normal(size=(2, 1, 3, 3))).requires_grad_()

    def network(x, w):
        y = F.conv2d(x, w, padding=1)
        return F.layer_norm(F.gelu(F.avg_pool2d(y, 2)), (2,)).square().sum() + F.silu(y).sum()

    assert torch.autograd.gradcheck(network, (x, w))
    assert torch.autograd.gradgradcheck(network, (x, w))


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda x, w, b: F.layer_norm(x, (600,), w, b), ((80, 600), (600,), (600,))),
        (lambda x: F.layer_norm(x, (600,)), ((80, 600),)),
        (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), ((40, 3, 400), (3,), (3,))),
        (lambda x: F.softmax(x, 1), ((80, 600),)),
        (lambda x: F.log_softmax(x, 1), ((80, 600),)),
        (lambda x: F.gelu(x), ((80, 600),)),
        (
            lambda x: F.cross_entropy(x, torch.arange(80) % 7, reduction="none"),
            ((80, 600),),
        ),
        (lambda x: F.elu(x, 0.7), ((80, 600),)),
        (
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
            ((40, 50, 8), (40, 50, 8), (40, 50, 4)),
        ),
        (lambda x, w: F.conv2d(x, w, padding=1), ((24, 8, 20, 20), (4, 8, 3, 3))),
    ],
)
def test_large_arrays_give_what_small_ones_do(function, shapes):
    """What is computed block by block, against a recorded walk, which is not."""
    rng = np.random.default_rng(0)
    xs = [rng.normal(size=s) for s in shapes]
    g = rng.normal(size=function(*map(torch.from_numpy, xs)).shape)

    def value(*xs):
        return (function(*xs) * torch.from_numpy(g)).sum()

    tensors = [torch.from_numpy(x).requires_grad_() for x in xs]
    plain = torch.autograd.grad(value(*tensors), tensors)
    recorded = torch.autograd.grad(value(*tensors), tensors, create_graph=True)
    for a, b in zip(plain, recorded, strict=True):
        np.testing.assert_allclose(a.numpy(), b.detach().numpy(), rtol=1e-9, atol=1e-10)
    ts = [rng.normal(size=s) for s in shapes]
    _, change = tg.jvp(value, [torch.from_numpy(x) for x in xs], [torch.from_numpy(t) for t in ts])
    total = sum(float((a.numpy() * t).sum()) for a, t in zip(plain, ts, strict=True))
    np.testing.assert_allclose(float(change), total, rtol=1e-8)


def test_names_at_the_top_level():
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(2, 3, 4)))
    w = torch.ones(3, dtype=torch.float64)
    assert torch.conv1d is F.conv1d
    running = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    a = torch.batch_norm(x, w, w, *running, False, 0.1, 1e-5)
    b = F.batch_norm(x, *running, w, w)
    np.testing.assert_array_equal(a.numpy(), b.numpy())
    index = torch.tensor([2, 0])
    weight = torch.eye(3)
    assert (torch.embedding(weight, index) == F.embedding(index, weight)).all()
    assert torch.kl_div(x, x.exp(), reduction=2) == F.kl_div(x, x.exp(), reduction="sum")
    assert not hasattr(torch, "convolute")


def test_windows_of_volumes():
    x = torch.arange(16, dtype=torch.float64).reshape(1, 1, 2, 2, 4)
    out = F.unfold3d(x, (2, 2, 3))
    assert out.shape == (1, 12, 2)
    np.testing.assert_array_equal(out[0, :, 1].numpy(), [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15])
    assert F.unfold2d is F.unfold


def test_products_of_groups():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 2)), rng.normal(size=(2, 2, 3))
    ends = torch.tensor([1, 5])
    out = F.grouped_mm(torch.from_numpy(a), torch.from_numpy(b), offs=ends).numpy()
    np.testing.assert_allclose(out, np.concatenate([a[:1] @ b[0], a[1:] @ b[1]]))
    x, y = torch.from_numpy(a.T.copy()), torch.from_numpy(a)
    out = F.grouped_mm(x, y, offs=ends).numpy()
    np.testing.assert_allclose(out, [a[:1].T @ a[:1], a[1:].T @ a[1:]])
    left = torch.from_numpy(rng.normal(size=(2, 4, 2)))
    out = F.grouped_mm(left, x, offs=ends).numpy()
    np.testing.assert_allclose(out[:, :1], left[0].numpy() @ a.T[:, :1])
    np.testing.assert_allclose(out[:, 1:], left[1].numpy() @ a.T[:, 1:])


@pytest.mark.parametrize("function", [F.softmax, F.log_softmax])
def test_rows_far_apart_are_exact(function):
    """Lines of which one largest element of all would make zeros."""
    row = np.linspace(-3, 3, 600)
    x = np.repeat(row[None], 80, 0) + np.linspace(-900, 900, 80)[:, None]
    x[3, 5] = -math.inf
    out = function(torch.from_numpy(x), 1).numpy()
    alone = function(torch.from_numpy(row[None]), 1).numpy()[0]
    np.testing.assert_allclose(np.delete(out, 3, 0), np.repeat(alone[None], 79, 0), rtol=1e-10)
    assert out[3, 5] == (0 if function is F.softmax else -math.inf)


def test_cross_entropies_of_rows_far_apart():
    x = np.repeat(np.linspace(-3, 3, 600)[None], 80, 0) + np.linspace(-900, 900, 80)[:, None]
    loss = F.cross_entropy(torch.from_numpy(x), torch.zeros(80).long(), reduction="none").numpy()
    np.testing.assert_allclose(loss, loss[0], rtol=1e-10)


def test_kernels_of_one_element_with_a_stride_whose_results_are_as_many_as_the_places():
    x, w = tensor([[[1.0, 2.0, 3.0]]], grad=True), tensor([[[2.0]]])
    y = F.conv1d(x, w, stride=3, padding=2)
    np.testing.assert_array_equal(y.detach().numpy(), [[[0, 4, 0]]])
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[[0, 2, 0]]])


def test_softsign_may_be_followed_by_what_writes_in_place():
    x = tensor([-3.0, 0.0, 1.0], grad=True)
    F.silu(F.softsign(x), inplace=True).sum().backward()
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 4)])
def test_pooled_images_may_be_written_into(shape):
    x = torch.arange(math.prod(shape), dtype=torch.float64).sub(7).reshape(shape).requires_grad_()
    F.relu(F.max_pool1d(x, 2), inplace=True).sum().backward()
    expected = torch.zeros(shape)
    expected[..., 1::2] = x[..., 1::2] > 0
    np.testing.assert_array_equal(x.grad.numpy(), expected.numpy())


def test_maxima_of_a_given_size_in_lanes_and_twice_differentiated():
    x = torch.arange(24, dtype=torch.float64).sin().reshape(1, 2, 12)
    both = torch.stack([x, -x])
    values, places = tg.vmap(lambda image: F.adaptive_max_pool1d(image, 5, True))(both)
    for i in range(2):
        expected = F.adaptive_max_pool1d(both[i], 5, True)
        assert torch.equal(values[i], expected[0])
        assert torch.equal(places[i], expected[1])
    h = tg.hessian(lambda image: (F.adaptive_max_pool1d(image, 5) ** 2).sum())(x)
    counts = torch.bincount((places[0] + torch.tensor([[0], [12]])).ravel(), minlength=24)
    np.testing.assert_array_equal(h.reshape(24, 24), 2 * np.diag(counts))
