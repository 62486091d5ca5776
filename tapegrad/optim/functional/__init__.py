"""The optimisers' rules as pure functions of pytrees, for `grad`, `vmap` and `compile`.

A rule is a pair of functions: ``state = rule.init(params)``, and ``params, state =
rule.update(gradients, state, params)``. `chain` puts others before it, such as clipping, or behind
it, such as an average of the parameters; a schedule may stand for a learning rate.

>>> import numpy as np, tapegrad as tg
>>> rule = chain(clip_by_global_norm(1.0), adam(lr=cosine(0.1, steps=100)))
>>> params = {"w": np.array([1.0, -2.0])}
>>> state = rule.init(params)
>>> gradients = tg.grad(lambda params: (params["w"] ** 2).sum())(params)
>>> params, state = rule.update(gradients, state, params)
>>> params["w"].round(3).tolist()
[0.9, -1.9]
"""

from .averages import ema, mean
from .clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
from .rules import (
    adadelta,
    adafactor,
    adagrad,
    adam,
    adamax,
    adamw,
    asgd,
    muon,
    nadam,
    radam,
    rmsprop,
    rprop,
    sgd,
)
from .schedules import (
    constant,
    cosine,
    exponential,
    linear,
    one_cycle,
    polynomial,
    sequence,
    steps,
    warmup,
)
from .stage import Stage, chain

__all__ = [
    "Stage",
    "adadelta",
    "adafactor",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "asgd",
    "chain",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "constant",
    "cosine",
    "ema",
    "exponential",
    "global_norm",
    "linear",
    "mean",
    "muon",
    "nadam",
    "one_cycle",
    "polynomial",
    "radam",
    "rmsprop",
    "rprop",
    "sequence",
    "sgd",
    "steps",
    "warmup",
]
