"""autograd's differential operators: its values and conventions, its errors and its warnings."""

import functools
import warnings
from collections import OrderedDict

import numpy as onp
import pytest

import tapegrad.compat.autograd as ag
import tapegrad.compat.autograd.numpy as np
from tapegrad.compat.autograd.differential_operators import make_jvp_reversemode

A = onp.array([[1.0, 2.0, 0.5], [0.3, -1.0, 0.4]])
x = onp.array([0.5, -1.0, 2.0])
v = onp.array([1.0, 0.5, -2.0])


def cube(x):
    return np.sum(x**3)


def layer(x):
    return np.tanh(np.dot(A, x))


def test_gradient():
    assert ag.grad(lambda x: (x + np.sin(x**2)) * x)(1.3) == pytest.approx(
        3.190948746871, rel=1e-12
    )
    onp.testing.assert_array_equal(ag.grad(cube)(x), 3 * x**2)
    value, gradient = ag.value_and_grad(cube)(x)
    assert value == onp.sum(x**3)
    onp.testing.assert_array_equal(gradient, 3 * x**2)


def test_arguments_by_number():
    def f(x, y, scale=1.0):
        return scale * x**2 * y

    assert ag.grad(f, 1)(3.0, 4.0, scale=2.0) == 18.0
    assert ag.grad(f, (1, 0))(3.0, 4.0) == (9.0, 24.0)
    assert ag.grad(f, [0])(3.0, 4.0) == (24.0,)
    assert ag.grad_named(f, "y")(3.0, 4.0) == 9.0
    with pytest.raises(AssertionError):
        ag.grad(f, "y")


def test_names_and_docs():
    def foo(x, y):
        return x

    assert ag.grad.__name__ == "grad"
    assert ag.grad(foo, 1).__name__ == "grad_of_foo_wrt_argnum_1"
    assert ag.jacobian(foo).__name__ == "jacobian_of_foo_wrt_argnum_0"
    assert "grad of function foo with respect to argument number 1" in ag.grad(foo, 1).__doc__
    assert ag.grad(functools.partial(foo, y=1.0))(2.0) == 1.0


def test_one_element_counts_as_a_scalar():
    def f(x):
        return np.sum(x**2, keepdims=True)

    value, gradient = ag.value_and_grad(f)(x)
    assert value.shape == (1,)
    onp.testing.assert_array_equal(gradient, 2 * x)
    onp.testing.assert_array_equal(ag.grad(f)(x), 2 * x)
    assert ag.hessian(f)(x).shape == (1, 3, 3)


@pytest.mark.parametrize(
    ("result", "got"),
    [
        (lambda x: x * 2, r"float64\[3\]"),
        (lambda x: np.sum(x) * 1j, r"complex128\[\]"),
        (lambda x: (x, x), "tuple"),
    ],
)
def test_other_results_raise(result, got):
    with pytest.raises(TypeError, match=f"grad only applies to real scalar.*returned {got}"):
        ag.grad(result)(x)


@pytest.mark.parametrize("result", [True, "text", 3])
def test_results_without_a_vector_space_raise(result):
    with pytest.raises(TypeError, match="Can't find vector space for value"):
        ag.grad(lambda x: result)(x)


def test_integers():
    gradient = ag.grad(lambda x: np.sum(x / 2 + x**2))(onp.array([1, 2]))
    onp.testing.assert_array_equal(gradient, [2.5, 4.5])
    parts = ag.grad(lambda p: np.sum(p["a"] * p["b"]))({"a": onp.arange(2), "b": x[:2]})
    onp.testing.assert_array_equal(parts["a"], x[:2])
    with pytest.raises(TypeError, match="inputs of floating point"):
        ag.grad(lambda x: x * 2.0)(3)


@pytest.mark.parametrize("operator", [ag.grad, ag.value_and_grad, ag.elementwise_grad, ag.deriv])
def test_a_result_that_does_not_depend_warns(operator):
    with pytest.warns(UserWarning, match="Output seems independent of input"):
        result = operator(lambda x: 1.0)(2.0)
    assert result in (0.0, (1.0, 0.0))


def test_complex_gradients():
    z = 1.0 + 2.0j
    assert ag.grad(lambda z: np.real(z))(z) == 1.0
    assert ag.grad(lambda z: np.imag(z))(z) == -1.0j
    assert ag.grad(lambda z: np.abs(z) ** 2)(z) == pytest.approx(2 * onp.conj(z))
    assert ag.holomorphic_grad(lambda z: z**2)(z) == 2 * z
    with pytest.warns(UserWarning, match="Input to holomorphic_grad is not complex"):
        assert ag.holomorphic_grad(lambda x: x**2)(3.0) == 6.0
    with pytest.raises(TypeError, match="only applies to real-output functions"):
        ag.elementwise_grad(lambda z: z * 1j)(z)


