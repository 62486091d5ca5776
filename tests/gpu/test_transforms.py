"""Transforms, random numbers and checks on the stand-in: the same as on the host, and there."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.special as special
from tapegrad.transforms.stop import stop_gradient

from .standin import counts, lenient, to_device, to_host, xp

RNG = np.random.default_rng(0)
X = RNG.standard_normal(4)
W = RNG.standard_normal((3, 4))


def energy(x):
    """A scalar function with products, a reduction, a choice, an index and a special function."""
    y = tnp.sin(x) * x[::-1] + tnp.where(x > 0, x * x, 2 * x)
    return (y * tnp.exp(-x)).sum() + tnp.linalg.norm(y) + special.erf(x[1]) * x[0]


def layer(x):
    return tnp.tanh(to_side(W, x) @ x) * 2.0


def to_side(constant, x):
    """A constant where `x` is."""
    raw = getattr(x, "raw", x)
    return to_device(constant) if isinstance(raw, xp.ndarray) else constant


def both(function, *args, waits=0):
    """A function on the host and on the device gives the same, there, and copies nothing back."""
    with np.errstate(all="ignore"):
        expected = function(*args)
    there = to_device(args)
    counts.clear()
    with lenient():
        actual = function(*there)
    assert counts["waits"] <= waits, f"waited {counts['waits']} times"
    assert not counts["downloads"]
    same(actual, expected)


def same(actual, expected):
    actual, expected = tg.tree.leaves(actual), tg.tree.leaves(expected)
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        found = to_host(a)
        assert found.shape == np.shape(e)
        assert found.dtype == e.dtype
        np.testing.assert_allclose(found, e, rtol=1e-10, atol=1e-12)


V = RNG.standard_normal(4)


@pytest.mark.parametrize(
    "function",
    {
        "grad": tg.grad(energy),
        "value and grad": tg.value_and_grad(energy),
        "auxiliary": tg.grad(lambda x: (energy(x), {"twice": 2 * x}), has_aux=True),
        "jacrev": tg.jacrev(layer),
        "jacfwd": tg.jacfwd(layer),
        "jacobian": tg.jacobian(layer),
        "in chunks": tg.jacrev(layer, chunk_size=2),
        "hessian": tg.hessian(energy),
        "third order": tg.jacfwd(tg.hessian(energy)),
        "reverse over reverse": tg.jacrev(tg.grad(energy)),
        "elementwise grad": tg.elementwise_grad(tnp.sin),
        "vmap": tg.vmap(lambda x: x * x + tnp.cos(x)),
        "vmap of grad": lambda x: tg.vmap(tg.grad(lambda y: tnp.sin(y) * y))(x),
        "grad of vmap": tg.grad(lambda x: tg.vmap(lambda y: y * tnp.exp(y))(x).sum()),
        "linearize": lambda x: tg.linearize(layer, x)[1](x * 2),
        "vjp": lambda x: tg.vjp(layer, x)[1](layer(x)),
        "jvp": lambda x: tg.jvp(layer, (x,), (x * 2,)),
        "hvp": lambda x: tg.hvp(energy, x, x + 1),
        "vhp": lambda x: tg.vhp(energy, x, x + 1),
        "ggnvp": lambda x: tg.ggnvp(layer, lambda y: (y * y).sum(), x, x + 1),
        "hessian diagonal": lambda x: tg.hessian_diag(energy, x),
        "laplacian": lambda x: tg.laplacian(energy, x),
        "checkpoint": tg.grad(tg.checkpoint(energy)),
        "checkpoint, twice": tg.hessian(tg.checkpoint(energy)),
        "stop gradient": tg.grad(lambda x: (stop_gradient(x) * x).sum()),
        "item assignment": tg.grad(lambda x: assigned(x).sum()),
        "loop over elements": tg.grad(lambda x: sum(x[i] * x[i - 1] for i in range(4))),
        "index arrays": tg.grad(lambda x: (x[to_side(np.array([0, 2, 0]), x)] ** 3).sum()),
        "cumulative": tg.grad(lambda x: (tnp.cumsum(x) ** 2).sum() + tnp.logaddexp(x, 0.0).sum()),
        "sorted": tg.grad(lambda x: (tnp.sort(x) * to_side(X, x)).sum()),
        "extremes": tg.grad(lambda x: tnp.max(x) * tnp.min(x) + tnp.median(x)),
        "guarded": tg.grad(lambda x: tnp.where(x > 0, x * tnp.log(x), 0.0).sum()),
        "guarded, forward": tg.jacfwd(lambda x: tnp.where(x > 0, x * tnp.log(x), 0.0)),
        "einsum": tg.grad(lambda x: tnp.einsum("i,j,ji->", x, x[:3], to_side(W, x))),
        "concatenate": tg.grad(lambda x: (tnp.concatenate([x, x * x]) ** 2).sum()),
        "stack": tg.grad(lambda x: (tnp.stack([x, x * x]) ** 2).sum()),
        "var": tg.grad(lambda x: tnp.var(x) + tnp.std(x) + tnp.mean(x)),
        "fft": tg.grad(lambda x: tnp.abs(tnp.fft.rfft(x)).sum()),
    }.items(),
    ids=lambda item: item[0],
)
def test_transforms(function):
    both(function[1], X)


def assigned(x):
    y = x * 2
    y[1] = x[0] * x[2]
    y[2:] *= x[:2]
    return y * y


def test_a_point_with_nothing_to_choose_between():
    x = np.array([0.0, -1.0, 2.0, 0.0])
    both(tg.grad(lambda x: tnp.where(x > 0, tnp.sqrt(x), x).sum()), x)
    both(tg.hessian(lambda x: tnp.where(x > 0, x * tnp.log(x), x).sum()), x)


def test_pytrees():
    params = {"w": W, "b": np.zeros(3), "more": [X, (X * 2,)]}

    def loss(p):
        h = tnp.tanh(p["w"] @ p["more"][0] + p["b"])
        return (h * h).sum() + (p["more"][1][0] ** 2).sum()

    both(tg.grad(loss), params)
    both(tg.value_and_grad(loss), params)


def test_single_precision_stays():
    both(tg.grad(lambda x: (tnp.sin(x) * 2.0 + np.float32(1)).sum()), X.astype(np.float32))
    both(tg.grad(lambda x: (tnp.sin(x) * np.float64(2)).sum()), X.astype(np.float32))


def test_shapes_that_broadcast():
    both(tg.grad(lambda w, x: ((w + x) * x).sum(), argnums=(0, 1)), W, X)
    both(tg.grad(lambda w, x: ((w + x) / x).sum(), argnums=(0, 1)), W[:, :1], X)


def test_a_scalar_of_the_host_meets_the_device():
    x = to_device(X)
    g = tg.grad(lambda w: (w * x * w).sum())(2.0)
    assert isinstance(g, float)
    np.testing.assert_allclose(g, 4 * X.sum())
    same(tg.grad(lambda x, w: (w * x).sum())(x, np.float64(3)), np.full(4, 3.0))


def test_check_grads():
    with lenient():
        tg.check_grads(lambda x: (tnp.sin(x) * x[::-1]).sum(), (to_device(X),))
    wrong = tg.custom_vjp(lambda x: x * x)
    wrong.defvjp(lambda x: (x * x, x), lambda x, g: (g * x,))
    with lenient(), pytest.raises(AssertionError, match="order 1 in reverse mode is wrong"):
        tg.check_grads(lambda x: wrong(x).sum(), (to_device(X),), modes=("rev",))


def test_custom_rules():
    f = tg.custom_vjp(lambda x: tnp.sin(x))
    f.defvjp(lambda x: (tnp.sin(x), tnp.cos(x)), lambda c, g: (g * c,))
    both(tg.grad(lambda x: f(x).sum()), X)
    both(tg.vmap(tg.grad(f)), X)
    h = tg.custom_jvp(lambda x: tnp.sin(x))
    h.defjvp(lambda primals, tangents: (tnp.sin(*primals), tnp.cos(*primals) * tangents[0]))
    both(tg.grad(lambda x: h(x).sum()), X)
    both(tg.jacfwd(h), X)


def test_steps_and_operators():
    def residuals(x):
        return to_side(W, x) @ x - 1.0

    def cost(x):
        return (residuals(x) ** 2).sum() + (x**4).sum()

    both(lambda x: tg.newton_cg_step(cost, x), X, waits=40)
    both(lambda x: tg.newton_cg_step(cost, x, radius=0.1), X, waits=40)
    x = to_device(X)
    for host_only in (
        lambda: tg.gauss_newton_step(residuals, x),
        lambda: tg.levenberg_marquardt_step(residuals, x, 0.5),
        lambda: tg.jacobian_operator(residuals, x),
        lambda: tg.hessian_operator(cost, x),
        lambda: tg.ggn_operator(residuals, cost, x),
    ):
        with pytest.raises(TypeError, match=r"_(step|operator) is computed on the CPU alone"):
            host_only()


def test_results_belong_to_the_caller():
    x = to_device(X)
    g, h = tg.grad(lambda x, y: (x + y).sum(), argnums=(0, 1))(x, x)
    g += 1
    same((g, h), (np.full(4, 2.0), np.ones(4)))
    y = tg.vjp(lambda x: x, x)[0]
    y += 1
    same(x, X)


def test_assignment_leaves_the_callers_array():
    x = to_device(X)

    def f(x):
        x[0] = x[1]
        return (x * x).sum()

    same(tg.grad(f)(x), np.array([0, 4 * X[1], 2 * X[2], 2 * X[3]]))
    same(x, X)


def test_random_numbers_are_drawn_where_they_are_wanted():
    def f(x):
        generator = tnp.random.default_rng(0)
        moved = generator.normal(x, 0.5) + generator.uniform(0.0, x, size=(2, 4))
        return (moved**2).sum() + (generator.permutation(x) * x).sum()

    both(tg.grad(f), X)
    both(tg.vmap(tg.grad(f), randomness="different"), np.stack([X, 2 * X]))


def test_generators_of_the_device_draw_constants():
    def f(x):
        return (x * xp.random.default_rng(0).standard_normal(4)).sum()

    counts.clear()
    g = tg.grad(f)(to_device(X))
    assert not counts["waits"]
    np.testing.assert_allclose(to_host(g), np.random.default_rng(0).standard_normal(4))


def test_estimates_by_random_signs():
    same(
        tg.hessian_diag(lambda x: (x**3).sum(), to_device(X), samples=2, rng=0),
        tg.hessian_diag(lambda x: (x**3).sum(), X, samples=2, rng=0),
    )


def test_primals_may_change_before_the_pullback():
    x = to_device(X)
    _, pullback = tg.vjp(lambda x: x * x, x)
    x[...] = 0.0
    same(pullback(to_device(np.ones(4)))[0], 2 * X)
