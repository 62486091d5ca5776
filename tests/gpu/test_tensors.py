"""Tensors on the stand-in for a GPU: `device=`, `to`, what mixes, training, gradients."""

from __future__ import annotations

import copy
import io

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad.torch.device import Devices

from .standin import DeviceArray, counts

F = torch.nn.functional
pytestmark = pytest.mark.usefixtures("gpus")

CUDA = torch.device("cuda", 0)


def on(*values, **options):
    return torch.tensor([*values], device="cuda", **options)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda **o: torch.zeros(2, **o), [0, 0]),
        (lambda **o: torch.ones((2,), **o), [1, 1]),
        (lambda **o: torch.full((2,), 3.0, **o), [3, 3]),
        (lambda **o: torch.tensor([1, 2], **o), [1, 2]),
        (lambda **o: torch.as_tensor(np.array([1, 2]), **o), [1, 2]),
        (lambda **o: torch.arange(3, **o), [0, 1, 2]),
        (lambda **o: torch.linspace(0, 1, 3, **o), [0, 0.5, 1]),
        (lambda **o: torch.eye(1, **o), [[1]]),
        (lambda **o: torch.ones_like(torch.zeros(2), **o), [1, 1]),
        (lambda **o: torch.ones(2).new_full((1,), 4, **o), [4]),
        (lambda **o: torch.tensor([1.0, 2.0]).to(**o), [1, 2]),
    ],
)
@pytest.mark.parametrize("device", ["cuda", "cuda:0", 0, CUDA])
def test_tensors_are_made_where_they_are_to_be(make, expected, device):
    x = make(device=device)
    assert type(x.raw) is DeviceArray
    assert x.device == CUDA
    assert x.is_cuda
    assert not x.is_cpu
    assert x.get_device() == 0
    assert x.tolist() == expected
    assert x.dtype == make().dtype


def test_zeros_are_not_copied_from_the_host():
    torch.zeros(1000, device="cuda")
    assert not counts["uploads"]


def test_round_trips():
    x = torch.tensor([1.5, -2.0])
    y = x.cuda()
    assert y.to("cuda") is y
    assert y.to("cpu", torch.int64).tolist() == [1, -2]
    assert y.cpu().device == torch.device("cpu")
    assert x.cpu() is x
    assert y.to("cuda", torch.float64, non_blocking=True).dtype is torch.float64
    assert x.to(y).device == y.to(x).to("cuda").device == CUDA
    assert y.type() == "torch.cuda.FloatTensor"
    assert y.type("torch.DoubleTensor").device == torch.device("cpu")
    assert x.type_as(y).is_cuda
    copied = copy.deepcopy(y)
    assert copied.is_cuda
    copied += 1
    assert y.tolist() == [1.5, -2.0]
    assert str(y) == "tensor([ 1.5000, -2.0000], device='cuda:0')"
    assert repr(y.int()) == "tensor([ 1, -2], device='cuda:0', dtype=torch.int32)"


def test_only_the_cpu_has_memory_for_numpy():
    x = on(1.0)
    with pytest.raises(TypeError, match=r"can't convert cuda:0 device type tensor to numpy\. Use"):
        x.numpy()
    with pytest.raises(TypeError, match="can't convert cuda:0"):
        np.asarray(x)
    assert x.numpy(force=True).tolist() == [1.0]


@pytest.mark.parametrize(
    ("mix", "order"),
    [
        (lambda x, y: x + y, "cuda:0 and cpu"),
        (lambda x, y: y * x, "cpu and cuda:0"),
        (lambda x, y: y @ x, "cpu and cuda:0"),
        (lambda x, y: x < y, "cuda:0 and cpu"),
        (lambda x, y: x.add_(y), "cuda:0 and cpu"),
        (lambda x, y: torch.cat([x, y]), "cuda:0 and cpu"),
        (lambda x, y: torch.where(x > 0, x, y), "cuda:0 and cpu"),
        (lambda x, y: F.mse_loss(x, y), "cuda:0 and cpu"),
        (lambda x, y: F.linear(y, x), "cpu and cuda:0"),
    ],
)
def test_devices_do_not_mix(mix, order):
    x, y = on(1.0, 2.0), torch.tensor([1.0, 2.0])
    text = "Expected all tensors to be on the same device, but found at least two devices, "
    with pytest.raises(RuntimeError, match=f"{text}{order}!\nMove one of them"):
        mix(x, y)


