"""Reading elements: indices of every kind, and the functions that take them."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from .program import check

CUBE = np.linspace(-1.0, 1.3, 24).reshape(2, 3, 4)
X = np.array([[0.3, -1.2, 0.7], [1.5, 0.4, -0.6]])
ROWS = np.array([1, 0, 1])
GRID = np.array([[0, 2], [-1, 1]])
MASK = np.array([True, False, True])

KEYS = {
    "integer": 1,
    "negative": -1,
    "numpy_integer": np.int32(1),
    "all_integers": (1, 2, 3),
    "slice": slice(1, None),
    "negative_step": (slice(None), slice(None, None, -2)),
    "ellipsis": Ellipsis,
    "ellipsis_in_the_middle": (0, Ellipsis, 2),
    "newaxis": (None, 1, None, slice(1)),
    "nothing": (),
    "array": ROWS,
    "list": [1, 0, 1],
    "nested_list": [[1, 0], [0, 0]],
    "empty_list": [],
    "empty_array": np.zeros((0, 2), int),
    "zero_dimensional": np.array(1),
    "array_of_bytes": ROWS.astype(np.uint8),
    "repeated": [0, 0, 0],
    "two_arrays": (ROWS, ROWS),
    "broadcast": (ROWS[:, None], GRID[0]),
    "later_axis": (slice(None), GRID),
    "last_axis": (Ellipsis, GRID),
    "beside_an_integer": (0, GRID),
    "before_an_integer": (slice(None), GRID, 1),
    "split_by_a_slice": (ROWS, slice(None), ROWS),
    "split_by_a_slice_behind": (slice(None), ROWS, slice(None, None, -1)),
    "split_by_newaxis": (ROWS, None, ROWS),
    "split_by_an_empty_ellipsis": (ROWS, Ellipsis, ROWS, ROWS),
    "integer_split": (0, slice(None), ROWS),
    "integer_array_split": (np.array(0), slice(None), np.array(1)),
    "mask": CUBE > 0,
    "mask_of_one_axis": (slice(None), MASK),
    "mask_of_two_axes": np.array([[True, False, True], [False, True, True]]),
    "mask_and_array": (slice(None), MASK, [0, 1]),
    "mask_list": (slice(None), [True, False, True]),
    "mask_none": np.zeros((2, 3, 4), bool),
    "mask_of_no_elements": np.zeros(0, bool),
    "mask_of_no_columns": np.zeros((2, 0), bool),
    "mask_of_no_elements_behind": (slice(None), np.zeros(0, bool)),
    "true": True,
    "false": False,
    "true_and_array": (slice(None), True, slice(None), ROWS),
    "array_and_true": (slice(None), ROWS[:1], True),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_getitem(key):
    check(lambda x: x[key], CUBE)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_getitem_with_recorded_indices(key):
    parts = key if isinstance(key, tuple) else (key,)
    arrays = [k for k in parts if isinstance(k, np.ndarray) and k.dtype != bool]
    if not arrays:
        return

    def f(x, *recorded):
        rest = iter(recorded)
        return x[tuple(next(rest) if any(k is a for a in arrays) else k for k in parts)]

    xs = np.stack([CUBE, CUBE * CUBE, -CUBE])
    lanes = [[a, a // 2, a * 0] for a in arrays]
    stacked = [np.stack(rows) for rows in lanes]
    expected = [f(x, *(rows[i] for rows in lanes)) for i, x in enumerate(xs)]
    np.testing.assert_array_equal(tg.vmap(f)(xs, *stacked), np.stack(expected))
    expected = [f(CUBE, *(rows[i] for rows in lanes)) for i in range(3)]
    axes = (None, *(0 for _ in arrays))
    np.testing.assert_array_equal(tg.vmap(f, in_axes=axes)(CUBE, *stacked), np.stack(expected))
    mixed = (0, 0, *(None for _ in arrays[1:]))
    expected = [f(x, lanes[0][i], *arrays[1:]) for i, x in enumerate(xs)]
    np.testing.assert_array_equal(
        tg.vmap(f, in_axes=mixed)(xs, stacked[0], *arrays[1:]), np.stack(expected)
    )

    def gradient(x, *recorded):
        return tg.grad(lambda x: np.sum(f(x, *recorded) ** 2))(x)

    expected = [gradient(x, *(rows[i] for rows in lanes)) for i, x in enumerate(xs)]
    np.testing.assert_allclose(tg.vmap(gradient)(xs, *stacked), np.stack(expected), rtol=1e-14)


def test_repeated_indices_add_up():
    g = tg.grad(lambda x: np.sum(x[[0, 0, 2, 0]] * np.array([1.0, 2.0, 3.0, 4.0])))(np.ones(3))
    np.testing.assert_array_equal(g, [7.0, 0.0, 3.0])


def test_repeated_indices_add_up_in_single_precision_and_complex():
    x = np.ones(3, np.complex64)
    _, pullback = tg.vjp(lambda x: x[[1, 1]], x)
    (g,) = pullback(np.array([1 + 2j, 3 - 1j], np.complex64))
    assert g.dtype == np.complex64
    np.testing.assert_array_equal(g, [0, 4 + 1j, 0])


def test_a_mask_made_of_recorded_values():
    x = np.array([-1.0, 2.0, 3.0])
    np.testing.assert_array_equal(tg.grad(lambda x: np.sum(x[x > 0] ** 2))(x), [0.0, 4.0, 6.0])
    with pytest.raises(tg.errors.ConcretizationError, match=r"selection by a mask.*vmap.*where"):
        tg.vmap(lambda x: x[x > 0])(X)


def test_an_index_that_was_computed():
    x = np.array([1.0, 5.0, 2.0])
    np.testing.assert_array_equal(tg.grad(lambda x: x[np.argmax(x)] ** 2)(x), [0.0, 10.0, 0.0])
    best = tg.vmap(tg.grad(lambda x: x[np.argmax(x)] ** 2))(X)
    np.testing.assert_array_equal(best, [[0, 0, 1.4], [3, 0, 0]])


def test_integers_and_masks_under_vmap():
    numbers = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(tg.vmap(lambda n: n[::-1])(numbers), numbers[:, ::-1])
    np.testing.assert_array_equal(
        tg.vmap(lambda n, i: n[i])(numbers, np.array([3, 0, 1])), [3, 4, 9]
    )


ERRORS = {
    "out_of_bounds": (5, IndexError, "index 5 is out of bounds for axis 0 with size 2"),
    "array_out_of_bounds": ([0, 5], IndexError, "index 5 is out of bounds for axis 0 with size 2"),
    "too_many": ((0, 0, 0), IndexError, "too many indices for array"),
    "float": (1.0, IndexError, "only integers, slices"),
    "float_array": (np.ones(2), IndexError, "must be of integer"),
    "string": ("a", IndexError, "only integers, slices"),
    "mask": (
        np.ones(3, bool),
        IndexError,
        "boolean index did not match indexed array along axis 0",
    ),
    "mask_axes": (np.ones((2, 3, 1), bool), IndexError, "too many indices for array"),
    "ellipses": ((Ellipsis, Ellipsis), IndexError, "can only have a single ellipsis"),
    "zero_step": (slice(None, None, 0), ValueError, "slice step cannot be zero"),
}


@pytest.mark.parametrize(("key", "kind", "match"), ERRORS.values(), ids=ERRORS)
def test_errors_are_numpys(key, kind, match):
    with pytest.raises(kind, match=match):
        X[key]
    with pytest.raises(kind, match=match):
        tg.vjp(lambda x: x[key], X)


def test_iteration():
    g = tg.grad(lambda x: sum(v * v for row in x for v in row))(X)
    np.testing.assert_array_equal(g, 2 * X)
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        tg.grad(lambda x: sum(x))(1.0)


FUNCTIONS = {
    "take": lambda x: np.take(x, [0, 2, 0], axis=1),
    "take_raveled": lambda x: np.take(x, [[5, 1]]),
    "take_one": lambda x: np.take(x, 1, axis=0),
    "take_wrap": lambda x: np.take(x, [4, -5], mode="wrap", axis=1),
    "take_clip": lambda x: np.take(x, [9, -4], mode="clip", axis=1),
    "take_method": lambda x: x.take([0, 0], axis=0),
    "take_along_axis": lambda x: np.take_along_axis(x, np.array([[0, 2, 2], [1, 0, 0]]), axis=1),
    "take_along_axis_broadcast": lambda x: np.take_along_axis(x, np.array([[1]]), axis=0),
    "take_along_axis_raveled": lambda x: np.take_along_axis(x, np.array([4, 4]), axis=None),
    "choose": lambda x: np.choose(np.array([0, 1, 0]), [x, x * x]),
    "choose_wrap": lambda x: np.choose(np.array([3, 1, 0]), [x[0], x[1], 2.0], mode="wrap"),
    "compress": lambda x: np.compress([True, False, True], x, axis=1),
    "compress_raveled": lambda x: np.compress([False, True], x),
    "extract": lambda x: np.extract(np.array([[1, 0, 1], [0, 0, 1]]), x),
    "select": lambda x: np.select([np.array([True, False, False]), MASK], [x * 2, x * x], 7.0),
    "ix_": lambda x: x[np.ix_([1, 0], [True, False, True])],
    "piecewise": lambda x: np.piecewise(
        x, [np.eye(2, 3) > 0, np.eye(2, 3, 1) > 0], [lambda v: v**2, 3.0, lambda v: -v]
    ),
    "piecewise_arguments": lambda x: np.piecewise(x, [MASK * X > 0], [lambda v, k: v * k], 4.0),
}


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions(f):
    check(f, X)


def test_functions_of_conditions_that_differ_between_lanes():
    def f(x):
        return np.piecewise(x, [x > 0], [np.sqrt, lambda v: v * v]), np.select([x > 0.5], [x], -x)

    with np.errstate(invalid="ignore"):
        for actual, expected in zip(
            tg.vmap(f)(X), (np.stack(r) for r in zip(*map(f, X), strict=True)), strict=True
        ):
            np.testing.assert_array_equal(actual, expected)
        gradient = tg.grad(lambda x: np.sum(f(x)[0]))
        np.testing.assert_allclose(tg.vmap(gradient)(X), np.stack([gradient(x) for x in X]))


def test_take_with_mapped_indices():
    indices = np.array([[0, 2], [1, 1]])
    np.testing.assert_array_equal(
        tg.vmap(np.take)(X, indices), np.stack(list(map(np.take, X, indices)))
    )
    np.testing.assert_array_equal(
        tg.vmap(np.take_along_axis, in_axes=(0, 0, None))(X, indices, 0),
        np.take_along_axis(X, indices, 1),
    )


def test_recorded_arguments_beside_a_plain_array():
    table = np.arange(6.0)
    indices = np.array([[0, 5], [3, 3]])
    np.testing.assert_array_equal(tg.vmap(lambda i: tnp.take(table, i))(indices), indices)
    g = tg.grad(lambda c: tnp.pad(table, 1, constant_values=c).sum())(1.0)
    assert g == 2.0
    with pytest.raises(TypeError, match="plain ndarray, which no tape sees"):
        tg.grad(lambda c: tnp.fill_diagonal(np.eye(2), c))(1.0)


def test_take_writes_into_out():
    def f(x):
        out = tnp.zeros(2)
        np.take(x, [2, 2], out=out)
        return np.sum(out * out)

    np.testing.assert_array_equal(tg.grad(f)(np.array([1.0, 2.0, 3.0])), [0.0, 0.0, 12.0])


def test_unravel_index_of_a_recorded_place():
    def f(x):
        return x[np.unravel_index(np.argmax(x), x.shape)]

    np.testing.assert_array_equal(tg.grad(f)(X), [[0, 0, 0], [1, 0, 0]])
    np.testing.assert_array_equal(tg.vmap(f)(np.stack([X, -X])), [1.5, 1.2])


def test_indices_from_a_recorded_array():
    def f(x):
        return np.sum(x[np.tril_indices_from(x)]) + np.sum(x[np.diag_indices_from(x)])

    np.testing.assert_array_equal(tg.grad(f)(np.ones((2, 2))), [[2, 0], [1, 2]])
    np.testing.assert_array_equal(tg.vmap(f)(np.ones((3, 2, 2))), [5, 5, 5])


def test_function_errors_are_numpys():
    for f, kind, match in (
        (lambda x: np.take(x, [9]), IndexError, "out of bounds"),
        (lambda x: np.take(x, [0], mode="turn"), ValueError, "clipmode must be one of"),
        (
            lambda x: np.take_along_axis(x, np.array([0]), 1),
            ValueError,
            "same number of dimensions",
        ),
        (lambda x: np.choose(np.array([0, 2, 0]), [x, x]), ValueError, "invalid entry in choice"),
        (lambda x: np.compress([[True]], x), ValueError, "condition must be a 1-d array"),
        (lambda x: np.select([], []), ValueError, "empty condition list"),
        (lambda x: np.select([x], [x]), TypeError, "should be boolean ndarray"),
        (lambda x: np.piecewise(x, [x > 0], [1, 2, 3]), ValueError, "functions are expected"),
        (lambda x: np.ix_(x), ValueError, "Cross index must be 1 dimensional"),
    ):
        with pytest.raises(kind, match=match):
            tg.vjp(f, X)


def test_an_empty_mask_sets_nothing():
    def f(x, mask):
        x = x * 1.0
        x[mask] = 5.0
        return x

    x = np.ones((2, 3))
    assert tg.grad(lambda x: np.sum(f(x, np.zeros(0, bool))))(x).tolist() == x.tolist()
    np.testing.assert_array_equal(tg.vmap(f)(x, np.zeros((2, 0), bool)), x)


def test_a_mask_shared_by_the_inner_lanes_but_not_by_the_outer():
    def shared(x):
        return tg.vmap(lambda row, mask: row[mask], in_axes=(0, None))(X, x > 0)

    def inside(x):
        return tg.vmap(lambda row: row[tg.grad(lambda x: np.sum(x * x))(x) > 0])(X)

    for f in (shared, inside):
        with pytest.raises(tg.errors.ConcretizationError, match="selection by a mask"):
            tg.vmap(f)(X)
        assert f(X[0]).shape == (2, 2)
