"""Functions with derivatives of their own: `primitive` and what gives it rules."""

import numpy as onp
import pytest

import tapegrad as tg
import tapegrad.compat.autograd as ag
import tapegrad.compat.autograd.numpy as np
from tapegrad.compat.autograd import core, extend
from tapegrad.compat.autograd.test_util import check_grads

x = onp.array([0.5, -1.0, 2.0])


def make_power():
    """``x ** n``, computed where only plain arrays can be."""

    @extend.primitive
    def power(x, n):
        out = onp.empty_like(x)
        onp.power(x, n, out=out)
        return out

    extend.defvjp(power, lambda ans, x, n: lambda g: g * n * power(x, n - 1), None)
    return power


def test_reverse_mode_of_any_order():
    power = make_power()

    def f(x):
        return np.sum(power(x, 4))

    onp.testing.assert_allclose(ag.grad(f)(x), 4 * x**3)
    onp.testing.assert_allclose(ag.hessian(f)(x), onp.diag(12 * x**2))
    onp.testing.assert_allclose(ag.jacobian(lambda x: power(x, 2))(x), onp.diag(2 * x))
    onp.testing.assert_allclose(tg.hessian(f)(x), onp.diag(12 * x**2))
    onp.testing.assert_allclose(
        tg.vmap(lambda x: power(x, 3))(onp.stack([x, 2 * x])), onp.stack([x, 2 * x]) ** 3
    )
    check_grads(lambda x: power(x, 3), modes=["rev"], order=2)(x)
    assert power(x, 2).tolist() == (x**2).tolist()


def test_forward_mode():
    power = make_power()  # by the rule for reverse mode, transposed
    onp.testing.assert_allclose(ag.make_jvp(lambda x: power(x, 3))(x)(x)[1], 3 * x**3)
    check_grads(lambda x: power(x, 3))(x)
    extend.defjvp(power, lambda g, ans, x, n: g * n * power(x, n - 1))
    onp.testing.assert_allclose(ag.make_jvp(lambda x: power(x, 3))(x)(x)[1], 3 * x**3)
    check_grads(lambda x: power(x, 3))(x)


def test_reverse_mode_by_the_rule_for_forward_mode():
    square = extend.primitive(lambda x: onp.square(x))
    extend.defjvp(square, lambda g, ans, x: 2 * g * x)
    assert ag.grad(square)(3.0) == 6.0
    assert ag.grad(ag.grad(square))(3.0) == 2.0
    check_grads(square)(x)


def test_rules_of_several_arguments_and_results():
    @extend.primitive
    def rotate(pair, angle):
        c, s = onp.cos(angle), onp.sin(angle)
        return {"u": c * pair[0] - s * pair[1], "v": s * pair[0] + c * pair[1]}

    def vjps(argnums, ans, args, kwargs):
        _, angle = args
        c, s = np.cos(angle), np.sin(angle)
        rules = {
            0: lambda g: (c * g["u"] + s * g["v"], c * g["v"] - s * g["u"]),
            1: lambda g: np.sum(ans["u"] * g["v"] - ans["v"] * g["u"]),
        }
        return lambda g: [rules[i](g) for i in argnums]

    def jvps(argnums, gs, ans, args, kwargs):
        total = {"u": 0.0 * ans["u"], "v": 0.0 * ans["v"]}
        for i, g in zip(argnums, gs, strict=True):
            part = rotate(g, args[1]) if i == 0 else {"u": -g * ans["v"], "v": g * ans["u"]}
            total = {k: total[k] + part[k] for k in total}
        return total

    extend.defvjp_argnums(rotate, vjps)
    extend.defjvp_argnums(rotate, jvps)
    pair = (onp.array([1.0, 2.0]), onp.array([0.5, -1.0]))
    check_grads(rotate, (0, 1))(pair, 0.3)
    check_grads(lambda angle: rotate(pair, angle)["u"])(0.3)