def test_tensors_without_axes_mix():
    x, s = on(1.0, 2.0), torch.tensor(3.0)
    assert (x * s).tolist() == (s * x).tolist() == [3.0, 6.0]
    assert torch.where(x > 1, x, s).tolist() == [3.0, 2.0]
    assert (x + s).is_cuda
    s.requires_grad_()
    (x * s).sum().backward()
    assert s.grad.device == torch.device("cpu")
    assert s.grad.item() == 3.0


def test_parts():
    x = on(1.0, 2.0, 3.0)
    assert x[torch.tensor([2, 0])].tolist() == [3.0, 1.0]
    assert x[[0, 1]].tolist() == [1.0, 2.0]
    assert x[x > 1].tolist() == [2.0, 3.0]
    x[1:] = torch.tensor([5.0, 6.0])
    x[torch.tensor([0])] = 4.0
    assert x.tolist() == [4.0, 5.0, 6.0]
    part = x.view(3, 1)[1]
    part.mul_(2)
    assert x.tolist() == [4.0, 10.0, 6.0]
    with pytest.raises(RuntimeError, match=r"indices should be either on cpu or .* \(cpu\)"):
        torch.ones(3)[on(0)]


@pytest.mark.parametrize(
    "part",
    [
        lambda x: x[1],
        lambda x: x[0][2],
        lambda x: x.T[1],
        lambda x: x.view(6)[1:4],
        lambda x: x.as_strided((2, 2), (3, 1), 1),
        lambda x: x.unfold(1, 2, 2),
        lambda x: x.unbind(1)[2],
        lambda x: x.squeeze(0).select(1, 0),
    ],
)
def test_views_share_memory(part):
    here, there = torch.arange(6.0).reshape(2, 3), torch.arange(6.0, device="cuda").reshape(2, 3)
    for x in (here, there):
        part(x).mul_(10).add_(1)
    assert there.tolist() == here.tolist()


def test_changes_in_place():
    x = on(1.0, 2.0)
    x += 1
    x.copy_(x.cpu() * 2).add_(on(1.0, 1.0))
    assert x.tolist() == [5.0, 7.0]
    assert x.zero_().fill_(2).tolist() == [2.0, 2.0]
    torch.mul(x, 3, out=x)
    assert x.tolist() == [6.0, 6.0]
    assert x.is_cuda


def test_a_change_of_what_was_saved_is_noticed():
    w = on(1.0, 2.0, requires_grad=True)
    z = w * 2
    loss = (z * z).sum()
    z.view(2, 1).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_gradients_are_where_tensors_are():
    w = on(1.0, 2.0, requires_grad=True)
    (w.exp() * on(1.0, -1.0) + w.sum()).sum().backward()
    assert w.grad.is_cuda
    np.testing.assert_allclose(w.grad.tolist(), [np.e + 2, 2 - np.exp(2)], rtol=1e-6)
    there = torch.tensor([3.0], requires_grad=True)
    (there.cuda() ** 2).sum().backward()
    assert there.grad.device == torch.device("cpu")
    assert there.grad.tolist() == [6.0]


def test_transforms():
    x = on(1.0, 2.0)
    g = torch.func.grad(lambda x: (x**3).sum())(x)
    assert g.is_cuda
    assert g.tolist() == [3.0, 12.0]
    y = torch.func.vmap(lambda x: x * 2 + on(1.0))(x)
    assert y.is_cuda
    assert y.tolist() == [[3.0], [5.0]]


def test_the_default_device():
    with torch.device("cuda:1"):
        assert Devices.default == torch.device("cuda", 1)
        assert torch.zeros(2).is_cuda
        assert torch.tensor([1.0]).is_cuda
        assert torch.zeros(2, device="cpu").device == torch.device("cpu")
    assert torch.zeros(2).device == torch.device("cpu")


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU(), torch.nn.Linear(4, 2)
    )


OPTIMISERS = [
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    lambda p: torch.optim.Adam(p, lr=0.1),
    lambda p: torch.optim.AdamW(p, lr=0.1, amsgrad=True),
    lambda p: torch.optim.RMSprop(p, lr=0.01),
]


