"""Mixed precision: what is computed in which dtype, and the scaling of losses."""

import copy
import pickle
import threading

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.nn import functional

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
double = x.to(torch.float64)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_products_are_halves_and_losses_single(dtype):
    with torch.autocast("cpu", dtype=dtype):
        assert (x @ x).dtype is dtype
        assert torch.mm(x, x).dtype is dtype
        assert torch.addmm(x, x, x).dtype is dtype
        assert torch.inner(x, x).dtype is torch.tensordot(x, x, 1).dtype is dtype
        assert torch.linalg.multi_dot([x, x, x]).dtype is dtype
        h = functional.linear(x, x)
        assert h.dtype is dtype
        assert (h + 1).dtype is dtype
        assert (h + x).dtype is torch.float32
        assert functional.mse_loss(h, h * 2).dtype is torch.float32
        assert functional.cross_entropy(h, torch.tensor([0, 1])).dtype is torch.float32
        assert torch.cat([h, x]).dtype is torch.float32
        assert torch.cat([h, h]).dtype is dtype
        assert torch.fft.fft(h).dtype is torch.complex64
        assert (double @ double).dtype is torch.float64
    assert (x @ x).dtype is torch.float32


def test_sums_of_products_are_halves_where_something_is_contracted():
    v = x[0]
    with torch.autocast("cpu"):
        for equation, operands in (
            ("i,i->", (v, v)),
            ("ij,j->i", (x, v)),
            ("...ij,jk", (x, x)),
            ("ij,jk,k->i", (x, x, v)),
        ):
            assert torch.einsum(equation, *operands).dtype is torch.bfloat16
        for equation, operands in (
            ("i,i->i", (v, v)),
            ("i,j->", (v, v)),
            ("ii->", (x,)),
            ("ij,kj->ik", (x[:, :1], x[:, :1])),
        ):
            assert torch.einsum(equation, *operands).dtype is torch.float32
        assert torch.inner(x, v).dtype is torch.bfloat16
        assert torch.inner(v, v).dtype is torch.float32
        assert torch.inner(v[0], x).dtype is torch.float32
        assert torch.tensordot(x, x, 0).dtype is torch.bfloat16
        assert torch.tensordot(x, x, ([0, 1], [1, 0])).dtype is torch.float32
        powers = [torch.linalg.matrix_power(x, n).dtype for n in range(-2, 3)]
        assert powers == [torch.bfloat16, *[torch.float32] * 3, torch.bfloat16]
        assert torch.cov(x).dtype is torch.linalg.pinv(x).dtype is torch.bfloat16
        assert torch.pinverse(x).dtype is torch.mv(x, v).dtype is torch.float32
        assert nn.Bilinear(2, 2, 3)(x, x).dtype is torch.float32


def test_some_paddings_and_pools_are_single():
    h = torch.ones(1, 1, 2, 4, 4, dtype=torch.bfloat16)
    with torch.autocast("cpu"):
        assert functional.pad(h[0], (1, 1, 1, 1), "reflect").dtype is torch.float32
        assert functional.pad(h, (1, 1) * 3, "replicate").dtype is torch.float32
        assert functional.pad(h, (1, 1) * 3, "reflect").dtype is torch.bfloat16
        assert functional.pad(h, (1, 1), "constant").dtype is torch.bfloat16
        assert functional.max_pool3d(h, 2).dtype is torch.float32
        assert functional.max_pool3d(h, 2, return_indices=True)[0].dtype is torch.bfloat16
        assert functional.max_pool2d(h[0], 2).dtype is torch.bfloat16
        assert functional.interpolate(h, 3, mode="area").dtype is torch.float32
        assert functional.triplet_margin_loss(h[0], h[0], h[0]).dtype is torch.float32
        assert torch.linalg.norm(h).dtype is torch.bfloat16


@pytest.mark.parametrize(
    ("network", "dtypes"),
    [
        (lambda: nn.LSTM(2, 3, 2, bidirectional=True), "hhh"),
        (lambda: nn.LSTM(2, 3, proj_size=1), "hhs"),
        (lambda: nn.GRU(2, 3), "ss"),
        (lambda: nn.RNN(2, 3), "hh"),
        (lambda: nn.LSTMCell(2, 3), "ss"),
        (lambda: nn.GRUCell(2, 3), "s"),
        (lambda: nn.RNNCell(2, 3), "h"),
    ],
)
def test_recurrent_layers_are_of_halves(network, dtypes):
    torch.manual_seed(0)
    made = network()
    expected = flat(made(x))
    with torch.autocast("cpu"):
        found = flat(made(x))
    names = {"h": torch.bfloat16, "s": torch.float32}
    assert [t.dtype for t in found] == [names[d] for d in dtypes]
    for a, b in zip(expected, found, strict=True):
        assert not torch.equal(a, b.float())
        np.testing.assert_allclose(b.detach().float(), a.detach(), atol=0.02)
    sum(t.float().sum() for t in found).backward()
    assert all(p.grad.dtype is torch.float32 for p in made.parameters())


