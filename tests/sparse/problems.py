"""Functions with sparse derivatives, and these in closed form."""

import numpy as np
from scipy import sparse

import tapegrad.numpy as tnp


def bratu(u, strength=6.0):
    """The residual of the Bratu problem on the unit square, on a grid with zeros around it."""
    h = 1 / (len(u) + 1)
    p = tnp.pad(u, 1)
    neighbours = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
    return 4 * u - neighbours - h * h * strength * tnp.exp(u)


def bratu_matrix(u, strength=6.0):
    n = len(u)
    h = 1 / (n + 1)
    second = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = sparse.eye_array(n)
    slope = sparse.diags_array((h * h * strength * np.exp(u)).ravel())
    matrix = (sparse.kron(second, eye) + sparse.kron(eye, second) - slope).tocsr()
    matrix.eliminate_zeros()
    return matrix


def pairs(x):
    """The extended Rosenbrock function."""
    a, b = x[::2], x[1::2]
    return (100 * (b - a * a) ** 2 + (1 - a) ** 2).sum()


def pairs_matrix(x):
    a, b = x[::2], x[1::2]
    diagonal = np.full(x.size, 200.0)
    diagonal[::2] = 1200 * a * a - 400 * b + 2
    beside = np.zeros(x.size - 1)
    beside[::2] = -400 * a
    return sparse.diags_array([beside, diagonal, beside], offsets=[-1, 0, 1]).tocsr()


def chain(x):
    """The chained Rosenbrock function."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def chain_matrix(x):
    diagonal = np.zeros(x.size)
    diagonal[:-1] += 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    diagonal[1:] += 200
    beside = -400 * x[:-1]
    return sparse.diags_array([beside, diagonal, beside], offsets=[-1, 0, 1]).tocsr()


def arrow(x):
    """A first variable that goes with all others."""
    return (x[0] * x * x).sum() + (x**4).sum()


def arrow_matrix(x):
    matrix = sparse.diags_array(2 * x[0] + 12 * x * x).tolil()
    matrix[0, :] = matrix[:, 0] = 2 * x
    matrix[0, 0] = 6 * x[0] + 12 * x[0] ** 2
    return matrix.tocsr()
