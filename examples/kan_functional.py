"""Train many Kolmogorov-Arnold networks at once, by pure functions.

The model of `kan_regression.py` as a function of its parameters. `tg.vmap` of one step trains eight
networks that began differently, and the median of their answers is the answer of all: 0.013 off at
new points, where each is 0.022 off in the median (1000 steps, 16 s on one core).
"""

import argparse

import numpy as np
from plot import save_losses
from tqdm import tqdm

import tapegrad as tg
from tapegrad import nn
from tapegrad.optim import functional as rules


def formula(points):
    """What is to be learned: (N, 2) to (N, 1)."""
    x, y = points[:, :1], points[:, 1:]
    return np.exp(np.sin(np.pi * x) + y**2)


def stacked(models):
    """The parameters of some models of one kind, along a new first axis; and their buffers."""
    states = [nn.state(model) for model in models]
    params = {name: np.stack([p[name] for p, _ in states]) for name in states[0][0]}
    return params, states[0][1]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", type=int, default=8)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", metavar="FILE", default="kan_functional_loss.png")
    options = parser.parse_args(arguments)

    rng = np.random.default_rng(options.seed)
    x, test_x = (rng.uniform(-1, 1, (n, 2)).astype(np.float32) for n in (options.points, 1000))
    y, test_y = formula(x), formula(test_x)
    tg.torch.manual_seed(options.seed)
    models = [nn.KAN([2, 2, 1], grid_size=10) for _ in range(options.models)]
    params, buffers = stacked(models)
    rule = rules.adam(rules.cosine(0.02, options.steps))

    def answer(params, x):
        return nn.functional_call(models[0], (params, buffers), x)

    def error(params):
        return nn.functional.mse_loss(answer(params, x), y)

    def step(params, state):
        loss, gradients = tg.value_and_grad(error)(params)
        params, state = rule.update(gradients, state, params)
        return params, state, loss

    step_all = tg.vmap(step)
    state = tg.vmap(rule.init)(params)
    losses = []
    bar = tqdm(range(options.steps), unit="step")
    for _ in bar:
        params, state, loss = step_all(params, state)
        losses.append(loss)
        bar.set_postfix(loss=f"{loss.mean():.1e}", refresh=False)

    answers = tg.vmap(answer, in_axes=(0, None))(params, test_x)  # (models, N, 1)
    each = np.sqrt(np.mean((answers - test_y) ** 2, axis=(1, 2)))
    together = float(np.sqrt(np.mean((np.median(answers, axis=0) - test_y) ** 2)))
    print(f"at new points, {np.median(each):.4f} off each, {together:.4f} off together")
    curves = {f"network {i}": [loss[i] for loss in losses] for i in range(min(5, len(models)))}
    save_losses(options.curve, "Mean squared error", curves)
    return float(np.median(each)), together


if __name__ == "__main__":
    main()
