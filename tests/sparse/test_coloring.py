"""Colourings: valid on everything, and as few colours as are known to do."""

import numpy as np
import pytest
from scipy import sparse

from tapegrad.sparse import Pattern
from tapegrad.sparse.coloring import color_columns, count, longest
from tapegrad.sparse.star import Graph, color_symmetric, recoverable


def band(n, width):
    offsets = range(-width, width + 1)
    return sparse.diags_array([np.ones(n)] * len(offsets), offsets=offsets, shape=(n, n)).tocsr()


def grid(*shape, corners=False):
    lines = [band(n, 1) for n in shape]
    eyes = [sparse.eye_array(n) for n in shape]
    if corners:
        return sparse.kron(*lines).tocsr()
    total = sparse.csr_array((np.prod(shape), np.prod(shape)))
    for axis in range(len(shape)):
        term = sparse.eye_array(1)
        for i, eye in enumerate(eyes):
            term = sparse.kron(term, lines[axis] if i == axis else eye)
        total = total + term
    return total.tocsr()


def stars(number, size):
    """Stars: a vertex each that goes with `size` others."""
    return sparse.block_diag([arrow(size + 1)] * number, format="csr")


def arrow(n):
    matrix = sparse.eye_array(n).tolil()
    matrix[0, :] = matrix[:, 0] = 1
    return matrix.tocsr()


def shuffled(matrix, seed=0):
    order = np.random.default_rng(seed).permutation(matrix.shape[0])
    result = matrix[order][:, order].tocsr()
    result.sort_indices()
    return result


def random_symmetric(n, density, seed):
    matrix = sparse.random_array((n, n), density=density, rng=seed)
    return (matrix + matrix.T + sparse.eye_array(n)).tocsr()


def hubs(n):
    """A graph in which a few vertices have many neighbours, some have several, and most few."""
    rng = np.random.default_rng(0)
    tails = (10 * rng.pareto(1.2, 3 * n)).astype(int) % n
    matrix = sparse.csr_array((np.ones(3 * n), (tails, rng.integers(0, n, 3 * n))), shape=(n, n))
    return (matrix + matrix.T + sparse.eye_array(n)).tocsr()


def is_valid(matrix, colors):
    groups = sparse.csr_array(
        (np.ones(colors.size), colors, np.arange(colors.size + 1)),
        shape=(colors.size, count(colors)),
    )
    return ((matrix != 0).astype(int) @ groups).max() <= 1


@pytest.mark.parametrize(
    ("matrix", "colors"),
    [
        (sparse.eye_array(9).tocsr(), 1),
        (band(1000, 1), 3),
        (band(1000, 2), 5),
        (band(1000, 5), 11),
        (band(3, 1), 3),
        (grid(30, 30), 5),
        (grid(13, 40), 5),
        (grid(30, 30, corners=True), 9),
        (grid(9, 8, 7), 8),
        (shuffled(band(1000, 1)), 5),
        (shuffled(grid(30, 30)), 9),
        (arrow(20), 20),
    ],
)
def test_columns(matrix, colors):
    found = color_columns(matrix)
    assert is_valid(matrix, found)
    assert longest(matrix) <= count(found) <= colors


@pytest.mark.parametrize("seed", range(5))
def test_columns_of_random_matrices(seed):
    matrix = sparse.random_array((40, 60), density=0.06, rng=seed).tocsr()
    found = color_columns(matrix)
    empty = np.diff(matrix.tocsc().indptr) == 0
    np.testing.assert_array_equal(found < 0, empty)
    assert is_valid(matrix[:, ~empty].tocsr(), found[~empty])


def test_more_than_64_colors():
    matrix = sparse.csr_array(np.ones((3, 150)))
    assert sorted(color_columns(matrix)) == list(range(150))
    assert color_symmetric(sparse.csr_array(np.ones((150, 150)))).max() == 149


def is_star_coloring(matrix, colors):
    """No neighbours of one colour, and no path of four vertices with two, by the definition."""
    dense = matrix.toarray() != 0
    np.fill_diagonal(dense, False)
    for b, c in np.argwhere(dense):
        if colors[b] == colors[c]:
            return False
        for a in np.flatnonzero(dense[b]):
            for d in np.flatnonzero(dense[c]):
                path = {a, b, c, d}
                if len(path) == 4 and colors[a] == colors[c] and colors[b] == colors[d]:
                    return False
    return True


@pytest.mark.parametrize(
    ("matrix", "colors"),
    [
        (arrow(50), 2),
        (shuffled(arrow(50)), 2),
        (stars(6, 8), 2),
        (band(40, 1), 3),
        (grid(7, 9), 5),
        (hubs(200), 40),
        (sparse.eye_array(5).tocsr(), 1),
        (sparse.csr_array((5, 5)), 0),
        *((random_symmetric(30, 0.05, seed), 9) for seed in range(6)),
    ],
)
def test_symmetric(matrix, colors):
    found = color_symmetric(matrix)
    assert is_star_coloring(matrix, found)
    assert count(found) <= colors
    alone = matrix.astype(int)
    alone.data = 1 + recoverable(matrix, found)
    assert alone.nnz == 0 or alone.maximum(alone.T).data.min() == 2


@pytest.mark.parametrize("seed", range(6))
def test_the_graph_alone(seed):
    matrix = random_symmetric(40, 0.04, seed)
    assert is_star_coloring(matrix, Graph(matrix).colors(100))


def test_long_rows_are_pulled():
    wide = sparse.vstack([sparse.csr_array(np.ones((1, 30))), band(30, 1)]).tocsr()
    assert Pattern.of(wide).colors == 4
    assert Pattern.of(wide.T).colors <= 5
    assert Pattern.of(arrow(30)).colors == 3
    assert Pattern.of(wide, push=False).colors == count(color_columns(wide.T.tocsr()))