def test_rules_by_argnum():
    @extend.primitive
    def product(*xs):
        return onp.prod(onp.stack(xs), axis=0)

    extend.defvjp_argnum(product, lambda i, ans, xs, kwargs: lambda g: g * ans / xs[i])
    extend.defjvp_argnum(product, lambda i, g, ans, xs, kwargs: g * ans / xs[i])
    check_grads(product, (0, 2))(x, 2 * x, x + 1.5)


def test_linear():
    @extend.primitive
    def mix(x, y):
        return x @ y

    extend.def_linear(mix)
    value, tangent = ag.make_jvp(mix, 0)(x, 3 * x)(x + 1)
    assert tangent == (x + 1) @ (3 * x)
    assert value == x @ (3 * x)
    extend.defjvp(mix, "same", None)
    assert ag.make_jvp(lambda x: mix(x, x))(x)(x)[1] == x @ x


def test_a_missing_rule_raises():
    f = extend.primitive(lambda x, y: x * y)
    with pytest.raises(NotImplementedError, match="VJP of <lambda> wrt argnums 0 not defined"):
        ag.grad(f)(2.0, 3.0)
    with pytest.raises(NotImplementedError, match="JVP of <lambda> wrt argnums 0 not defined"):
        ag.deriv(lambda x: f(x, 3.0))(2.0)
    extend.defvjp(f, lambda ans, x, y: lambda g: g * y)
    assert ag.grad(f)(2.0, 3.0) == 3.0
    with pytest.raises(NotImplementedError, match="wrt argnums 1 not defined"):
        ag.grad(f, 1)(2.0, 3.0)
    assert f in core.primitive_vjps
    del core.primitive_vjps[f]
    with pytest.raises(NotImplementedError, match="not defined"):
        ag.grad(f)(2.0, 3.0)


def test_wrong_use_raises():
    f = extend.primitive(lambda x: 2.0 * x)
    with pytest.raises(TypeError, match="defvjp_argnums needs a primitive, and sort is none"):
        extend.defvjp(np.sort, None)
    with pytest.raises(TypeError, match="Bad VJP 3 for"):
        extend.defvjp(f, 3)
    with pytest.raises(TypeError, match="Bad JVP 'linear' for"):
        extend.defjvp(f, "linear")
    scaled = extend.primitive(lambda x, by=1.0: x * by)
    with pytest.raises(TypeError, match="got a traced array as a keyword argument"):
        ag.grad(lambda x: scaled(x, by=x))(2.0)
    extend.defvjp(f, lambda ans, x: lambda g: np.zeros(3))
    with pytest.raises(ValueError, match="argument 0 from the VJP of <lambda>"):
        ag.grad(f)(2.0)


def test_functions_without_derivative():
    seen = []

    @extend.primitive
    def count(x):
        seen.append(type(x))
        return onp.sum(x > 0)

    extend.register_notrace(None, count)
    assert ag.grad(lambda x: x[0] * count(x))(x).tolist() == [2.0, 0.0, 0.0]
    plain = extend.notrace_primitive(lambda x: seen.append(type(x)) or 3.0)
    assert ag.grad(lambda x: x[0] * plain(x))(x).tolist() == [3.0, 0.0, 0.0]
    assert seen == [onp.ndarray, onp.ndarray]


def test_methods():
    class Scale:
        by = 3.0

        @extend.primitive
        def __call__(self, x):
            return self.by * x

    extend.defvjp(Scale.__call__, None, lambda ans, self, x: lambda g: self.by * g)
    assert ag.grad(Scale())(2.0) == 3.0


def test_deprecated_methods():
    f = ag.primitive(lambda x, y: x * y)
    with pytest.warns(DeprecationWarning, match="The method defgrad of primitives is deprecated"):
        f.defgrad(lambda ans, x, y: lambda g: g * y)
    with pytest.warns(DeprecationWarning, match="defvjp"):
        f.defvjp(lambda g, ans, vs, gvs, x, y: g * x, argnum=1)
    assert ag.grad(f, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    with pytest.warns(DeprecationWarning, match="defvjp_is_zero"):
        f.defvjp_is_zero([1])
    assert ag.grad(f, (0, 1))(2.0, 3.0) == (3.0, 0.0)
