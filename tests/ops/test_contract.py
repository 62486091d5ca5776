"""The matrix product, einsum and convolution as operations: layouts, entries, edge values."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops.contract import matmul
from tapegrad.ops.convolve import convolve_full, convolve_valid
from tapegrad.ops.einsum import contract, einsum, layout


def operations(f, *xs):
    """The names of the entries that a function leaves."""
    _, tape = tg.record(f)(*xs)
    return [entry.op for entry in tape.entries]


def test_matmul_of_matrices_is_one_entry():
    x = np.ones((2, 3))
    assert operations(lambda x, y: matmul(x, y), x, x.T).count("matmul") == 1


def test_matmul_gradients_by_hand():
    x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    _, pull = tg.vjp(matmul, x, y)
    g = np.array([[1.0, 0.0], [0.0, 2.0]])
    g_x, g_y = pull(g)
    np.testing.assert_array_equal(g_x, [[5, 7], [12, 16]])
    np.testing.assert_array_equal(g_y, [[1, 6], [2, 8]])


def test_matmul_of_one_array_with_itself():
    np.testing.assert_array_equal(
        tg.grad(lambda x: matmul(x, x))(np.array([1.0, -2.0])), [2.0, -4.0]
    )


@pytest.mark.parametrize(
    ("a", "b"), [((2, 0), (0, 3)), ((0, 2), (2, 3)), ((0,), (0,)), ((3, 0, 2), (2, 2))]
)
def test_matmul_of_empty_arrays(a, b):
    x, y = np.ones(a), np.ones(b)
    out, pull = tg.vjp(matmul, x, y)
    np.testing.assert_array_equal(out, x @ y)
    g_x, g_y = pull(np.ones_like(out)[()])
    assert g_x.shape == a
    assert g_y.shape == b
    assert not g_y.any()


def test_matmul_mixes_precisions():
    x, y = np.ones((2, 3), np.float32), np.ones((3, 2))
    out, pull = tg.vjp(matmul, x, y)
    assert out.dtype == np.float64
    assert [g.dtype for g in pull(out)] == [np.float32, np.float64]
    out, pull = tg.vjp(lambda x: matmul(x, np.ones((3, 2), int)), np.ones((2, 3)))
    assert pull(out)[0].dtype == np.float64


def test_matmul_casts_to_complex_and_back():
    x, y = np.array([1.0, 2.0]), np.array([1j, 3.0])
    out, pull = tg.vjp(matmul, x, y)
    assert out == 6 + 1j
    g_x, g_y = pull(np.complex128(1j))
    np.testing.assert_array_equal(g_x, [-1.0, 0.0])  # the real part of 1j * y
    np.testing.assert_array_equal(g_y, [1j, 2j])


@pytest.mark.parametrize(("a", "b"), [((2, 3), (2, 3)), ((3,), (2,)), ((2, 2, 3), (2, 3))])
def test_matmul_names_the_shapes_that_do_not_fit(a, b):
    with pytest.raises(ValueError, match="matmul") as caught:
        tg.vjp(matmul, np.ones(a), np.ones(b))
    assert any("in the operation 'matmul'" in note for note in caught.value.__notes__)


def test_matmul_needs_axes():
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        tg.vjp(lambda x: matmul(x, np.ones(2)), 1.0)


@pytest.mark.parametrize("lanes", [(0, 0), (0, None), (None, 0)])
@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((2, 2, 3), (2, 3, 2))],
)
def test_matmul_of_integers_over_lanes(lanes, a, b):
    rng = np.random.default_rng(0)
    x = rng.integers(-5, 5, (4, *a) if lanes[0] == 0 else a)
    y = rng.integers(-5, 5, (4, *b) if lanes[1] == 0 else b)
    out = tg.vmap(matmul, in_axes=lanes)(x, y)
    for i in range(4):
        expected = matmul(x if lanes[0] is None else x[i], y if lanes[1] is None else y[i])
        np.testing.assert_array_equal(out[i], expected)


def test_lanes_of_vectors_become_one_matrix_product():
    w = np.ones((3, 2))
    seen = operations(tg.vmap(lambda v: matmul(w, v)), np.ones((5, 2)))
    assert seen.count("matmul") == 1
    assert "broadcast_to" not in seen


def test_layouts():
    assert layout("ij,jk->ik") == ((0, 1), (0, 1), (0, 1), 0, 1, False)
    assert layout("bij,bkj->bki") == ((0, 1, 2), (0, 2, 1), (0, 2, 1), 1, 1, False)
    assert layout("bi,bi->b").inner


def test_einsum_of_a_pair_is_one_entry():
    x = np.ones((2, 3))
    assert operations(lambda x: einsum(x, x, subscripts="ij,ij->i"), x).count("einsum") == 1


def test_contract_sums_lone_names_before_it_multiplies():
    x, y = np.ones((2, 3)), np.ones((4, 5))
    names = operations(lambda x, y: contract((x, y), ("ij", "kl"), "ik"), x, y)
    assert names.count("sum") == 2
    assert contract((x, y), ("ij", "kl"), "ik").tolist() == [[15.0] * 4] * 2


def test_einsum_embeds_a_diagonal_without_touching_the_rest():
    x = np.array([[1.0, np.inf], [np.nan, 2.0]])
    g = tg.grad(lambda x: contract((x,), ("ii",), ""))(x)
    np.testing.assert_array_equal(g, [[1.0, 0.0], [0.0, 1.0]])


def test_convolutions_by_hand():
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])
    _, pull = tg.vjp(convolve_full, x, y)
    g_x, g_y = pull(np.array([1.0, 0.0, 0.0, 10.0]))
    np.testing.assert_array_equal(g_x, [4.0, 0.0, 50.0])
    np.testing.assert_array_equal(g_y, [1.0, 30.0])
    _, pull = tg.vjp(convolve_valid, x, y)
    g_x, g_y = pull(np.array([1.0, 10.0]))
    np.testing.assert_array_equal(g_x, [5.0, 54.0, 40.0])
    np.testing.assert_array_equal(g_y, [32.0, 21.0])
