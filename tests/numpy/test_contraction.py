"""Products, einsum, convolution: values and derivatives of programs written with plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from .program import check

X = np.array([[0.3, -1.2, 0.7], [1.5, 0.4, -0.6]])
SQUARE = np.array([[0.3, -1.2, 0.7], [1.5, 0.4, -0.6], [0.2, -0.9, 1.1]])
CUBE = np.linspace(-1.0, 1.3, 12).reshape(2, 2, 3)
VECTOR = np.array([0.37, 1.2, 0.71, 1.53])
OTHER = np.array([[0.5, 0.25, -2.0], [1.0, -0.5, 3.0]])

PRODUCTS = {
    "matmul": lambda x: x @ OTHER.T,
    "matmul_vector": lambda x: x @ OTHER[0],
    "matmul_reflected": lambda x: OTHER.T @ x,
    "matmul_itself": lambda x: np.matmul(x, x.T),
    "matmul_stack": lambda x: np.matmul(CUBE, x.T),
    "matmul_broadcast": lambda x: np.matmul(x, CUBE.transpose(0, 2, 1)),
    "matmul_axes": lambda x: np.matmul(x, OTHER, axes=[(0, 1), (1, 0), (0, 1)]),
    "dot": lambda x: np.dot(x, OTHER.T),
    "dot_scalar": lambda x: np.dot(x[0, 0], x),
    "dot_cube": lambda x: np.dot(CUBE, x.T),
    "dot_cubes": lambda x: np.dot(x, CUBE.transpose(0, 2, 1)),
    "dot_method": lambda x: x.dot(OTHER[1]),
    "inner": lambda x: np.inner(x, OTHER),
    "inner_cube": lambda x: np.inner(CUBE, x),
    "inner_scalar": lambda x: np.inner(x, 2.0),
    "outer": lambda x: np.outer(x, OTHER[0]),
    "outer_itself": lambda x: np.outer(x[0], x),
    "vdot": lambda x: np.vdot(x, OTHER),
    "vecdot": lambda x: np.vecdot(x, OTHER),
    "vecdot_broadcast": lambda x: np.vecdot(CUBE, x[0]),
    "vecdot_axis": lambda x: np.vecdot(x, OTHER, axis=0),
    "tensordot": lambda x: np.tensordot(x, OTHER),
    "tensordot_0": lambda x: np.tensordot(x, OTHER, axes=0),
    "tensordot_1": lambda x: np.tensordot(x, OTHER.T, axes=1),
    "tensordot_axes": lambda x: np.tensordot(CUBE, x, axes=([1, -1], [0, 1])),
    "tensordot_axis": lambda x: np.tensordot(x, OTHER, axes=(0, 0)),
    "kron": lambda x: np.kron(x, OTHER),
    "kron_mixed": lambda x: np.kron(OTHER[0], x),
    "kron_itself": lambda x: np.kron(x, x[:1]),
    "cross": lambda x: np.cross(x, OTHER),
    "cross_vector": lambda x: np.cross(OTHER[0], x),
    "cross_axes": lambda x: np.cross(x, OTHER.T, axisb=0, axisc=0),
    "trace": np.trace,
    "trace_offset": lambda x: np.trace(x, 1),
    "trace_below": lambda x: np.trace(x, -1),
    "trace_nothing": lambda x: np.trace(x, 7),
    "trace_axes": lambda x: np.trace(x * CUBE, 0, 0, 1),
    "trace_method": lambda x: x.trace(),
    "matvec": lambda x: np.matvec(x, OTHER[0]),
    "matvec_stack": lambda x: np.matvec(CUBE, x),
    "vecmat": lambda x: np.vecmat(x[:, 0], OTHER),
}

SUBSCRIPTS = {
    "ij->": (),
    "ij": (),
    "ji": (),
    "ij->j": (),
    "ij,ij": (OTHER,),
    "ij,kj": (OTHER,),
    "ij,ij->ij": (OTHER[:1],),
    "ij,ij->i": (OTHER[:, :1],),
    "ij,kl": (OTHER,),
    "ij,kj,ki->jk": (OTHER, np.eye(2)),
    "ij,ij,ij->j": (OTHER, OTHER),
    "...j,...j->...": (CUBE,),
    "...,...": (CUBE,),
    "i...,...": (2.0,),
    "ij,jbc->ibc": (CUBE.transpose(2, 0, 1),),
    "aij,aij->a": (CUBE,),
    " i j , j k -> i k ": (OTHER.T,),
}


@pytest.mark.parametrize("f", PRODUCTS.values(), ids=PRODUCTS)
def test_products(f):
    check(f, X, exact=False)


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
def test_einsum(subscripts, optimize):
    others = SUBSCRIPTS[subscripts]
    swapped = subscripts.startswith("aij")

    def f(x):
        operands = (*others, x[None]) if swapped else (x, *others)
        return np.einsum(subscripts, *operands, optimize=optimize)

    check(f, X, exact=False)


@pytest.mark.parametrize("subscripts", ["ii", "ii->i", "ij->ji", "ii,ij->j", "ii,jj->ij"])
def test_einsum_of_diagonals(subscripts):
    others = (SQUARE,) if "," in subscripts else ()
    check(lambda x: np.einsum(subscripts, x, *others), SQUARE, exact=False)


def test_einsum_of_one_array_in_several_places():
    check(lambda x: np.einsum("ij,kj,kl->il", x, x, x), X, exact=False)
    check(lambda x: np.einsum("iij->j", x[None] * x[:, None]), X, exact=False)


def test_einsum_of_lists_of_integers():
    check(lambda x: np.einsum(x, [0, 1], OTHER, [2, 1]), X, exact=False)
    check(lambda x: np.einsum(x, [0, 1], OTHER, [2, 1], [2, 0]), X, exact=False)
    check(lambda x: np.einsum(CUBE, [..., 1], x, [3, 1], [..., 3]), X, exact=False)


def test_einsum_takes_a_path_and_a_dtype():
    path = ["einsum_path", (1, 2), (0, 1)]
    check(lambda x: np.einsum("ij,kj,kl->il", x, OTHER, X, optimize=path), X, exact=False)
    out, pull = tg.vjp(lambda x: np.einsum("ij->i", x, dtype=float), np.ones((2, 3), np.float32))
    assert out.dtype == np.float64
    assert pull(out)[0].dtype == np.float32


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_convolve_and_correlate(mode, n):
    other = np.linspace(-1.0, 1.0, n) ** 2 + np.arange(n)
    for function in (np.convolve, np.correlate):
        check(lambda x, f=function: f(x, other, mode), VECTOR, exact=False)
        check(lambda x, f=function: f(other, x, mode), VECTOR, exact=False)


def test_correlate_conjugates_the_second_sequence():
    a, v = np.array([1 + 1j, 2.0, 3j]), np.array([1j, 1.0])
    out, pull = tg.vjp(np.correlate, a, v)
    np.testing.assert_allclose(out, np.correlate(a, v))
    g_a, g_v = pull(np.array([1.0 + 0j, 0.0]))
    np.testing.assert_allclose(g_a, [-1j, 1.0, 0.0])
    np.testing.assert_allclose(g_v, [1 - 1j, 2.0])


@pytest.mark.parametrize("function", [np.vdot, np.vecdot])
def test_the_first_vector_is_conjugated(function):
    a, b = np.array([1 + 2j, 3.0]), np.array([1j, 2.0])
    out, pull = tg.vjp(function, a, b)
    assert out == function(a, b)
    g_a, g_b = pull(np.complex128(1.0))
    np.testing.assert_array_equal(g_b, a.conj())
    np.testing.assert_array_equal(g_a, b.conj())


def test_plain_numpy_with_a_constant_first_has_a_jacobian():
    constant = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(
        tg.jacobian(lambda x: np.dot(constant, x))(np.array([1.0, 1.0])), constant
    )


def test_this_namespace_computes_on_plain_arrays():
    np.testing.assert_array_equal(tnp.einsum("ij,kj", X, OTHER), np.einsum("ij,kj", X, OTHER))
    assert type(tnp.dot(X, OTHER.T)) is np.ndarray
    assert tnp.convolve([1, 2], [3, 4]).tolist() == [3, 10, 8]


def test_integers_over_lanes():
    x = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(
        tg.vmap(lambda x: np.einsum("i,j", x, x))(x), np.einsum("bi,bj->bij", x, x)
    )
    np.testing.assert_array_equal(
        tg.vmap(lambda x: np.convolve(x, [1, 2]))(x), [np.convolve(r, [1, 2]) for r in x]
    )


ERRORS = {
    "einsum_count": (lambda x: np.einsum("ij,jk", x), "are for 2 operands, but 1 were given"),
    "einsum_rank": (lambda x: np.einsum("ijk", x), "do not fit an operand of shape"),
    "einsum_size": (lambda x: np.einsum("ij,ij", x, x.T), "have lengths that differ"),
    "einsum_diagonal": (lambda x: np.einsum("ii", x[:, :1]), "have lengths that differ"),
    "einsum_output": (lambda x: np.einsum("ij->k", x), "must name axes of the operands"),
    "einsum_twice": (lambda x: np.einsum("ij->ii", x), "must name axes of the operands"),
    "einsum_ellipsis": (lambda x: np.einsum("...j->j", x), "must have one too"),
    "einsum_letter": (lambda x: np.einsum("i1", x), "is not a valid subscript"),
    "einsum_order": (lambda x: np.einsum("ij", x, order="Z"), "order must be one of"),
    "einsum_nothing": (lambda x: tnp.einsum(), "must specify"),
    "dot": (lambda x: np.dot(x, x), "matmul"),
    "dot_cube": (lambda x: np.dot(x, CUBE), "dot: the axes to sum over differ in length"),
    "inner": (lambda x: np.inner(x, x.T), "inner: the axes to sum over differ in length"),
    "vdot": (lambda x: np.vdot(x, x[0]), "vdot: the axes to sum over differ in length"),
    "vecdot": (lambda x: np.vecdot(x, x[:, :2]), "vecdot: the axes to sum over differ"),
    "vecdot_scalar": (lambda x: np.vecdot(x, x[0, 0]), "needs arrays of at least 1 and 1 axes"),
    "tensordot": (lambda x: np.tensordot(x, x, 1), "tensordot: the axes to sum over differ"),
    "tensordot_axes": (lambda x: np.tensordot(x, x, 3), "is more than the arrays of shapes"),
    "tensordot_pairs": (lambda x: np.tensordot(x, x, ((0, 1), (0,))), "as many axes of one array"),
    "cross": (lambda x: np.cross(x, [1.0, 2.0, 3.0, 4.0]), "are 3 and 4 dimensional instead"),
    "trace": (lambda x: np.trace(x[0]), "at least two dimensions"),
    "convolve": (lambda x: np.convolve(x, x), "one-dimensional arrays that are not empty"),
    "convolve_mode": (lambda x: np.convolve(x[0], x[0], "all"), "mode must be one of 'valid'"),
}


@pytest.mark.parametrize(("f", "match"), ERRORS.values(), ids=ERRORS)
def test_errors(f, match):
    with pytest.raises(ValueError, match=match):
        tg.vjp(f, X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.dot(x, x.T, out=np.ones((2, 2))),
        lambda x: np.outer(x, x, out=np.ones((6, 6))),
        lambda x: np.einsum("ij->j", x, out=np.ones(3)),
        lambda x: np.trace(x, out=np.ones(())),
    ],
)
def test_out_is_refused(f):
    with pytest.raises(TypeError, match=r"does not take out=\. Assign the result instead"):
        tg.vjp(f, X)


def test_einsum_refuses_unsafe_casts():
    with pytest.raises(TypeError, match="cannot cast an operand of dtype float64"):
        tg.vjp(lambda x: np.einsum("ij", x, dtype=np.float32), X)


def test_vectors_of_two_elements_are_as_deprecated_as_in_numpy():
    vector = np.array([1.0, 2.0, 3.0])
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        for pair in ((vector[:2], vector[1:]), (vector[:2], vector)):
            with pytest.raises(ValueError, match="3-dimensional vectors, but they are 2 and"):
                tg.vjp(np.cross, *pair)
        return
    with pytest.warns(DeprecationWarning, match="2-dimensional vectors"):
        out, pull = tg.vjp(np.cross, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert out == -2.0
    np.testing.assert_array_equal(pull(1.0)[0], [4.0, -3.0])
    with pytest.warns(DeprecationWarning, match="2-dimensional vectors"):
        out, _ = tg.vjp(lambda x: np.cross(x[:2], x), vector)
    np.testing.assert_array_equal(out, [6.0, -3.0, 0.0])
