"""Have PyTorch draw this package's random numbers, so that two runs of a program can be compared.

    python -m tests.parity.drawing SCRIPT ARGUMENTS...

runs a program by the real PyTorch, whose functions of random numbers take theirs from tapegrad's
generator. torchvision may be compiled for another build: the operators that it lacks are named.
"""

import functools
import random
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
import torch.utils.data

import tapegrad.torch
from tapegrad.torch.random import Generator, default_generator, draw, normals, uniforms

DTYPES = {torch.float32: np.dtype(np.float32), torch.float64: np.dtype(np.float64)}


def replaces(owner):
    """A decorator: a function takes the place of PyTorch's of the same name."""

    def decorate(function):
        setattr(owner, function.__name__, function)
        return function

    return decorate


def made(raw, like, **options):
    options.pop("layout", None)
    needs = options.pop("requires_grad", False)
    options.pop("memory_format", None)
    return torch.from_numpy(np.asarray(raw)).to(like).requires_grad_(needs)


def shape_of(size):
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)


def real(options):
    return options.pop("dtype", None) or torch.get_default_dtype()


def install():
    """Replace PyTorch's functions of random numbers."""
    functional, tensor = torch.nn.functional, torch.Tensor
    torch.Generator = Generator

    @replaces(torch)
    def manual_seed(seed):
        return default_generator.manual_seed(int(seed))

    @replaces(torch)
    def rand(*size, generator=None, **options):
        d = real(options)
        return made(uniforms(shape_of(size), DTYPES[d], generator), d, **options)

    @replaces(torch)
    def randn(*size, generator=None, **options):
        d = real(options)
        return made(normals(shape_of(size), DTYPES[d], generator), d, **options)

    @replaces(torch)
    def normal(mean, std=1.0, size=None, *, generator=None):
        if size is not None:
            return randn(*size, generator=generator) * std + mean
        shape = torch.broadcast_shapes(mean.shape, getattr(std, "shape", ()))
        return randn(*shape, generator=generator, dtype=mean.dtype) * std + mean

    @replaces(torch)
    def bernoulli(x, *, generator=None):
        raw = draw(generator, lambda g: g.random(tuple(x.shape))) < x.detach().numpy()
        return torch.from_numpy(np.asarray(raw)).to(x.dtype)

    @replaces(torch)
    def rand_like(x, **options):
        return rand(*x.shape, dtype=x.dtype, **options)

    @replaces(torch)
    def randn_like(x, **options):
        return randn(*x.shape, dtype=x.dtype, **options)

    @replaces(torch)
    def randint(*args, generator=None, size=None, **options):
        if size is None:
            *args, size = args
        low, high = args if len(args) == 2 else (0, *args)
        drawn = draw(generator, lambda g: g.integers(low, high, tuple(size)))
        return made(drawn, options.pop("dtype", torch.int64), **options)

    @replaces(torch.utils.data.dataset)
    @replaces(torch)
    def randperm(n, generator=None, **options):
        given = generator if isinstance(generator, Generator) else None  # PyTorch's own default
        return made(draw(given, lambda g: g.permutation(n)), torch.int64, **options)

    @replaces(torch)
    def multinomial(input, num_samples, replacement=False, *, generator=None):
        rows = tapegrad.torch.from_numpy(input.detach().numpy())
        found = tapegrad.torch.multinomial(rows, num_samples, replacement, generator=generator)
        return torch.from_numpy(found.numpy())

    @replaces(tensor)
    def uniform_(self, a=0.0, b=1.0, *, generator=None):
        raw = uniforms(tuple(self.shape), DTYPES[self.dtype], generator) * (b - a) + a
        return self.copy_(torch.from_numpy(np.asarray(raw)))

    @replaces(tensor)
    def normal_(self, mean=0.0, std=1.0, *, generator=None):
        raw = normals(tuple(self.shape), DTYPES[self.dtype], generator) * std + mean
        return self.copy_(torch.from_numpy(np.asarray(raw)))

    @replaces(tensor)
    def random_(self, *, generator=None):  # the loaders' seeds
        return self.fill_(int(draw(generator, lambda g: g.integers(0, (1 << 63) - 1))))

    def dropped(x, shape, p):
        mask = torch.from_numpy(uniforms(tuple(shape), np.dtype(np.float32), None) >= p)
        return x * (mask * (1 / (1 - p))).to(x.dtype)

    @replaces(functional)
    def dropout(input, p=0.5, training=True, inplace=False):
        return dropped(input, input.shape, p) if training and p else input

    @replaces(functional)
    def dropout2d(input, p=0.5, training=True, inplace=False):
        shape = (*input.shape[:2], *(1,) * (input.dim() - 2))
        return dropped(input, shape, p) if training and p else input


def name_missing_operators():
    """Let torchvision be imported where its compiled operators do not fit this PyTorch."""
    register = torch.library.register_fake

    @functools.wraps(register)
    def lenient(op, *args, **kwargs):
        if isinstance(op, str) and op.startswith("torchvision::"):
            return lambda function: function
        return register(op, *args, **kwargs)

    torch.library.register_fake = lenient
    try:
        import torchvision  # noqa: F401
    finally:
        torch.library.register_fake = register


def main(script, *arguments):
    torch.set_num_threads(1)
    if find_spec("torchvision"):
        name_missing_operators()
    install()
    random.seed(0)
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
