"""`torch.cuda` where there is no GPU: harmless, and it says why."""

import io

import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad.backend import gpu

pytestmark = pytest.mark.skipif(gpu()[0] is not None, reason="there is a GPU here")


def test_nothing_is_there():
    assert not torch.cuda.is_available()
    assert not torch.cuda.CUPY_AVAILABLE
    assert torch.cuda.device_count() == 0
    assert torch.cuda.memory_allocated() == torch.cuda.memory_reserved() == 0
    assert torch.cuda.max_memory_allocated() == torch.cuda.max_memory_reserved() == 0
    assert not torch.cuda.is_bf16_supported()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.manual_seed_all(0)
    assert torch.cuda.get_default_device() == torch.device("cpu")


@pytest.mark.parametrize(
    "ask",
    [
        torch.cuda.current_device,
        torch.cuda.synchronize,
        torch.cuda.get_device_name,
        lambda: torch.cuda.set_device(0),
        torch.cuda.Stream,
        torch.cuda.Event,
        torch.cuda.current_stream,
        torch.cuda.get_device_properties,
        torch.device("cuda").__enter__,
        lambda: torch.ones(2, device="cuda"),
        lambda: torch.ones(2).to("cuda:0"),
        lambda: torch.ones(2).cuda(),
        lambda: torch.tensor([1.0], device="cuda"),
        lambda: torch.as_tensor([1.0], device=torch.device("cuda", 1)),
        lambda: torch.rand(2, device="cuda"),
        lambda: torch.zeros_like(torch.ones(2), device="cuda"),
        lambda: torch.Generator("cuda"),
        lambda: torch.nn.Linear(2, 2, device="cuda"),
        lambda: torch.nn.Linear(2, 2).cuda(),
        lambda: torch.cuda.set_default_device("cuda"),
    ],
)
def test_asking_for_one_says_why_not(ask):
    with pytest.raises(RuntimeError, match=r"Found no NVIDIA driver on your system\. .*\nWhat"):
        ask()


@pytest.mark.parametrize("kind", ["meta", "mps", "xpu"])
def test_other_devices_have_names_and_no_tensors(kind):
    assert torch.device(kind).type == kind
    with pytest.raises(NotImplementedError, match=r"Could not run 'aten::empty.memory_format'"):
        torch.ones(2, device=kind)
    with pytest.raises(NotImplementedError, match="Tensors are on 'cpu' or 'cuda' here"):
        torch.ones(2).to(kind)


def test_what_is_no_device():
    with pytest.raises(RuntimeError, match=r"Expected one of cpu, cuda, ipu, .* string: xx"):
        torch.ones(2, device="xx")
    assert torch.tensor([1], device="cpu:0").device == torch.device("cpu")


def test_files_of_gpus_ask_for_map_location(monkeypatch):
    monkeypatch.setattr(torch.Tensor, "device", torch.device("cuda", 0))
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    monkeypatch.undo()
    file.seek(0)
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but"):
        torch.load(file)
    file.seek(0)
    assert torch.load(file, map_location="cpu").tolist() == [1.0, 1.0]
    file.seek(0)
    assert torch.load(file, map_location=lambda storage, place: storage).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("load", [torch.load, tg.load])
def test_a_file_goes_to_no_gpu(load):
    with pytest.raises(RuntimeError, match="Found no NVIDIA driver"):
        load(io.BytesIO(), map_location="cuda")
