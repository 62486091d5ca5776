"""Ask a network how sure it is: draw its weights from what the data leaves possible.

Hamiltonian Monte Carlo (Neal, 2011) walks through the weights of a small network. Many chains walk
at once: `tg.vmap` makes one of them a batch of them. Where there are no data, they disagree: the
spread of the answers is 0.04 at the data, and 0.24 in the gap (32 chains, 21 s on one core).
"""

import argparse

from numpy.random import default_rng
from plot import Chart
from tqdm import tqdm

import tapegrad as tg
import tapegrad.numpy as np

HIDDEN = 20
NOISE = 0.1


def network(weights, x):
    """The network's answers, (N,), at points x, (N,)."""
    hidden = np.tanh(x[:, None] * weights["w1"] + weights["b1"])  # (N, HIDDEN)
    return hidden @ weights["w2"] / HIDDEN**0.5


def energy(weights, x, y):
    """Minus the logarithm of how likely weights are: normal before data, with normal noise."""
    before = sum(np.sum(w**2) for w in weights.values()) / 2
    return before + np.sum((network(weights, x) - y) ** 2) / (2 * NOISE**2)


def walk(weights, momenta, x, y, step, steps):
    """Roll down and up the energy, by the leapfrog method; gives the change of the total energy."""

    def push(weights, momenta, step):
        value, slope = tg.value_and_grad(energy)(weights, x, y)
        return value, {name: momenta[name] - step * slope[name] for name in momenta}

    def total(potential, momenta):
        return potential + sum(np.sum(p**2) for p in momenta.values()) / 2

    before = momenta
    first, momenta = push(weights, momenta, step / 2)
    for i in range(steps):
        weights = {name: weights[name] + step * momenta[name] for name in weights}
        last, momenta = push(weights, momenta, step if i < steps - 1 else step / 2)
    return weights, total(last, momenta) - total(first, before)


def sample(rng, x, y, chains, rounds):
    """Weights of all chains after each round of the second half, one below the other."""
    shapes = {"w1": HIDDEN, "b1": HIDDEN, "w2": HIDDEN}
    weights = {name: rng.standard_normal((chains, n)) for name, n in shapes.items()}
    walk_all = tg.vmap(walk, in_axes=(0, 0, None, None, None, None))
    step, kept = 0.01, []
    bar = tqdm(range(rounds), unit="round")
    for i in bar:
        momenta = {name: rng.standard_normal(w.shape) for name, w in weights.items()}
        new, change = walk_all(weights, momenta, x, y, step, 20)
        moved = rng.random(chains) < np.exp(-np.maximum(change, 0))
        weights = {name: np.where(moved[:, None], new[name], w) for name, w in weights.items()}
        if i < rounds // 2:  # until four in five walks arrive
            step *= 1.05 if moved.mean() > 0.8 else 0.95
        else:
            kept.append(weights)
        bar.set_postfix(accepted=f"{moved.mean():.0%}", step=f"{step:.4f}", refresh=False)
    return {name: np.concatenate([w[name] for w in kept]) for name in weights}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chains", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", metavar="FILE", default="bayesian_net.png")
    options = parser.parse_args(arguments)

    rng = default_rng(options.seed)
    x = np.concatenate([rng.uniform(-2, -0.7, 20), rng.uniform(0.7, 2, 20)])
    y = np.sin(2 * x) + NOISE * rng.standard_normal(x.shape)
    weights = sample(rng, x, y, options.chains, options.rounds)

    points = np.linspace(-3, 3, 121)
    answers = tg.vmap(network, in_axes=(0, None))(weights, points)  # (samples, 121)
    mean, spread = answers.mean(0), answers.std(0)
    known = np.interp(x, points, spread).mean()
    unknown = spread[np.abs(points) < 0.3].mean()
    print(f"spread of the answers: {known:.3f} at the data, {unknown:.3f} in the gap between them")
    chart = Chart("What the data leave possible", (-3, 3), (-2.5, 2.5))
    chart.band("two deviations", points, mean - 2 * spread, mean + 2 * spread)
    chart.line("mean", points, mean)
    chart.dots("data", x, y)
    chart.save(options.picture)
    return known, unknown


if __name__ == "__main__":
    main()
