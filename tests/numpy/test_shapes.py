"""Shapes, joining, rearranging: values and derivatives of programs written with plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from .program import check

X = np.array([[0.3, -1.2, 0.7], [1.5, 0.4, -0.6]])
CUBE = np.linspace(-1.0, 1.3, 24).reshape(2, 3, 4)
VECTOR = np.array([0.3, -1.2, 0.7, 1.5])

ON_MATRIX = {
    "reshape": lambda x: np.reshape(x, (3, -1)),
    "reshape_fortran": lambda x: np.reshape(x, (3, 2), order="F"),
    "reshape_any": lambda x: np.reshape(x.T, (6,), order="A"),
    "reshape_copy": lambda x: np.reshape(x, 6, copy=True),
    "reshape_method": lambda x: x.reshape(3, 2),
    "ravel": np.ravel,
    "ravel_fortran": lambda x: np.ravel(x, order="F"),
    "ravel_kept": lambda x: np.ravel(x.T, order="K"),
    "transpose": np.transpose,
    "transpose_axes": lambda x: np.transpose(x, (-1, 0)),
    "T": lambda x: x.T,
    "permute_dims": lambda x: np.permute_dims(x, (1, 0)),
    "matrix_transpose": np.matrix_transpose,
    "mT": lambda x: x.mT,
    "swapaxes": lambda x: np.swapaxes(x, 0, -1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "expand_dims": lambda x: np.expand_dims(x, (0, -1)),
    "squeeze": lambda x: np.squeeze(x[:1]),
    "squeeze_axis": lambda x: np.squeeze(x[:1, None], axis=(0, 1)),
    "broadcast_to": lambda x: np.broadcast_to(x[:, :1], (2, 2, 3)),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x[:, :1], x[0], 2.0),
    "atleast_3d": np.atleast_3d,
    "atleast": lambda x: (
        *np.atleast_2d(x[0, 0], x[0]),
        np.atleast_1d(x[0, 0]),
        np.atleast_3d(x[0]),
    ),
    "concatenate": lambda x: np.concatenate((x, x[:1] * 2, np.ones((1, 3))), axis=0),
    "concatenate_raveled": lambda x: np.concatenate((x, x[0]), axis=None),
    "concatenate_lists": lambda x: np.concatenate([x[0], [1.0, 2.0]]),
    "concatenate_integers": lambda x: np.concatenate([np.arange(3), x[0]]),
    "concatenate_negative_axis": lambda x: np.concatenate([x, x], axis=-1),
    "concat": lambda x: np.concat([x, x], axis=1),
    "stack": lambda x: np.stack((x, np.ones((2, 3)), x * x), axis=-1),
    "stack_rows": np.stack,
    "vstack": lambda x: np.vstack((x, x[0])),
    "hstack": lambda x: np.hstack((x, x)),
    "hstack_vectors": lambda x: np.hstack((x[0], x[1, 0])),
    "dstack": lambda x: np.dstack((x, x * 2)),
    "column_stack": lambda x: np.column_stack((x[0], x.T)),
    "block": lambda x: np.block([[x, np.zeros((2, 1))], [np.ones((1, 3)), 5.0]]),
    "block_single": np.block,
    "append": lambda x: np.append(x, [[1.0, 2.0, 3.0]], axis=0),
    "append_raveled": lambda x: np.append(x, 4.0),
    "split": lambda x: np.split(x, 3, axis=1),
    "split_at": lambda x: np.split(x, [1], axis=1),
    "array_split": lambda x: np.array_split(x, 2, axis=1),
    "hsplit": lambda x: np.hsplit(x, [2]),
    "vsplit": lambda x: np.vsplit(x, 2),
    "unstack": lambda x: np.unstack(x, axis=1),
    "iteration": lambda x: [row * 2 for row in x],
    "tile": lambda x: np.tile(x, (2, 1, 2)),
    "tile_less": lambda x: np.tile(x, 2),
    "repeat": lambda x: np.repeat(x, 2),
    "repeat_axis": lambda x: np.repeat(x, 3, axis=0),
    "repeat_counts": lambda x: np.repeat(x, [2, 0, 1], axis=1),
    "roll": lambda x: np.roll(x, 2),
    "roll_axis": lambda x: np.roll(x, -1, axis=1),
    "roll_axes": lambda x: np.roll(x, (1, 2), axis=(0, 1)),
    "roll_repeated_axis": lambda x: np.roll(x, (1, 1), axis=(1, 1)),
    "roll_one_shift": lambda x: np.roll(x, 1, axis=(0, 1)),
    "flip": np.flip,
    "flip_axis": lambda x: np.flip(x, 1),
    "fliplr": np.fliplr,
    "flipud": np.flipud,
    "rot90": lambda x: [np.rot90(x, k) for k in (-1, 0, 1, 2, 3)],
    "resize": lambda x: np.resize(x, (2, 4)),
    "resize_smaller": lambda x: np.resize(x, 4),
    "delete": lambda x: np.delete(x, 1, axis=1),
    "delete_raveled": lambda x: np.delete(x, [0, -1]),
    "delete_slice": lambda x: np.delete(x, slice(None, None, 2), axis=1),
    "insert": lambda x: np.insert(x, 1, 5.0, axis=1),
    "insert_recorded": lambda x: np.insert(np.ones((2, 2)), 1, x[:, 0], axis=1),
    "insert_row": lambda x: np.insert(x, [0, 2], x[0], axis=0),
    "insert_raveled": lambda x: np.insert(x, [1, 1], x[0, :2]),
    "insert_columns": lambda x: np.insert(x, [1], [[1.0], [2.0]], axis=1),
    "diag": np.diag,
    "diag_offset": lambda x: np.diag(x, 1),
    "diag_of_vector": lambda x: np.diag(x[0], -1),
    "diagflat": lambda x: np.diagflat(x, 1),
    "diagonal": lambda x: np.diagonal(x, -1),
    "tril": lambda x: np.tril(x, -1),
    "triu": lambda x: np.triu(x, 1),
    "tril_of_vector": lambda x: np.tril(x[0]),
    "meshgrid": lambda x: np.meshgrid(x[0], x[1, :2]),
    "meshgrid_sparse": lambda x: np.meshgrid(x[0], x[1, :2], indexing="ij", sparse=True),
    "pad": lambda x: np.pad(x, 1),
    "pad_constants": lambda x: np.pad(x, ((1, 2), (0, 1)), constant_values=((1, 2), (3, 4))),
    "pad_recorded_constant": lambda x: np.pad(x, 1, constant_values=x[0, 0]),
    "pad_edge": lambda x: np.pad(x, 2, mode="edge"),
    "pad_reflect": lambda x: np.pad(x, 5, mode="reflect"),
    "pad_reflect_odd": lambda x: np.pad(x, 1, mode="reflect", reflect_type="odd"),
    "pad_reflect_pairs": lambda x: np.pad(x, ((0, 1), (2, 1)), mode="reflect"),
    "pad_symmetric": lambda x: np.pad(x, 4, mode="symmetric"),
    "pad_symmetric_odd": lambda x: np.pad(x, 1, mode="symmetric", reflect_type="odd"),
    "pad_wrap": lambda x: np.pad(x, ((1, 3), (4, 2)), mode="wrap"),
    "pad_maximum": lambda x: np.pad(x, 1, mode="maximum"),
    "pad_minimum": lambda x: np.pad(x, 1, mode="minimum", stat_length=2),
    "pad_nothing": lambda x: np.pad(x, 0),
}

TO_ROUNDING = {
    "pad_mean": lambda x: np.pad(x, 1, mode="mean", stat_length=((1, 2), (2, 3))),
    "pad_median": lambda x: np.pad(x, 1, mode="median"),
    "pad_linear_ramp": lambda x: np.pad(x, ((2, 3), (1, 0)), mode="linear_ramp", end_values=2.0),
}

ON_CUBE = {
    "transpose": np.transpose,
    "moveaxis": lambda x: np.moveaxis(x, (0, 1), (-1, 0)),
    "rollaxis": lambda x: [np.rollaxis(x, a, s) for a in range(3) for s in range(4)],
    "swapaxes": lambda x: np.swapaxes(x, 0, 2),
    "ravel_kept": lambda x: np.ravel(x.transpose(1, 0, 2), order="K"),
    "diagonal": lambda x: np.diagonal(x, 1, 2, 0),
    "linalg_diagonal": lambda x: np.linalg.diagonal(x, offset=-1),
    "dsplit": lambda x: np.dsplit(x, 2),
    "rot90": lambda x: np.rot90(x, 1, (1, 2)),
    "flip": lambda x: np.flip(x, (0, -1)),
    "tril": np.tril,
    "triu": lambda x: np.triu(x, -1),
    "concatenate": lambda x: np.concatenate((x, x), axis=None),
}


@pytest.mark.parametrize("f", ON_MATRIX.values(), ids=ON_MATRIX)
def test_on_a_matrix(f):
    check(f, X)


@pytest.mark.parametrize("f", TO_ROUNDING.values(), ids=TO_ROUNDING)
def test_padding_with_computed_values(f):
    check(f, X, exact=False)


@pytest.mark.parametrize("f", ON_CUBE.values(), ids=ON_CUBE)
def test_on_a_cube(f):
    check(f, CUBE)


def test_trim_zeros_looks_at_values():
    x = np.array([0.0, 0.0, 1.5, 0.0, 2.0, 0.0])
    for trim, kept in (
        ("fb", [0, 0, 4, 1, 5, 0]),
        ("f", [0, 0, 4, 1, 5, 1]),
        ("b", [1, 1, 4, 1, 5, 0]),
    ):
        g = tg.grad(
            lambda x, trim=trim: np.sum(np.trim_zeros(x, trim) ** 2 + np.trim_zeros(x, trim))
        )
        np.testing.assert_array_equal(g(x), kept)
    assert tg.vjp(np.trim_zeros, np.zeros(3))[0].shape == (0,)
    with pytest.raises(tg.errors.ConcretizationError, match="trim_zeros"):
        tg.vmap(np.trim_zeros)(X)


def test_the_pad_that_reflects_counts_every_copy():
    # a width of more than one length: the elements come back several times
    g = tg.grad(lambda x: np.sum(np.pad(x, 3, mode="reflect")))(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(g, [2.0, 5.0, 2.0])


def test_triangles_choose_and_do_not_multiply():
    x = np.array([[1.0, np.inf], [2.0, np.nan]])
    np.testing.assert_array_equal(tg.grad(lambda x: np.sum(np.tril(x, -1)))(x), [[0, 0], [1, 0]])
    value, _ = tg.vjp(lambda x: np.tril(x, -1), x)
    np.testing.assert_array_equal(value, [[0, 0], [2, 0]])


def test_this_namespace_is_numpys():
    def f(x):
        return tnp.concatenate([tnp.ravel(x), x[0]]), tnp.stack([x[0], x[1]]), tnp.vstack((x, x))

    for actual, expected in zip(tg.vjp(f, X)[0], f(X), strict=True):
        np.testing.assert_array_equal(actual, expected)


ERRORS = {
    "reshape": (
        lambda x: np.reshape(x, (4, 2)),
        ValueError,
        r"cannot reshape array of size 6 into shape \(4,2\)",
    ),
    "reshape_rest": (
        lambda x: np.reshape(x, (4, -1)),
        ValueError,
        "cannot reshape array of size 6",
    ),
    "reshape_order": (lambda x: np.reshape(x, 6, order="X"), ValueError, "order must be one of"),
    "reshape_view": (
        lambda x: np.reshape(x.T, 6, copy=False),
        ValueError,
        "Unable to avoid creating a copy",
    ),
    "transpose": (lambda x: np.transpose(x, (0, 0)), ValueError, "repeated axis in transpose"),
    "transpose_count": (lambda x: np.transpose(x, (0,)), ValueError, "axes don't match array"),
    "swapaxes": (
        lambda x: np.swapaxes(x, 0, 2),
        np.exceptions.AxisError,
        "axis 2 is out of bounds",
    ),
    "squeeze": (lambda x: np.squeeze(x, 0), ValueError, "cannot select an axis to squeeze out"),
    "matrix_transpose": (lambda x: np.matrix_transpose(x[0]), ValueError, "at least 2-dimensional"),
    "concatenate": (
        lambda x: np.concatenate((x, x[0])),
        ValueError,
        "must have same number of dimensions|same number",
    ),
    "concatenate_scalars": (lambda x: np.concatenate((x[0, 0],)), ValueError, "zero-dimensional"),
    "concatenate_out": (
        lambda x: np.concatenate((x,), out=x, dtype=float),
        TypeError,
        "only takes `out` or `dtype`",
    ),
    "concatenate_cast": (
        lambda x: np.concatenate((x,), dtype=int),
        TypeError,
        "Cannot cast array data",
    ),
    "stack": (
        lambda x: np.stack((x, x[0])),
        ValueError,
        "all input arrays must have the same shape",
    ),
    "split": (lambda x: np.split(x, 2, axis=1), ValueError, "does not result in an equal division"),
    "sections": (
        lambda x: np.array_split(x, 0),
        ValueError,
        "number sections must be larger than 0",
    ),
    "block": (lambda x: np.block([[x], x]), ValueError, "List depths are mismatched"),
    "block_tuple": (lambda x: np.block(((x,),)), TypeError, "is a tuple"),
    "repeat": (lambda x: np.repeat(x, -1), ValueError, "may not contain negative values"),
    "rot90": (lambda x: np.rot90(x, 1, (0, 0)), ValueError, "Axes must be different"),
    "diagonal": (lambda x: np.diagonal(x[0]), ValueError, "at least two dimensions"),
    "pad_mode": (
        lambda x: np.pad(x, 1, mode="mirror"),
        ValueError,
        "mode 'mirror' is not supported",
    ),
    "pad_option": (
        lambda x: np.pad(x, 1, mode="edge", end_values=1),
        ValueError,
        "unsupported keyword arguments",
    ),
    "pad_negative": (lambda x: np.pad(x, -1), ValueError, "can't contain negative values"),
    "pad_function": (lambda x: np.pad(x, 1, mode=lambda *a: None), TypeError, "a function as mode"),
    "meshgrid": (
        lambda x: np.meshgrid(x[0], indexing="yx"),
        ValueError,
        "Valid values for `indexing`",
    ),
}


@pytest.mark.parametrize(("f", "kind", "match"), ERRORS.values(), ids=ERRORS)
def test_errors_are_numpys(f, kind, match):
    with pytest.raises(kind, match=match):
        tg.vjp(f, X)


def test_concatenate_keeps_single_precision_and_mixes_dtypes():
    x = np.ones(2, np.float32)
    out, pullback = tg.vjp(lambda x: np.concatenate((x, np.ones(1))), x)
    assert out.dtype == np.float64
    assert pullback(np.ones(3))[0].dtype == np.float32


def test_concatenate_writes_into_out():
    def f(x):
        out = tnp.zeros(4)
        assert np.concatenate((x, x * x), out=out) is out
        return np.sum(out * np.arange(4.0))

    np.testing.assert_array_equal(tg.grad(f)(np.array([2.0, 3.0])), [8.0, 19.0])


def test_empty_arrays():
    g = tg.grad(lambda x: np.sum(np.concatenate((x, x))))(np.zeros(0))
    assert g.shape == (0,)
    assert tg.grad(lambda x: np.sum(np.pad(x, 1)))(np.zeros((0, 2))).shape == (0, 2)
