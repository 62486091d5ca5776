"""Random tensors, from generators with a seed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from ..backend import HOST, Place, on_device, place_of, put
from ..core.array import Array
from ..core.op import table
from ..core.tape import ReplayTape, current_tape
from ..numpy.reading import known
from ..ops.random import draw as draw_for_lanes
from ..ops.random import one_by_one
from . import errors
from .calls import attach
from .device import Devices, check_device, place_for
from .device import device as Device
from .dtypes import defaults, int64, of_numpy
from .filling import alike, like, made, real
from .philox import Philox
from .shapes import sizes
from .tensor import Tensor, core, wrap

__all__ = [
    "Generator",
    "bernoulli",
    "binomial",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
]


class Generator:
    """A source of random numbers with a seed: NumPy's PCG64 DXSM, on a GPU Philox 4x32-10.

    The numbers are not PyTorch's for the same seed; they are the same on every machine.
    """

    def __init__(self, device: Any = None) -> None:
        self.device = check_device("cpu" if device is None else device)
        self.place = place_for(self.device)
        self.lock = threading.Lock()
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int) -> Generator:
        """Begin anew from a seed."""
        self.first = seed
        self.source: Any
        if self.place == HOST:
            self.source = numpy.random.Generator(numpy.random.PCG64DXSM(seed % (1 << 64)))
        else:
            self.source = Philox(self.place, seed)
        return self

    def seed(self) -> int:
        """Begin anew from a seed of the operating system's, and give it."""
        fresh = int(numpy.random.SeedSequence().generate_state(1, numpy.uint64)[0])
        self.manual_seed(fresh)
        return fresh

    def initial_seed(self) -> int:
        """The seed that the generator began from."""
        return self.first

    def get_state(self) -> Tensor:
        """The state as a tensor of bytes, for `set_state`."""
        if self.place != HOST:
            parts = [self.source.seed, self.source.offset]
            return wrap(numpy.array(parts, numpy.uint64).view(numpy.uint8).copy())
        state: Any = self.source.bit_generator.state
        inner = state["state"]
        parts = [self.first % (1 << 64), *divmod(inner["state"], 1 << 64)]
        parts += [*divmod(inner["inc"], 1 << 64), state["has_uint32"], state["uinteger"]]
        return wrap(numpy.array(parts, numpy.uint64).view(numpy.uint8).copy())

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on from a state that `get_state` gave."""
        raw = numpy.ascontiguousarray(new_state.raw)
        if raw.dtype != numpy.uint8 or raw.size != (56 if self.place == HOST else 16):
            raise errors.bad_generator_state(raw.size)
        first, *parts = (int(v) for v in raw.view(numpy.uint64))
        self.manual_seed(first)
        if self.place != HOST:
            (self.source.offset,) = parts
            return self
        high, low, high_inc, low_inc, has, kept = parts
        self.source.bit_generator.state = {
            "bit_generator": "PCG64DXSM",
            "state": {"state": (high << 64) + low, "inc": (high_inc << 64) + low_inc},
            "has_uint32": has,
            "uinteger": kept,
        }
        return self

    def clone_state(self) -> Generator:
        """Another generator that goes on from here."""
        return Generator(self.device).set_state(self.get_state())


default_generator = Generator()
"""What draws on the CPU where no generator is given."""

of_devices: dict[Place, Generator] = {}
"""What draws on GPUs where no generator is given; they begin with the seed of the CPU's."""


def generator_at(place: Place, generator: Generator | None = None) -> Generator:
    """The generator that draws in a place: the given one, which has to be there, or the default."""
    if generator is not None:
        if generator.place != place:
            raise errors.generator_elsewhere(place, generator.device)
        return generator
    if place == HOST:
        return default_generator
    found = of_devices.get(place)
    if found is None:
        found = of_devices[place] = Generator(Device("cuda", place[1]))
        found.manual_seed(default_generator.first)
    return found


