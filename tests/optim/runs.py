"""Optimisers with options, and gradients that change from step to step, for the tests."""

import numpy as np

import tapegrad.torch as torch
from tapegrad import optim

CASES = {
    "SGD": {"lr": 0.1},
    "SGD momentum": {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1},
    "SGD nesterov": {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True},
    "ASGD": {"lr": 0.1, "lambd": 0.01, "t0": 10, "weight_decay": 0.1},
    "Adadelta": {"lr": 0.7, "weight_decay": 0.1},
    "Adafactor": {"lr": 0.1, "weight_decay": 0.1},
    "Adagrad": {"lr": 0.1, "lr_decay": 0.01, "initial_accumulator_value": 0.2},
    "Adam": {"lr": 0.1},
    "Adam amsgrad": {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1, "maximize": True},
    "AdamW": {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-3},
    "Adamax": {"lr": 0.1, "weight_decay": 0.1},
    "Muon": {"lr": 0.1},
    "NAdam": {"lr": 0.1, "momentum_decay": 0.01, "weight_decay": 0.1},
    "NAdam decoupled": {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
    "RAdam": {"lr": 0.1, "betas": (0.9, 0.95)},
    "RMSprop": {"lr": 0.1, "alpha": 0.9},
    "RMSprop centered": {"lr": 0.1, "centered": True, "momentum": 0.5, "weight_decay": 0.1},
    "Rprop": {"lr": 0.1, "step_sizes": (1e-3, 0.4)},
}


def parameters(lib=torch, dtype="float64"):
    """A matrix and, as a column that is no vector for Muon, another one."""
    arrays = np.linspace(-1.0, 1.0, 6).reshape(2, 3), np.array([[0.5], [-0.3]])
    return [lib.from_numpy(a.astype(dtype)).requires_grad_() for a in arrays]


def made(name, params, module=optim):
    """An optimiser of the cases."""
    return getattr(module, name.partition(" ")[0])(params, **CASES[name])


def advance(optimizer, params, start, stop, lib=torch):
    """Some steps."""
    for step in range(start, stop):
        for p in params:
            x = p.detach().numpy()
            wave = np.sin(step + np.arange(x.size)).reshape(x.shape)
            p.grad = lib.from_numpy((1.5 * x + wave).astype(x.dtype))
        optimizer.step()


def values(params):
    """All elements of all parameters, as one list."""
    return np.concatenate([p.detach().numpy().ravel() for p in params])
