"""`torch.cuda` on a library that notes what it is asked."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import tapegrad.torch as torch

cuda = torch.cuda


class Queue:
    """CuPy's stream."""

    null: Queue
    current: Queue

    def __init__(self, non_blocking=False, priority=0):
        self.ptr = id(self)
        self.done = True
        self.log = []

    def synchronize(self):
        self.log.append("synchronize")

    def wait_event(self, event):
        self.log.append(("wait", event))

    def use(self):
        Queue.current = self

    def __enter__(self):
        self.before, Queue.current = Queue.current, self

    def __exit__(self, *_):
        Queue.current = self.before


Queue.null = Queue.current = Queue()


class Mark:
    """CuPy's event."""

    done = False

    def __init__(self, block, disable_timing, interprocess):
        self.timed = not disable_timing

    def record(self, stream):
        self.stream = stream
        self.done = True

    def synchronize(self):
        self.waited = True


class Pool:
    held = 4096

    def used_bytes(self):
        return 1024

    def total_bytes(self):
        return self.held

    def free_all_blocks(self):
        self.held = 1024


PROPERTIES = {
    "name": b"Stand-in", "major": 9, "minor": 0, "totalGlobalMem": 1 << 30,
    "multiProcessorCount": 132,
}  # fmt: skip


@pytest.fixture(autouse=True)
def library(gpus, monkeypatch):
    pool = Pool()
    monkeypatch.setattr(gpus, "get_default_memory_pool", lambda: pool, raising=False)
    monkeypatch.setattr(gpus.cuda.runtime, "getDeviceProperties", lambda number: PROPERTIES)
    for name, value in {
        "Stream": Queue,
        "Event": Mark,
        "get_current_stream": lambda number: Queue.current,
        "get_elapsed_time": lambda a, b: 1.5,
    }.items():
        monkeypatch.setattr(gpus.cuda, name, value, raising=False)
    monkeypatch.setattr(gpus.cuda.Device, "use", use, raising=False)
    monkeypatch.setattr(gpus.cuda.Device, "current", 0)
    monkeypatch.setattr(Queue, "current", Queue.null)
    return SimpleNamespace(pool=pool, gpus=gpus)


def use(self):
    type(self).current = self.id


def test_what_is_there():
    assert cuda.is_available()
    assert cuda.is_initialized()
    assert cuda.device_count() == torch.accelerator.device_count() == 2
    assert torch.accelerator.current_accelerator() == torch.device("cuda")
    assert cuda.get_device_name() == "Stand-in"
    found = cuda.get_device_properties("cuda:1")
    assert (found.major, found.minor, found.total_memory) == (9, 0, 1 << 30)
    assert found.multi_processor_count == 132
    assert cuda.get_device_capability(0) == (9, 0)
    assert cuda.is_bf16_supported()


def test_the_device_in_use():
    assert cuda.current_device() == 0
    with cuda.device(1):
        assert cuda.current_device() == torch.accelerator.current_device_index() == 1
    cuda.set_device("cuda:1")
    assert cuda.current_device() == 1
    cuda.set_device(torch.device("cuda", 0))
    assert cuda.current_device() == 0
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        cuda.set_device("cpu")
    with pytest.raises(RuntimeError, match=r"invalid device ordinal\nThere is no cuda:2"):
        torch.ones(1, device="cuda:2")


def test_the_default_device():
    assert not cuda.is_in_cuda_context()
    cuda.set_default_device("cuda")
    assert cuda.is_in_cuda_context()
    assert cuda.get_default_device() == torch.device("cuda")
    assert torch.zeros(1).is_cuda
    cuda.set_default_device(None)
    assert not torch.zeros(1).is_cuda


def test_memory(library):
    assert cuda.memory_allocated() == 1024
    assert cuda.memory_reserved(1) == cuda.max_memory_allocated("cuda:0") == 4096
    assert cuda.mem_get_info() == (1 << 20, 1 << 30)
    cuda.empty_cache()
    assert cuda.memory_reserved() == 1024
    library.pool.held = 5000
    cuda.reset_peak_memory_stats()
    assert cuda.max_memory_reserved() == 1024


def test_seeds():
    cuda.manual_seed_all(5)
    assert cuda.initial_seed() == 5
    first = torch.rand(3, device="cuda").tolist()
    assert torch.rand(3, device="cuda:1").tolist() == first  # a generator each
    states = cuda.get_rng_state_all()
    assert [(x.dtype, x.numel(), x.is_cuda) for x in states] == [(torch.uint8, 16, False)] * 2
    second = torch.rand(3, device="cuda").tolist()
    assert second != first
    cuda.set_rng_state(states[0])
    assert torch.rand(3, device="cuda").tolist() == second
    cuda.set_rng_state_all(states)
    assert torch.rand(3, device="cuda:1").tolist() == second
    cuda.manual_seed(5)
    assert torch.rand(3, device="cuda").tolist() == first
    torch.manual_seed(5)
    assert torch.rand(3, device="cuda:1").tolist() == first
    cuda.seed_all()
    assert torch.rand(3, device="cuda").tolist() == torch.rand(3, device="cuda:1").tolist() != first
    cuda.seed()
    assert torch.rand(3, device="cuda").tolist() != first
    with pytest.raises(RuntimeError, match="RNG state is wrong size: 56 bytes"):
        cuda.set_rng_state(torch.get_rng_state())


def test_streams():
    first = cuda.current_stream()
    assert first == cuda.default_stream()
    assert first.device == torch.device("cuda", 0)
    own = cuda.Stream()
    assert own.query()
    with cuda.stream(own):
        assert cuda.current_stream() == own
        assert cuda.current_stream() != first
    with cuda.stream(None):
        assert cuda.current_stream() == first
    own.wait_stream(first)
    assert own.cupy.log[-1][1].stream is first.cupy
    own.synchronize()
    assert own.cupy.log[-1] == "synchronize"
    cuda.set_stream(own)
    assert cuda.current_stream() == own
    assert f"cuda_stream={own.cupy.ptr:#x}>" in repr(own)
    assert len({first, cuda.default_stream(), own}) == 2


def test_events():
    start, end = (cuda.Event(enable_timing=True) for _ in range(2))
    assert start.query()
    with pytest.raises(RuntimeError, match="must be recorded before calculating elapsed time"):
        start.elapsed_time(end)
    start.record()
    cuda.Stream().record_event(end)
    end.synchronize()
    assert end.cupy.waited
    assert start.elapsed_time(end) == 1.5
    with pytest.raises(RuntimeError, match="created with argument 'enable_timing=True'"):
        start.elapsed_time(cuda.Event())
    own = cuda.Stream()
    start.wait(own)
    assert own.cupy.log == [("wait", start.cupy)]
    cuda.synchronize()
