"""Random numbers: NumPy's own outside of transforms; inside vmap as its randomness says."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.errors import TapegradError

ZEROS = np.zeros(4)

DRAWS = {
    "normal": lambda rng: rng.normal(),
    "normal_sized": lambda rng: rng.normal(1.0, 2.0, (2, 3)),
    "normal_keywords": lambda rng: rng.normal(size=3, scale=[1.0, 2.0, 3.0]),
    "normal_of_arrays": lambda rng: rng.normal([1.0, 2.0], 3.0),
    "standard_normal": lambda rng: rng.standard_normal(2),
    "uniform": lambda rng: rng.uniform(-1.0, 1.0, 2),
    "exponential": lambda rng: rng.exponential(2.0),
    "gamma": lambda rng: rng.gamma(2.0, 3.0, size=2),
    "beta": lambda rng: rng.beta(2.0, 3.0),
    "poisson": lambda rng: rng.poisson(4.0, 2),
    "binomial": lambda rng: rng.binomial(5, 0.5),
    "hypergeometric": lambda rng: rng.hypergeometric(5, 6, 7),
    "choice": lambda rng: rng.choice(7, 2, replace=False),
    "permutation": lambda rng: rng.permutation(5),
    "multinomial": lambda rng: rng.multinomial(5, [0.5, 0.5]),
    "dirichlet": lambda rng: rng.dirichlet([1.0, 2.0]),
    "multivariate_normal": lambda rng: rng.multivariate_normal([0.0, 1.0], np.eye(2)),
}
OLD = {
    "rand": lambda rng: rng.rand(2, 3),
    "rand_single": lambda rng: rng.rand(),
    "randn": lambda rng: rng.randn(2),
    "randint": lambda rng: rng.randint(0, 5, 2),
    "random_sample": lambda rng: rng.random_sample(),
}
NEW = {
    "random": lambda rng: rng.random(2, dtype=np.float32),
    "integers": lambda rng: rng.integers(5, size=2, endpoint=True),
    "permuted": lambda rng: rng.permuted([1, 2, 3]),
}


def seeded(kind):
    if kind == "module":
        tnp.random.seed(0)
        return tnp.random
    return tnp.random.default_rng(0) if kind == "generator" else tnp.random.RandomState(0)


CASES = [
    *((kind, draw) for kind in ("module", "generator", "state") for draw in DRAWS.values()),
    *((kind, draw) for kind in ("module", "state") for draw in OLD.values()),
    *(("generator", draw) for draw in NEW.values()),
]


@pytest.mark.parametrize(("kind", "draw"), CASES)
def test_lanes(kind, draw):
    plain = draw(seeded(kind))
    with pytest.raises(TapegradError, match="random numbers were drawn inside vmap"):
        tg.vmap(lambda _: draw(seeded(kind)))(ZEROS)
    rng = seeded(kind)
    same = tg.vmap(lambda _: draw(rng), randomness="same")(ZEROS)
    np.testing.assert_array_equal(same, np.stack([plain] * 4))
    rng = seeded(kind)
    different = tg.vmap(lambda _: draw(rng), randomness="different")(ZEROS)
    assert different.shape == (4, *np.shape(plain))
    assert different.dtype == np.asarray(plain).dtype
    again = tg.vmap(lambda _: draw(seeded(kind)), randomness="different")(ZEROS)
    np.testing.assert_array_equal(different, again)
    if different.size > 8 and different.dtype.kind == "f":
        assert len(np.unique(different[:, ..., 0])) > 1


def test_numbers_of_a_seed_are_numpys():
    rng, own = np.random.default_rng(7), tnp.random.default_rng(7)
    assert own.normal() == rng.normal()
    assert own.permutation(9).tolist() == rng.permutation(9).tolist()
    assert tnp.random.RandomState(3).rand() == np.random.RandomState(3).rand()
    tnp.random.seed(1)
    first = tnp.random.randn(3)
    np.random.seed(1)
    np.testing.assert_array_equal(first, np.random.randn(3))
    lanes = tg.vmap(lambda x: x + own.normal(), randomness="different")(ZEROS)
    np.testing.assert_array_equal(lanes, rng.normal(size=4))


def test_nested_lanes_follow_both():
    rng = tnp.random.default_rng(0)

    def draw(outer, inner):
        lanes = tg.vmap(lambda _: rng.normal(), randomness=inner)
        return tg.vmap(lanes, randomness=outer)(np.zeros((2, 3)))

    assert len(np.unique(draw("same", "same"))) == 1
    assert len(np.unique(draw("different", "different"))) == 6
    first, second = draw("same", "different")
    np.testing.assert_array_equal(first, second)
    assert len(np.unique(first)) == 3
    assert [len(np.unique(row)) for row in draw("different", "same")] == [1, 1]
    with pytest.raises(TapegradError, match="random numbers were drawn inside vmap"):
        draw("error", "same")


def test_no_lanes_at_all():
    rng = tnp.random.default_rng(0)
    for draw, shape in (
        (lambda _: rng.normal(size=2), (0, 2)),
        (lambda _: rng.permutation(3), (0, 3)),
    ):
        assert tg.vmap(draw, randomness="different")(np.zeros(0)).shape == shape


def test_what_differs_between_lanes_cannot_be_read():
    with pytest.raises(TapegradError, match="differs between the lanes"):
        tg.vmap(lambda x: x if tnp.random.random() > 0.5 else -x, randomness="different")(ZEROS)


def test_derivatives_through_lanes():
    x = np.arange(1.0, 5.0)
    rng = tnp.random.default_rng(0)
    g = tg.vmap(tg.grad(lambda x: x * x * rng.normal()), randomness="different")(x)
    np.testing.assert_allclose(g, 2 * x * np.random.default_rng(0).normal(size=4))
    rng = tnp.random.default_rng(0)
    g = tg.grad(lambda x: np.sum(tg.vmap(lambda x: x * rng.normal(), randomness="different")(x)))(x)
    np.testing.assert_allclose(g, np.random.default_rng(0).normal(size=4))


def test_checkpoint_repeats_what_was_drawn():
    rng = tnp.random.default_rng(0)
    value, g = tg.value_and_grad(tg.checkpoint(lambda x: x * rng.normal()))(1.0)
    assert value == g
    x = np.ones(3)
    lanes = tg.vmap(
        tg.value_and_grad(tg.checkpoint(lambda x: x * rng.normal())), randomness="different"
    )
    value, g = lanes(x)
    np.testing.assert_array_equal(value, g)
    assert len(np.unique(g)) == 3


MOVED = {
    "normal": (lambda rng, a, b: rng.normal(a, b), (0.5, 2.0)),
    "normal_keywords": (lambda rng, a, b: rng.normal(scale=b, loc=a, size=3), (0.5, 2.0)),
    "uniform": (lambda rng, a, b: rng.uniform(a, b, 3), (0.5, 2.0)),
    "exponential": (lambda rng, a, b: rng.exponential(b, (2,)) + a, (0.0, 2.0)),
    "laplace": (lambda rng, a, b: rng.laplace(a, b), (0.5, 2.0)),
    "logistic": (lambda rng, a, b: rng.logistic(a, b), (0.5, 2.0)),
    "gumbel": (lambda rng, a, b: rng.gumbel(a, b), (0.5, 2.0)),
    "lognormal": (lambda rng, a, b: rng.lognormal(a, b, 2), (0.5, 0.25)),
    "broadcast": (lambda rng, a, b: rng.normal(a, np.array([1.0, 2.0]) * b), (0.5, 2.0)),
}


@pytest.mark.parametrize("kind", ["module", "generator", "state"])
@pytest.mark.parametrize(("draw", "at"), MOVED.values(), ids=MOVED)
def test_parameters_of_location_and_scale_have_derivatives(kind, draw, at):
    def f(*at):
        return draw(seeded(kind), *at)

    out, pull = tg.vjp(f, *at)
    np.testing.assert_allclose(out, f(*at), rtol=1e-14)
    for i, g in enumerate(pull(np.ones_like(out)[()])):
        step = [1e-6 * (i == k) for k in range(2)]
        above, below = (f(*(x + s * h for x, h in zip(at, step, strict=True))) for s in (1, -1))
        assert g == pytest.approx(np.sum(above - below) / 2e-6, rel=1e-6, abs=1e-8)


def test_parameters_that_differ_between_lanes():
    rng = tnp.random.default_rng(0)
    x = np.array([0.0, 100.0, 200.0])
    out = tg.vmap(lambda x: rng.normal(x, 1.0, size=2), randomness="same")(x)
    np.testing.assert_allclose(out - x[:, None], np.broadcast_to(out[0], (3, 2)), atol=1e-12)
    out = tg.vmap(lambda x: rng.normal(x, 1.0, size=2), randomness="different")(x)
    assert len(np.unique(np.round(out - x[:, None], 8))) == 6


def test_choices_and_permutations_of_recorded_arrays():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    for rng in (tnp.random.default_rng(0), tnp.random.RandomState(0)):
        g = tg.grad(lambda x, rng=rng: np.sum(rng.permutation(x) * x))(x)
        assert g.sum() == 2 * x.sum()
        g = tg.grad(lambda x, rng=rng: np.sum(rng.choice(x, 3, replace=False)))(x)
        assert sorted(g) == [0.0, 1.0, 1.0, 1.0]
    rng = tnp.random.default_rng(5)
    rows = tg.vmap(rng.permutation, randomness="different")(np.stack([x] * 8))
    assert (np.sort(rows, axis=1) == x).all()
    assert len({tuple(row) for row in rows}) > 1
    assert tg.vjp(lambda x: np.random.default_rng(0).permutation(3) + x, 0.0)[0].shape == (3,)


def test_shuffle():
    items = [1, 2, 3, 4, 5]
    tnp.random.default_rng(0).shuffle(items)
    expected = [1, 2, 3, 4, 5]
    np.random.default_rng(0).shuffle(expected)
    assert items == expected

    def f(x):
        y = x * 1.0
        tnp.random.RandomState(0).shuffle(y)
        return np.sum(y * np.arange(4.0))

    g = tg.grad(f)(np.zeros(4))
    assert sorted(g) == [0.0, 1.0, 2.0, 3.0]

    def inside(x):
        y = np.arange(4)
        tnp.random.shuffle(y)
        return x + y

    assert np.ptp(tg.vmap(inside, randomness="same")(np.zeros((2, 4))), axis=0).sum() == 0
    with pytest.raises(TypeError, match=r"numpy\.random\.shuffle was to write a traced value"):
        tg.vmap(inside, randomness="different")(np.zeros((2, 4)))

    def listed(x):
        items = [1, 2, 3]
        tnp.random.shuffle(items)
        assert sorted(items) == [1, 2, 3]
        return x

    tg.vmap(listed, randomness="same")(ZEROS)


def test_generators_travel():
    rng = tnp.random.default_rng(0)
    assert tnp.random.default_rng(rng) is rng
    copy = pickle.loads(pickle.dumps(rng))
    assert isinstance(copy, tnp.random.Generator)
    assert copy.normal() == rng.normal()
    assert isinstance(rng.spawn(1)[0], tnp.random.Generator)
    assert isinstance(rng, np.random.Generator)


def test_every_public_name_is_here():
    assert set(np.random.__all__) <= set(dir(tnp.random))
    for name in np.random.__all__:
        assert getattr(tnp.random, name) is not None
    assert tnp.random.PCG64 is np.random.PCG64
    with pytest.raises(AttributeError, match="has no attribute '_secret'"):
        getattr(tnp.random, "_" + "secret")


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: tnp.random.poisson(x),
        lambda x: tnp.random.default_rng(0).gamma(x, 1.0),
        lambda x: tnp.random.choice(3, p=[x, 1 - x, 0.0]),
        lambda x: tnp.random.multivariate_normal([x, 0.0], np.eye(2)),
    ],
)
def test_other_recorded_parameters_have_no_rule(draw):
    with pytest.raises(TypeError, match=r"numpy\.random\.\w+ has no rule"):
        tg.vjp(draw, 0.5)


def test_out_inside_lanes_is_refused():
    rng = tnp.random.default_rng(0)
    with pytest.raises(TypeError, match="does not take out= inside vmap"):
        tg.vmap(lambda x: x + rng.random(out=np.ones(2)), randomness="different")(ZEROS)
