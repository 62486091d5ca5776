"""Schedulers beside PyTorch's: alone, chained, in sequence, resumed."""

import numpy as np
import pytest

import tapegrad.torch as ours

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore:Detected call of:UserWarning")
"""Which a sequence that begins with a chain makes PyTorch say while it is made."""

STEPS = 60

MAKERS = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.95**epoch),
    "LambdaLR list": lambda s, o: s.LambdaLR(o, [lambda e: 0.95**e, lambda e: 1 / (e + 1)]),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 0.9 + epoch / 1000),
    "StepLR": lambda s, o: s.StepLR(o, 7, gamma=0.5),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 9, 9, 20], gamma=0.3),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.4, total_iters=9),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.1, 0.8, total_iters=13),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.93),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 11, eta_min=0.003),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, total_iters=23, power=1.7),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, 0.2, step_size_up=5, step_size_down=8),
    "CyclicLR triangular2": lambda s, o: s.CyclicLR(o, [0.01, 0.02], 0.2, 6, mode="triangular2"),
    "CyclicLR exp_range": lambda s, o: s.CyclicLR(o, 0.01, 0.2, 6, mode="exp_range", gamma=0.97),
    "CyclicLR scale_fn": lambda s, o: s.CyclicLR(
        o, 0.01, 0.2, 6, scale_fn=lambda x: 1 / (5**x), scale_mode="cycle"
    ),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.3, total_steps=STEPS + 1),
    "OneCycleLR linear": lambda s, o: s.OneCycleLR(
        o, [0.3, 0.1], epochs=9, steps_per_epoch=10, anneal_strategy="linear", three_phase=True
    ),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(
        o, 5, T_mult=2, eta_min=0.001
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler(
        [s.ConstantLR(o, 0.1, total_iters=4), s.ExponentialLR(o, 0.9), s.StepLR(o, 10)]
    ),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o,
        [s.LinearLR(o, 0.2, total_iters=5), s.CosineAnnealingLR(o, 20), s.ExponentialLR(o, 0.9)],
        milestones=[6, 30],
    ),
    "SequentialLR of chains": lambda s, o: s.SequentialLR(
        o,
        [
            s.ChainedScheduler([s.ConstantLR(o, 0.5, total_iters=3), s.ExponentialLR(o, 0.95)]),
            s.CosineAnnealingWarmRestarts(o, 7),
        ],
        milestones=[10],
    ),
    "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, factor=0.5, patience=3, cooldown=2),
    "ReduceLROnPlateau max": lambda s, o: s.ReduceLROnPlateau(
        o, mode="max", threshold=0.01, threshold_mode="abs", patience=2, min_lr=[0.001, 0.01]
    ),
    "SWALR": lambda s, o: swa(s).SWALR(o, swa_lr=0.02, anneal_epochs=12),
    "SWALR linear": lambda s, o: swa(s).SWALR(
        o, swa_lr=[0.02, 0.5], anneal_epochs=7, anneal_strategy="linear"
    ),
}


def swa(schedulers):
    return (ours if schedulers is ours.optim.lr_scheduler else torch).optim.swa_utils


def optimizer_of(lib, kind, tensor_rate=False):
    params = [lib.ones(2, requires_grad=True), lib.ones(3, requires_grad=True)]
    rates = [0.1, 0.07]
    if tensor_rate:
        rates = [lib.tensor(rate, dtype=lib.float64) for rate in rates]
    groups = [{"params": [p], "lr": rate} for p, rate in zip(params, rates, strict=True)]
    if kind == "SGD":
        return lib.optim.SGD(groups, momentum=0.9)
    return lib.optim.Adam(groups)


def measures():
    return np.random.default_rng(0).normal(size=STEPS) / np.arange(1, STEPS + 1)


def advance(lib, optimizer, scheduler, start, stop):
    """The rates and momenta after each step."""
    plateau = isinstance(scheduler, lib.optim.lr_scheduler.ReduceLROnPlateau)
    seen = []
    for measure in measures()[start:stop]:
        optimizer.step()
        scheduler.step(measure) if plateau else scheduler.step()
        groups = optimizer.param_groups
        seen.append([*map(float, scheduler.get_last_lr())])
        seen[-1] += [float(group["lr"]) for group in groups]
        seen[-1] += [group.get("momentum", group.get("betas", (0,))) for group in groups]
        seen[-1] = [x[0] if isinstance(x, tuple) else x for x in seen[-1]]
    return np.array(seen)


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("name", MAKERS)
def test_rates(name, kind):
    runs = []
    for lib in (torch, ours):
        optimizer = optimizer_of(lib, kind)
        scheduler = MAKERS[name](lib.optim.lr_scheduler, optimizer)
        runs.append(advance(lib, optimizer, scheduler, 0, STEPS))
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-12)
    assert len(np.unique(runs[0][:, 0])) > 1


@pytest.mark.parametrize("name", MAKERS)
def test_rates_in_tensors(name):
    runs = []
    for lib in (torch, ours):
        optimizer = optimizer_of(lib, "SGD", tensor_rate=True)
        scheduler = MAKERS[name](lib.optim.lr_scheduler, optimizer)
        runs.append(advance(lib, optimizer, scheduler, 0, STEPS))
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-6)


@pytest.mark.parametrize("name", MAKERS)
def test_states_have_the_same_entries(name):
    states = []
    for lib in (torch, ours):
        optimizer = optimizer_of(lib, "SGD")
        scheduler = MAKERS[name](lib.optim.lr_scheduler, optimizer)
        advance(lib, optimizer, scheduler, 0, 5)
        states.append(scheduler.state_dict())
    missing = states[0].keys() - states[1].keys() - {"anneal_func"}
    assert not missing


@pytest.mark.parametrize("name", MAKERS)
def test_a_state_of_theirs_is_gone_on_from(name):
    theirs = optimizer_of(torch, "SGD")
    scheduler = MAKERS[name](torch.optim.lr_scheduler, theirs)
    advance(torch, theirs, scheduler, 0, 20)
    own = optimizer_of(ours, "SGD")
    resumed = MAKERS[name](ours.optim.lr_scheduler, own)
    own.load_state_dict(theirs.state_dict())
    resumed.load_state_dict(scheduler.state_dict())
    expected = advance(torch, theirs, scheduler, 20, STEPS)
    np.testing.assert_allclose(advance(ours, own, resumed, 20, STEPS), expected, rtol=1e-12)


@pytest.mark.parametrize("epoch", [0, 3, 17, 40])
@pytest.mark.parametrize(
    "name", [n for n in MAKERS if "Plateau" not in n and "Seq" not in n and "Chain" not in n]
)
def test_rates_of_a_given_epoch(name, epoch):
    rates = []
    for lib in (torch, ours):
        optimizer = optimizer_of(lib, "SGD")
        scheduler = MAKERS[name](lib.optim.lr_scheduler, optimizer)
        optimizer.step()
        if "Restarts" in name:
            scheduler.step(epoch + 0.5)
        else:
            with pytest.warns(UserWarning, match="epoch parameter"):
                scheduler.step(epoch)
        rates.append(scheduler.get_last_lr())
    np.testing.assert_allclose(rates[1], rates[0], rtol=1e-12)
