"""What holds on a GPU: run it where there is one, in at most six minutes.

    python -m tests.gpu.check

It prints one table: the operations against the CPU, training steps against the CPU's losses, memory
that is returned, times and kernels of a step beside PyTorch's (where that is installed), and
bandwidth. The status is 1 if something is wrong, and 0 if there is no GPU, which it says.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import tapegrad as tg
from tapegrad.backend import gpu
from tapegrad.optim.functional import adam

from ..ops import check
from . import table
from .networks import NETWORKS, Network, block, lenet, mlp, trained

TABLE_SECONDS = 150.0
"""The operations are left after this: each kernel is compiled when it is first met."""

FREE = {"eig", "eigh", "qr", "svd", "singular_vectors", "lq", "polar"}
"""Factors of which signs or an order are free: another library may choose others."""

STEPS = 30


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    what: str
    result: str
    good: bool = True


def put(xp: Any) -> Callable[[Any], Any]:
    """Copies trees of arrays to the device."""

    def to_device(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return xp.asarray(value)
        if isinstance(value, tuple | list):
            return type(value)(map(to_device, value))
        if isinstance(value, dict):
            return {key: to_device(x) for key, x in value.items()}
        return value

    return to_device


def take(xp: Any) -> Callable[[Any], Any]:
    """Copies an array back, which must be on the device."""

    def to_host(value: Any) -> Any:
        assert type(value) is xp.ndarray, f"on the host: {type(value)}"
        return value.get()

    return to_host


def in_single(value: Any) -> Any:
    """Samples in single precision."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc":
        return value.astype(np.float32 if value.dtype.kind == "f" else np.complex64)
    return value


def operations(xp: Any) -> Iterator[Row]:
    """Forward, cotangents and tangents of the operations, in two precisions."""
    place = table.Place(put(xp), take(xp))
    started = perf_counter()
    ran, host, free = {"float64": 0, "float32": 0}, set(), set()
    wrong: dict[str, str] = {}
    names = set()
    for name, op, inputs, params in check.base_cases():
        if perf_counter() - started > TABLE_SECONDS:
            break
        if int(name.rpartition("-")[2]) > 1 or op.name == "transfer":
            continue
        names.add(op.name)
        for dtype, tolerance in (("float64", 1e-7), ("float32", 2e-3)):
            if dtype == "float32" and any(isinstance(p, np.dtype) for p in params.values()):
                continue
            xs = inputs if dtype == "float64" else tuple(map(in_single, inputs))
            try:
                with np.errstate(all="ignore"):
                    table.forward(op, xs, params, place, tolerance)
                    table.derivatives(op, xs, params, place, tolerance)
            except TypeError as error:
                if "on the CPU alone" in str(error):
                    host.add(op.name)
                else:
                    wrong.setdefault(name, f"{dtype}: {error}")
            except Exception as error:  # each one is a finding, and the others are wanted too
                if op.name in FREE:
                    free.add(op.name)
                else:
                    wrong.setdefault(name, f"{dtype}: {type(error).__name__}: {error}")
            else:
                ran[dtype] += 1
    seconds = perf_counter() - started
    yield Row("operations met", f"{len(names)} of {len(check.base())} in {seconds:.0f} s")
    yield Row("samples as on the CPU", f"{ran['float64']} in float64, {ran['float32']} in float32")
    yield Row("on the CPU alone, and said so", f"{len(host)}: {' '.join(sorted(host))}")
    yield Row("with factors of other signs", " ".join(sorted(free)) or "none")
    for name, text in wrong.items():
        yield Row(f"WRONG {name}", " ".join(text.split())[:160], good=False)


def on(xp: Any, network: Network) -> Network:
    """A network on the device."""
    there = put(xp)
    return replace(
        network,
        params=there(network.params),
        inputs=there(network.inputs),
        labels=there(network.labels),
    )


def training(xp: Any) -> Iterator[Row]:
    """Loss curves against the CPU's, and memory afterwards."""
    pool = xp.get_default_memory_pool()
    for name, make in NETWORKS.items():
        network = make()
        expected, _ = trained(network, STEPS)
        trained(on(xp, network), 1)  # what is kept for good: compiled kernels, masks
        gc.collect()
        before = pool.used_bytes()
        losses, _ = trained(on(xp, network), STEPS)
        error = max(abs(float(a) - float(b)) for a, b in zip(losses, expected, strict=True))
        yield Row(f"{name}: {STEPS} losses off the CPU's", f"{error:.1e}", error < 1e-3)
        del losses
        gc.collect()
        left = pool.used_bytes() - before
        yield Row(f"{name}: memory not returned", f"{left} bytes", left == 0)


def step_of(network: Network) -> Callable[[], None]:
    """A training step, again and again."""
    rule = adam(lr=1e-3)
    gradients = tg.value_and_grad(network.loss)
    now = [network.params, rule.init(network.params)]

    def step() -> None:
        _, g = gradients(now[0], network.inputs, network.labels)
        now[0], now[1] = rule.update(g, now[1], now[0])

    return step