@pytest.mark.parametrize("make", OPTIMISERS)
def test_training_is_that_of_the_cpu(make):
    losses = []
    for device in ("cpu", "cuda"):
        model = network().to(device)
        optimiser = make(model.parameters())
        x = torch.arange(15.0, device=device).reshape(5, 3) / 7
        y = torch.tensor([0, 1, 0, 0, 1], device=device)
        own = []
        for _ in range(3):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            own.append(loss.item())
        losses.append(own)
        places = {v.device.type for s in optimiser.state.values() for n, v in s.items() if v.ndim}
        assert places == {device}
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)


def test_modules_move_with_their_gradients_and_buffers():
    model = network()
    weight = model[0].weight
    model(torch.ones(2, 3)).sum().backward()
    assert model.cuda() is model
    assert model[0].weight is weight
    assert isinstance(weight, torch.nn.Parameter)
    assert weight.is_leaf
    everything = [*model.parameters(), *model.buffers(), *(p.grad for p in model.parameters())]
    assert {x.device for x in everything} == {CUDA}
    model.cpu()
    assert {x.device.type for x in model.state_dict().values()} == {"cpu"}
    assert weight.grad.device.type == "cpu"
    assert torch.nn.Linear(2, 2, device="cuda").weight.is_cuda


def test_the_state_of_an_optimiser_follows():
    model = torch.nn.Linear(2, 1)
    optimiser = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    optimiser.step()
    model.cuda()
    optimiser.step()
    assert optimiser.state[model.weight]["exp_avg"].is_cuda
    other = torch.optim.Adam(torch.nn.Linear(2, 1).parameters())
    other.load_state_dict(optimiser.state_dict())
    state = other.state[other.param_groups[0]["params"][0]]
    assert state["exp_avg"].device.type == "cpu"
    assert state["step"].item() == 2


def test_files_say_where_tensors_were():
    x = on(1.0, 2.0)
    w = torch.nn.Parameter(torch.ones(2, device="cuda"))
    file = io.BytesIO()
    torch.save({"x": x, "again": x, "w": w, "h": torch.ones(1)}, file)

    def load(**kwargs):
        file.seek(0)
        return torch.load(file, **kwargs)

    found = load()
    assert found["x"] is found["again"]
    assert [found[name].device.type for name in "xwh"] == ["cuda", "cuda", "cpu"]
    assert found["x"].tolist() == [1.0, 2.0]
    assert isinstance(found["w"], torch.nn.Parameter)
    assert found["w"].requires_grad
    for place in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage):
        assert {v.device.type for v in load(map_location=place).values()} == {"cpu"}
    assert load(map_location="cuda")["h"].is_cuda
    assert load(map_location=lambda storage, location: storage.cuda(0))["h"].is_cuda
    assert load(map_location=lambda storage, location: None)["x"].is_cuda


def test_safetensors_go_where_they_are_to():
    x = on(1.0, 2.0)
    file = io.BytesIO()
    tg.save({"x": x, "n": [x, 1]}, file)
    file.seek(0)
    assert tg.load(file)["x"].device.type == "cpu"
    file.seek(0)
    found = tg.load(file, map_location="cuda")
    assert found["x"] is found["n"][0]
    assert found["x"].is_cuda
    assert found["x"].tolist() == [1.0, 2.0]


