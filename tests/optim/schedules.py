"""Schedulers with options, and runs of them, for the tests here and beside PyTorch's."""

from importlib import import_module

import numpy as np

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
    """The module that has SWALR."""
    return import_module(schedulers.__name__.replace("lr_scheduler", "swa_utils"))


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
