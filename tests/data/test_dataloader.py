"""Loaders: with no workers, with processes and with threads; failures, and clean endings."""

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info, pool

KINDS = [{}, {"num_workers": 2}, {"num_workers": 2, "worker_kind": "thread"}]
WORKERS = KINDS[1:]


class Numbers(Dataset):
    """Numbers from 0 on, some of which make trouble."""

    def __init__(self, n, trouble=None):
        self.n = n
        self.trouble = trouble or {}

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i in self.trouble:
            self.trouble[i]()
        return i


class Stream(IterableDataset):
    def __init__(self, n, split=False):
        self.n = n
        self.split = split

    def __iter__(self):
        info = get_worker_info() if self.split else None
        start, step = (info.id, info.num_workers) if info else (0, 1)
        yield from range(start, self.n, step)


def fail():
    raise KeyError("lost")


def die():
    os._exit(7)


def idle():
    time.sleep(30)


def workers():
    return [p for p in multiprocessing.active_children() if p.is_alive()]


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch):
    monkeypatch.setattr(pool, "GRACE", 0.5)


@pytest.fixture(autouse=True)
def _nothing_is_left():
    before = threading.active_count()
    yield
    deadline = time.monotonic() + 10
    while workers() or threading.active_count() > before:
        gc.collect()  # an exception's traceback keeps its frames
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    assert not workers()
    assert threading.active_count() <= before


@pytest.mark.parametrize("options", KINDS)
def test_every_batch_once_and_in_order(options):
    loader = DataLoader(Numbers(23), 4, **options)
    assert len(loader) == 6
    for _ in range(2):
        assert [x for batch in loader for x in batch.tolist()] == list(range(23))


@pytest.mark.parametrize("options", KINDS)
def test_shuffled(options):
    loader = DataLoader(Numbers(30), 7, shuffle=True, drop_last=True, **options)
    seen = [x for batch in loader for x in batch.tolist()]
    assert len(set(seen)) == len(seen) == 28
    assert seen != sorted(seen)
    torch.manual_seed(5)
    first = [b.tolist() for b in loader]
    torch.manual_seed(5)
    assert [b.tolist() for b in loader] == first


@pytest.mark.parametrize("options", KINDS)
def test_single_samples(options):
    loader = DataLoader(Numbers(3), batch_size=None, **options)
    assert list(loader) == [0, 1, 2]
    assert len(loader) == 3
    assert list(DataLoader(Stream(3), batch_size=None, **options)) == [0, 1, 2]


@pytest.mark.parametrize("options", KINDS)
def test_batch_sampler_and_collate(options):
    loader = DataLoader(Numbers(9), batch_sampler=[[8, 1], [2]], collate_fn=sum, **options)
    assert list(loader) == [9, 2]


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize("split", [False, True])
def test_a_stream_comes_once(options, split):
    for drop_last in (False, True):
        loader = DataLoader(Stream(10, split), 3, drop_last=drop_last, **options)
        seen = sorted(x for batch in loader for x in batch.tolist())
        if not drop_last:
            assert seen == list(range(10))
        else:
            assert len(seen) == len(set(seen)) == (6 if options else 9)


def part(number):
    info = get_worker_info()
    info.dataset.n = 3 + number


def test_worker_init_fn_parts_a_stream():
    loader = DataLoader(Stream(9), None, num_workers=2, worker_init_fn=part)
    assert sorted(loader) == [0, 0, 1, 1, 2, 2, 3]


@pytest.mark.parametrize("options", KINDS)
def test_an_exception_comes_with_its_traceback(options):
    loader = DataLoader(Numbers(4, {2: fail}), 1, **options)
    batches = iter(loader)
    assert [next(batches).item() for _ in range(2)] == [0, 1]
    with pytest.raises(KeyError, match="lost") as caught:
        next(batches)
    if options:
        text = str(caught.value)
        assert "Caught KeyError in DataLoader worker" in text
        assert 'raise KeyError("lost")' in text
        assert "\n" in text
        assert next(batches).item() == 3


