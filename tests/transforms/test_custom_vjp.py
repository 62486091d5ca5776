"""`custom_vjp`: the rule that is given is the derivative, at every order and over lanes."""

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


def with_new_residuals():
    f = tg.custom_vjp(reference)
    f.defvjp(
        lambda x, y: (tnp.sin(x) * y, {"cos": tnp.cos(x), "rest": (x, y, None)}),
        lambda r, g: (g * r["cos"] * r["rest"][1], g * tnp.sin(r["rest"][0])),
    )
    return f


def with_arguments_as_residuals():
    f = tg.custom_vjp(reference)
    f.defvjp(
        lambda x, y: (f(x, y), (x, y)),
        lambda r, g: (g * tnp.cos(r[0]) * r[1], g * tnp.sin(r[0])),
    )
    return f


def with_the_result_as_residual():
    f = tg.custom_vjp(reference)

    def forward(x, y):
        out = tnp.sin(x) * y
        return out, (out, x, y, "option", 1.0)

    f.defvjp(forward, lambda r, g: (g * tnp.cos(r[1]) * r[2], g * r[0] / r[2] * r[4]))
    return f


KINDS = (with_new_residuals, with_arguments_as_residuals, with_the_result_as_residual)

MIXES = {
    "value": lambda f: f,
    "grad": tg.grad,
    "jacrev": tg.jacrev,
    "hessian": tg.hessian,
    "reverse over reverse": lambda f: tg.jacrev(tg.jacrev(f)),
    "hvp": lambda f: lambda x: tg.hvp(f, x, x),
    "third order": lambda f: tg.grad(
        lambda x: tnp.sum(tg.grad(lambda x: tnp.sum(tg.grad(f)(x) ** 2))(x))
    ),
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
    assert_allclose(tg.vmap(tg.vmap(transform(f)))(lanes[None])[0], expected, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_through_lanes(kind):
    lanes = np.stack([X, 2 * X])
    for axes, args in (((0, None), (lanes, Y)), ((None, 0), (X, lanes)), ((0, 0), (lanes, lanes))):

        def total(f, axes=axes):
            return lambda x, y: tnp.sum(tg.vmap(f, axes)(x, y) ** 2)

        for transform in (tg.grad, tg.hessian):
            actual = transform(total(kind()), (0, 1))(*args)
            expected = transform(total(reference), (0, 1))(*args)
            for a, e in zip(tg.tree.leaves(actual), tg.tree.leaves(expected), strict=True):
                assert_allclose(a, e, rtol=1e-9, atol=1e-12)


def doubled():
    """The identity, with a rule that is not its derivative: so it shows who was asked."""
    f = tg.custom_vjp(lambda x: x * 1.0)
    f.defvjp(lambda x: (x * 1.0, None), lambda _, g: (2 * g,))
    return f


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_array_passed_twice(kind):
    for transform in (tg.grad, tg.hessian):
        actual = transform(lambda x, y: tnp.sum(kind()(x, y) ** 2), (0, 1))(X, X)
        expected = transform(lambda x, y: tnp.sum(reference(x, y) ** 2), (0, 1))(X, X)
        for a, e in zip(tg.tree.leaves(actual), tg.tree.leaves(expected), strict=True):
            assert_allclose(a, e, rtol=1e-9, atol=1e-12)


def test_the_rule_is_the_derivative():
    f = doubled()
    assert tg.grad(f)(3.0) == 2.0
    assert_allclose(tg.vmap(tg.grad(f))(X), [2, 2, 2])
    assert_allclose(tg.grad(lambda x: tg.vmap(f)(x).sum())(X), [2, 2, 2])
    assert tg.grad(tg.checkpoint(f))(3.0) == 2.0
    # of f(x) * x at second order: 2 from either factor
    assert tg.grad(tg.grad(lambda x: f(x) * x))(3.0) == 4.0
    assert tg.hessian(lambda x: f(x) * x)(3.0) == 4.0


def test_one_entry_also_over_lanes():
    f, lengths = doubled(), []

    def total(x):
        before = len(local.tape)
        y = tg.vmap(f)(x)
        lengths.append(len(local.tape) - before)
        return y.sum()

    tg.grad(total)(X)
    assert lengths == [2]  # the entry, and the one of its result


def test_the_function_runs_without_a_derivative_and_fwd_with_one():
    calls = []

    @tg.custom_vjp
    def f(x):
        calls.append("f")
        return x * x

    def forward(x):
        calls.append("fwd")
        return x * x, x

    f.defvjp(forward, lambda x, g: (2 * x * g,))
    f(3.0)
    f(X)
    tg.grad(f)(3.0)
    assert calls == ["f", "f", "fwd"]


def test_functions_that_no_tape_could_follow():
    @tg.custom_vjp
    def f(x):
        return np.asarray([value**2 for value in x.tolist()])

    f.defvjp(lambda x: (f(x), x), lambda x, g: (2 * x * g,))
    assert_allclose(tg.grad(lambda x: f(x).sum())(X), 2 * X)
    assert_allclose(tg.hessian(lambda x: f(x).sum())(X), 2 * np.eye(3))


@pytest.mark.parametrize(
    "transform",
    [
        tg.jacfwd,
        lambda f: lambda x: tg.jvp(f, (x,), (x,)),
        lambda f: lambda x: tg.linearize(f, x)[1](x),
        lambda f: tg.jacfwd(tg.jacfwd(f)),
        lambda f: tg.jacrev(tg.jacfwd(f)),
        lambda f: lambda x: tg.grad(lambda x: tg.jvp(f, (x,), (x,))[1].sum())(x),
        lambda f: tg.vmap(tg.jacfwd(f), in_axes=None, axis_size=2),
        lambda f: tg.jacfwd(lambda x: tg.vmap(f)(x)),
        lambda f: tg.jacfwd(tg.checkpoint(f)),
    ],
)
def test_forward_mode_raises(transform):
    with pytest.raises(TypeError, match="has no forward-mode rule: a function of custom_vjp"):
        transform(doubled())(X)


def test_trees_options_and_defaults():
    @tg.custom_vjp
    def f(p, scale=2.0, *rest):
        return {"out": (p["a"] * scale, p["b"])}

    def backward(residuals, g):
        _, scale = residuals
        assert isinstance(scale, float)
        return {"a": g["out"][0] * scale * 10, "b": None}, None

    f.defvjp(lambda p, scale: (f(p, scale), (p, scale)), backward)
    gradient = tg.grad(lambda p: f(p)["out"][0].sum())({"a": X, "b": Y})
    assert_allclose(gradient["a"], [20, 20, 20])
    assert_allclose(gradient["b"], [0, 0, 0])
    gradient = tg.grad(lambda p: f(scale=3.0, p=p)["out"][1].sum())({"a": X, "b": Y})
    assert_allclose(gradient["a"], [0, 0, 0])


def test_arguments_that_are_not_differentiated():
    calls = []

    def apply(function, x, power):
        return function(x) ** power

    f = tg.custom_vjp(apply, nondiff_argnums=(0, 2))

    def backward(function, power, x, g):
        calls.append((function, power))
        return (100 * g * x,)

    f.defvjp(lambda function, x, power: (function(x) ** power, x), backward)
    assert_allclose(tg.grad(lambda x: f(tnp.sin, x, 2).sum())(X), 100 * X)
    assert_allclose(tg.vmap(tg.grad(lambda x: f(tnp.sin, x, 2)))(X), 100 * X)
    assert calls[0] == (tnp.sin, 2)

    @tg.custom_vjp(nondiff_argnums=0)
    def g(n, x):
        return x**n

    g.defvjp(lambda n, x: (x**n, x), lambda n, x, g: (g * n,))
    assert tg.grad(lambda x: g(3, x))(2.0) == 3.0


def test_integer_arguments_and_results():
    @tg.custom_vjp
    def f(x, i):
        return x[i] * 2, i + 1

    f.defvjp(
        lambda x, i: (f(x, i), (x, i)),
        lambda r, g: (tnp.where(tnp.arange(3) == r[1], 5 * g[0], 0.0), None),
    )
    assert_allclose(tg.grad(lambda x: f(x, np.int64(1))[0])(X), [0, 5, 0])
    lanes = tg.vmap(tg.grad(lambda x, i: f(x, i)[0]))(np.stack([X, X]), np.array([0, 2]))
    assert_allclose(lanes, [[5, 0, 0], [0, 0, 5]])
    assert f(X, np.int64(1))[1] == 2


def test_closing_over_a_traced_value_raises():
    def f(w):
        g = tg.custom_vjp(lambda x: x * w)
        g.defvjp(lambda x: (x * w, None), lambda _, g: (g,))
        return g(2.0)

    def residual(w):
        g = tg.custom_vjp(lambda x: x * 1.0)
        g.defvjp(lambda x: (x * 1.0, w), lambda w, g: (g * w,))
        return tg.grad(g)(2.0)

    def option(w):
        g = tg.custom_vjp(lambda w, x: x * w, nondiff_argnums=0)
        g.defvjp(lambda w, x: (x * w, None), lambda w, _, g: (g,))
        return g(w, 2.0)

    for h in (f, residual, option):
        for transform in (tg.grad, lambda h: lambda w: tg.jvp(h, (w,), (1.0,))):
            with pytest.raises(TapegradError, match="closes over a traced value"):
                transform(h)(3.0)
        with pytest.raises(TapegradError, match="closes over a traced value"):
            tg.vmap(h)(X)


def test_mistakes():
    f = tg.custom_vjp(lambda x, y: x * y)
    with pytest.raises(AttributeError, match=r"has no rule yet. Give it one with .*defvjp\(fwd"):
        f(1.0, 2.0)

    def rule(backward):
        f.defvjp(lambda x, y: (x * y, (x, y)), lambda r, g: backward(r, g))
        return tg.grad(lambda x: tnp.sum(f(x, Y)))(X)

    with pytest.raises(TypeError, match=r"tuple of 2 cotangents, .* returned 1 of them"):
        rule(lambda r, g: (g,))
    with pytest.raises(TypeError, match=r"tuple of 2 cotangents, .* but returned ndarray"):
        rule(lambda r, g: g)
    with pytest.raises(ValueError, match=r"must have shape \(3,\), but has shape \(\)"):
        rule(lambda r, g: (1.0, g))
    with pytest.raises(TypeError, match="must be float64, but is complex128"):
        rule(lambda r, g: (g * 1j, g))
    f.defvjp(lambda x, y: x * y, lambda r, g: (g, g))
    with pytest.raises(TypeError, match=r"fwd of .* must return a pair \(result, residuals\)"):
        tg.grad(lambda x: tnp.sum(f(x, Y)))(X)
    h = tg.custom_vjp(lambda p: p["a"])
    h.defvjp(lambda p: (p["a"], None), lambda _, g: ({"b": g},))
    with pytest.raises(TypeError, match=r"cotangent of argument 0 from bwd .* structures differ"):
        tg.grad(lambda x: tnp.sum(h({"a": x})))(X)
    k = tg.custom_vjp(lambda x, *, n: x)
    k.defvjp(lambda x: (x, None), lambda _, g: (g,))
    with pytest.raises(TypeError, match=r"keyword-only arguments \['n'\]"):
        k(1.0, n=2)


def test_dtypes_are_kept():
    f = with_new_residuals()
    x, y = X.astype(np.float32), Y.astype(np.float32)
    assert f(x, y).dtype == np.float32
    gradients = tg.grad(lambda x, y: f(x, y).sum(), (0, 1))(x, y)
    assert [g.dtype for g in gradients] == [np.float32, np.float32]


def test_names_and_documentation_are_kept():
    @tg.custom_vjp
    def f(x):
        """What it does."""
        return x

    assert (f.__name__, f.__doc__) == ("f", "What it does.")


def test_a_raise_leaves_the_tape():
    f = tg.custom_vjp(lambda x: x * 1.0)

    def raising(*args):
        raise RuntimeError("inside")

    before, tape = len(local.root), local.tape
    for forward, backward in ((raising, raising), (lambda x: (x * 1.0, x), raising)):
        f.defvjp(forward, backward)
        for transform in (tg.grad, lambda f: tg.vmap(tg.grad(f), in_axes=None, axis_size=2)):
            with pytest.raises(RuntimeError, match="inside"):
                transform(f)(2.0)
            assert (len(local.root), local.tape) == (before, tape)
