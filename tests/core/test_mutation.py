"""Item assignment, augmented assignment and views: NumPy's values, exact derivatives."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Traced

from ..numpy.program import check

X = np.array([[0.3, -1.2, 0.7], [1.5, 0.4, -0.6]])
V = np.array([0.3, -1.2, 0.7, 1.5])
MASK = np.array([True, False, True, False])

PROGRAMS = {}


def program(f):
    """A function of a matrix that changes its argument (a copy, on ndarrays) or new arrays."""
    PROGRAMS[f.__name__] = f
    return f


@program
def numbers(x):
    x[0, 1] = 3.0
    x[1] = 2
    return x


@program
def own_elements(x):
    x[0, 0] = x[1, 2] * x[0, 1]
    x[1] = x[0] * x[1]
    return x


@program
def broadcast_values(x):
    x[:, 1:] = x[0, 0]
    x[:, :2] = x[:1, 1:]
    x[1] = x[:1, ::-1]
    x[...] = x[:, :1] * x
    return x


@program
def leading_axes_of_length_one(x):
    x[0] = (x * x)[None, 1:]
    return x


@program
def negative_steps(x):
    x[::-1, ::-2] = x[:, :2] * 2.0
    return x


@program
def lists_of_values(x):
    x[0] = [x[1, 0], 2.0, x[1, 1] ** 2]
    x[1] = (1, 2, 3)
    return x


@program
def overlapping(x):
    x[:, 1:] = x[:, :-1]
    return x


@program
def overlapping_rows(x):
    x[0], x[1] = x[1], x[0]
    return x


@program
def swapped_elements(x):
    x[0, 0], x[1, 1] = x[1, 1], x[0, 0]
    return x


@program
def itself(x):
    x[:] = x
    x[:] = x.T.reshape(2, 3)
    return x


@program
def arrays(x):
    x[:, [0, 2]] = x[:, [1, 1]] * 2.0
    x[[1, 0], [0, 2]] = x[0, :2]
    return x


@program
def split_arrays(x):
    y = np.stack([x, x * x])
    y[[0, 1], :, [2, 0]] = x[:, :2].T * 3.0
    y[0, :, [1, 2]] = x[:, 1:].T ** 2
    return y


@program
def repeated_last_wins(x):
    x[0, [0, 0, 1]] = x[1] * x[1]
    x[1, [2, 2]] = x[0, 0]
    return x


@program
def repeated_augmented_once(x):
    x[0, [0, 0, 1]] += x[1] * x[1]
    x[:, [1, 1]] *= 2.0
    return x


@program
def masks(x):
    x[x > 0.5] = 2.0
    x[x < 0] *= x[0, 0]  # reads what a mask selects: not under vmap
    x[[True, False]] = x[1]
    x[:, np.array([True, False, True])] = x[:, :1] ** 2
    return x


@program
def scalar_masks(x):
    x[True] = x * 2
    x[False] = 7.0
    return x


@program
def new_axes(x):
    x[None, 0] = x[1] * 2
    x[..., None][1] = 3.0
    return x


@program
def augmented(x):
    x += 1
    x *= x
    x -= np.ones(3)
    x /= 2.0
    x **= 2
    x[0] += x[1]
    x[0, 1] *= 3.0
    x[:, ::2] -= x[:, 1:2]
    return x


@program
def augmented_matrix_product(x):
    y = x[:, :2]
    y @= np.array([[1.0, 2.0], [3.0, -1.0]])
    return x


@program
def row_views(x):
    row = x[0]
    row += 1.0
    row *= x[1]
    row[1] = 5.0 * x[0, 0]
    return x, row


@program
def chained_views(x):
    part = x[:, 1:][::-1]
    last = part[0]
    last *= x[0, :2]
    part[1, 0] = last[1]
    x[1, 2] = 7.0 * x[0, 0]
    return x, part, last


@program
def view_sees_its_base_change(x):
    row, column = x[1], x[:, 0]
    x *= 2.0
    x[1, 0] = x[0, 1] ** 2
    return row, column, x


@program
def views_see_each_other(x):
    a, b = x[0], x[:, ::-1]
    a[0] = x[1, 1] ** 2
    b[0, 0] = a[0] * 2.0
    return a, b, x


@program
def transposed_views(x):
    y = x.T
    y[0] = x[:, 1] * 2.0
    y += 1.0
    y[2, 1] *= y[0, 0]
    return x, y


@program
def reshaped_views(x):
    flat = x.reshape(-1)
    flat[1:4] = flat[:3] * 2.0
    np.ravel(x)[0] = 3.0 * x[1, 1]
    cube = x[:, None]
    cube[0, 0, 2] = x[1, 0]
    np.squeeze(cube)[1] *= 2.0
    np.swapaxes(x, 0, 1)[1, 1] = x[0, 0] ** 2
    np.expand_dims(x, 0)[0, 0, 0] += 1.0
    np.flip(x)[0, 0] *= 3.0
    np.moveaxis(x, 0, 1)[2] -= x[:, 0]
    return x, flat, cube


@program
def copies_are_no_views(x):
    y, z, w = x[[0, 1]], x.copy(), x.T.reshape(-1)
    f = x.flatten()
    x[0] = 1.0
    y[1] = 2.0
    w[0] = 5.0
    return x, y, z, w, f


@program
def a_view_outlives_its_base(x):
    row = (x * x)[1]
    row[0] = x[0, 0]
    row += 1
    return row


@program
def two_names(x):
    y = x
    y[0, 0] = 2.0 * x[1, 1]
    y += 1
    return x


@program
def iteration_changes_rows(x):
    for row in x:
        row *= row[0]
        for i in range(3):
            row[i] += i
    return x


@program
def pieces(x):
    left, right = np.split(x, [1], axis=1)
    left *= 2.0
    right[:, 0] = left[:, 0]
    return x


@program
def filled_array(x):
    out = tnp.zeros((3, 3))
    for i in range(2):
        for j in range(3):
            out[i, j] = x[i, j] * x[1 - i, 2 - j]
    out[2] = out[:2].sum(axis=0)
    return out


@program
def recurrence(x):
    out = tnp.empty(5)
    out[0] = x[0, 0]
    for i in range(1, 5):
        out[i] = out[i - 1] * x[1, 0] + x[0, 1]
    return out


@program
def functions_that_write(x):
    np.fill_diagonal(x, x[0, 2] * 2.0)
    np.put(x, [1, -1], x[1, 0])
    np.put_along_axis(x, np.array([[1], [2]]), x[:, :1] ** 2, axis=1)
    np.copyto(x[:, 0], x[:, 1], where=np.array([True, False]))
    np.putmask(x, x > 1e9, x)
    np.place(x, np.array([[0, 1, 0], [1, 0, 1]]) > 0, x[0, :2] * 3.0)
    x.sort(axis=1)
    return x


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_program(f):
    check(f, X, lanes=f is not masks)


def test_the_callers_array_stays_as_it_is():
    kept = X.copy()

    def f(x):
        x[0] = 0.0
        x += 1.0
        view = x[1]
        view *= 2.0
        return np.sum(x * x)

    tg.grad(f)(X)
    tg.vmap(f)(X[None])
    tg.jvp(f, (X,), (X,))
    np.testing.assert_array_equal(X, kept)
    tg.grad(lambda y: tg.grad(f)(y).sum())(X)
    np.testing.assert_array_equal(X, kept)


def test_recorded_arrays_that_were_saved_stay_as_they_are():
    def f(x):
        y = np.exp(x)
        z = y * y  # keeps y
        y[0] = 100.0
        y += 5.0
        return np.sum(z)

    np.testing.assert_allclose(tg.grad(f)(V), 2 * np.exp(2 * V))


def test_values_that_were_captured_stay_as_they_are():
    def f(x):
        w = tnp.ones(2)
        y = tnp.ones(())[None]

        def lane(v):
            r = v * w[0] + y[0]
            w[0] = 5.0
            return r + v * w[0]

        return np.sum(tg.vmap(lane)(x))

    np.testing.assert_array_equal(tg.grad(f)(V), [6.0] * 4)
    assert f(V) == pytest.approx(6 * V.sum() + 4)


def test_a_captured_array_changed_inside_vmap():
    def f(x):
        w = x * 1.0

        def lane(v):
            r = v * w[:2]
            w[0] = 5.0
            w[1] += 1.0
            return np.sum(r + v * w[:2])

        return np.sum(tg.vmap(lane)(x))

    def plain(x):
        total = 0.0
        for v in x:
            total = total + np.sum(v * x[:2]) + v * 5.0 + v * (x[1] + 1.0)
        return total

    np.testing.assert_allclose(tg.grad(f)(V), tg.grad(plain)(V))


def test_mapped_and_unmapped_targets_and_values():
    xs, values, places = np.stack([V, V * V]), np.array([3.0, 4.0]), np.array([2, 0])

    def f(x, value, place):
        y = x * 1.0
        y[place] = value
        y[1:3] += value
        y[[0, 0]] = np.stack([value, value * 2])
        return y

    for axes in (
        (0, 0, 0),
        (0, None, None),
        (None, 0, None),
        (None, None, 0),
        (0, None, 0),
        (None, 0, 0),
    ):
        args = [
            a if axis == 0 else a[0] for a, axis in zip((xs, values, places), axes, strict=True)
        ]
        loop = [
            f(*(a[i] if axis == 0 else a for a, axis in zip(args, axes, strict=True)))
            for i in range(2)
        ]
        np.testing.assert_array_equal(tg.vmap(f, in_axes=axes)(*args), np.stack(loop))

        def gradient(x, value, place):
            return tg.grad(lambda x, v: np.sum(f(x, v, place) ** 2), (0, 1))(x, value)

        loops = [
            gradient(*(a[i] if axis == 0 else a for a, axis in zip(args, axes, strict=True)))
            for i in range(2)
        ]
        for actual, expected in zip(
            tg.vmap(gradient, in_axes=axes)(*args), zip(*loops, strict=True), strict=True
        ):
            np.testing.assert_allclose(actual, np.stack(expected))


def test_an_untracked_array_becomes_traced():
    def f(x):
        out = tnp.zeros(2)
        out[1] = x
        assert type(out) is Traced
        out[0] = out[1] * 2
        return out

    np.testing.assert_array_equal(tg.vmap(f)(np.array([1.0, 2.0])), [[2, 1], [4, 2]])


def test_a_mask_that_differs_between_lanes():
    def f(x):
        y = x * 2
        y[x < 0] = 0.0
        y[y > 2] = x[0]
        return y

    xs = np.stack([V, -V])
    np.testing.assert_array_equal(tg.vmap(f)(xs), np.stack([f(x) for x in xs]))
    gradient = tg.grad(lambda x: np.sum(f(x) ** 2))
    np.testing.assert_allclose(tg.vmap(gradient)(xs), np.stack([gradient(x) for x in xs]))

    def rows(x):
        y = tnp.ones((4, 2))
        y[x > 0] = 3
        return y

    np.testing.assert_array_equal(tg.vmap(rows)(xs)[:, :, 1], np.where(xs > 0, 3.0, 1.0))

    def several(x):
        x = x * 1
        x[x > 0] = np.arange(2.0)
        return x

    with pytest.raises(tg.errors.ConcretizationError, match="selection by a mask"):
        tg.vmap(several)(xs)


FAILURES = {
    "shape": (lambda x: x.__setitem__(slice(None), np.ones(3)), ValueError, "could not broadcast"),
    "recorded_shape": (lambda x: x.__setitem__(slice(2), x), ValueError, "could not broadcast"),
    "index": (lambda x: x.__setitem__(9, 1.0), IndexError, "index 9 is out of bounds"),
    "array_index": (lambda x: x.__setitem__([0, 9], 1.0), IndexError, "index 9 is out of bounds"),
    "mask": (
        lambda x: x.__setitem__(np.ones(3, bool), 1.0),
        IndexError,
        "boolean index did not match",
    ),
    "float_index": (lambda x: x.__setitem__(1.0, 1.0), IndexError, "only integers, slices"),
    "value": (lambda x: x.__setitem__(0, "a"), ValueError, "could not convert string"),
    "sequence": (
        lambda x: x.__setitem__(0, [1.0, 2.0]),
        ValueError,
        "setting an array element|cannot copy|could not broadcast",
    ),
    "augmented": (
        lambda x: x.__iadd__(np.ones((2, 4))),
        ValueError,
        "non-broadcastable output operand",
    ),
    "augmented_length": (lambda x: x.__iadd__(np.ones(3)), ValueError, "could not be broadcast"),
    "cast": (lambda x: x.__iadd__(1j), TypeError, "Cannot cast ufunc 'add' output.*same_kind"),
    "read_only": (
        lambda x: np.broadcast_to(x, (2, 4)).__setitem__(0, 1.0),
        ValueError,
        "read-only",
    ),
    "read_only_augmented": (
        lambda x: np.broadcast_to(x, (2, 4)).__iadd__(1.0),
        ValueError,
        "read-only",
    ),
    "diagonal": (
        lambda x: np.diagonal(x.reshape(2, 2)).__setitem__(0, 1.0),
        ValueError,
        "read-only",
    ),
}


@pytest.mark.parametrize(("change", "kind", "match"), FAILURES.values(), ids=FAILURES)
def test_a_failed_change_changes_nothing(change, kind, match):
    def f(x):
        y = x * 2
        view = y[1:]
        with pytest.raises(kind, match=match):
            change(y)
        with pytest.raises(kind, match=match):
            change(x)
        np.testing.assert_array_equal(y.raw, 2 * V)
        np.testing.assert_array_equal(view.raw, 2 * V[1:])
        view[0] = 1.0
        return np.sum(x) + np.sum(y)

    np.testing.assert_array_equal(tg.grad(f)(V), [3, 1, 3, 3])


def test_integers_and_dtypes_follow_numpy():
    def f(x):
        counts = tnp.zeros(3, int)
        counts[1] = 2
        counts[2] = x[3] * 2
        counts += 1
        with pytest.raises(
            TypeError, match="Cannot cast ufunc 'add' output from dtype\\('float64'\\)"
        ):
            counts += x[0]
        np.testing.assert_array_equal(counts.raw, [1, 3, 4])
        single = tnp.zeros(2, np.float32)
        single[0] = x[0]
        single += x[:2]
        assert single.dtype == np.float32
        return np.sum(single * 2)

    np.testing.assert_array_equal(tg.grad(f)(V), [4, 2, 0, 0])


def test_complex_parts_are_views():
    def f(x):
        z = x[0] + 1j * x[1]
        z[1] *= 1j
        z.real[0] = x[0, 2] ** 2
        part = z.imag
        part += x[1] * 2
        z.real *= 3.0
        return z.real, z.imag, part

    check(f, X)


def test_a_number_is_not_changed_but_replaced():
    def f(x):
        a = b = x[0]
        a += 1.0
        a *= x[1]
        return a * b

    np.testing.assert_allclose(tg.grad(f)(V[:2]), [V[1] * (2 * V[0] + 1), V[0] ** 2 + V[0]])


def test_zero_dimensional_arrays():
    def f(x):
        out = tnp.zeros(())
        out[()] = x * x
        out[...] = out * x
        return out

    assert tg.grad(f)(2.0) == 12.0
    with pytest.raises(IndexError, match="too many indices"):
        tg.grad(lambda x: x.__setitem__(0, 1.0))(2.0)


def test_the_tape_forgets_what_was_overwritten():
    def f(x):
        y = x * x
        y[...] = 2.0
        y[1:] = x[1:]
        return np.sum(y)

    np.testing.assert_array_equal(tg.grad(f)(V), [0, 1, 1, 1])


def test_gradients_can_be_changed():
    def f(x):
        g = tg.grad(lambda x: np.sum(x**3))(x)
        g[0] = 0.0
        g *= x
        return np.sum(g)

    np.testing.assert_allclose(tg.grad(f)(V), 9 * V**2 * [0, 1, 1, 1])
    h = tg.grad(lambda x: np.sum(x))(V)
    h += 1.0
    assert type(h) is np.ndarray


def test_many_views_do_not_pile_up():
    def f(x):
        for _ in range(1000):
            x[1:]
        assert len(x.views) <= 64
        return np.sum(x)

    tg.grad(f)(V)


def calls(function, *names):
    """How often Python functions of some names are called while `function` runs."""
    seen: Counter[str] = Counter()

    def count(frame, event, _):
        if event == "call" and frame.f_code.co_name in names:
            seen[frame.f_code.co_name] += 1

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return seen


def test_a_loop_of_assignments_is_swept_without_a_copy_for_each():
    n = 300

    def f(x):
        out = tnp.zeros(n)
        for i in range(n):
            out[i] = x[i] * 2.0
        return np.sum(out * out)

    x = np.linspace(0.0, 1.0, n)
    np.testing.assert_allclose(tg.grad(f)(x), 8.0 * x)
    assert not calls(lambda: tg.grad(f)(x), "_setitem_forward")


def test_a_loop_over_rows_is_swept_without_a_copy_for_each():
    def f(x):
        out = tnp.zeros((300, 100))
        for i in range(300):
            row = out[i]
            row += x
            out[i] *= 2.0
            out[(i,), (0,)] = x[0]
            del row
        return np.sum(out)

    _, pull = tg.vjp(f, np.ones(100))
    np.testing.assert_array_equal(pull(1.0)[0], [300.0] + [600.0] * 99)
    assert calls(lambda: pull(1.0), "_setitem_forward")["_setitem_forward"] <= 1  # of the seed


def test_a_cotangent_that_others_see_is_not_written_to():
    def f(x):
        y = x * 1.0
        z = y + x
        y[0] = 2.0 * x[1]
        w = x * 1.0
        w[(2, 2), (0, 1)] = x[0, 0]
        return y + z + w

    g = np.ones((3, 2))
    before = g.copy()
    x = np.arange(6.0).reshape(3, 2)
    _, pull = tg.vjp(f, x)
    expected = tg.jacfwd(f)(x).sum((0, 1))
    np.testing.assert_array_equal(pull(g)[0], expected)
    np.testing.assert_array_equal(pull(g)[0], expected)
    np.testing.assert_array_equal(g, before)


def test_writing_in_place_is_no_new_memory():
    def f(x):
        out = tnp.zeros((500, 1000))
        for i in range(500):
            out[i] = x
        return np.sum(out)

    assert not calls(lambda: tg.vjp(f, np.ones(1000)), "_compact")


def test_a_chain_of_many_views():
    def f(x):
        y = x * 1.0
        views = [y]
        for _ in range(300):
            views.append(views[-1][1:])
        views[-1][0] = 2.0 * x[0]
        return np.sum(y)

    g = tg.grad(f)(np.ones(301))
    assert g[0] == 3.0
    assert g[300] == 0.0
    assert g[1:300].tolist() == [1.0] * 299