class OddError(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


def fail_oddly():
    raise OddError(1, 2)


def test_an_exception_that_cannot_be_made_again():
    loader = DataLoader(Numbers(1, {0: fail_oddly}), 1, num_workers=1)
    with pytest.raises(RuntimeError, match="Caught OddError in DataLoader worker process 0"):
        list(loader)


@pytest.mark.parametrize("options", WORKERS)
def test_init_fn_fails(options):
    loader = DataLoader(Numbers(4), worker_init_fn=lambda _: fail(), **options)
    with pytest.raises(KeyError, match="lost"):
        list(loader)


def test_a_batch_that_cannot_be_sent():
    loader = DataLoader(Numbers(2), collate_fn=lambda _: lambda: 0, num_workers=1)
    with pytest.raises(TypeError, match="a worker's batch cannot be sent to the main process"):
        list(loader)


def test_gradients_do_not_cross_processes():
    leaf = torch.ones(2, requires_grad=True)
    (got,) = DataLoader([leaf], collate_fn=lambda samples: samples[0], num_workers=1)
    assert got.requires_grad
    assert got.tolist() == [1, 1]
    loader = DataLoader(Numbers(2), collate_fn=lambda _: leaf * 2, num_workers=1)
    with pytest.raises(TypeError, match=r"non-leaf tensor which requires_grad.*Call detach\(\)"):
        list(loader)


def test_a_worker_dies():
    loader = DataLoader(Numbers(4, {1: die}), 1, num_workers=2)
    batches = iter(loader)
    assert next(batches).item() == 0
    with pytest.raises(RuntimeError, match=r"worker 1 \(pid\(s\) \d+\) exited unexpectedly.* 7"):
        next(batches)
    assert not workers()
    assert list(batches) == []


@pytest.mark.parametrize("options", [WORKERS[0], {**WORKERS[0], "in_order": False}])
def test_timeout(options):
    loader = DataLoader(Numbers(2, {0: idle, 1: idle}), 1, timeout=0.2, **options)
    with pytest.raises(RuntimeError, match=r"timed out after 0\.2 seconds"):
        list(loader)
    assert not workers()


def test_an_abandoned_loader_leaves_no_process():
    for batch in DataLoader(Numbers(1000), 1, num_workers=2):
        if batch.item() == 3:
            break
    gc.collect()
    assert not workers()


def test_an_abandoned_loader_with_full_pipes_leaves_no_process(monkeypatch):
    monkeypatch.setattr(pool, "GRACE", 30)
    data = TensorDataset(torch.ones(40, 100_000))
    for _ in DataLoader(data, 2, num_workers=2):
        break
    begun = time.perf_counter()
    gc.collect()
    assert not workers()
    assert time.perf_counter() - begun < 20  # none had to be put an end to


def draw(batch):
    return random.random(), float(np.random.rand()), torch.rand(1).item(), get_worker_info().seed


def test_workers_are_seeded():
    def drawn():
        torch.manual_seed(1)
        return list(DataLoader(Numbers(2), 1, collate_fn=draw, num_workers=2))

    first, second = drawn()
    assert all(a != b for a, b in zip(first, second, strict=True))
    assert second[3] == first[3] + 1
    assert drawn() == [first, second]


def who(batch):
    info = get_worker_info()
    return info.id, info.num_workers, os.getpid(), threading.get_ident()


def test_workers_know_who_they_are():
    assert get_worker_info() is None
    found = list(DataLoader(Numbers(4), 1, collate_fn=who, num_workers=2))
    assert [x[:2] for x in found] == [(0, 2), (1, 2)] * 2
    assert os.getpid() not in {x[2] for x in found}
    found = list(DataLoader(Numbers(4), 1, collate_fn=who, num_workers=2, worker_kind="thread"))
    assert [x[:2] for x in found] == [(0, 2), (1, 2)] * 2
    assert threading.get_ident() not in {x[3] for x in found}


@pytest.mark.parametrize("kind", ["process", "thread"])
def test_persistent_workers(kind):
    options = {"num_workers": 2, "persistent_workers": True, "worker_kind": kind}
    loader = DataLoader(Numbers(6), 1, collate_fn=lambda b: (b[0], who(b)), **options)
    seen = [list(loader) for _ in range(3)]
    assert all([x for x, _ in epoch] == list(range(6)) for epoch in seen)
    assert len({w[2:] for epoch in seen for _, w in epoch}) == 2
    for x, _ in loader:  # left half-way
        if x == 2:
            break
    assert [x for x, _ in loader] == list(range(6))
    stream = DataLoader(Stream(5), 1, **options)
    for _ in range(2):
        assert sorted(b.item() for b in stream) == list(range(5))


@pytest.mark.parametrize("options", WORKERS)
def test_out_of_order(options):
    delivered = multiprocessing.Event()
    late = Numbers(6, {0: lambda: delivered.wait(60)})
    batches = iter(DataLoader(late, 1, in_order=False, **options))
    first = next(batches).item()
    delivered.set()
    assert first != 0
    assert sorted([first, *(b.item() for b in batches)]) == list(range(6))


@pytest.mark.slow
def test_spawned_workers():
    loader = DataLoader(Numbers(5), 2, num_workers=1, multiprocessing_context="spawn")
    assert [b.tolist() for b in loader] == [[0, 1], [2, 3], [4]]


def test_loader_shares_what_it_is_given():
    data = TensorDataset(torch.arange(3))
    loader = DataLoader(data, pin_memory=True, pin_memory_device="cuda")
    assert loader.dataset is data
    assert loader.batch_size == 1
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader"):
        loader.batch_size = 2
    loader.custom = 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiproc"),
        ({"persistent_workers": True}, "persistent_workers option could only be specified"),
        ({"multiprocessing_context": "fork"}, "multiprocessing_context option could only be"),
        ({"num_workers": 1, "multiprocessing_context": "x"}, "should specify a valid start"),
        ({"num_workers": 1, "prefetch_factor": 0}, "prefetch_factor should be a positive"),
        ({"sampler": [0], "shuffle": True}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[0]], "batch_size": 2}, "batch_sampler option is mutually exclusive"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option is mutually exclusive"),
        ({"batch_size": 0}, "batch_size should be a positive integer value"),
        ({"worker_kind": "fibre"}, "worker_kind should be 'process' or 'thread'"),
    ],
)
def test_options_that_do_not_fit(options, text):
    with pytest.raises(ValueError, match=text):
        DataLoader(Numbers(3), **options)


