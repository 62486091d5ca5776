"""Functions that make arrays: what they give inside and outside of transforms, and derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Array, untracked

X = np.array([0.5, -1.5, 2.0])
M = np.arange(6.0).reshape(2, 3)

MAKERS = {
    "zeros": lambda np: np.zeros((2, 3)),
    "ones": lambda np: np.ones(3, dtype=int),
    "empty": lambda np: np.empty((0, 2)),
    "full": lambda np: np.full((2, 2), 1.5),
    "zeros_like": lambda np: np.zeros_like(M),
    "ones_like": lambda np: np.ones_like(M, dtype=np.float32),
    "empty_like": lambda np: np.empty_like(M[:0]),
    "full_like": lambda np: np.full_like(M, 7, dtype=int),
    "array": lambda np: np.array([[1, 2], [3, 4]], dtype=float, ndmin=3),
    "asarray": lambda np: np.asarray([1.0, 2.0]),
    "asanyarray": lambda np: np.asanyarray((1, 2)),
    "ascontiguousarray": lambda np: np.ascontiguousarray(3.0),
    "asfortranarray": lambda np: np.asfortranarray([[1.0, 2.0]]),
    "copy": lambda np: np.copy(M),
    "arange": lambda np: np.arange(1, 10, 3),
    "eye": lambda np: np.eye(2, 3, k=1),
    "identity": lambda np: np.identity(2),
    "tri": lambda np: np.tri(2, 3),
    "linspace": lambda np: np.linspace(0, 1, 5),
    "logspace": lambda np: np.logspace(0, 1, 5),
    "geomspace": lambda np: np.geomspace(1, 9, 3),
}
makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@makers
def test_outside_of_transforms_plain_arrays_are_made(make):
    made = make(tnp)
    assert type(made) is np.ndarray
    np.testing.assert_array_equal(made, make(np))
    assert made.dtype == make(np).dtype


@makers
def test_inside_of_transforms_untracked_arrays_are_made(make):
    def f(x):
        made = make(tnp)
        assert type(made) is Array
        assert made.slot == 0
        np.testing.assert_array_equal(np.asarray(made), make(np))
        assert made.dtype == make(np).dtype
        return x.sum()

    tg.grad(f)(X)
    tg.jvp(f, (X,), (X,))
    tg.vmap(f)(M)


def test_recorded_values_can_be_assigned():
    def f(x):
        b = tnp.zeros(3)
        b[0] = x[1]
        b[1:] += x[:2] ** 2
        return tnp.sum(b * np.array([1.0, 10.0, 100.0]))

    assert tg.grad(f)(X).tolist() == [10.0, 1.0 - 300.0, 0.0]


def test_an_ndarray_stays_what_it_is():
    def f(x):
        assert tnp.asarray(M) is M
        assert tnp.asarray(M, dtype=np.float32).dtype == np.float32
        assert type(tnp.array(M)) is Array
        assert type(tnp.asarray(M, copy=True)) is Array
        return x.sum()

    tg.grad(f)(X)


def test_like_a_recorded_array():
    def f(x):
        assert tnp.zeros_like(x).tolist() == np.zeros_like(x.tolist()).tolist()
        assert tnp.ones_like(x, dtype=int).dtype == int
        assert tnp.empty_like(x, shape=(2, 2)).shape == (2, 2)
        assert np.zeros_like(x).slot == 0
        return x.sum()

    tg.grad(f)(X)
    tg.grad(f)(np.float64(1.0))


def test_arrays_of_recorded_values():
    def f(x):
        flat = tnp.array([x[0], 2.0, x[1] * x[2]])
        assert flat.shape == (3,)
        nested = tnp.array([[x[0], 1], [x[1], x[2]]])
        assert nested.shape == (2, 2)
        rows = tnp.array([x, [1.0, x[0], 3.0]])
        assert rows.shape == (2, 3)
        deep = tnp.array([[[x[0]], [x[1]]]])
        assert deep.shape == (1, 2, 1)
        weights = np.array([[1.0, 10.0], [100.0, 1000.0]])
        return tnp.sum(flat) + tnp.sum(nested * weights) + 2 * tnp.sum(rows) + tnp.sum(deep)

    # flat: 1, x2, x1; nested: 1, 100, 1000; rows: 4, 2, 2; deep: 1, 1, 0
    assert tg.grad(f)(X).tolist() == [7.0, 2.0 + 103.0, -1.5 + 1002.0]
    out = tg.vmap(lambda x: tnp.array([x[0], 1.0, x[1]]))(M)
    assert out.tolist() == [[0.0, 1.0, 1.0], [3.0, 1.0, 4.0]]


def test_arrays_of_recorded_values_have_numpys_dtypes():
    def f(x):
        assert tnp.array([x, 2]).dtype == np.float64
        assert tnp.array([x, x], dtype=np.float32).dtype == np.float32
        assert tnp.array([x, 1j]).dtype == np.complex128
        assert tnp.asarray([x], dtype=complex).dtype == np.complex128
        assert tnp.array(x, ndmin=2).shape == (1, 1)
        assert tnp.ascontiguousarray(x).shape == (1,)
        return x

    assert tg.grad(f)(1.5) == 1.0


def test_ragged_lists_raise():
    with pytest.raises(ValueError, match="setting an array element with a sequence"):
        tg.grad(lambda x: tnp.array([x, [x[0]]]).sum())(X)
    with pytest.raises(ValueError, match="setting an array element with a sequence"):
        tg.grad(lambda x: tnp.array([[x[0], 1.0], [x[1]]]).sum())(X)


def test_array_copies_and_asarray_does_not():
    def f(x):
        assert tnp.asarray(x) is x
        assert tnp.array(x, copy=False) is x
        y = tnp.array(x)
        assert y is not x
        y[0] = 5.0
        z = tnp.copy(x)
        z *= 2.0
        return tnp.sum(x * x) + tnp.sum(y) + tnp.sum(z)

    assert tg.grad(f)(X).tolist() == [2 * 0.5 + 2, -3.0 + 3, 4.0 + 3]


def test_asarray_chkfinite():
    assert tg.grad(lambda x: tnp.asarray_chkfinite(x).sum())(X).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="must not contain infs or NaNs"):
        tg.grad(lambda x: tnp.asarray_chkfinite(x / 0).sum())(X * np.inf)


def test_astype():
    g = tg.grad(lambda x: tnp.astype(x, np.float32).sum() * 2)(X)
    assert g.dtype == np.float64
    assert g.tolist() == [2.0, 2.0, 2.0]
    assert tnp.astype(X, int).tolist() == [0, -1, 2]


def test_full_of_a_recorded_value():
    assert tg.grad(lambda v: tnp.full((2, 3), v).sum())(2.0) == 6.0
    assert tg.grad(lambda v: (tnp.full((2, 3), v) * M).sum())(X).tolist() == [3.0, 5.0, 7.0]
    assert tg.grad(lambda v: tnp.full(4, v).sum())(2.0) == 4.0
    g = tg.grad(lambda v: (tnp.full_like(M, v) * M).sum())(X)
    assert g.tolist() == [3.0, 5.0, 7.0]

    def writable(v):
        a = tnp.full(3, v)
        a[1] = 0.0
        return a.sum()

    assert tg.grad(writable)(2.0) == 2.0


def test_arange_of_recorded_bounds():
    g = tg.grad(lambda a, h: tnp.arange(a, 2.0, h).sum(), (0, 1))(0.5, 0.4)
    assert g == (4.0, 6.0)  # 0.5, 0.9, 1.3, 1.7
    assert tg.vjp(lambda a, h: tnp.arange(a, 2.0, h), 0.5, 0.4)[0].shape == (4,)
    assert tg.grad(lambda b: tnp.arange(b).sum() * b)(3.0) == 3.0
    with pytest.raises(
        tg.errors.ConcretizationError, match=r"numpy\.arange of a value that differs"
    ):
        tg.vmap(lambda b: tnp.arange(b))(X)


ENDS = [
    (0.5, 2.0),
    (np.array([0.5, 1.0]), np.array([[3.0], [4.0]])),
    (2, 7.5),
    (-0.5, -2.0),
    (1 + 1j, 2 - 3j),
]


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 5])
def test_ranges(name, ends, endpoint, num):
    start, stop = (np.asarray(x)[()] for x in ends)
    stop = stop.astype(complex) if np.iscomplexobj(start) else stop.astype(float)
    start = start.astype(stop.dtype)
    axis = -1 if start.ndim else 0

    def f(np, a, b):
        return getattr(np, name)(a, b, num, endpoint, axis=axis)

    expected = f(np, start, stop)
    t = (0.3 * np.ones_like(start), -0.2 * np.ones_like(stop))
    for namespace in (tnp, np):
        out, tangent = tg.jvp(lambda a, b, np=namespace: f(np, a, b), (start, stop), t)
        np.testing.assert_allclose(out, expected, rtol=1e-14)
        assert out.dtype == expected.dtype
        h = 1e-6
        above, below = (f(np, start + s * h * t[0], stop + s * h * t[1]) for s in (1, -1))
        np.testing.assert_allclose(tangent, (above - below) / (2 * h), rtol=1e-6, atol=1e-6)


def test_linspace_gives_the_step():
    def f(a, b):
        return tnp.linspace(a, b, 5, retstep=True)[1]

    assert tg.grad(f, (0, 1))(1.0, 3.0) == (-0.25, 0.25)
    assert np.isnan(tg.vjp(lambda a: tnp.linspace(a, 1.0, 1, retstep=True)[1], 0.0)[0])


def test_linspace_of_integers_and_other_dtypes():
    def f(a):
        assert (
            tnp.linspace(a, 4.0, 4, dtype=int).tolist()
            == np.linspace(0.5, 4.0, 4, dtype=int).tolist()
        )
        assert tnp.linspace(a, 4.0, 4, dtype=np.float32).dtype == np.float32
        return a

    tg.grad(f)(0.5)


def test_wrong_ranges():
    with pytest.raises(ValueError, match="Number of samples, -1, must be non-negative"):
        tg.grad(lambda a: tnp.linspace(a, 1.0, -1).sum())(0.0)
    with pytest.raises(ValueError, match="Geometric sequence cannot include zero"):
        tg.grad(lambda a: tnp.geomspace(a, 1.0, 3).sum())(0.0)


def test_ranges_in_vmap():
    out = tg.vmap(lambda a, b: tnp.geomspace(a, b, 4))(np.array([1.0, 2.0]), np.array([8.0, 9.0]))
    np.testing.assert_allclose(out, np.geomspace([1.0, 2.0], [8.0, 9.0], 4, axis=1))


def test_lengths_may_be_untracked_arrays():
    def f(x):
        n = tnp.argmax(x)
        assert tnp.zeros(n).shape == (2,)
        assert tnp.full((n, n), x[0]).shape == (2, 2)
        assert tnp.linspace(x[0], x[1], n).shape == (2,)
        assert tnp.arange(n).shape == (2,)
        return x.sum()

    tg.grad(f)(X)


# functions of functions


def test_apply_along_axis():
    def f(x):
        return np.apply_along_axis(lambda v: tnp.array([v.sum(), (v * v).sum()]), 1, x)

    out, t = tg.jvp(f, (M,), (np.ones_like(M),))
    assert out.tolist() == [[3.0, 5.0], [12.0, 50.0]]
    assert t.tolist() == [[3.0, 6.0], [3.0, 24.0]]
    out = tg.vjp(lambda x: tnp.apply_along_axis(np.diff, 0, x), M)[0]
    assert out.tolist() == [[3.0, 3.0, 3.0]]
    with pytest.raises(ValueError, match="any iteration dimensions are 0"):
        tg.grad(lambda x: tnp.apply_along_axis(np.sum, 0, x[:, :0]).sum())(M)


def test_apply_over_axes():
    out = tg.vjp(lambda x: tnp.apply_over_axes(np.sum, x, [0, -1]), M)[0]
    assert out.tolist() == [[15.0]]


def test_vectorize():
    @tnp.vectorize
    def f(x, y):
        return x * y if x > 1 else y

    assert f(M, 2.0).tolist() == np.where(M > 1, 2 * M, 2.0).tolist()
    g = tg.grad(lambda x, y: tnp.sum(f(x, y)), (0, 1))(M, 2.0)
    assert g[0].tolist() == [[0.0, 0.0, 2.0], [2.0, 2.0, 2.0]]
    assert g[1] == 2.0 + 2 + 3 + 4 + 5


def test_vectorize_with_a_signature_and_several_results():
    f = tnp.vectorize(lambda v, w: (v @ w, v + w), signature="(n),(n)->(),(n)")

    def loss(x):
        products, sums = f(x, X)
        assert products.shape == (2,)
        assert sums.shape == (2, 3)
        return tnp.sum(products) + tnp.sum(sums)

    assert tg.grad(loss)(M).tolist() == [(X + 1).tolist()] * 2


def test_vectorize_with_excluded_arguments():
    f = tnp.vectorize(lambda x, p: sum(c * x**i for i, c in enumerate(p)), excluded={1})
    out, t = tg.jvp(lambda x: f(x, [1.0, 2.0, 3.0]), (X,), (np.ones(3),))
    np.testing.assert_allclose(out, 1 + 2 * X + 3 * X**2)
    np.testing.assert_allclose(t, 2 + 6 * X)
    h = tnp.vectorize(lambda x: x * 2, otypes=[np.float32])
    assert tg.vjp(h, X)[0].dtype == np.float32
    with pytest.raises(ValueError, match="size 0 inputs"):
        tg.grad(lambda x: h(x[:0]).sum())(X)


def test_untracked_arrays_count_as_recorded():
    assert type(tnp.full(2, untracked(np.float64(1.0)))) is Array


@pytest.mark.parametrize("dtype", [None, np.float32, np.complex64])
def test_a_geometric_sequence_has_numpys_dtype(dtype):
    a, b = np.float32(2.0), np.float32(100.0)
    expected = np.geomspace(a, b, 5, dtype=dtype)
    out = tg.vjp(lambda a, b: np.geomspace(a, b, 5, dtype=dtype), a, b)[0]
    np.testing.assert_array_equal(out, expected)
    assert out.dtype == expected.dtype


def test_whole_numbers_of_a_negative_geometric_sequence_are_rounded_to_zero():
    ends = np.array([[-1.0, -1000.0], [-2.0, -31.0]])
    out = tg.vmap(lambda x: np.geomspace(x[0], x[1], 4, dtype=int))(ends)
    np.testing.assert_array_equal(out, [np.geomspace(*e, 4, dtype=int) for e in ends])
