"""`custom_jvp`: one tangent rule serves both modes, at every order and over lanes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local
from tapegrad.errors import TapegradError

X = np.array([0.1, 0.5, -0.4])
Y = np.array([1.0, 2.0, 3.0])


def reference(x, y):
    return tnp.sin(x) * y


def by_rule():
    f = tg.custom_jvp(reference)

    @f.defjvp
    def rule(primals, tangents):
        x, y = primals
        return f(x, y), tnp.cos(x) * y * tangents[0] + tnp.sin(x) * tangents[1]

    return f


def by_rule_an_argument():
    f = tg.custom_jvp(reference)
    f.defjvps(lambda t, _, x, y: tnp.cos(x) * y * t, lambda t, out, _x, y: out / y * t)
    return f


KINDS = (by_rule, by_rule_an_argument)

MIXES = {
    "value": lambda f: f,
    "grad": tg.grad,
    "jacfwd": tg.jacfwd,
    "hessian": tg.hessian,
    "reverse over reverse": lambda f: tg.jacrev(tg.jacrev(f)),
    "reverse over forward": lambda f: tg.jacrev(tg.jacfwd(f)),
    "forward over forward": lambda f: tg.jacfwd(tg.jacfwd(f)),
    "third order": lambda f: tg.grad(lambda x: tnp.sum(tg.hessian(f)(x) ** 2)),
}


def loss(f):
    return lambda x: tnp.sum(f(x * x, Y) ** 2 + f(Y, x))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mix", MIXES)
def test_derivatives(kind, mix):
    transform, f = MIXES[mix], loss(kind())
    expected = transform(loss(reference))(X)
    assert_allclose(transform(f)(X), expected, rtol=1e-9)
    assert_allclose(transform(tg.checkpoint(f))(X), expected, rtol=1e-9)
    lanes = np.stack([X, 2 * X])
    expected = np.stack([expected, transform(loss(reference))(2 * X)])
    assert_allclose(tg.vmap(transform(f))(lanes), expected, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_through_lanes(kind):
    lanes = np.stack([X, 2 * X])
    for axes, args in (((0, None), (lanes, Y)), ((None, 0), (X, lanes)), ((0, 0), (lanes, lanes))):

        def total(f, axes=axes):
            return lambda x, y: tnp.sum(tg.vmap(f, axes)(x, y) ** 2)

        for transform in (tg.grad, tg.jacfwd, tg.hessian):
            actual = transform(total(kind()), (0, 1))(*args)
            expected = transform(total(reference), (0, 1))(*args)
            for a, e in zip(tg.tree.leaves(actual), tg.tree.leaves(expected), strict=True):
                assert_allclose(a, e, rtol=1e-9, atol=1e-12)


def test_the_rule_is_the_derivative_in_both_modes():
    f = tg.custom_jvp(lambda x: x * 1.0)
    f.defjvp(lambda primals, tangents: (f(*primals), 2 * tangents[0]))
    assert tg.grad(f)(3.0) == 2.0
    assert tg.jvp(f, (3.0,), (1.0,)) == (3.0, 2.0)
    assert tg.grad(tg.grad(lambda x: f(x) * x))(3.0) == 4.0
    assert tg.hessian(lambda x: f(x) * x)(3.0) == 4.0
    assert_allclose(tg.vmap(tg.grad(f))(X), [2, 2, 2])


def test_one_entry_also_over_lanes():
    f, lengths = by_rule(), []

    def total(x):
        before = len(local.tape)
        y = tg.vmap(f)(x, Y)
        lengths.append(len(local.tape) - before)
        return y.sum()

    tg.grad(total)(X)
    assert lengths == [2]


def test_trees_options_and_arguments_that_are_not_differentiated():
    @tg.custom_jvp(nondiff_argnums=(0,))
    def f(function, p, scale=3.0):
        return {"out": function(p["a"]) * scale, "b": (p["b"], 2)}

    @f.defjvp
    def rule(function, primals, tangents):
        (p, scale), (t, scale_t) = primals, tangents
        assert scale_t == 0.0
        out = f(function, p, scale)
        return out, {"out": 10 * scale * t["a"], "b": (t["b"], 0)}

    def total(p):
        return f(tnp.sin, p)["out"].sum() + f(tnp.sin, p)["b"][0].sum()

    gradient = tg.grad(total)({"a": X, "b": Y})
    assert_allclose(gradient["a"], [30, 30, 30])
    assert_allclose(gradient["b"], [1, 1, 1])
    assert f(tnp.sin, {"a": X, "b": Y})["b"][1] == 2


def test_no_rule_for_an_argument():
    f = tg.custom_jvp(lambda x, y: x * y)
    f.defjvps(None, lambda t, _, x, _y: t * x)
    assert tg.grad(f, (0, 1))(2.0, 3.0) == (0.0, 2.0)
    f.defjvps(None, None)
    assert tg.grad(f, (0, 1))(2.0, 3.0) == (0.0, 0.0)


def test_closing_over_a_traced_value_raises():
    def f(w):
        g = tg.custom_jvp(lambda x: x * w)
        g.defjvps(lambda t, _, _x: t)
        return g(2.0)

    for transform in (tg.grad, tg.jacfwd):
        with pytest.raises(TapegradError, match=r"the custom_jvp function .* closes over a traced"):
            transform(f)(3.0)


def test_mistakes():
    f = tg.custom_jvp(lambda x: x * 1.0)
    with pytest.raises(AttributeError, match=r"has no rule yet. Give it one with .*defjvp\(rule\)"):
        f(1.0)
    f.defjvp(lambda primals, tangents: tangents[0])
    with pytest.raises(TypeError, match=r"must return a pair \(result, tangent\), but returned"):
        tg.grad(f)(2.0)
    f.defjvp(lambda primals, tangents: (f(*primals), (tangents[0],)))
    with pytest.raises(TypeError, match=r"the tangent from the rule .* the structures differ"):
        tg.grad(f)(2.0)
    f.defjvp(lambda primals, tangents: (f(*primals), tangents[0].sum()))
    with pytest.raises(ValueError, match=r"must have shape \(3,\), but has shape \(\)"):
        tg.grad(lambda x: f(x).sum())(X)
    f.defjvps(None, None)
    with pytest.raises(TypeError, match="given 2 rules, but it was called with 1 arguments"):
        tg.grad(f)(2.0)
    g = tg.custom_jvp(lambda n, x: x, nondiff_argnums=0)
    with pytest.raises(TypeError, match="does not go with nondiff_argnums"):
        g.defjvps(None)


def test_dtypes_are_kept():
    x, y = X.astype(np.float32), Y.astype(np.float32)
    for kind in KINDS:
        f = kind()
        assert f(x, y).dtype == np.float32
        gradients = tg.grad(lambda x, y, f=f: f(x, y).sum(), (0, 1))(x, y)
        assert [g.dtype for g in gradients] == [np.float32, np.float32]
        assert tg.jvp(f, (x, y), (x, y))[1].dtype == np.float32
