"""What a linear map is known to do by what it does to a few vectors."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tapegrad.sparse.probing import places

MOVES = {
    "reversed": (lambda x: x[::-1], (4,), [3, 2, 1, 0]),
    "one": (lambda x: x[2], (4,), [2]),
    "transposed": (lambda x: x.T, (2, 3), [0, 3, 1, 4, 2, 5]),
    "repeated": (lambda x: x[[1, 1]], (3,), [1, 1]),
    "with zeros": (lambda x: np.pad(x, 1), (2,), [-1, 0, 1, -1]),
    "a number": (lambda x: np.broadcast_to(x, 3), (), [0, 0, 0]),
    "nothing": (lambda x: x[:0], (2,), []),
}


@pytest.mark.parametrize("name", MOVES)
def test_maps_that_move_elements(name):
    push, shape, expected = MOVES[name]
    assert_array_equal(places(push, shape), expected)


OTHERS = {
    "sum": np.sum,
    "difference": np.diff,
    "twice": lambda x: 2 * x,
    "negative": lambda x: -x,
    "cumsum": np.cumsum,
    "complex": lambda x: 1j * x,
    "sum that could be an element": lambda x: x[:1] + x[1:2],
}


@pytest.mark.parametrize("name", OTHERS)
def test_maps_that_do_more(name):
    assert places(OTHERS[name], (5,)) is None
