"""Schedulers: PyTorch's rates, resumed exactly; and mistakes, in PyTorch's words."""

import copy

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad import optim
from tapegrad.optim import lr_scheduler

from .schedules import MAKERS, STEPS, advance, optimizer_of

pytestmark = pytest.mark.filterwarnings("ignore:Detected call of:UserWarning")

RECORDED = {
    "LambdaLR": [
        0.095,
        0.0665,
        0.0773780937,
        0.0541646656,
        0.0598736939,
        0.0419115857,
        0.046329123,
        0.0324303861,
        0.0214638764,
        0.0150247135,
        0.0046069799,
        0.00322488593,
    ],
    "LambdaLR list": [
        0.095,
        0.035,
        0.0773780937,
        0.0116666667,
        0.0598736939,
        0.00636363636,
        0.046329123,
        0.004375,
        0.0214638764,
        0.00225806452,
        0.0046069799,
        0.00114754098,
    ],
    "MultiplicativeLR": [
        0.0901,
        0.06307,
        0.0600393647,
        0.0420275553,
        0.0370563549,
        0.0259394484,
        0.0235079079,
        0.0164555355,
        0.00706591038,
        0.00494613727,
        0.00131361518,
        0.000919530623,
    ],
    "StepLR": [
        0.1,
        0.07,
        0.1,
        0.07,
        0.05,
        0.035,
        0.025,
        0.0175,
        0.00625,
        0.004375,
        0.000390625,
        0.0002734375,
    ],
    "MultiStepLR": [
        0.1,
        0.07,
        0.03,
        0.021,
        0.0027,
        0.00189,
        0.0027,
        0.00189,
        0.00081,
        0.000567,
        0.00081,
        0.000567,
    ],
    "ConstantLR": [0.04, 0.028, 0.04, 0.028, 0.1, 0.07, 0.1, 0.07, 0.1, 0.07, 0.1, 0.07],
    "LinearLR": [
        0.0153846154,
        0.0107692308,
        0.0369230769,
        0.0258461538,
        0.0638461538,
        0.0446923077,
        0.08,
        0.056,
        0.08,
        0.056,
        0.08,
        0.056,
    ],
    "ExponentialLR": [
        0.093,
        0.0651,
        0.0695688369,
        0.0486981859,
        0.0483982307,
        0.0338787615,
        0.0336700862,
        0.0235690603,
        0.0113367471,
        0.00793572294,
        0.00128521834,
        0.000899652836,
    ],
    "CosineAnnealingLR": [
        0.0980354092,
        0.0686430146,
        0.0584022697,
        0.0412675471,
        0.00496459078,
        0.00435698538,
        0.0313523719,
        0.0225835971,
        0.0197392544,
        0.0145621654,
        0.0445977303,
        0.0317324529,
    ],
    "PolynomialLR": [
        0.0927216681,
        0.0649051677,
        0.0659213264,
        0.0461449285,
        0.0379110993,
        0.0265377695,
        0.0166079358,
        0.011625555,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    "CyclicLR": [
        0.048,
        0.048,
        0.2,
        0.2,
        0.08125,
        0.08125,
        0.086,
        0.086,
        0.162,
        0.162,
        0.12875,
        0.12875,
    ],
    "CyclicLR triangular2": [
        0.0416666667,
        0.05,
        0.168333333,
        0.17,
        0.0733333333,
        0.08,
        0.0575,
        0.065,
        0.0575,
        0.065,
        0.01,
        0.02,
    ],
    "CyclicLR exp_range": [
        0.0407166667,
        0.0407166667,
        0.145966221,
        0.145966221,
        0.056703528,
        0.056703528,
        0.070158863,
        0.070158863,
        0.086191343,
        0.086191343,
        0.01,
        0.01,
    ],
    "CyclicLR scale_fn": [
        0.0163333333,
        0.0163333333,
        0.0416666667,
        0.0416666667,
        0.0226666667,
        0.0226666667,
        0.0138,
        0.0138,
        0.01152,
        0.01152,
        0.01,
        0.01,
    ],
    "OneCycleLR": [
        0.0143678067,
        0.0143678067,
        0.0673905464,
        0.0673905464,
        0.19094951,
        0.19094951,
        0.287621356,
        0.287621356,
        0.239147251,
        0.239147251,
        1.2e-06,
        1.2e-06,
    ],
    "OneCycleLR linear": [
        0.0230769231,
        0.00769230769,
        0.0673846154,
        0.0224615385,
        0.122769231,
        0.0409230769,
        0.178153846,
        0.0593846154,
        0.255692308,
        0.0852307692,
        0.00940566486,
        0.00313522162,
    ],
    "CosineAnnealingWarmRestarts": [
        0.0905463412,
        0.0634110863,
        0.1,
        0.07,
        0.0505,
        0.0355,
        0.1,
        0.07,
        0.0154982143,
        0.011104816,
        0.0315571701,
        0.0222974216,
    ],
    "ChainedScheduler": [
        0.009,
        0.0063,
        0.059049,
        0.0413343,
        0.0034867844,
        0.00244074908,
        0.00205891132,
        0.00144123792,
        4.23911583e-06,
        2.96738108e-06,
        1.7970103e-10,
        1.25790721e-10,
    ],
    "SequentialLR": [
        0.036,
        0.0252,
        0.1,
        0.07,
        0.0904508497,
        0.0633155948,
        0.0578217233,
        0.0404752063,
        0.1,
        0.07,
        0.00423911583,
        0.00296738108,
    ],
    "SequentialLR of chains": [
        0.045125,
        0.0315875,
        0.0735091891,
        0.0514564323,
        0.1,
        0.07,
        0.0188255099,
        0.0131778569,
        0.0049515566,
        0.00346608962,
        0.0950484434,
        0.0665339104,
    ],
    "ReduceLROnPlateau": [
        0.1,
        0.07,
        0.1,
        0.07,
        0.05,
        0.035,
        0.05,
        0.035,
        0.00625,
        0.004375,
        0.0001953125,
        0.00013671875,
    ],
    "ReduceLROnPlateau max": [
        0.1,
        0.07,
        0.1,
        0.07,
        0.001,
        0.01,
        0.001,
        0.01,
        0.001,
        0.01,
        0.001,
        0.01,
    ],
    "SWALR": [
        0.0986370331,
        0.0691481457,
        0.0703527618,
        0.0514704761,
        0.0253589838,
        0.0233493649,
        0.02,
        0.02,
        0.02,
        0.02,
        0.02,
        0.02,
    ],
    "SWALR linear": [
        0.0885714286,
        0.131428571,
        0.0428571429,
        0.377142857,
        0.02,
        0.5,
        0.02,
        0.5,
        0.02,
        0.5,
        0.02,
        0.5,
    ],
}
"""The rates of two groups after 1, 5, 10, 15, 30 and 60 steps, by PyTorch 2.13."""


@pytest.mark.parametrize("name", MAKERS)
def test_rates(name):
    optimizer = optimizer_of(torch, "SGD")
    scheduler = MAKERS[name](lr_scheduler, optimizer)
    rates = advance(torch, optimizer, scheduler, 0, STEPS)[[0, 4, 9, 14, 29, 59], 2:4]
    np.testing.assert_allclose(rates.ravel(), RECORDED[name], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("name", MAKERS)
def test_state_resumes_exactly(name, kind):
    optimizer = optimizer_of(torch, kind)
    scheduler = MAKERS[name](lr_scheduler, optimizer)
    advance(torch, optimizer, scheduler, 0, 17)
    other = optimizer_of(torch, kind)
    resumed = MAKERS[name](lr_scheduler, other)
    resumed.load_state_dict(copy.deepcopy(scheduler.state_dict()))
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    expected = advance(torch, optimizer, scheduler, 17, STEPS)
    np.testing.assert_array_equal(advance(torch, other, resumed, 17, STEPS), expected)


@pytest.mark.parametrize("name", ["StepLR", "CosineAnnealingLR", "ExponentialLR", "LambdaLR"])
def test_last_epoch_resumes(name):
    optimizer = optimizer_of(torch, "SGD")
    scheduler = MAKERS[name](lr_scheduler, optimizer)
    advance(torch, optimizer, scheduler, 0, 5)
    make = {
        "StepLR": lambda: lr_scheduler.StepLR(optimizer, 7, gamma=0.5, last_epoch=4),
        "CosineAnnealingLR": lambda: lr_scheduler.CosineAnnealingLR(
            optimizer, 11, eta_min=0.003, last_epoch=4
        ),
        "ExponentialLR": lambda: lr_scheduler.ExponentialLR(optimizer, 0.93, last_epoch=4),
        "LambdaLR": lambda: lr_scheduler.LambdaLR(optimizer, lambda e: 0.95**e, last_epoch=4),
    }
    expected = scheduler.get_last_lr()
    assert make[name]().get_last_lr() == pytest.approx(expected)


def test_callable_objects_are_saved():
    class Factor:
        def __init__(self, base):
            self.base = base

        def __call__(self, epoch):
            return self.base**epoch

    scheduler = lr_scheduler.LambdaLR(optimizer_of(torch, "SGD"), Factor(0.5))
    saved = scheduler.state_dict()
    assert saved["lr_lambdas"] == [{"base": 0.5}] * 2
    other = lr_scheduler.LambdaLR(optimizer_of(torch, "SGD"), Factor(0.9))
    other.load_state_dict(saved)
    assert other.lr_lambdas[0].base == 0.5
    assert saved["lr_lambdas"] == [{"base": 0.5}] * 2


def test_a_scheduler_of_ones_own():
    class Halves(lr_scheduler.LRScheduler):
        def get_lr(self):
            return [base / 2**self.last_epoch for base in self.base_lrs]

    optimizer = optimizer_of(torch, "SGD")
    scheduler = Halves(optimizer)
    optimizer.step()
    scheduler.step()
    assert scheduler.get_last_lr() == [0.05, 0.035]
    with pytest.raises(NotImplementedError, match=r"has no method get_lr\(\)"):
        lr_scheduler.LRScheduler(optimizer)


@pytest.mark.filterwarnings("error")
def test_warnings():
    optimizer = optimizer_of(torch, "SGD")
    optimizer.step()
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `opti"):
        scheduler.step()
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(3)
    assert scheduler.get_last_lr() == [0.1 / 8, 0.07 / 8]
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        scheduler.get_lr()
    optimizer = optimizer_of(torch, "SGD")
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step = lambda: None
    with pytest.warns(UserWarning, match="has been overridden"):
        scheduler.step()


MISTAKES = {
    "is not an Optimizer": lambda s, o: s.StepLR(3, 1),
    "Expected 2 lr_lambdas, but got 1": lambda s, o: s.LambdaLR(o, [lambda e: 1]),
    "lr_lambda should be a function, but got int": lambda s, o: s.MultiplicativeLR(o, 3),
    "Constant multiplicative factor expected": lambda s, o: s.ConstantLR(o, 2.0),
    "Starting multiplicative factor expected": lambda s, o: s.LinearLR(o, 0.0),
    "Ending multiplicative factor expected": lambda s, o: s.LinearLR(o, 0.5, 2.0),
    "Expected positive integer T_0": lambda s, o: s.CosineAnnealingWarmRestarts(o, 0),
    "Expected integer T_mult >= 1": lambda s, o: s.CosineAnnealingWarmRestarts(o, 1, 0),
    "Expected float or int eta_min": lambda s, o: s.CosineAnnealingWarmRestarts(o, 1, 1, "a"),
    "Expected non-negative epoch": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3).step(-1),
    "mode is invalid and scale_fn is None": lambda s, o: s.CyclicLR(o, 0.1, 0.2, mode="saw"),
    "base_lr must have the same length as opt": lambda s, o: s.CyclicLR(o, [0.1], 0.2),
    "You must define either total_steps OR": lambda s, o: s.OneCycleLR(o, 0.1),
    "Expected positive integer total_steps": lambda s, o: s.OneCycleLR(o, 0.1, 0),
    "Expected positive integer epochs": lambda s, o: s.OneCycleLR(o, 1.0, None, 0, 2),
    "Expected float between 0 and 1 pct_start": lambda s, o: s.OneCycleLR(o, 1.0, 5, pct_start=2.0),
    "anneal_strategy must be one of": lambda s, o: s.OneCycleLR(o, 1.0, 5, anneal_strategy="x"),
    "expects at least one scheduler to be chained": lambda s, o: s.ChainedScheduler([]),
    "should have `optimizer` as its attribute": lambda s, o: s.ChainedScheduler([3]),
    "does not support `ReduceLROnPlateau`": lambda s, o: s.ChainedScheduler(
        [s.ReduceLROnPlateau(o)]
    ),
    "expects all schedulers to belong to the same": lambda s, o: s.ChainedScheduler(
        [s.StepLR(o, 1), s.StepLR(optimizer_of(torch, "SGD"), 1)]
    ),
    "one more than the number of milestone": lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [3]),
    "Factor should be < 1.0": lambda s, o: s.ReduceLROnPlateau(o, factor=1.0),
    "expected 2 min_lrs, got 1": lambda s, o: s.ReduceLROnPlateau(o, min_lr=[0.1]),
    "mode up is unknown": lambda s, o: s.ReduceLROnPlateau(o, "up"),
    "threshold mode up is unknown": lambda s, o: s.ReduceLROnPlateau(o, threshold_mode="up"),
    "missing 1 required positional argument: 'metrics'": lambda s, o: s.ReduceLROnPlateau(o).step(),
    "param 'initial_lr' is not specified": lambda s, o: s.StepLR(o, 1, last_epoch=3),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    with pytest.raises((ValueError, TypeError, KeyError), match=text):
        MISTAKES[text](lr_scheduler, optimizer_of(torch, "SGD"))


def test_too_many_steps_of_a_cycle():
    optimizer = optimizer_of(torch, "SGD")
    scheduler = lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=2)
    for _ in range(2):
        optimizer.step()
        scheduler.step()
    with pytest.raises(ValueError, match=r"Tried to step 3 times\. The specified number of"):
        scheduler.step()


def test_momenta_need_an_optimiser_with_momentum():
    optimizer = optim.Adagrad([torch.ones(1, requires_grad=True)])
    with pytest.raises(ValueError, match="must support momentum or beta1 with `cycle_momentum`"):
        lr_scheduler.CyclicLR(optimizer, 0.1, 0.2)


def test_groups_that_come_later():
    optimizer = optimizer_of(torch, "SGD")
    fixed = lr_scheduler.ReduceLROnPlateau(optimizer, min_lr=[0, 0], patience=0)
    free = lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    optimizer.add_param_group({"params": torch.ones(1, requires_grad=True), "lr": 1.0})
    free.step(1.0)
    free.step(1.0)
    assert free.get_last_lr() == pytest.approx([0.01, 0.007, 0.1])
    fixed.step(1.0)
    with pytest.raises(RuntimeError, match="number of param groups in the `optimizer`"):
        fixed.step(1.0)
