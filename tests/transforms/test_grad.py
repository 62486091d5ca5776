"""`grad` and its kin: which arguments, which containers, which errors, and what is left behind."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local

X = np.array([1.0, 2.0, 3.0])


def squares(x):
    return tnp.sum(x * x)


def test_argnums():
    def f(x, y, z):
        return x * y**2 * z**3

    assert tg.grad(f)(2.0, 3.0, 1.0) == 9.0
    assert tg.grad(f, -1)(2.0, 3.0, 1.0) == 54.0
    assert tg.grad(f, (2, 0))(2.0, 3.0, 1.0) == (54.0, 9.0)
    assert tg.grad(f, [1])(2.0, 3.0, 1.0) == (12.0,)
    assert tg.grad(f, ())(2.0, 3.0, 1.0) == ()
    for argnums in (3, -4, (0, 5)):
        with pytest.raises(
            ValueError, match=r"names argument -?\d, but the function was called with 3"
        ):
            tg.grad(f, argnums)(2.0, 3.0, 1.0)


def test_argnames():
    def f(x, *, y):
        return x * y**2

    assert tg.grad(f, argnames="y")(2.0, y=3.0) == 12.0
    assert tg.grad(f, argnames=("y",))(2.0, y=3.0) == (12.0,)
    assert tg.grad(f, (0,), argnames=("y",))(2.0, y=3.0) == (9.0, 12.0)


def test_auxiliary_results():
    def f(x):
        return squares(x), {"twice": 2 * x, "text": "aux", "n": 3}

    gradient, aux = tg.grad(f, has_aux=True)(X)
    assert_allclose(gradient, 2 * X)
    assert type(aux["twice"]) is np.ndarray
    assert (aux["text"], aux["n"]) == ("aux", 3)
    (value, _), gradient = tg.value_and_grad(f, has_aux=True)(X)
    assert value == 14.0
    with pytest.raises(TypeError, match=r"needs a function that returns a pair \(value, aux\)"):
        tg.grad(squares, has_aux=True)(X)


class Pair(NamedTuple):
    a: object
    b: object


@dataclass
class Box:
    item: object


def test_containers_come_back():
    tree = {"pair": Pair(X, None), "box": Box(2.0), "list": [np.float32(3.0)], "empty": ((), {})}

    def f(t):
        return squares(t["pair"].a) * t["box"].item * t["list"][0]

    gradient = tg.grad(f)(tree)
    assert_allclose(gradient["pair"].a, 2 * X * 6)
    assert gradient["pair"].b is None
    assert gradient["box"] == Box(42.0)
    assert gradient["list"][0].dtype == np.float32
    assert gradient["empty"] == ((), {})
    assert tg.grad(lambda t: 1.0)({}) == {}
    assert tg.grad(lambda t: 1.0)(None) is None


@pytest.mark.parametrize("result", [lambda x: 3.0, lambda x: 3, lambda x: np.float64(3.0)])
def test_constant_results_have_zero_gradients(result):
    assert_array_equal(tg.grad(result)(X), np.zeros(3))
    assert tg.jvp(result, (X,), (X,))[1] == 0
    assert_array_equal(tg.hessian(result)(X), np.zeros((3, 3)))


def test_arguments_without_influence():
    assert_array_equal(tg.grad(lambda x, y: squares(x), 1)(X, X), np.zeros(3))
    gradient = tg.grad(lambda p: squares(p["used"]))({"used": X, "unused": np.ones((2, 0))})
    assert gradient["unused"].shape == (2, 0)


def test_empty_and_0d_arrays():
    assert tg.grad(tnp.sum)(np.zeros((0, 3))).shape == (0, 3)
    gradient = tg.grad(lambda x: x * x)(np.array(3.0))
    assert type(gradient) is np.ndarray
    assert gradient.shape == ()
    assert gradient == 6.0
    assert isinstance(tg.grad(lambda x: x * x)(3.0), np.float64)


def test_the_same_array_passed_twice():
    first, second = tg.grad(lambda x, y: tnp.sum(x * y * y), (0, 1))(X, X)
    assert_allclose(first, X * X)
    assert_allclose(second, 2 * X * X)
    first, second = tg.grad(lambda x, y: tnp.sum(x + y), (0, 1))(X, X)
    assert not np.shares_memory(first, second)


def test_results_share_memory_with_nothing():
    seed = np.ones(3)
    value, pullback = tg.vjp(lambda x: x, X)
    (first,), (second,) = pullback(seed), pullback(seed)
    for a, b in ((first, seed), (first, second), (value, X), (first, X)):
        assert not np.shares_memory(a, b)
    value, tangent = tg.jvp(lambda x: x, (X,), (seed,))
    for a, b in ((tangent, seed), (value, X)):
        assert not np.shares_memory(a, b)
    _, push = tg.linearize(lambda x: (x, x), X)
    one, two = push(seed)
    assert not np.shares_memory(one, two)
    assert not np.shares_memory(one, seed)
    (_, aux), gradient = tg.value_and_grad(lambda x: (x[0], (x, x[1:])), has_aux=True)(X)
    assert gradient.flags.writeable
    assert not any(np.shares_memory(a, X) for a in aux)
    _, aux = tg.jacobian(lambda x: (x, x), has_aux=True)(X)
    assert not np.shares_memory(aux, X)


def test_float32_is_kept():
    x = X.astype(np.float32)
    for f in (squares, lambda x: squares(2 * x) + 1, lambda x: tnp.mean(x**2), tnp.linalg.norm):
        assert tg.grad(f)(x).dtype == np.float32
        assert tg.jvp(f, (x,), (x,))[1].dtype == np.float32
        assert tg.hessian(f)(x).dtype == np.float32


@pytest.mark.parametrize("value", [2, np.arange(3), True, [1, 2]])
def test_integers_raise(value):
    for transform in (tg.grad, tg.value_and_grad, tg.jacobian, tg.hessian):
        with pytest.raises(TypeError, match="needs inputs of floating point, but argument 0 of"):
            transform(lambda x: 1.0)(value)
    with pytest.raises(TypeError, match=r"jvp needs inputs of floating point"):
        tg.jvp(lambda x: 1.0, (value,), (value,))


def test_errors_say_which_leaf():
    def f(x, p):
        return x

    with pytest.raises(TypeError, match=r"argument 1 of f at \['b'\]\[0\] has dtype int64"):
        tg.grad(f, (0, 1))(1.0, {"a": 1.0, "b": [3]})
    with pytest.raises(TypeError, match=r"argument 0 of .* must be an array or a number.* str"):
        tg.grad(lambda x: 1.0)("text")


def test_results_that_are_no_scalars():
    with pytest.raises(
        TypeError, match=r"scalar result, but this one returned shape \(3,\)\. Reduce"
    ):
        tg.grad(lambda x: x * x)(X)
    with pytest.raises(TypeError, match=r"must be an array or a number, but is of type dict\."):
        tg.grad(lambda x: {"loss": x})(1.0)
    with pytest.raises(TypeError, match=r"is of type NoneType\. Does it lack a return"):
        tg.grad(lambda x: None)(1.0)
    with pytest.raises(TypeError, match=r"or a pair \(scalar, anything\) with has_aux=True"):
        tg.grad(lambda x: (x, x))(1.0)
    with pytest.raises(TypeError, match="is of type ndarray and dtype object"):
        tg.grad(lambda x: np.array("loss", object))(1.0)


TRANSFORMS = [
    *[tg.grad, tg.value_and_grad, tg.jacobian, tg.jacrev, tg.jacfwd, tg.hessian],
    *[tg.elementwise_grad, tg.vmap, tg.checkpoint, tg.record, tg.custom_vjp, tg.custom_jvp],
]


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda transform: transform.__name__)
def test_what_is_transformed_must_be_a_function(transform):
    said = rf"{transform.__name__} needs a function as its first argument, but got float64\[3\]"
    with pytest.raises(TypeError, match=said):
        transform(X)


def test_what_is_walked_must_be_a_function():
    with pytest.raises(TypeError, match="vjp needs a function as its first argument, but got str"):
        tg.vjp("sin", X)
    with pytest.raises(TypeError, match="jvp needs a function"):
        tg.jvp(X, (X,), (X,))
    with pytest.raises(TypeError, match="linearize needs a function"):
        tg.linearize(X, X)
    with pytest.raises(TypeError, match="hvp needs a function"):
        tg.hvp(X, X, X)
    with pytest.raises(TypeError, match="check_grads needs a function"):
        tg.check_grads(X, (X,))


def test_arguments_that_are_not_there():
    for argnums in ("x", 1.0, None, (0, "x")):
        with pytest.raises(TypeError, match="argnums must be an integer or a sequence of integers"):
            tg.grad(squares, argnums)(X)
    with pytest.raises(ValueError, match=r"argnames names 'x', but .* given were: none. Write x="):
        tg.grad(squares, argnames="x")(X)
    with pytest.raises(ValueError, match=r"argnames names 'y', but .* given were: x\."):
        tg.grad(squares, argnames=("x", "y"))(x=X)
    with pytest.raises(ValueError, match=r"with 0 positional arguments\. Give .* or use argnames"):
        tg.grad(squares)(x=X)


def test_complex_arguments():
    z = 1 + 2j
    assert tg.grad(lambda z: tnp.abs(z) ** 2)(z) == 2 - 4j
    assert tg.grad(lambda z: z * z, holomorphic=True)(z) == 2 * z
    with pytest.raises(
        TypeError, match="needs a real result, but the function returned complex128"
    ):
        tg.grad(lambda z: z * z)(z)
    with pytest.raises(TypeError, match="holomorphic=True needs complex inputs"):
        tg.grad(lambda x: x * x, holomorphic=True)(2.0)


def test_structures_of_tangents_and_cotangents_are_checked():
    _, pullback = tg.vjp(lambda x: {"y": x}, X)
    with pytest.raises(TypeError, match="vjp, the cotangent: the structures differ"):
        pullback(X)
    with pytest.raises(ValueError, match=r"must have shape \(3,\), but has shape \(2,\)"):
        pullback({"y": X[:2]})
    with pytest.raises(TypeError, match="the structures differ"):
        tg.jvp(lambda x, y: x, (X, X), (X,))
    with pytest.raises(TypeError, match="primals must be a tuple with one entry an argument"):
        tg.jvp(lambda x: x, X, X)


@pytest.mark.parametrize(
    "call",
    [
        tg.grad,
        tg.value_and_grad,
        tg.elementwise_grad,
        lambda f: lambda x: tg.vjp(f, x),
        lambda f: lambda x: tg.jvp(f, (x,), (x,)),
        lambda f: lambda x: tg.linearize(f, x),
        lambda f: lambda x: tg.hvp(f, x, x),
        lambda f: lambda x: tg.hessian_diag(f, x),
        lambda f: tg.grad(lambda x: tg.grad(f)(x).sum()),
        lambda f: tg.vmap(tg.grad(f), in_axes=None, axis_size=2),
    ],
)
def test_a_raise_leaves_the_tape(call):
    def f(x):
        tnp.sin(x) * x
        raise RuntimeError("inside")

    before, tape, marks = len(local.root), local.tape, len(local.root.marks)
    with pytest.raises(RuntimeError, match="inside"):
        call(f)(X)
    assert (len(local.root), local.tape, len(local.root.marks)) == (before, tape, marks)


def test_nothing_is_left_on_the_tape():
    before = len(local.root)
    tg.grad(lambda x: tg.hvp(squares, x, x).sum())(X)
    tg.vmap(tg.jacobian(tnp.sin))(X[None])
    _, pullback = tg.vjp(tnp.sin, X)
    pullback(X)
    assert len(local.root) == before


def test_stop_gradient():
    assert tg.grad(lambda x: x * tg.stop_gradient(x))(3.0) == 3.0
    assert tg.jvp(lambda x: x * tg.stop_gradient(x), (3.0,), (1.0,))[1] == 3.0
    assert_allclose(tg.vmap(tg.grad(lambda x: x * tg.stop_gradient(x)))(X), X)
    stopped = tg.stop_gradient({"a": X, "b": (1, None, "text")})
    assert stopped["a"] is X
    assert stopped["b"] == (1, None, "text")

    def f(x):
        inside = tg.stop_gradient({"a": x, "n": 2})
        return inside["a"] * inside["n"] + x

    assert tg.grad(f)(3.0) == 1.0
    # it stops the outer derivative too: as jax.lax.stop_gradient does, this leaves stop(x) * x
    assert tg.grad(lambda x: tg.grad(lambda y: y * tg.stop_gradient(y) * x)(x))(3.0) == 3.0


def test_pullbacks_are_called_many_times_and_inside_transforms():
    _, pullback = tg.vjp(lambda x: tnp.sin(x) * x[0], X)
    rows = np.stack([pullback(g)[0] for g in np.eye(3)])
    assert_allclose(rows, np.stack([pullback(g)[0] for g in np.eye(3)]))
    assert_allclose(tg.vmap(pullback)(np.eye(3))[0], rows)
    assert_allclose(tg.jacobian(lambda g: pullback(g)[0])(X), rows.T)
    assert_allclose(tg.checkpoint(pullback)(X)[0], X @ rows)


@pytest.mark.parametrize(
    "f", [np.argmax, lambda x: np.sum(x > 1), lambda x: x[0] > 1, lambda x: np.sum(x.astype(int))]
)
def test_a_result_that_is_an_integer_raises(f):
    with pytest.raises(TypeError, match="grad needs a result of floating point, but the function"):
        tg.grad(f)(np.array([1.0, 2.0]))
    assert np.all(tg.grad(lambda x: f(x) * 1.0)(np.array([1.0, 2.0])) == 0)