def draw(generator: Generator | None, how: Callable[[Any], Any]) -> Any:
    """Numbers from a generator, or from the CPU's default one; one thread at a time.

    ``how(source)`` draws: from a generator of NumPy's, or a `Philox`, which has its names.
    """
    given = default_generator if generator is None else generator

    def drawn() -> Any:
        with given.lock:
            return how(given.source)

    tape = current_tape()
    if isinstance(tape, ReplayTape) and (tape.purpose, tape.randomness) == ("vmap", "error"):
        raise errors.random_in_vmap()
    return draw_for_lanes(one_by_one(drawn))


def manual_seed(seed: int) -> Generator:
    """Begin the default generators anew from a seed, those of GPUs too.

    >>> _ = manual_seed(0)
    >>> a = rand(2)
    >>> _ = manual_seed(0)
    >>> bool((rand(2) == a).all())
    True
    """
    for generator in (default_generator, *of_devices.values()):
        generator.manual_seed(int(seed))
    return default_generator


def seed() -> int:
    """Begin the default generators anew from a seed of the operating system's, and give it."""
    fresh = Generator().seed()
    manual_seed(fresh)
    return fresh


def initial_seed() -> int:
    """The seed that the default generator began from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Have the default generator go on from a state."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **options: Any) -> Iterator[None]:
    """A context after which the default generator goes on as if nothing had been drawn in it."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


def uniforms(shape: Any, d: Any, generator: Generator | None) -> Any:
    """Numbers from 0 to 1, 1 excluded, in a dtype."""
    if d.kind == "c":
        part = numpy.dtype("float32" if d.itemsize == 8 else "float64")
        pairs = draw(generator, lambda g: g.random((*shape, 2), part))
        return table["of_pairs"].function(pairs)
    if d in (numpy.float32, numpy.float64):
        return draw(generator, lambda g: g.random(shape, d))
    return draw(generator, lambda g: g.random(shape, numpy.float32)).astype(d)


def normals(shape: Any, d: Any, generator: Generator | None) -> Any:
    """Numbers of the standard normal distribution, in a dtype; complex ones of variance 1."""
    if d.kind == "c":
        part = numpy.dtype("float32" if d.itemsize == 8 else "float64")
        pairs = draw(generator, lambda g: g.standard_normal((*shape, 2), part))
        return (table["of_pairs"].function(pairs) * numpy.sqrt(0.5)).astype(d)
    if d in (numpy.float32, numpy.float64):
        return draw(generator, lambda g: g.standard_normal(shape, d))
    return draw(generator, lambda g: g.standard_normal(shape, numpy.float32)).astype(d)


def wanted(generator: Generator | None, options: dict[str, Any]) -> Generator:
    """The generator that draws where a new tensor is to be, by its `out` or its `device`."""
    out, device = options.get("out"), options.get("device")
    device = Devices.default if device is None else device
    if out is not None:
        return generator_at(place_of(out.raw), generator)
    return generator_at(HOST if device is None else place_for(device), generator)


def inexact(given: Any, kernel: str) -> Any:
    """NumPy's dtype for a given one, or for the default; raises for integers, as a kernel does."""
    d = real(given)
    if d.kind in "biu":
        raise errors.not_for(kernel, of_numpy(d))
    return d


def rand(*size: Any, generator: Generator | None = None, **options: Any) -> Tensor:
    """Numbers spread evenly from 0 to 1, 1 excluded."""
    if "size" in options:
        size = (options.pop("size"),)
    source = wanted(generator, options)
    d = inexact(options.get("dtype"), "check_uniform_bounds")
    return made(uniforms(sizes(size), d, source), **options)


def randn(*size: Any, generator: Generator | None = None, **options: Any) -> Tensor:
    """Numbers of the standard normal distribution."""
    if "size" in options:
        size = (options.pop("size"),)
    source = wanted(generator, options)
    d = inexact(options.get("dtype"), "normal_kernel_cpu")
    return made(normals(sizes(size), d, source), **options)


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    **options: Any,
) -> Tensor:
    """Integers from `low` (or 0) on, less than `high`."""
    if size is None:
        low, high, size = 0, low, high
    if high is None:
        low, high = 0, low
    if low >= high:
        raise errors.empty_range(low, high)
    options.setdefault("dtype", int64)
    shape = sizes((size,))
    source = wanted(generator, options)
    return made(draw(source, lambda g: g.integers(low, high, shape)), **options)


