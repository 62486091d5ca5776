"""The rules, with the options of the optimisers of their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ... import tree
from ...backend import namespace
from ...core.array import Array
from ...core.record import raw
from ...torch.tensor import wrap
from ..adadelta import Adadelta
from ..adafactor import Adafactor
from ..adagrad import Adagrad
from ..adam import Adam, AdamW
from ..adamax import Adamax
from ..arithmetic import Pure
from ..asgd import ASGD
from ..muon import Muon
from ..nadam import NAdam
from ..optimizer import Optimizer
from ..radam import RAdam
from ..rmsprop import RMSprop
from ..rprop import Rprop
from ..rule import NUMBERS, Options
from ..sgd import SGD
from ..together import Update, updated
from ..updating import like
from .stage import Stage, leaves_like, like_leaf, parts_of, plain_leaf


def stage_of(kind: Callable[..., Optimizer], lr: Any, **given: Any) -> Stage:
    """The rule of an optimiser with some options, which are checked as the optimiser does.

    The state is ``{"step": ..., "arrays": ...}``: the numbers, under their names, and a tree of the
    parameters' form with a dictionary of arrays in place of each leaf. `lr` is a number, an array
    without axes, or a schedule.
    """
    placeholder = wrap(numpy.zeros((1, 1)))
    is_number = type(lr) in NUMBERS
    checked = kind([placeholder], lr=lr if is_number else 0.0, **given)
    rule, defaults = checked.rule, checked.defaults
    assert rule is not None

    def options_at(step: Any) -> Options:
        return {**defaults, **checked.always, "lr": lr(step) if callable(lr) else lr}

    def begin(leaf: Any, options: Options) -> dict[str, Any]:
        p = plain_leaf(leaf)
        return {
            name: like_leaf(full(p, shape, fill), leaf)
            for name, (shape, fill) in rule.arrays(options, p.shape).items()
        }

    def init(params: Any) -> dict[str, Any]:
        options = options_at(0.0)
        leaves, structure = tree.flatten(params)
        numbers = {"step": 0.0, **rule.numbers(options)}
        return {
            **{name: as_scalar(value) for name, value in numbers.items()},
            "arrays": tree.unflatten(structure, [begin(leaf, options) for leaf in leaves]),
        }

    def update(gradients: Any, state: dict[str, Any], params: Any) -> tuple[Any, dict[str, Any]]:
        leaves, structure = tree.flatten(params)
        numbers = {name: plain_leaf(x) for name, x in state.items() if name != "arrays"}
        options = options_at(numbers["step"])
        after, c = rule.coefficients(Pure, options, numbers)
        after = {"step": numbers["step"] + 1, **after}
        gs = leaves_like(structure, "the gradients", gradients)
        owns = parts_of(structure, state["arrays"])
        updates = []
        for leaf, g, own in zip(leaves, gs, owns, strict=True):
            before = {name: plain_leaf(x) for name, x in own.items()}
            updates.append(Update(plain_leaf(leaf), plain_leaf(g), before, c))
        new, arrays = [], []
        for leaf, (p, own) in zip(leaves, updated(rule, updates, options), strict=True):
            new.append(like_leaf(p, leaf))
            arrays.append({name: like_leaf(x, leaf) for name, x in own.items()})
        state = {**after, "arrays": tree.unflatten(structure, arrays)}
        return tree.unflatten(structure, new), state

    return Stage(init, update)


def full(p: Any, shape: tuple[int, ...], fill: Any) -> Any:
    """An array of a state that begins with one number; complex with that as both parts."""
    if isinstance(fill, Array):
        return full(p, shape, 1.0) * like(fill, p.real.dtype)
    value = complex(fill, fill) if p.dtype.kind == "c" else fill
    return namespace(raw(p)).full(shape, value, dtype=p.dtype)


def as_scalar(x: Any) -> Any:
    """A number of a state as NumPy's, which is no part of what code is compiled for."""
    return numpy.float64(x) if type(x) in NUMBERS else x


Betas = tuple[float, float]


def sgd(
    lr: Any = 1e-3,
    momentum: float = 0,
    dampening: float = 0,
    weight_decay: Any = 0,
    nesterov: bool = False,
    maximize: bool = False,
) -> Stage:
    """Gradient descent, with momentum. See `SGD`."""
    return stage_of(
        SGD,
        lr,
        momentum=momentum,
        dampening=dampening,
        weight_decay=weight_decay,
        nesterov=nesterov,
        maximize=maximize,
    )


def adam(
    lr: Any = 1e-3,
    betas: Betas = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Any = 0,
    amsgrad: bool = False,
    maximize: bool = False,
) -> Stage:
    """Adam. See `Adam`."""
    return stage_of(
        Adam,
        lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        amsgrad=amsgrad,
        maximize=maximize,
    )