def test_recurrent_layers_take_halves_under_autocast_alone():
    network = nn.GRU(2, 3)
    with torch.autocast("cpu"):
        assert network(x.bfloat16())[0].dtype is torch.bfloat16
        assert network(x.bfloat16(), torch.zeros(1, 3))[0].dtype is torch.float32
    with pytest.raises(ValueError, match="does not match weight dtype"):
        network(x.bfloat16())


def flat(result):
    return [t for part in result for t in flat(part)] if isinstance(result, tuple) else [result]


def test_results_are_those_of_products_added_in_single_precision():
    rng = np.random.default_rng(0)
    a, b = (torch.from_numpy(rng.normal(size=(9, 9)).astype("float32")) for _ in range(2))
    with torch.autocast("cpu"):
        found = a @ b
    halves = [t.to(torch.bfloat16).float() for t in (a, b)]
    assert found.tolist() == (halves[0] @ halves[1]).to(torch.bfloat16).tolist()


def test_gradients_arrive_in_the_dtype_of_the_leaves():
    w = torch.tensor([[0.3, -0.2], [0.5, 0.1]], requires_grad=True)
    with torch.autocast("cpu"):
        loss = functional.mse_loss(x @ w, x)
    loss.backward()
    assert w.grad.dtype is torch.float32
    exact = 2 * x.T @ (x @ w.detach() - x) / 4
    np.testing.assert_allclose(w.grad.numpy(), exact.numpy(), rtol=0.02, atol=0.02)


def test_contexts_nest_and_end():
    with torch.autocast("cpu"):
        assert torch.is_autocast_enabled("cpu")
        with torch.autocast("cpu", enabled=False):
            assert not torch.is_autocast_enabled("cpu")
            assert (x @ x).dtype is torch.float32
        with torch.autocast("cpu", dtype=torch.float16):
            assert torch.get_autocast_dtype("cpu") is torch.float16
            assert (x @ x).dtype is torch.float16
        assert (x @ x).dtype is torch.bfloat16
        with pytest.raises(RuntimeError, match="same dtype"):
            functional.linear(x, double)
        assert torch.is_autocast_enabled("cpu")
    assert not torch.is_autocast_enabled("cpu")


def test_other_threads_are_not_concerned():
    seen = []
    with torch.autocast("cpu"):
        thread = threading.Thread(target=lambda: seen.append((x @ x).dtype))
        thread.start()
        thread.join()
    assert seen == [torch.float32]


def test_decorator_and_defaults():
    @torch.autocast("cpu")
    def product(a):
        return a @ a

    assert product(x).dtype is torch.bfloat16
    torch.set_autocast_dtype("cpu", torch.float16)
    try:
        with torch.autocast("cpu"):
            assert (x @ x).dtype is torch.float16
    finally:
        torch.set_autocast_dtype("cpu", torch.bfloat16)
    torch.set_autocast_enabled("cpu", True)
    try:
        assert (x @ x).dtype is torch.bfloat16
    finally:
        torch.set_autocast_enabled("cpu", False)


def test_results_in_out_are_not_cast():
    out = torch.zeros(2, 2)
    with torch.autocast("cpu"):
        torch.mm(x, x, out=out)
    assert out.tolist() == (x @ x).tolist()


def test_custom_forward_and_backward():
    class Context:
        pass

    seen = []

    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float16)
    def forward(ctx, a):
        seen.append((a.dtype, (a @ a).dtype, torch.is_autocast_enabled("cpu")))

    @torch.amp.custom_fwd(device_type="cpu")
    def plain(ctx, a):
        seen.append((a.dtype, torch.is_autocast_enabled("cpu")))

    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx):
        seen.append(torch.is_autocast_enabled("cpu"))

    ctx = Context()
    forward(ctx, x)
    with torch.autocast("cpu"):
        forward(ctx, x)
        backward(ctx)
        plain(ctx, x)
    backward(ctx)
    assert seen == [
        (torch.float32, torch.float32, False),
        (torch.float16, torch.float16, False),
        False,
        (torch.float32, True),
        True,
    ]


