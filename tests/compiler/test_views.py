"""Views read the elements that NumPy's operations give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegrad.compiler.graph import Graph
from tapegrad.compiler.loops.views import restrided, view_of, whole
from tapegrad.core.op import table


def read(view, data):
    """The array that a view of flat data stands for."""
    result = np.zeros(view.shape, data.dtype)
    for index in np.ndindex(view.shape):
        inside = all(
            w is None or w[0] <= i < w[1] for i, w in zip(index, view.windows, strict=True)
        )
        if inside:
            place = view.offset + sum(i * s for i, s in zip(index, view.strides, strict=True))
            assert 0 <= place < data.size
            result[index] = data[place]
    return result


@st.composite
def moves(draw):
    """A chain of operations that move elements, as `(op, params)` for an array."""
    x = np.arange(1.0, 1 + 2 * 3 * 4).reshape(2, 3, 4)
    chain = []
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["reshape", "permute", "broadcast", "index", "scatter"]))
        if kind == "reshape":
            shapes = [(x.size,), (1, *x.shape), (*x.shape, 1), tuple(n for n in x.shape if n != 1)]
            if x.ndim > 1:
                shapes.append((x.shape[0] * x.shape[1], *x.shape[2:]))
            step = "reshape", {"to": draw(st.sampled_from(shapes))}
        elif kind == "permute":
            step = "permute_dims", {"axes": tuple(draw(st.permutations(range(x.ndim))))}
        elif kind == "broadcast":
            step = "broadcast_to", {"to": (2, *(3 if n == 1 else n for n in x.shape))}
        else:
            key = []
            shape = tuple(draw(st.integers(n, n + 2)) for n in x.shape)
            for n, m in zip(x.shape, shape, strict=True):
                if kind == "index":
                    steps = st.sampled_from([None, 1, 2, -1])
                    parts = [
                        slice(draw(st.integers(0, n - 1)), None, draw(steps)),
                        draw(st.integers(-n, n - 1)),
                    ]
                    key.append(draw(st.sampled_from(parts)))
                else:
                    start = draw(st.integers(0, m - n))
                    key.append(slice(start, start + n))
            if kind == "index":
                step = "getitem", {"key": (*key, None) if draw(st.booleans()) else tuple(key)}
            else:
                step = "scatter_add", {"key": tuple(key), "to": shape}
        x = np.asarray(table[step[0]].forward(np, x, **step[1]))
        if x.size > 500 or x.ndim > 5:
            break
        chain.append(step)
    return chain


@given(moves())
def test_views_are_the_moved_array(chain):
    x = np.arange(1.0, 25.0).reshape(2, 3, 4)
    data = x.ravel()
    graph = Graph()
    node = graph.input(x.shape, x.dtype)
    view = whole(node)
    for op, params in chain:
        x = np.asarray(table[op].forward(np, x, **params))
        node = graph.node(op, (node,), params, x.shape, x.dtype)
        view = view_of(node, view)
        if view is None:
            return
        np.testing.assert_array_equal(read(view, data), x)


@pytest.mark.parametrize(
    ("shape", "strides", "to", "expected"),
    [
        ((2, 3), (3, 1), (6,), (1,)),
        ((2, 3), (1, 2), (6,), None),
        ((6,), (2,), (2, 3), (6, 2)),
        ((4, 1, 5), (5, 0, 1), (2, 10), (10, 1)),
        ((4, 5), (0, 1), (2, 2, 5), (0, 0, 1)),
        ((), (), (1, 1), (0, 0)),
        ((2, 3), (3, 1), (5,), None),
    ],
)
def test_restrided(shape, strides, to, expected):
    assert restrided(shape, strides, to) == expected
