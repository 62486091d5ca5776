"""Linear algebra and Fourier transforms: programs of statistics and signals, with the peers'."""

import numpy as np

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.linalg as tsl

from .programs import load, torch

rng = np.random.default_rng(0)
jax = load("jax", "jax.numpy", "jax.scipy.linalg")
if jax is not None:
    jax.config.update("jax_enable_x64", True)


def gradients(loss, x, *constants):
    """The gradient of `loss(library, x, *constants)` in each library; JAX's without jit."""
    own = tg.grad(lambda x: loss(tnp, x, *constants))
    programs = {"tapegrad": lambda: own(x)}
    if torch is not None:
        leaf, *others = map(torch.tensor, (x, *constants))
        leaf.requires_grad_()
        programs["torch"] = lambda: torch.autograd.grad(loss(torch, leaf, *others), leaf)
    if jax is not None:
        point, *known = map(jax.numpy.asarray, (x, *constants))
        peer = jax.grad(lambda x: loss(jax.numpy, x, *known))
        programs["jax"] = lambda: peer(point).block_until_ready()
    return programs


def kernel(library, scales, squares, eye):
    height, width, noise = library.exp(scales)
    return height * library.exp(-squares * width) + noise * eye


def by_cholesky(library, scales, squares, eye, y):
    factor = library.linalg.cholesky(kernel(library, scales, squares, eye))
    if library is torch:
        white = torch.linalg.solve_triangular(factor, y[:, None], upper=False)
    elif library is tnp:
        white = tsl.solve_triangular(factor, y[:, None], lower=True)
    else:
        white = jax.scipy.linalg.solve_triangular(factor, y[:, None], lower=True)
    return library.sum(white * white) / 2 + library.sum(library.log(library.diagonal(factor)))


def by_solve(library, scales, squares, eye, y):
    covariance = kernel(library, scales, squares, eye)
    return (y @ library.linalg.solve(covariance, y) + library.linalg.slogdet(covariance)[1]) / 2


def likelihood(loss, n=200):
    """The likelihood of a Gaussian process at `n` points."""
    x = rng.standard_normal((n, 3))
    squares = np.sum((x[:, None] - x) ** 2, axis=-1)
    return gradients(loss, np.array([0.3, -0.2, 0.1]), squares, np.eye(n), rng.standard_normal(n))


def eigenvectors(n=100):
    """A loss of eigenvalues and eigenvectors."""

    def loss(library, x, weights):
        values, vectors = library.linalg.eigh(x)
        return library.sum(values**3) + library.sum((vectors * weights) ** 2)

    x = rng.standard_normal((n, n))
    return gradients(loss, x + x.T, rng.standard_normal((n, n)))


def spectrum(n=1024):
    """A loss of a Fourier transform."""

    def loss(library, x, weights):
        return library.sum(library.abs(library.fft.fft(x)) ** 2 * weights)

    return gradients(loss, rng.standard_normal(n), rng.standard_normal(n))


def filtered(n=1024):
    """A loss of a signal that is filtered by real Fourier transforms."""

    def loss(library, x, weights):
        return library.sum(library.fft.irfft(library.fft.rfft(x) * weights) ** 2)

    return gradients(loss, rng.standard_normal(n), rng.standard_normal(n // 2 + 1))
