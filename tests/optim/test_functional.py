"""The rules as pure functions: the optimisers' numbers, under transforms, chained, scheduled."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad.optim import functional as pure

from .runs import CASES, advance, made, parameters, values


def rule_of(name, **options):
    kind = name.partition(" ")[0].lower()
    return getattr(pure, kind)(**{**CASES[name], **options})


def tree_of(params):
    return {"a": params[0].detach().numpy().copy(), "b": [params[1].detach().numpy().copy()]}


def gradients_at(step, tree):
    def gradient(x):
        return 1.5 * x + np.sin(step + np.arange(x.size)).reshape(x.shape)

    return tg.tree.map(gradient, tree)


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_the_optimiser(name):
    params = parameters()
    tree = tree_of(params)
    rule = rule_of(name)
    state = rule.init(tree)
    advance(made(name, params), params, 0, 25)
    for step in range(25):
        tree, state = rule.update(gradients_at(step, tree), state, tree)
    found = np.concatenate([x.ravel() for x in tg.tree.leaves(tree)])
    np.testing.assert_allclose(found, values(params), rtol=1e-6, atol=1e-9)
    assert state["step"] == 25


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_changed_and_dtypes_stay(name):
    tree = tg.tree.map(lambda x: x.astype("float32"), tree_of(parameters()))
    before = tg.tree.map(np.copy, tree)
    rule = rule_of(name)
    state = rule.init(tree)
    first = tg.tree.map(np.copy, state)
    after, new = rule.update(gradients_at(0, tree), state, tree)
    after, new = rule.update(gradients_at(1, after), new, after)
    for x, y in zip(tg.tree.leaves((tree, state)), tg.tree.leaves((before, first)), strict=True):
        np.testing.assert_array_equal(x, y)
    for x in tg.tree.leaves(after):
        assert x.dtype == "float32"
    for x, y in zip(tg.tree.leaves(new), tg.tree.leaves(state), strict=True):
        assert x.dtype == y.dtype
        assert x.shape == y.shape


def loss(tree):
    return (tree["a"] ** 2).sum() + (tree["b"][0] ** 4).sum()


@pytest.mark.parametrize("name", CASES)
def test_compiled(name):
    rule = rule_of(name)

    def step(tree, state):
        return rule.update(tg.grad(loss)(tree), state, tree)

    compiled = tg.compile(step, backend="numpy")
    tree = tree_of(parameters())
    state = rule.init(tree)
    expected, found = (tree, state), (tree, state)
    for _ in range(3):
        expected, found = step(*expected), compiled(*found)
    for x, y in zip(tg.tree.leaves(found), tg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)
    assert len(compiled.report().signatures) == 1


def trained(name, lr, steps=3):
    rule = rule_of(name, lr=lr)
    tree = tree_of(parameters())
    state = rule.init(tree)
    for _ in range(steps):
        tree, state = rule.update(tg.grad(loss)(tree), state, tree)
    return loss(tree)


@pytest.mark.parametrize("name", [name for name in CASES if name != "Muon"])
def test_derivative_by_the_rate_and_lanes_of_rates(name):
    h = 1e-6
    difference = (trained(name, 0.03 + h) - trained(name, 0.03 - h)) / (2 * h)
    assert tg.grad(lambda lr: trained(name, lr))(0.03) == pytest.approx(difference, rel=1e-5)
    rates = np.array([0.01, 0.03])
    lanes = tg.vmap(lambda lr: trained(name, lr))(rates)
    np.testing.assert_allclose(lanes, [trained(name, float(lr)) for lr in rates], rtol=1e-12)


def test_tensors_and_numbers():
    rule = pure.adam(lr=0.1)
    params = {"w": torch.tensor([1.0, -2.0]), "b": 3.0}
    state = rule.init(params)
    gradients = {"w": torch.tensor([1.0, 1.0]), "b": -1.0}
    params, state = rule.update(gradients, state, params)
    assert params["w"].tolist() == pytest.approx([0.9, -2.1])
    assert params["b"] == pytest.approx(3.1)
    assert isinstance(state["arrays"]["w"]["exp_avg"], torch.Tensor)


def test_chain_with_clipping_and_averages():
    rule = pure.chain(pure.clip_by_global_norm(5.0), pure.sgd(lr=1.0), pure.ema(0.75), pure.mean())
    params = {"a": np.array([1.0]), "b": np.array([2.0])}
    state = rule.init(params)
    params, state = rule.update({"a": np.array([6.0]), "b": np.array([8.0])}, state, params)
    assert (params["a"], params["b"]) == (-2.0, -2.0)
    assert state[2]["average"]["a"] == 0.25
    assert state[3]["average"]["b"] == -2.0
    params, state = rule.update({"a": np.array([-2.0]), "b": np.array([0.0])}, state, params)
    assert (params["a"], params["b"]) == (0.0, -2.0)
    assert state[3]["average"]["a"] == -1.0


def test_clipping():
    x = {"a": np.array([3.0, 4.0]), "b": np.array([-0.5], np.float32)}
    clip = pure.clip_by_norm(1.0)
    clipped, _ = clip.update(x, clip.init(x), None)
    np.testing.assert_allclose(clipped["a"], [0.6, 0.8])
    assert clipped["b"] == -0.5
    assert clipped["b"].dtype == "float32"
    clip = pure.clip_by_value(3.5)
    assert clip.update(x, (), None)[0]["a"].tolist() == [3.0, 3.5]
    zero = {"a": np.zeros(2)}
    assert pure.clip_by_global_norm(1.0).update(zero, (), None)[0]["a"].tolist() == [0, 0]
    assert pure.global_norm(x) == pytest.approx(np.sqrt(25.25))
    assert pure.global_norm({"z": np.array([3 + 4j])}) == 5


@pytest.mark.parametrize(
    ("schedule", "rates"),
    [
        (pure.constant(0.5), [0.5, 0.5, 0.5, 0.5]),
        (pure.linear(1.0, 0.2, 4), [1.0, 0.8, 0.4, 0.2]),
        (pure.exponential(1.0, 0.5), [1.0, 0.5, 0.125, 1 / 512]),
        (pure.steps(1.0, 2, 0.1), [1.0, 1.0, 0.1, 1e-4]),
        (pure.polynomial(1.0, 4, power=2.0), [1.0, 0.5625, 0.0625, 0.0]),
        (
            pure.cosine(1.0, 4, lowest=0.5),
            [1.0, 0.5 + (2 + 2**0.5) / 8, 0.5 + (2 - 2**0.5) / 8, 0.5],
        ),
        (pure.sequence([pure.constant(3.0), pure.linear(1.0, 0.0, 10)], [3]), [3.0, 3.0, 1.0, 0.4]),
        (pure.warmup(pure.exponential(0.8, 0.5), 2), [0.0, 0.4, 0.4, 0.8 / 128]),
    ],
)
def test_schedules(schedule, rates):
    steps = [0.0, 1.0, 3.0, 9.0]
    assert [float(schedule(step)) for step in steps] == pytest.approx(rates)
    lanes = tg.vmap(lambda step: schedule(step) + 0 * step)(np.array(steps))
    np.testing.assert_allclose(lanes, rates)


def test_one_cycle_is_that_of_the_scheduler():
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.3, total_steps=20)
    schedule = pure.one_cycle(0.3, 20)
    for step in range(20):
        assert schedule(float(step)) == pytest.approx(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()


def test_a_scheduled_rule():
    rule = pure.sgd(lr=pure.linear(1.0, 0.0, 2))
    x = np.array([0.0])
    state = rule.init(x)
    seen = []
    for _ in range(3):
        x, state = rule.update(np.array([-1.0]), state, x)
        seen.append(x.item())
    assert seen == [1.0, 1.5, 1.5]


def test_mistakes():
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        pure.adam(lr=-1)
    with pytest.raises(ValueError, match="Invalid beta parameter at index 0"):
        pure.adam(betas=(1.0, 0.9))
    rule = pure.sgd()
    params = {"a": np.ones(1)}
    with pytest.raises(
        ValueError, match="structure of the gradients is not that of the parameters"
    ):
        rule.update({"b": np.ones(1)}, rule.init(params), params)
