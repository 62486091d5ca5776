"""Follow the solutions of Bratu's problem around their fold, with sparse Jacobians.

u_xx + u_yy + strength exp(u) = 0 on a square, 0 at its edge, has a cold and a hot solution; they
meet where the strength is 6.808124423. The path goes on there, since its length, and not the
strength, says how far to go: each point is a Newton iteration on residual and length together.
"""

import argparse

import numpy as np
import scipy.sparse
from plot import Chart
from scipy.sparse.linalg import spsolve
from tqdm import tqdm

import tapegrad as tg
import tapegrad.numpy as tnp


def residual(u, strength):
    n = round(u.size**0.5)
    p = tnp.pad(tnp.reshape(u, (n, n)), 1)  # the edge
    neighbours = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
    return tnp.ravel((neighbours - 4 * p[1:-1, 1:-1]) * (n + 1) ** 2) + strength * tnp.exp(u)


def path(n, points, length):
    """Strengths and solutions along the path, as rows (strength, then u)."""
    jacobian = tg.sparse_jacobian(residual, tg.sparsity(residual, np.zeros(n * n), 1.0))
    x = np.zeros(1 + n * n)
    weight = np.r_[1.0, np.full(n * n, 10.0 / n**2)]  # both count, on every grid
    tangent = np.r_[1.0, np.zeros(n * n)]
    found = [x]
    for _ in tqdm(range(points), unit="point"):
        guess = x + length * tangent
        for _ in range(20):
            slope = np.exp(guess[1:])  # the residual's derivative in the strength
            off = np.r_[weight * tangent @ (guess - x) - length, residual(guess[1:], guess[0])]
            matrix = scipy.sparse.block_array(
                [
                    [(weight * tangent)[None, :1], (weight * tangent)[None, 1:]],
                    [slope[:, None], jacobian(guess[1:], guess[0])],
                ],
                format="csc",
            )
            change = spsolve(matrix, -off)
            guess = guess + change
            if abs(change).max() < 1e-9:
                break
        tangent = spsolve(matrix, np.r_[1.0, np.zeros(n * n)])
        tangent /= np.sqrt(weight * tangent @ tangent)
        x = guess
        found.append(x)
    return np.array(found)


def fold(strengths):
    """The largest strength, on a parabola through the three largest."""
    i = int(np.argmax(strengths))
    a, b, c = strengths[i - 1 : i + 2]
    return b - (c - a) ** 2 / (8 * (a - 2 * b + c))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=105)
    parser.add_argument("--grid", type=int, default=15, help="the finer one has twice as many + 1")
    parser.add_argument("--picture", metavar="FILE", default="bratu.png")
    options = parser.parse_args(arguments)

    chart = Chart("The maximum of the solutions by their strength", (0, 7.5), (0, 9))
    folds = []
    for n in (options.grid, 2 * options.grid + 1):
        points = path(n, options.points, 0.15)
        folds.append(fold(points[:, 0]))
        chart.line(f"{n} x {n} points", points[:, 0], points[:, 1:].max(axis=1))
        print(f"{n} x {n} points: the fold is at {folds[-1]:.5f}")
    coarse, fine = folds
    limit = fine + (fine - coarse) / 3  # the error falls with the square of the distance
    print(f"extrapolated: {limit:.5f}")
    chart.save(options.picture)
    print(f"{options.picture} shows the path")
    return limit


if __name__ == "__main__":
    main()
