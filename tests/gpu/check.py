"""What holds on a GPU: run it where there is one, in at most six minutes.

    python -m tests.gpu.check

It prints one table, line by line: random numbers and optimisers against known values, training
steps against the CPU's losses, memory that is returned, the operations against the CPU, times and
kernels of a step beside PyTorch's (where that is installed), and bandwidth. What raises is a line
too, and the others follow. The status is 1 if something is wrong, and 0 if there is no GPU.

With ``--rehearse`` all of it runs on the stand-in, which shows that the script runs to its end.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

import tapegrad.torch
from tapegrad import backend
from tapegrad.optim import functional
from tapegrad.torch.philox import Philox

from . import modules
from .networks import NETWORKS, Network, trained
from .operations import operations, started_workers, worker
from .report import TABLE_SECONDS, Device, Row, on, put, take
from .timing import bandwidth, times

WIDTH = 44
"""Of the table's first column."""

STEPS = 30


def seeds(device: Device) -> Iterator[Row]:
    """Random numbers made on the device: known ones, and their moments."""
    xp = device.xp
    place = xp.__name__, 0
    words = take(xp)(Philox(place, 0).drawn("uint64", (2,), np.uint64)).tolist()
    expected = [0xE169C58D6627E8D5, 0x9B00DBD8BC57AC4C]
    yield Row("random bits", " ".join(map(hex, words)), words == expected)
    for dtype in (np.float32, np.float64):
        source, name = Philox(place, 1), np.dtype(dtype).name
        x = take(xp)(source.random((100_000,), dtype)).astype(float)
        y = take(xp)(source.standard_normal((100_000,), dtype)).astype(float)
        found = x.mean(), x.var() * 12, y.mean(), y.var(), (y**4).mean()
        good = np.allclose(found, (0.5, 1, 0, 1, 3), atol=0.1) and 0 <= x.min() <= x.max() < 1
        yield Row(f"moments in {name}", " ".join(f"{v:.3f}" for v in found), bool(good))


RULES = (
    "sgd",
    "adam",
    "adamax",
    "nadam",
    "radam",
    "rmsprop",
    "adagrad",
    "adadelta",
    "asgd",
    "rprop",
)


def updates(device: Device) -> Iterator[Row]:
    """Two steps of each optimiser, in one kernel a type, against the CPU's."""
    there, back = put(device.xp), take(device.xp)
    rng = np.random.default_rng(0)
    shapes = (), (3,), (70, 90), (0, 2)
    for dtype, tolerance in (("f2", 4e-3), ("f4", 1e-5), ("f8", 1e-12), ("c8", 1e-5)):
        p = [rng.standard_normal(shape).astype(dtype) for shape in shapes]
        g = [rng.standard_normal(shape).astype(dtype) for shape in shapes]
        worst, of = 0.0, "none"
        for name in RULES:
            rule = getattr(functional, name)(lr=0.1)
            results = []
            for move in (lambda x: x, there):
                now, gradient = move(p), move(g)
                state = rule.init(now)
                for _ in range(2):
                    now, state = rule.update(gradient, state, now)
                results.append(now)
            for x, y in zip(*results, strict=True):
                off = np.nan_to_num(np.abs(back(y) - x), nan=np.inf)
                error = float(np.max(off, initial=0.0))
                if error > worst:
                    worst, of = error, name
        yield Row(
            f"optimisers in {np.dtype(dtype).name}", f"{worst:.1e} by {of}", worst < tolerance
        )


def losses(network: Network, steps: int) -> list[float]:
    """The losses of some steps; nothing else is kept."""
    return [float(x) for x in trained(network, steps)[0]]


def training(device: Device) -> Iterator[Row]:
    """Loss curves against the CPU's, and memory afterwards."""
    xp, steps = device.xp, 2 if device.rehearsal else STEPS
    pool = xp.get_default_memory_pool()
    for name, make in NETWORKS.items():
        network = make(batch=4)
        expected = losses(network, steps)
        losses(on(xp, network), 1)  # what is kept for good: compiled kernels, masks, tables
        gc.collect()
        before = pool.used_bytes()
        found = losses(on(xp, network), steps)
        error = max(abs(a - b) for a, b in zip(found, expected, strict=True))
        yield Row(f"{name}: {steps} losses off the CPU's", f"{error:.1e}", error < 1e-3)
        gc.collect()
        left = pool.used_bytes() - before
        yield Row(f"{name}: memory not returned", f"{left} bytes", left == 0)
    for name, make in modules.MODELS.items():
        curves = []
        for where in ("cpu", "cuda"):
            step = modules.training(make, where)
            curves.append([step().item() for _ in range(steps)])
        error = max(abs(a - b) for a, b in zip(*curves, strict=True))
        yield Row(f"modules, {name}: losses off the CPU's", f"{error:.1e}", error < 1e-3)