def milliseconds(xp: Any, step: Callable[[], None], repeats: int = 50) -> float:
    """The time of a step between two events; the median."""
    for _ in range(10):
        step()
    times = []
    for _ in range(repeats):
        start, stop = xp.cuda.Event(), xp.cuda.Event()
        start.record()
        step()
        stop.record()
        stop.synchronize()
        times.append(xp.cuda.get_elapsed_time(start, stop))
    return median(times)


def kernels(torch: Any, step: Callable[[], None]) -> int:
    """How many kernels a step launches, whoever launches them."""
    activity = torch.profiler.ProfilerActivity.CUDA
    with torch.profiler.profile(activities=[activity]) as profile:
        step()
        torch.cuda.synchronize()
    moved = ("Memcpy", "Memset")
    return sum(event.count for event in profile.key_averages() if not event.key.startswith(moved))


def of_torch(torch: Any, name: str, network: Network) -> Callable[[], None]:
    """The same network's training step in PyTorch."""
    nn = torch.nn
    f = nn.functional

    class Block(nn.Module):
        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.head = nn.Linear(width, 10)

        def forward(self, x: Any) -> Any:
            n, t, width = x.shape
            h = self.norm1(x)
            q, k, v = (
                part(h).view(n, t, self.heads, -1).transpose(1, 2)
                for part in (self.q, self.k, self.v)
            )
            a = f.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.o(a.transpose(1, 2).reshape(n, t, width))
            x = x + self.down(f.gelu(self.up(self.norm2(x))))
            return self.head(x).view(n * t, 10)

    models = {
        "MLP": lambda: nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)),
        "LeNet": lambda: nn.Sequential(
            *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
            *(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
        ),
        "transformer block": lambda: Block(network.inputs.shape[-1], 8),
    }
    model = models[name]().cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.from_numpy(network.inputs).cuda()
    y = torch.from_numpy(network.labels.reshape(-1)).cuda()

    def step() -> None:
        optimizer.zero_grad()
        f.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def times(xp: Any, torch: Any) -> Iterator[Row]:
    """Steps beside PyTorch's."""
    sizes = {
        "MLP": mlp(batch=256),
        "LeNet": lenet(batch=256),
        "transformer block": block(batch=16, length=128, width=256, heads=8),
    }
    for name, network in sizes.items():
        step = step_of(on(xp, network))
        own = milliseconds(xp, step)
        text = f"{own:.3f} ms"
        if torch is not None:
            other = of_torch(torch, name, network)
            for _ in range(10):
                other()
            stream = xp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
            with stream:
                theirs = milliseconds(xp, other)
            text += f"; PyTorch {theirs:.3f} ms, so {own / theirs:.2f} times as long"
            text += f"; kernels {kernels(torch, step)} and {kernels(torch, other)}"
        yield Row(f"{name}: a step", text)


def bandwidth(xp: Any) -> Iterator[Row]:
    """Eight gigabytes through an elementwise function, and through a copy."""
    x = xp.ones(1 << 30, dtype=xp.float32)
    out = xp.empty_like(x)

    def gigabytes(step: Callable[[], None]) -> float:
        return 2 * x.nbytes / milliseconds(xp, step, 10) / 1e6

    copied = gigabytes(lambda: xp.copyto(out, x))
    computed = gigabytes(lambda: xp.multiply(x, 2.0, out))
    good = computed > 0.8 * copied
    yield Row("bandwidth", f"{computed:.0f} GB/s of the copy's {copied:.0f}", good)


def exchange(xp: Any, torch: Any) -> Iterator[Row]:
    """Arrays go to PyTorch and back without a copy."""
    if torch is None:
        return
    x = xp.arange(4.0)
    t = torch.from_dlpack(x)
    back = xp.from_dlpack(t * 1)
    good = t.data_ptr() == x.data.ptr and bool(xp.all(back == x))
    yield Row("DLPack", "no copy" if good else "a copy, or other values", good)


def main() -> int:
    """Run everything; gives the status of the process."""
    xp, reason = gpu()
    if xp is None:
        sys.stdout.write(f"skipped, since there is no GPU: {reason}\n")
        return 0
    try:
        import torch
    except ImportError:
        torch = None
    if torch is not None and not torch.cuda.is_available():
        torch = None
    name = xp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    rows = [Row("device", f"{name}, CuPy {xp.__version__}")]
    for part in (
        lambda: training(xp),
        lambda: times(xp, torch),
        lambda: exchange(xp, torch),
        lambda: bandwidth(xp),
        lambda: operations(xp),
    ):
        rows += part()
    width = max(len(row.what) for row in rows)
    for row in rows:
        mark = " " if row.good else "!"
        sys.stdout.write(f"{mark} {row.what:<{width}}  {row.result}\n")
    return int(not all(row.good for row in rows))


if __name__ == "__main__":
    sys.exit(main())