def randperm(n: int, *, generator: Generator | None = None, **options: Any) -> Tensor:
    """The integers from 0 on, less than `n`, in random order."""
    options.setdefault("dtype", int64)
    return made(draw(wanted(generator, options), lambda g: g.permutation(n)), **options)


def rand_like(input: Tensor, **options: Any) -> Tensor:
    """`rand` in the shape and dtype of another tensor."""
    return like(rand, input.raw.shape, input, options)


def randn_like(input: Tensor, **options: Any) -> Tensor:
    """`randn` in the shape and dtype of another tensor."""
    return like(randn, input.raw.shape, input, options)


def randint_like(input: Tensor, low: Any, high: Any = None, **options: Any) -> Tensor:
    """`randint` in the shape and dtype of another tensor."""
    low, high = (0, low) if high is None else (low, high)
    alike(input, options)
    low, high = (int(v.item()) if isinstance(v, Tensor) else v for v in (low, high))
    return randint(low, high, input.raw.shape, **options)


def values(x: Any, what: str) -> Any:
    """The values of parameters."""
    return put(known(x, what), HOST) if isinstance(x, Array) else x


def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, **options: Any
) -> Tensor:
    """Normal numbers of given means and standard deviations, each a number or a tensor."""
    a, b = (numbers(v, "normal") for v in (mean, std))
    if (b.real < 0).any():
        raise RuntimeError(f"normal expects all elements of std >= 0.0, but found std {b.min()}")
    if size is not None:
        shape = sizes((size,))
        d = real(options.get("dtype"))
    else:
        shape = numpy.broadcast_shapes(a.shape, b.shape)
        d = next((v.raw.dtype for v in (mean, std) if isinstance(v, Tensor)), defaults.real.dtype)
    for x in sorted((x for x in (mean, std) if isinstance(x, Tensor)), key=lambda x: not x.is_cuda):
        options.setdefault("device", x.device)
    drawn = normals(shape, d, wanted(generator, options))
    raw = (drawn * b.astype(d) + a.astype(d)).astype(d)
    return constant_in(made(raw, **options), mean, std)


def numbers(x: Any, what: str) -> Any:
    """The values of a parameter where they are: arrays, or scalars, which go with all devices."""
    found = known(x, what)
    return found if on_device(found) else numpy.asarray(found)[()]


def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Any = None, out: Any = None
) -> Tensor:
    """Ones and zeros: a one with the probability that `input` (or `p`) says."""
    chance = numbers(input if p is None else p, "bernoulli")
    if not on_device(chance) and numpy.any((chance < 0) | (chance > 1)):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    source = generator_at(place_of(input.raw), generator)
    raw = (draw(source, lambda g: g.random(input.raw.shape)) < chance).astype(input.raw.dtype)
    return constant_in(made(raw, out=out), input)


def constant_in(result: Tensor, *inputs: Any) -> Tensor:
    """A draw, whose derivative by its parameters PyTorch gives as zero."""
    for x in inputs:
        if isinstance(x, Tensor) and x.slot:
            spread = table["broadcast_to"].function(core(x), to=result.raw.shape)
            result = wrap(table["held"].function(spread, result.raw))
    return result


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Counts of the Poisson distributions with the rates `input`."""
    rates = numbers(input, "poisson")
    source = generator_at(place_of(rates), generator)
    drawn = draw(source, lambda g: g.poisson(rates, rates.shape))
    return constant_in(wrap(drawn.astype(input.raw.dtype)), input)


def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of `count` trials succeed, each with probability `prob`."""
    n, p = (numpy.asarray(put(numbers(x, "binomial"), HOST)) for x in (count, prob))
    drawn = draw(generator, lambda g: g.binomial(n.astype(numpy.int64), p)).astype(count.raw.dtype)
    return constant_in(wrap(put(drawn, place_of(count.raw))), count, prob)


attach("bernoulli", globals())