def adamw(
    lr: Any = 1e-3,
    betas: Betas = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Any = 1e-2,
    amsgrad: bool = False,
    maximize: bool = False,
) -> Stage:
    """Adam with decoupled weight decay. See `AdamW`."""
    return stage_of(
        AdamW,
        lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        amsgrad=amsgrad,
        maximize=maximize,
    )


def adamax(
    lr: Any = 2e-3,
    betas: Betas = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Any = 0,
    maximize: bool = False,
) -> Stage:
    """Adam in the maximum norm. See `Adamax`."""
    return stage_of(
        Adamax,
        lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        maximize=maximize,
    )


def nadam(
    lr: Any = 2e-3,
    betas: Betas = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Any = 0,
    momentum_decay: float = 4e-3,
    decoupled_weight_decay: bool = False,
    maximize: bool = False,
) -> Stage:
    """Adam with Nesterov's momentum. See `NAdam`."""
    return stage_of(
        NAdam,
        lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        momentum_decay=momentum_decay,
        decoupled_weight_decay=decoupled_weight_decay,
        maximize=maximize,
    )


def radam(
    lr: Any = 1e-3,
    betas: Betas = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Any = 0,
    decoupled_weight_decay: bool = False,
    maximize: bool = False,
) -> Stage:
    """Rectified Adam. See `RAdam`."""
    return stage_of(
        RAdam,
        lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        decoupled_weight_decay=decoupled_weight_decay,
        maximize=maximize,
    )


def adagrad(
    lr: Any = 1e-2,
    lr_decay: float = 0,
    weight_decay: Any = 0,
    initial_accumulator_value: float = 0,
    eps: float = 1e-10,
    maximize: bool = False,
) -> Stage:
    """Steps that shrink with all squares so far. See `Adagrad`."""
    return stage_of(
        Adagrad,
        lr,
        lr_decay=lr_decay,
        weight_decay=weight_decay,
        initial_accumulator_value=initial_accumulator_value,
        eps=eps,
        maximize=maximize,
    )


def adadelta(
    lr: Any = 1.0,
    rho: float = 0.9,
    eps: float = 1e-6,
    weight_decay: Any = 0,
    maximize: bool = False,
) -> Stage:
    """Steps in the units of the parameters. See `Adadelta`."""
    return stage_of(
        Adadelta,
        lr,
        rho=rho,
        eps=eps,
        weight_decay=weight_decay,
        maximize=maximize,
    )


def rmsprop(
    lr: Any = 1e-2,
    alpha: float = 0.99,
    eps: float = 1e-8,
    weight_decay: Any = 0,
    momentum: float = 0,
    centered: bool = False,
    maximize: bool = False,
) -> Stage:
    """Steps over the root of an average of squares. See `RMSprop`."""
    return stage_of(
        RMSprop,
        lr,
        alpha=alpha,
        eps=eps,
        weight_decay=weight_decay,
        momentum=momentum,
        centered=centered,
        maximize=maximize,
    )


def rprop(
    lr: Any = 1e-2,
    etas: tuple[float, float] = (0.5, 1.2),
    step_sizes: tuple[float, float] = (1e-6, 50),
    maximize: bool = False,
) -> Stage:
    """Steps by signs. See `Rprop`."""
    return stage_of(
        Rprop,
        lr,
        etas=etas,
        step_sizes=step_sizes,
        maximize=maximize,
    )


def asgd(
    lr: Any = 1e-2,
    lambd: float = 1e-4,
    alpha: float = 0.75,
    t0: float = 1e6,
    weight_decay: Any = 0,
    maximize: bool = False,
) -> Stage:
    """Averaged gradient descent. See `ASGD`."""
    return stage_of(
        ASGD,
        lr,
        lambd=lambd,
        alpha=alpha,
        t0=t0,
        weight_decay=weight_decay,
        maximize=maximize,
    )


def adafactor(
    lr: Any = 1e-2,
    beta2_decay: float = -0.8,
    eps: tuple[float | None, float] = (None, 1e-3),
    d: float = 1.0,
    weight_decay: float = 0.0,
    maximize: bool = False,
) -> Stage:
    """Squares kept as rows and columns. See `Adafactor`."""
    return stage_of(
        Adafactor,
        lr,
        beta2_decay=beta2_decay,
        eps=eps,
        d=d,
        weight_decay=weight_decay,
        maximize=maximize,
    )


def muon(
    lr: Any = 1e-3,
    weight_decay: float = 0.1,
    momentum: float = 0.95,
    nesterov: bool = True,
    ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
    eps: float = 1e-7,
    ns_steps: int = 5,
    adjust_lr_fn: str | None = None,
) -> Stage:
    """Momentum with all singular values near one, for matrices. See `Muon`."""
    return stage_of(
        Muon,
        lr,
        weight_decay=weight_decay,
        momentum=momentum,
        nesterov=nesterov,
        ns_coefficients=ns_coefficients,
        eps=eps,
        ns_steps=ns_steps,
        adjust_lr_fn=adjust_lr_fn,
    )