def test_mistakes_with_autocast():
    with pytest.raises(RuntimeError, match="unsupported autocast device_type 'tpu'"):
        torch.autocast("tpu")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        torch.autocast(torch.bfloat16)
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        torch.amp.custom_bwd(device_type=3)
    with pytest.raises(TypeError, match="requires a callable, but got Tensor"):
        torch.autocast("cpu")(x)
    with pytest.warns(UserWarning, match="target dtype is not supported. Disabling autocast"):
        assert not torch.autocast("cpu", dtype=torch.float32)._enabled
    with pytest.warns(UserWarning, match="CUDA is not available"):
        assert not torch.autocast("cuda")._enabled


def training(**options):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    return w, torch.optim.SGD([w], lr=0.5), torch.amp.GradScaler("cpu", **options)


def test_a_scaled_step_is_a_step():
    w, optimizer, scaler = training(init_scale=4.0)
    loss = scaler.scale((w * w).sum() / 2)
    assert loss.item() == 10
    loss.backward()
    assert w.grad.tolist() == [4, 8]
    scaler.unscale_(optimizer)
    assert w.grad.tolist() == [1, 2]
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [0.5, 1.0]
    assert scaler.get_scale() == 4


def test_overflows_skip_the_step_and_lower_the_scale():
    w, optimizer, scaler = training(init_scale=4.0, growth_interval=2)
    scales = []
    for factor in (1.0, float("inf"), float("nan"), 0.0, 0.0, 0.0):
        optimizer.zero_grad()
        scaler.scale((w * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    assert scales == [4.0, 2.0, 1.0, 1.0, 2.0, 2.0]
    assert w.tolist() == [0.5, 1.5]


def test_the_scale_never_becomes_infinite():
    w, optimizer, scaler = training(init_scale=2.0**127, growth_interval=1)
    scaler.scale((w * 0).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 2.0**127


def test_scalers_resume():
    w, optimizer, scaler = training(growth_interval=3)
    scaler.scale((w * 0).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.state_dict() == scaler.state_dict()
    assert other.state_dict() == {
        "scale": 65536.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 3,
        "_growth_tracker": 1,
    }
    assert copy.deepcopy(scaler).get_scale() == 65536.0
    again = pickle.loads(pickle.dumps(scaler))
    assert again.state_dict() == scaler.state_dict()
    with pytest.raises(RuntimeError, match="The source state dict is empty"):
        other.load_state_dict({})


def test_lists_of_outputs_are_scaled():
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    assert [t.tolist() for t in scaler.scale([x[0], x[1]])] == [[2, 4], [6, 8]]
    assert isinstance(scaler.scale((x,)), tuple)
    with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable"):
        scaler.scale(3)


def test_a_disabled_scaler_does_nothing():
    w, optimizer, scaler = training(enabled=False)
    assert scaler.scale(w) is w
    w.grad = torch.ones(2)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [0.5, 1.5]
    assert scaler.state_dict() == {}
    assert scaler.get_scale() == 1.0
    with pytest.warns(UserWarning, match="CUDA is not available"):
        assert not torch.amp.GradScaler().is_enabled()


def test_mistakes_with_scalers():
    with pytest.raises(AssertionError, match="The growth factor must be >"):
        torch.amp.GradScaler("cpu", growth_factor=1.0)
    with pytest.raises(AssertionError, match="The backoff factor must be <"):
        torch.amp.GradScaler("cpu", backoff_factor=1.0)
    w, optimizer, scaler = training()
    for call in (lambda: scaler.step(optimizer), scaler.update, lambda: scaler.unscale_(optimizer)):
        with pytest.raises(AssertionError, match="but _scale is None"):
            call()
    scaler.scale(w.sum()).backward()
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(optimizer, closure=lambda: 1)
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="has already been called on this optimizer"):
        scaler.unscale_(optimizer)
    with pytest.raises(AssertionError, match="may only be pickled at the beginning"):
        pickle.dumps(scaler)
    for scale in (torch.ones(2), w[0]):
        with pytest.raises(AssertionError, match="new_scale should be a float or a 1-element"):
            scaler.update(scale)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called since the last"):
        scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)
    half = torch.tensor([1.0], dtype=torch.float16, requires_grad=True)
    half.grad = torch.ones(1, dtype=torch.float16)
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.step(torch.optim.SGD([half]))


def test_an_overflow_skips_the_optimiser_that_has_it_alone():
    a, b = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
    first, second = torch.optim.SGD([a], lr=1.0), torch.optim.SGD([b], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(a.sum() + (b * float("inf")).sum()).backward()
    for optimizer in (first, second):
        scaler.step(optimizer)
    scaler.update()
    assert a.item() == 0
    assert b.item() == 1
    assert scaler.get_scale() == 2
    scaler.update(torch.tensor(8.0))
    assert scaler.get_scale() == 8
