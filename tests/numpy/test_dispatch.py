"""Plain NumPy on recorded arrays: ufuncs with all they can do, and functions."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Array, untracked

X = np.array([0.5, -1.5, 2.0])
Y = np.array([1.0, 3.0, -2.0])
M = np.arange(1.0, 7.0).reshape(2, 3)
W = np.array([3.0, 5.0, 7.0])


def gradient(f, *xs):
    """The gradient of `sum(f(*xs) * weights)`, with the weights 1, 2, 3, ... in C order."""

    def loss(*xs):
        out = f(*xs)
        return tnp.sum(out * np.arange(1.0, 1.0 + out.size).reshape(out.shape))

    return tg.grad(loss, tuple(range(len(xs))))(*xs)


# calls


def test_plain_ufuncs_record():
    assert tg.grad(lambda x: np.sum(np.sin(x) * 2))(X).tolist() == (2 * np.cos(X)).tolist()


@pytest.mark.parametrize(
    "product",
    [
        lambda c, x: c * x,
        lambda c, x: x * c,
        lambda c, x: np.multiply(c, x),
        lambda c, x: np.multiply(x, c),
        lambda c, x: tnp.multiply(c, x),
    ],
)
@pytest.mark.parametrize("c", [W, np.float64(3.0), np.array(3.0), 3.0, 3, np.float32(3.0)])
def test_constants_from_either_side(product, c):
    g = tg.grad(lambda x: np.sum(product(c, x)))(X)
    assert g.dtype == np.float64
    assert g.tolist() == np.broadcast_to(c, 3).tolist()


def test_numpy_scalar_keeps_single_precision_only_where_numpy_does():
    single = X.astype(np.float32)
    assert tg.grad(lambda x: np.sum(np.float32(2.0) * x))(single).dtype == np.float32
    assert tg.grad(lambda x: np.sum(np.float64(2.0) * x))(single).dtype == np.float32


def test_a_list_beside_a_recorded_array():
    assert tg.grad(lambda x: np.sum(np.multiply([3.0, 5.0, 7.0], x)))(X).tolist() == W.tolist()


def test_function_of_this_namespace_has_the_attributes_of_the_ufunc():
    assert tnp.add.nin == 2
    assert tnp.add.identity == 0
    assert tnp.add.reduce(X) == np.add.reduce(X)
    assert tnp.maximum.accumulate(X).tolist() == np.maximum.accumulate(X).tolist()


def test_out_recorded():
    def f(x):
        out = tnp.zeros(3)
        result = np.multiply(x, x, out=out)
        assert result is out
        return np.sum(out * W)

    assert tg.grad(f)(X).tolist() == (2 * X * W).tolist()


def test_out_larger_than_the_result():
    def f(x):
        out = tnp.zeros((2, 3))
        np.exp(x, out=out)
        return np.sum(out)

    np.testing.assert_allclose(tg.grad(f)(X), 2 * np.exp(X))


def test_out_of_a_narrower_dtype():
    def f(x):
        out = tnp.zeros(3, dtype=np.float32)
        np.multiply(x, 2.0, out=out)
        assert out.dtype == np.float32
        return np.sum(out)

    assert tg.grad(f)(X).tolist() == [2.0, 2.0, 2.0]

    def into_integers(x):
        np.multiply(x, 2.0, out=tnp.zeros(3, dtype=int))
        return np.sum(x)

    with pytest.raises(TypeError, match="Cannot cast ufunc 'multiply' output"):
        tg.grad(into_integers)(X)


def test_out_with_a_shape_that_does_not_fit():
    def f(x):
        return np.sum(np.exp(x, out=tnp.zeros(2)))

    with pytest.raises(ValueError, match="broadcast"):
        tg.grad(f)(X)


def test_several_outs():
    def f(x):
        fraction, whole = tnp.zeros(3), tnp.zeros(3)
        np.modf(x, out=(fraction, whole))
        assert whole.tolist() == [0.0, -1.0, 2.0]
        return np.sum(fraction * W)

    assert tg.grad(f)(X).tolist() == W.tolist()


def test_a_traced_value_cannot_go_into_an_ndarray():
    plain = np.zeros(3)

    def explicit(x):
        return np.sum(np.exp(x, out=plain))

    def augmented(x):
        a = plain
        a += x
        return np.sum(a)

    for f, name in ((explicit, "exp"), (augmented, "add")):
        with pytest.raises(
            TypeError, match=rf"numpy\.{name} was to write a traced value into a plain"
        ):
            tg.grad(f)(X)
    assert plain.tolist() == [0.0, 0.0, 0.0]


def test_untracked_values_can_go_into_an_ndarray():
    plain = np.zeros(3)
    assert np.exp(untracked(X), out=plain) is plain
    assert plain.tolist() == np.exp(X).tolist()


def test_where_with_out():
    def f(x):
        out = x * 10.0
        np.multiply(x, x, out=out, where=np.array([True, False, True]))
        return np.sum(out * W)

    assert tg.grad(f)(X).tolist() == [2 * 0.5 * 3.0, 10.0 * 5.0, 2 * 2.0 * 7.0]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_where_does_not_poison():
    def f(x):
        return np.sum(np.log(x, out=tnp.zeros(3), where=x > 0))

    assert tg.grad(f)(np.array([2.0, -1.0, 0.0])).tolist() == [0.5, 0.0, 0.0]


def test_where_without_out_raises():
    with pytest.raises(ValueError, match=r"numpy\.exp with where= but without out="):
        tg.grad(lambda x: np.sum(np.exp(x, where=x > 0)))(X)


def test_dtype():
    def f(x):
        y = np.add(x, x, dtype=np.float32)
        assert y.dtype == np.float32
        return np.sum(y)

    g = tg.grad(f)(X)
    assert g.dtype == np.float64
    assert g.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(TypeError, match="Cannot cast ufunc 'add' input 0"):
        tg.grad(lambda x: np.sum(np.add(x, x, dtype=int)))(X)
    with pytest.raises(TypeError, match="Cannot cast ufunc 'add' input 0"):
        tg.grad(lambda x: np.sum(np.add(x, x, dtype=np.float32, casting="safe")))(X)


def test_signature():
    def f(x):
        y = np.multiply(x, 2.0, signature="ff->f")
        assert y.dtype == np.float32
        return np.sum(y)

    assert tg.grad(f)(X).tolist() == [2.0, 2.0, 2.0]


def test_axes_of_generalised_ufuncs():
    g = gradient(lambda x: np.vecdot(x, M, axis=0), M)
    assert g[0].tolist() == (M * [1.0, 2.0, 3.0]).tolist()
    out = tg.vjp(lambda x: np.vecdot(x, M, axis=0, keepdims=True), M)[0]
    assert out.tolist() == np.vecdot(M, M, axis=0, keepdims=True).tolist()
    out = tg.vjp(lambda x: np.matmul(x, M, axes=[(1, 0), (0, 1), (1, 0)]), M)[0]
    assert out.tolist() == np.matmul(M, M, axes=[(1, 0), (0, 1), (1, 0)]).tolist()


def test_ufunc_without_rule():
    half = np.frompyfunc(lambda v: v / 2, 1, 1)
    with pytest.raises(TypeError, match=r"the ufunc '.*' has no rule for traced arrays"):
        tg.grad(lambda x: np.sum(half(x)))(X)
    assert np.spacing(1.0) == np.spacing(untracked(np.float64(1.0)))  # nothing can get lost


def test_other_ufuncs_can_be_registered():
    from tapegrad.numpy.dispatch import implements_ufunc, ufuncs

    thrice = np.frompyfunc(lambda x: 3 * x, 1, 1)  # as a library may have
    with pytest.raises(TypeError, match="has no rule"):
        tg.grad(thrice)(2.0)
    face = implements_ufunc(thrice, lambda x: 3.0 * x)
    try:
        assert tg.grad(thrice)(2.0) == 3.0
        assert tg.grad(face)(2.0) == 3.0
        assert face(2.0) == 6.0
    finally:
        del ufuncs[thrice]


# methods of ufuncs

BINARY = [
    np.add,
    np.multiply,
    np.subtract,
    np.divide,
    np.maximum,
    np.minimum,
    np.logaddexp,
    np.hypot,
    np.fmax,
]  # not power, whose reduction NumPy 2.4 computes wrongly along the last axis
methods = pytest.mark.parametrize("ufunc", BINARY, ids=lambda u: u.__name__)
POSITIVE = np.array([[1.3, 0.7, 2.1], [0.4, 1.9, 1.1]])


def check(f, x):
    """Value and gradient of `f` agree with NumPy and its differences."""
    out, pullback = tg.vjp(f, x)
    np.testing.assert_allclose(out, f(x), rtol=1e-13)
    rng = np.random.default_rng(0)
    g, t = rng.standard_normal(out.shape), rng.standard_normal(x.shape)
    expected = np.sum(g * (f(x + 1e-6 * t) - f(x - 1e-6 * t))) / 2e-6
    np.testing.assert_allclose(
        np.sum(pullback(np.asarray(g)[()])[0] * t), expected, rtol=1e-6, atol=1e-8
    )


@methods
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reduce(ufunc, axis, keepdims):
    check(lambda x: ufunc.reduce(x, axis=axis, keepdims=keepdims), POSITIVE)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.logaddexp])
def test_reduce_over_several_axes(ufunc):
    check(lambda x: ufunc.reduce(x, axis=(0, 1)), POSITIVE)
    check(lambda x: ufunc.reduce(x, axis=None), POSITIVE)


def test_reduce_over_the_first_axis_by_default():
    check(np.add.reduce, POSITIVE)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.subtract, np.hypot, np.logaddexp])
def test_reduce_with_initial_and_where(ufunc):
    check(lambda x: ufunc.reduce(x, axis=0, initial=2.0), POSITIVE)
    mask = np.array([[True, False, True], [False, False, True]])
    check(lambda x: ufunc.reduce(x, axis=0, initial=2.0, where=mask), POSITIVE)


def test_reduce_of_logarithms_with_minus_infinity():
    x = np.array([-np.inf, 0.0, 1.0])
    value, g = tg.value_and_grad(np.logaddexp.reduce)(x)
    np.testing.assert_allclose(value, np.log(1 + np.e))
    np.testing.assert_allclose(g, [0.0, 1 / (1 + np.e), np.e / (1 + np.e)])
    x = np.array([1000.0, 1000.0])
    value, g = tg.value_and_grad(np.logaddexp.reduce)(x)
    np.testing.assert_allclose(value, 1000 + np.log(2))
    np.testing.assert_allclose(g, [0.5, 0.5])


def test_reduce_of_nothing():
    with pytest.raises(ValueError, match=r"numpy\.subtract\.reduce has no identity"):
        tg.grad(lambda x: np.subtract.reduce(x[:0]))(X)
    assert tg.vjp(lambda x: np.add.reduce(x[:0]), X)[0] == 0.0
    assert tg.vjp(lambda x: np.logaddexp.reduce(x[:0]), X)[0] == -np.inf


def test_reduce_into_out():
    def f(x):
        out = tnp.zeros(3)
        np.add.reduce(x, axis=0, out=out)
        return np.sum(out * W)

    assert tg.grad(f)(M).tolist() == [W.tolist(), W.tolist()]


def test_reduce_of_booleans():
    def f(x):
        assert not np.logical_and.reduce(x > 0, axis=None)
        assert np.logical_or.reduce(x > 0, axis=None)
        return np.sum(x)

    tg.grad(f)(X)


def test_reduce_of_an_unsuitable_ufunc():
    with pytest.raises(ValueError, match="reduce only supported for binary functions"):
        tg.grad(lambda x: np.exp.reduce(x))(X)


def test_reduce_in_vmap():
    out = tg.vmap(lambda x: np.hypot.reduce(x))(M)
    np.testing.assert_allclose(out, np.hypot.reduce(M, axis=1))


@methods
@pytest.mark.parametrize("axis", [0, 1])
def test_accumulate(ufunc, axis):
    check(lambda x: ufunc.accumulate(x, axis=axis), POSITIVE)


@methods
def test_outer(ufunc):
    check(lambda x: ufunc.outer(x, np.array([0.5, 1.5])), POSITIVE)
    check(lambda x: ufunc.outer(np.array([[0.5, 1.5]]), x), POSITIVE)


@methods
def test_reduceat(ufunc):
    check(lambda x: ufunc.reduceat(x, [0, 2, 1], axis=1), POSITIVE)


def test_reduceat_out_of_bounds():
    with pytest.raises(IndexError, match="index 3 is not in"):
        tg.grad(lambda x: np.sum(np.add.reduceat(x, [0, 3])))(X)


@pytest.mark.parametrize(
    "ufunc", [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.power]
)
def test_at(ufunc):
    index = np.array([2, 0, 2, 2])
    values = np.array([1.3, 0.6, 1.7, 0.9])

    def on_target(x):
        x = tnp.array(x)
        ufunc.at(x, index, values)
        return x

    def on_values(v):
        x = tnp.array([1.5, 2.5, 1.25])
        ufunc.at(x, index, v)
        return x

    check(on_target, np.array([1.5, 2.5, 1.25]))
    check(on_values, values)


def test_at_of_one_input():
    def f(x):
        x = tnp.array(x)
        np.square.at(x, [1, 1])
        return x

    check(f, X)


def test_at_with_tuples_and_broadcasting():
    def f(x):
        y = tnp.zeros((2, 3))
        np.add.at(y, ([0, 1, 0], [2, 2, 2]), x)
        return y

    check(f, X)
    check(f, np.float64(1.5))


def test_at_leaves_the_callers_array_alone():
    x = X.copy()

    def f(x):
        np.add.at(x, [0], 1.0)
        return np.sum(x * x)

    assert tg.grad(f)(x).tolist() == [3.0, -3.0, 4.0]
    assert x.tolist() == X.tolist()


def test_at_on_an_ndarray():
    plain = np.zeros(3)
    with pytest.raises(TypeError, match=r"numpy\.add\.at was to write a traced value into a plain"):
        tg.grad(lambda x: np.add.at(plain, [0, 1, 2], x))(X)
    np.add.at(plain, untracked(np.array([0, 0])), untracked(np.float64(2.0)))
    assert plain.tolist() == [4.0, 0.0, 0.0]


def test_at_in_vmap():
    def f(x, i):
        y = tnp.zeros(3)
        np.add.at(y, i, x)
        return y

    indices = np.array([[0, 0, 1], [2, 1, 2]])
    out = tg.vmap(f)(M, indices)
    assert out.tolist() == [[3.0, 3.0, 0.0], [0.0, 5.0, 10.0]]

    def multiplied(x, i):
        y = tnp.ones(3)
        np.multiply.at(y, i, x)
        return y

    with pytest.raises(tg.errors.ConcretizationError, match=r"index of numpy\.multiply\.at"):
        tg.vmap(multiplied)(M, indices)


# functions


def test_function_without_rule():
    with pytest.raises(TypeError, match=r"numpy\.packbits has no rule for traced arrays"):
        tg.grad(lambda x: np.packbits(x))(X)


def test_function_without_rule_on_untracked_arrays():
    out = np.packbits(untracked(np.array([1, 0, 1])))
    assert type(out) is Array
    assert out.tolist() == [160]


def test_functions_of_shapes_and_dtypes():
    def f(x):
        assert np.shape(x) == (3,)
        assert np.ndim(x) == 1
        assert np.size(x) == 3
        assert np.result_type(x, np.float32) == np.float64
        assert np.can_cast(x.dtype, np.float32, "same_kind")
        assert not np.iscomplexobj(x)
        assert np.isrealobj(x)
        assert not np.shares_memory(x, X + 1)
        return np.sum(x)

    tg.grad(f)(X)
    tg.vmap(f)(X[None])


def test_functions_of_values():
    def f(x):
        assert np.allclose(x, X)
        assert np.array_equal(x, X)
        assert not np.array_equiv(x, Y)
        assert np.array_str(x) == np.array_str(X)
        assert np.array2string(x) == np.array2string(X)
        return np.sum(x)

    tg.grad(f)(X)
    with pytest.raises(
        tg.errors.ConcretizationError, match=r"numpy\.allclose of a value that differs"
    ):
        tg.vmap(f)(X[None])


def test_like():
    def f(x):
        assert type(np.zeros(3, like=x)) is Array
        assert np.ones(2, like=x).tolist() == [1.0, 1.0]
        y = np.array([1.0, 2.0, 3.0], like=x)
        y[0] = x[1]
        return np.sum(y)

    assert tg.grad(f)(X).tolist() == [0.0, 1.0, 0.0]