@pytest.mark.parametrize("option", ["shuffle", "sampler", "batch_sampler"])
def test_a_stream_has_an_order_of_its_own(option):
    with pytest.raises(ValueError, match=f"expected unspecified {option} option"):
        DataLoader(Stream(3), **{option: [0] if option != "shuffle" else True})


def test_a_stream_longer_than_it_says():
    class Modest(Stream):
        def __len__(self):
            return 2

    loader = DataLoader(Modest(3), 1)
    assert len(loader) == 2
    with pytest.warns(UserWarning, match="Length of IterableDataset was reported to be 2"):
        assert len(list(loader)) == 3
    with pytest.raises(TypeError, match="has no len"):
        len(DataLoader(Stream(3)))


SCRIPT = """
    import sys, time
    from tapegrad.data import DataLoader

    class Slow:
        def __len__(self):
            return 100
        def __getitem__(self, i):
            time.sleep(0.05)
            return i

    for batch in DataLoader(Slow(), 1, num_workers=2):
        print(batch.item(), flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_main_process(how, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.stdout.readline() == "0\n"
    if how == signal.SIGINT:
        os.killpg(process.pid, how)
    else:
        process.kill()
    _, err = process.communicate(timeout=20)  # ends when all that have the pipe have ended
    if how == signal.SIGINT:
        assert err.count("Traceback") == 1
        assert "KeyboardInterrupt" in err
