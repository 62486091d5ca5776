"""Programs that users of HIPS autograd write, by its names here and by autograd itself."""

from functools import partial
from importlib import import_module

import numpy as np

from .programs import load

rng = np.random.default_rng(0)


def libraries(*submodules):
    """By library: its `value_and_grad`, its `numpy`, and some submodules."""
    names = {"tapegrad": "tapegrad.compat.autograd"}
    if load("autograd") is not None:
        names["autograd"] = "autograd"
    return {
        library: (
            import_module(name).value_and_grad,
            import_module(f"{name}.numpy"),
            *(import_module(f"{name}.{submodule}") for submodule in submodules),
        )
        for library, name in names.items()
    }


def gaussian_process(n):
    """The likelihood of a Gaussian process at `n` points: mean, noise, height, width."""
    x, y = np.sort(rng.uniform(-2, 2, (n, 1)), axis=0), rng.standard_normal(n)
    start = 0.1 * rng.standard_normal(4)
    programs = {}
    for library, (value_and_grad, lib, normal) in libraries(
        "scipy.stats.multivariate_normal"
    ).items():

        def loss(params, lib=lib, normal=normal):
            scaled = x / lib.exp(params[3:])
            apart = lib.expand_dims(scaled, 1) - lib.expand_dims(scaled, 0)
            near = lib.exp(-0.5 * lib.sum(apart**2, axis=2))
            covariance = lib.exp(params[2]) * near + (lib.exp(params[1]) + 1e-4) * lib.eye(n)
            return -normal.logpdf(y, params[0] * lib.ones(n), covariance)

        programs[library] = partial(value_and_grad(loss), start)
    return programs


def neural_ode():
    """The distance of a trajectory from a network's, in all of the network's parameters."""
    times = np.linspace(0, 1.5, 30)
    seen = 2 * np.exp(-times[:, None] / 10) * np.stack([np.cos(times), -np.sin(times)], axis=1)
    sizes = ((2, 150), (150, 2))
    params = [(0.1 * rng.standard_normal(s), 0.1 * rng.standard_normal(s[1])) for s in sizes]
    programs = {}
    for library, (value_and_grad, lib, integrate, builtins) in libraries(
        "scipy.integrate", "builtins"
    ).items():

        def slope(state, t, params, lib=lib):
            (first, shift), (second, last) = params
            return lib.dot(lib.maximum(0, lib.dot(state, first) + shift), second) + last

        def loss(params, lib=lib, solve=integrate.odeint, pack=builtins.tuple, slope=slope):
            states = solve(slope, np.array([2.0, 0.0]), times, pack((params,)), rtol=0.01)
            return lib.mean(lib.abs(states - seen))

        programs[library] = partial(value_and_grad(loss), params)
    return programs