def test_layers_and_losses():
    x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3) / 5
    y = torch.tensor([0, 2])
    functions = [
        lambda x, y: F.nll_loss(x.log_softmax(1), y),
        lambda x, y: F.one_hot(y, 3) + x,
        lambda x, y: F.embedding(y, x.T),
        lambda x, y: x.triu().tril(1),
        lambda x, y: x.scatter(1, y.reshape(2, 1), 7.0),
        lambda x, y: x.gather(1, y.reshape(2, 1)),
        lambda x, y: (x > 0.5).nonzero(),
        lambda x, y: torch.isclose(x, x + 1e-9),
        lambda x, y: F.max_pool2d(x.reshape(1, 1, 2, 3), 2, 1),
        lambda x, y: F.layer_norm(x, (3,)),
        lambda x, y: x.topk(2).indices,
        lambda x, y: x.cummax(1).indices,
        lambda x, y: torch.linalg.matrix_rank(x),
        lambda x, y: F.pad(x, (1, 2), value=3.0),
        lambda x, y: F.pad(x[None], (1, 1), "reflect"),
        lambda x, y: F.avg_pool2d(x.reshape(1, 1, 2, 3), 2, 1, 1, count_include_pad=False),
        lambda x, y: F.interpolate(x[None], 6),
        lambda x, y: F.cosine_similarity(x, x.flip(0)),
        lambda x, y: F.hardshrink(x) + F.softshrink(x),
        lambda x, y: x.masked_select(x > 0.5),
        lambda x, y: x.repeat_interleave(y + 1, 0),
        lambda x, y: (x - 0.5).angle(),
        lambda x, y: F.adaptive_avg_pool1d(x[None], 2),
        lambda x, y: F.adaptive_max_pool1d(x[None], 2),
        lambda x, y: F.interpolate(x[None, None], (3, 5), mode="bilinear"),
        lambda x, y: F.interpolate(x[None, None], (3, 5), mode="bicubic", align_corners=True),
        lambda x, y: F.grid_sample(x[None, None], x.view(1, 3, 1, 2), align_corners=False),
        lambda x, y: F.grid_sample(
            x[None, None], x.view(1, 3, 1, 2), "bicubic", "reflection", align_corners=True
        ),
        lambda x, y: torch.isin(y, y[:1]),
        lambda x, y: torch.searchsorted(x, x + 0.1),
        lambda x, y: torch.bucketize(x, x[0]),
        lambda x, y: y.bincount(),
        lambda x, y: y.repeat(2).unique(),
        lambda x, y: torch.unravel_index(y, (2, 2))[1],
        lambda x, y: torch.block_diag(x, x),
        lambda x, y: torch.linalg.vander(x),
        lambda x, y: x.index_fill(1, y, 7.0),
        lambda x, y: x.index_add(1, y, x[:, :2]),
        lambda x, y: x.scatter_reduce(1, y.view(2, 1), x, "mean"),
        lambda x, y: torch.linspace(x[0, 0], x[1, 2], 4, device=x.device),
        lambda x, y: x.diagonal_scatter(x[0, :2]),
        lambda x, y: F.gaussian_nll_loss(x, x + 1, x + 2),
    ]
    for function in functions:
        here, there = function(x, y), function(x.cuda(), y.cuda())
        assert there.is_cuda
        np.testing.assert_allclose(there.tolist(), here.tolist(), rtol=1e-6, atol=1e-12)
    assert torch.equal(x.cuda(), x.cuda())
    assert torch.allclose(x.cuda(), x.cuda() + 1e-9)


def test_batches_move():
    data = torch.utils.data.TensorDataset(torch.arange(4.0), torch.arange(4))
    loader = torch.utils.data.DataLoader(data, batch_size=2, pin_memory=True)
    for x, y in loader:
        assert x.to("cuda", non_blocking=True).is_cuda
        assert y.cuda(non_blocking=True).tolist() == x.tolist()
    assert torch.ones(2).pin_memory().tolist() == [1.0, 1.0]


def test_a_gradient_is_on_the_device_of_its_tensor():
    w = on(1.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="assigned grad has data located on a different device"):
        w.grad = torch.ones(1)


def test_what_has_no_way_on_a_gpu_says_so():
    with pytest.raises(NotImplementedError, match=r"arguments from the 'CUDA' backend\.\nIt runs"):
        on(1.0, 2.0).histc()


def test_two_devices():
    first, second = torch.device("cuda:0"), torch.device("cuda:1")
    x = torch.arange(3.0, device=second)
    assert x.device == second
    assert x.cpu().tolist() == [0.0, 1.0, 2.0]
    assert x.to(first).device == first
    assert x.cuda(0).device == first
    text = "but found at least two devices, cuda:1 and cuda:0!"
    with pytest.raises(RuntimeError, match=text):
        x + on(1.0, 2.0, 3.0)
    with pytest.raises(ValueError, match="Array device must be same as the current device"):
        x + 1
    with torch.cuda.device(1):
        assert torch.zeros(2, device="cuda").device == second
        model = network().to(second)
        optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
        inputs = torch.randn(5, 3, device=second)
        model(F.dropout(inputs)).square().mean().backward()
        optimiser.step()
        optimiser.step()
        state = optimiser.state[model[0].weight]
        assert model[0].weight.grad.device == state["exp_avg"].device == second
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
    file.seek(0)
    assert torch.load(file)["0.weight"].device == second
    file.seek(0)
    moved = torch.load(file, map_location={"cuda:1": "cuda:0"})
    assert moved["0.weight"].device == first
    np.testing.assert_array_equal(moved["0.weight"].tolist(), model[0].weight.tolist())
    torch.cuda.set_device(second)
    assert (x + 1).tolist() == [1.0, 2.0, 3.0]
