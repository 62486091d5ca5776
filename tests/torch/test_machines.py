"""What programs ask of accelerators, back ends and other processes; older names of tensors."""

import importlib

import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.vision import models


def test_accelerators():
    assert not torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator() is None
    assert torch.accelerator.device_count() == 0
    assert not torch.cuda.is_bf16_supported()
    assert not torch.ones(1).is_xpu


def test_settings_of_back_ends():
    torch.backends.cudnn.benchmark = True
    assert torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.matmul.allow_tf32 = True
    assert not torch.backends.mps.is_available()
    assert importlib.import_module("tapegrad.torch.backends.cudnn").version() is None


def test_other_processes():
    assert not torch.distributed.is_available()
    assert (torch.distributed.get_rank(), torch.distributed.get_world_size()) == (0, 1)
    with pytest.raises(RuntimeError, match="cannot group processes here"):
        torch.distributed.init_process_group("gloo")
    with pytest.raises(RuntimeError, match="cannot group processes here"):
        nn.parallel.DistributedDataParallel(nn.Linear(1, 1))
    layer = nn.Linear(2, 1)
    x = torch.ones(3, 2)
    assert torch.equal(nn.parallel.data_parallel(layer, x, range(1)), layer(x))


def test_compile_gives_what_computes_the_same():
    layer = nn.Linear(2, 1)
    assert torch.compile(layer, mode="max-autotune") is layer

    @torch.compile(fullgraph=True)
    def f(x):
        return x + 1

    assert f(torch.ones(1)).item() == 2


def test_compile_by_this_package_where_it_is_asked_for():
    layer = nn.Linear(2, 1)
    faster = torch.compile(layer, backend="tapegrad")
    x = torch.ones(3, 2)
    for _ in range(3):
        faster(x).sum().backward()
    assert layer.bias.grad.item() == 9
    assert list(faster.parameters()) == list(layer.parameters())
    assert faster.run.report().signatures

    @torch.compile(backend="tapegrad")
    def f(x):
        return x.sin() * 2

    for _ in range(3):
        assert torch.equal(f(x), x.sin() * 2)
    assert "f" in str(f.report())
    assert torch.compile(f, backend="tapegrad", disable=True) is f


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"mode": "default", "options": {}}, RuntimeError, "Either mode or options can be specif"),
        ({"mode": "fast"}, RuntimeError, "Unrecognized mode=fast, should be one of: default, lite"),
        ({"backend": "fast"}, RuntimeError, "Invalid backend: 'fast'"),
        ({"model": 3}, AssertionError, "A callable function is expected, but <class 'int'> is"),
    ],
)
def test_mistaken_options_of_compile(options, error, text):
    with pytest.raises(error, match=text):
        torch.compile(**options)


def test_nothing_is_exported():
    with pytest.raises(RuntimeError, match="not exported to ONNX here"):
        torch.onnx.export(nn.Linear(1, 1), torch.ones(1), "a.onnx")


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("LongTensor", torch.int64),
        ("FloatTensor", torch.float32),
        ("DoubleTensor", torch.float64),
        ("BoolTensor", torch.bool),
        ("ByteTensor", torch.uint8),
    ],
)
def test_classes_by_dtype(name, dtype):
    kind = getattr(torch, name)
    assert kind([1, 0]).dtype is dtype
    assert kind([1, 0]).tolist() == [1, 0]
    assert kind(2, 3).shape == (2, 3)
    assert kind(torch.Size([2])).dtype is dtype
    assert kind().shape == (0,)
    assert isinstance(torch.ones(1, dtype=dtype), kind)
    assert not isinstance(torch.ones(1, dtype=torch.int16), kind)


def test_scaler_of_older_programs():
    scaler = torch.cuda.amp.GradScaler(enabled=False)
    x = torch.ones(1)
    assert scaler.scale(x) is x
    with torch.cuda.amp.autocast(enabled=False):
        assert (x + x).dtype is torch.float32


@pytest.mark.parametrize(
    ("make", "count"), [(models.resnet18, 11_689_512), (models.resnet50, 25_557_032)]
)
def test_residual_networks(make, count):
    # numbers of parameters from torchvision's documentation
    network = make()
    assert sum(p.numel() for p in network.parameters()) == count
    names = list(network.state_dict())
    assert names[:2] == ["conv1.weight", "bn1.weight"]
    assert "layer2.0.downsample.1.running_mean" in names
    network = make(num_classes=3).eval()
    assert network(torch.ones(1, 3, 32, 32)).shape == (1, 3)
    with pytest.raises(ValueError, match="no weights come with this package"):
        make(weights="DEFAULT")
