"""Random numbers made on a GPU: Philox 4x32-10, of which any part can be computed at once.

The state is a seed and how many blocks of four 32-bit numbers were taken. The method is of Salmon,
Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy

from ..backend import Place
from ..ops.elementary import exp, log1p, tan
from ..ops.fused import fused
from ..ops.rounding import floor

THREADS = 256

BLOCKS = 1 << 16
"""At most so many blocks of threads; each goes on where they end."""

MASK = (1 << 64) - 1

TEXT = """
typedef unsigned int Word;
typedef unsigned long long Long;

extern "C" __global__ void draw(
    {of}* out, const long long size, const Long seed, const Long offset
) {{
    const long long threads = (long long)gridDim.x * blockDim.x;
    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long n = first; {count} * n < size; n += threads) {{
        const Long place = offset + n;
        Word x[4] = {{Word(place), Word(place >> 32), 0, 0}};
        Word k0 = Word(seed), k1 = Word(seed >> 32);
        for (int round = 0; round < 10; round++) {{
            const Long a = 0xD2511F53ull * x[0], b = 0xCD9E8D57ull * x[2];
            x[0] = Word(b >> 32) ^ x[1] ^ k0;
            x[1] = Word(b);
            x[2] = Word(a >> 32) ^ x[3] ^ k1;
            x[3] = Word(a);
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }}
        {of} y[{count}];
        {make}
        for (int i = 0; i < {count} && {count} * n + i < size; i++) out[{count} * n + i] = y[i];
    }}
}}
"""
"""A kernel: each thread makes a block of numbers `x`, and `count` results `y` of it."""

PAIR = "for (int i = 0; i < 2; i++) { const Long b = Long(x[2 * i + 1]) << 32 | x[2 * i]; %s }"
"""Two 64-bit numbers of a block."""

POLAR = (
    "for (int i = 0; i < {0}; i += 2) {{ const {1} r = sqrt({1}(-2) * log(u[i])); "
    "const {1} t = {1}(6.283185307179586) * u[i + 1]; y[i] = r * cos(t); y[i + 1] = r * sin(t); }}"
)
"""Normal numbers of uniform ones `u`, of which none is zero, by Box and Muller's method."""

MAKERS = {
    "uint64": ("Long", 2, PAIR % "y[i] = b;"),
    "uniform float32": (
        "float",
        4,
        "for (int i = 0; i < 4; i++) y[i] = float(x[i] >> 8) * 5.9604644775390625e-8f;",
    ),
    "uniform float64": (
        "double",
        2,
        PAIR % "y[i] = double(b >> 11) * 1.1102230246251565e-16;",
    ),
    "normal float32": (
        "float",
        4,
        "float u[4]; for (int i = 0; i < 4; i++) "
        "u[i] = float(x[i]) * 2.3283064365386963e-10f + 1.1641532182693481e-10f; "
        + POLAR.format(4, "float"),
    ),
    "normal float64": (
        "double",
        2,
        "double u[2]; " + PAIR % "u[i] = (double(b >> 11) + 1) * 1.1102230246251565e-16;"
        " " + POLAR.format(2, "double"),
    ),
}
"""What is drawn: the type, how many a block of numbers gives, and how."""

kernels: dict[tuple[str, str], Any] = {}


def text_of(kind: str) -> str:
    """The kernel that draws numbers of a kind."""
    of, count, make = MAKERS[kind]
    return TEXT.format(of=of, count=count, make=make)


class Philox:
    """A source of random numbers on a device, with the names of NumPy's generators."""

    def __init__(self, place: Place, seed: int, offset: int = 0) -> None:
        self.place = place
        self.seed = seed & MASK
        self.offset = offset

    @property
    def library(self) -> Any:
        """The device's library of arrays."""
        return import_module(self.place[0])

    def drawn(self, kind: str, shape: Any, dtype: Any) -> Any:
        """Numbers of a kind."""
        xp = self.library
        size, count = math.prod(shape), MAKERS[kind][1]
        parts = -(-size // count)
        key = self.place[0], kind
        with self.current():
            out = xp.empty(shape, dtype)
            if size:
                kernel = kernels.get(key)
                if kernel is None:
                    kernel = kernels[key] = xp.RawKernel(text_of(kind), "draw")
                grid = min(-(-parts // THREADS), BLOCKS)
                state = numpy.uint64(self.seed), numpy.uint64(self.offset)
                kernel((grid,), (THREADS,), (out, numpy.int64(size), *state))
        self.offset = (self.offset + parts) & MASK
        return out

    def random(self, shape: Any, dtype: Any = numpy.float64) -> Any:
        """Numbers spread evenly from 0 to 1, 1 excluded."""
        dtype = numpy.dtype(dtype)
        return self.drawn(f"uniform {dtype.name}", shape, dtype)

    def standard_normal(self, shape: Any, dtype: Any = numpy.float64) -> Any:
        """Numbers of the standard normal distribution."""
        dtype = numpy.dtype(dtype)
        return self.drawn(f"normal {dtype.name}", shape, dtype)

    def integers(self, low: int, high: int, shape: Any) -> Any:
        """Integers from `low` on, less than `high`: remainders of 64-bit numbers."""
        bits = self.drawn("uint64", shape, numpy.uint64)
        with self.current():
            bits %= numpy.uint64(high - low)
            result = bits.view(numpy.int64)
            result += low
        return result

    def permutation(self, n: int) -> Any:
        """The integers less than `n` in random order."""
        bits = self.drawn("uint64", (n,), numpy.uint64)
        with self.current():
            return self.library.argsort(bits)

    def standard_exponential(self, shape: Any) -> Any:
        """Numbers of the exponential distribution."""
        return self.of_uniform(lambda u: -log1p(-u), shape)

    def standard_cauchy(self, shape: Any) -> Any:
        """Numbers of the Cauchy distribution."""
        return self.of_uniform(lambda u: tan(math.pi * (u - 0.5)), shape)

    def geometric(self, p: float, shape: Any) -> Any:
        """How many trials it takes to the first success."""
        scale = 1 / math.log1p(-p)
        return self.of_uniform(lambda u, scale: floor(log1p(-u) * scale) + 1.0, shape, scale)

    def lognormal(self, mean: float, sigma: float, shape: Any) -> Any:
        """Numbers whose logarithms are normal."""
        normals = self.standard_normal(shape)
        with self.current():
            return fused(lambda x, mean, sigma: exp(x * sigma + mean), normals, mean, sigma)

    def poisson(self, rates: Any, shape: Any) -> Any:
        """Counts of Poisson distributions: the library's, from a seed of this source's."""
        seed = int(numpy.random.SeedSequence([self.seed, self.offset]).generate_state(1)[0])
        self.offset = (self.offset + 1) & MASK
        with self.current():
            return self.library.random.default_rng(seed).poisson(rates, shape)

    def of_uniform(self, function: Any, shape: Any, *numbers: float) -> Any:
        """What a function gives for uniform numbers."""
        uniform = self.random(shape)
        with self.current():
            return fused(function, uniform, *numbers)

    def current(self) -> Any:
        """A context in which new arrays are on the device."""
        return self.library.cuda.Device(self.place[1])
