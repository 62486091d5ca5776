"""How long training steps take on a GPU, beside PyTorch's, and how fast memory is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import tapegrad as tg
from tapegrad.optim.functional import adam

from .networks import NETWORKS, Network, block, lenet, mlp
from .report import Device, Row, on


def step_of(network: Network) -> Callable[[], None]:
    """A training step, again and again."""
    rule = adam(lr=1e-3)
    gradients = tg.value_and_grad(network.loss)
    now = [network.params, rule.init(network.params)]

    def step() -> None:
        _, g = gradients(now[0], network.inputs, network.labels)
        now[0], now[1] = rule.update(g, now[1], now[0])

    return step


def milliseconds(device: Device, step: Callable[[], None], library: Any = None) -> float:
    """The time of a step between two events of CuPy's, or of PyTorch's; the median."""
    xp = device.xp
    times = []
    for repeat in range(10 + device.repeats):
        if library is None:
            start, stop = xp.cuda.Event(), xp.cuda.Event()
        else:
            start, stop = (library.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        step()
        stop.record()
        stop.synchronize()
        if repeat >= 10:
            took = xp.cuda.get_elapsed_time if library is None else library.cuda.Event.elapsed_time
            times.append(took(start, stop))
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


def times(device: Device) -> Iterator[Row]:
    """Steps beside PyTorch's."""
    torch = device.torch
    sizes = {
        "MLP": mlp(batch=256),
        "LeNet": lenet(batch=256),
        "transformer block": block(batch=16, length=128, width=256, heads=8),
    }
    if device.rehearsal:
        sizes = {name: make(batch=2) for name, make in NETWORKS.items()}
    for name, network in sizes.items():
        step = step_of(on(device.xp, network))
        own = milliseconds(device, step)
        text = f"{own:.3f} ms"
        if torch is not None:
            other = of_torch(torch, name, network)
            theirs = milliseconds(device, other, torch)
            text += f"; PyTorch {theirs:.3f} ms, so {own / theirs:.2f} times as long"
            text += f"; kernels {kernels(torch, step)} and {kernels(torch, other)}"
        yield Row(f"{name}: a step", text)


def bandwidth(device: Device) -> Iterator[Row]:
    """Eight gigabytes through an elementwise function, and through a copy."""
    xp = device.xp
    x = xp.ones(1 << (10 if device.rehearsal else 30), dtype=xp.float32)
    out = xp.empty_like(x)

    def gigabytes(step: Callable[[], Any]) -> float:
        return 2 * x.nbytes / milliseconds(device, step) / 1e6

    copied = gigabytes(lambda: xp.copyto(out, x))
    for name, step in (
        ("CuPy's product", lambda: xp.multiply(x, 2.0, out=out)),
        ("a recorded product", lambda: tg.vjp(lambda x: x * 2.0, x)[0]),
    ):
        computed = gigabytes(step)
        good = device.rehearsal or computed > 0.8 * copied
        yield Row(f"bandwidth, {name}", f"{computed:.0f} GB/s of the copy's {copied:.0f}", good)