def test_derivatives_of_vectors():
    slope = 1 - layer(x) ** 2
    jacobian = slope[:, None] * A
    onp.testing.assert_allclose(ag.jacobian(layer)(x), jacobian, rtol=1e-14)
    value, tangent = ag.make_jvp(layer)(x)(v)
    onp.testing.assert_array_equal(value, layer(x))
    onp.testing.assert_allclose(tangent, jacobian @ v, rtol=1e-14)
    onp.testing.assert_allclose(make_jvp_reversemode(layer)(x)(v), jacobian @ v, rtol=1e-14)
    vjp, value = ag.make_vjp(layer)(x)
    onp.testing.assert_array_equal(value, layer(x))
    for g in ([1.0, 0.0], [2.0, -3.0]):
        onp.testing.assert_allclose(vjp(onp.array(g)), jacobian.T @ g, rtol=1e-14)
    onp.testing.assert_allclose(
        ag.tensor_jacobian_product(layer)(x, onp.array([2.0, 1.0])),
        [2.0, 1.0] @ jacobian,
        rtol=1e-14,
    )
    assert ag.elementwise_grad(np.sin)(x) == pytest.approx(onp.cos(x))
    assert ag.deriv(lambda x: x**3)(2.0) == 12.0


def test_second_derivatives():
    hessian = onp.diag(6 * x)
    onp.testing.assert_array_equal(ag.hessian(cube)(x), hessian)
    onp.testing.assert_array_equal(ag.hessian_vector_product(cube)(x, v), hessian @ v)
    hvp, gradient = ag.make_hvp(cube)(x)
    onp.testing.assert_array_equal(gradient, 3 * x**2)
    onp.testing.assert_array_equal(hvp(v), hessian @ v)
    assert ag.hessian_tensor_product(lambda y, x: y * x**3, 1)(2.0, 3.0, 1.0) == 36.0


def test_gauss_newton():
    def g(y):
        return np.sum(2.0 * y**2 + y**4)

    jacobian, inner = ag.jacobian(layer)(x), ag.hessian(g)(layer(x))
    onp.testing.assert_allclose(
        ag.make_ggnvp(layer, g)(x)(v), jacobian.T @ inner @ jacobian @ v, rtol=1e-13
    )
    onp.testing.assert_allclose(ag.make_ggnvp(layer)(x)(v), jacobian.T @ jacobian @ v, rtol=1e-13)


def test_auxiliary_result():
    gradient, aux = ag.grad_and_aux(lambda x: (cube(x), {"squares": x**2}))(x)
    onp.testing.assert_array_equal(gradient, 3 * x**2)
    onp.testing.assert_array_equal(aux["squares"], x**2)


def test_all_arguments_by_name():
    def f(a, *more, b=2.0, **named):
        return a * b * more[0] * named["c"]

    assert ag.multigrad_dict(f)(1.0, 3.0, c=4.0) == OrderedDict(
        a=24.0, more=(8.0,), b=12.0, named={"c": 6.0}
    )


def test_checkpoint_and_nesting():
    f = ag.checkpoint(lambda x: np.sin(x) * x)
    assert ag.grad(f)(1.0) == pytest.approx(onp.sin(1.0) + onp.cos(1.0))
    assert ag.grad(ag.grad(f))(1.0) == pytest.approx(2 * onp.cos(1.0) - onp.sin(1.0))
    assert ag.grad(lambda x: x * ag.grad(lambda y: x * y)(2.0))(3.0) == 6.0


def test_containers_are_pythons():
    def f(params):
        assert isinstance(params, dict)
        assert ag.isinstance(params["w"], onp.ndarray)
        assert ag.type(params["w"]) is onp.ndarray
        pair = ag.tuple((params["w"], params["b"]))
        return np.sum(pair[0]) * pair[1] + ag.list([pair[1]])[0] + ag.dict(a=pair[1])["a"]

    gradient = ag.grad(f)({"w": x, "b": 2.0})
    onp.testing.assert_array_equal(gradient["w"], [2.0, 2.0, 2.0])
    assert gradient["b"] == onp.sum(x) + 2


def test_no_warning_without_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ag.grad(lambda x: x[0])([1.0, 2.0])