def queues(device: Device) -> Iterator[Row]:
    """Streams, events and memory, by PyTorch's names; the second device where there is one."""
    cuda, torch = tapegrad.torch.cuda, tapegrad.torch
    start, stop = (cuda.Event(enable_timing=True) for _ in range(2))
    with cuda.stream(cuda.Stream()):
        start.record()
        x = torch.ones(1000, 1000, device="cuda")
        y = x @ x
        stop.record()
    stop.synchronize()
    took = start.elapsed_time(stop)
    yield Row("a product on a stream of its own", f"{took:.3f} ms", y[0, 0].item() == 1000)
    held = cuda.memory_allocated(), cuda.max_memory_allocated(), *cuda.mem_get_info()
    yield Row("memory used, held, free, all", " ".join(map(str, held)), 0 < held[0] <= held[1])
    count = cuda.device_count()
    if count > 1:
        with cuda.device(1):
            z = torch.ones(3, device="cuda:1") * 2
        good = z.device == torch.device("cuda", 1) and z.cpu().tolist() == [2.0, 2.0, 2.0]
        yield Row("the second device", str(z.device), good)


def exchange(device: Device) -> Iterator[Row]:
    """Arrays go to other libraries and back without a copy."""
    xp, torch = device.xp, device.torch
    x = xp.arange(4.0)
    own = tapegrad.torch.from_dlpack(x)
    back = xp.from_dlpack(own)
    good = own.is_cuda and back.data.ptr == x.data.ptr and own.tolist() == [0, 1, 2, 3]
    yield Row("DLPack, tensors", "no copy" if good else "a copy, or other values", good)
    if torch is not None:
        t = torch.from_dlpack(x)
        back = xp.from_dlpack(t * 1)
        good = t.data_ptr() == x.data.ptr and bool(xp.all(back == x))
        shared = tapegrad.torch.from_dlpack(t)
        good = good and shared.raw.data.ptr == x.data.ptr
        yield Row("DLPack, PyTorch's", "no copy" if good else "a copy, or other values", good)


def attempted(name: str, part: Callable[[], Iterator[Row]]) -> Iterator[Row]:
    """The lines of a part; what it raises is a line too."""
    try:
        yield from part()
    except Exception as error:  # the other parts are wanted all the same
        text = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
        yield Row(f"WRONG: {name} ended early", text, good=False)


def rows(device: Device) -> Iterator[Row]:
    """All lines of the table."""
    properties = device.xp.cuda.runtime.getDeviceProperties(0)
    version = getattr(device.xp, "__version__", "of the stand-in")
    yield Row("device", f"{properties['name'].decode()}, CuPy {version}")
    workers = started_workers(device)
    for part in (seeds, updates, training, exchange, queues):
        yield from attempted(part.__name__, lambda part=part: part(device))
    yield from attempted("operations", lambda: operations(workers, device.seconds))
    for part in (times, bandwidth):
        yield from attempted(part.__name__, lambda part=part: part(device))


def stood_in() -> Any:
    """The stand-in in CuPy's place."""
    from . import standin

    sys.modules["cupy"] = standin.xp
    backend.gpu.cache_clear()
    return standin.xp


def main(arguments: list[str] | None = None) -> int:
    """Run everything; gives the status of the process."""
    parser = argparse.ArgumentParser(description="What holds on a GPU.")
    parser.add_argument("--rehearse", action="store_true", help="run on the stand-in")
    parser.add_argument("--seconds", type=float, default=TABLE_SECONDS, help="for the operations")
    parser.add_argument("--part", type=int, nargs=2, help="of the operations: which, of how many")
    given = parser.parse_args(arguments)
    if given.rehearse:
        stood_in()
    xp, reason = backend.gpu()
    if xp is None:
        sys.stdout.write(f"skipped, since there is no GPU: {reason}\n")
        return 0
    torch = None
    if not given.rehearse and not given.part:
        try:
            import torch
        except ImportError:
            torch = None
        if torch is not None and not torch.cuda.is_available():
            torch = None
    device = Device(xp, torch, given.rehearse, given.seconds)
    if given.part:
        worker(device, *given.part)
        return 0
    good = True
    started = perf_counter()
    for row in rows(device):
        mark = " " if row.good else "!"
        sys.stdout.write(f"{mark} {row.what:<{WIDTH}} {row.result}\n")
        sys.stdout.flush()
        good = good and row.good
    sys.stdout.write(f"  {'seconds':<{WIDTH}} {perf_counter() - started:.0f}\n")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
