"""Find what a rod's temperature was 10,000 steps ago, in a hundredth of the memory of the tape.

The rod loses heat faster where it is hotter, so that the equation is not linear. What was is found
from what is by gradients through the whole simulation, whose tape would need some 200 MB.
"""

import argparse
import time

import numpy as np
from plot import Chart
from tqdm import tqdm

import tapegrad as tg
import tapegrad.numpy as tnp

POINTS = 200


def simulate(u, steps):
    for _ in range(steps):
        u = u + 0.02 * (tnp.roll(u, 1) - 2 * u + tnp.roll(u, -1)) - 1e-5 * u * u
    return u


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--budget", default="2MB")
    parser.add_argument("--picture", metavar="FILE", default="heat.png")
    options = parser.parse_args(arguments)

    x = np.arange(POINTS)
    before = 2 + np.sin(2 * np.pi * x / POINTS) + 0.3 * np.cos(4 * np.pi * x / POINTS)
    after = simulate(before, options.steps)
    seconds = {}

    def loss(u):
        return tnp.sum((simulate(u, options.steps) - after) ** 2)

    def timed(name, function):
        start = time.process_time()
        result = function(np.full(POINTS, after.mean()))
        seconds[name] = time.process_time() - start
        return result

    descend = tg.value_and_grad(tg.checkpoint(loss, budget=options.budget))
    limited = timed(options.budget, tg.grad(tg.checkpoint(loss, budget=options.budget)))
    whole = timed("all", tg.grad(loss))
    print(", ".join(f"{name} of memory: {took:.1f} s" for name, took in seconds.items()))
    print(f"gradients are equal: {np.array_equal(whole, limited)}")

    u, last = np.full(POINTS, after.mean()), None
    for _ in tqdm(range(options.rounds), unit="round"):
        value, gradient = descend(u)
        if last is None:
            length = 0.5
        else:  # the step of Barzilai and Borwein
            moved, turned = u - last[0], gradient - last[1]
            length = moved @ moved / (moved @ turned)
        last = u, gradient
        u = u - length * gradient
    print(f"off by {abs(u - before).max():.4f}, at first by {abs(after.mean() - before).max():.4f}")
    chart = Chart(f"A rod, {options.steps} steps ago", (0, POINTS - 1), (0.5, 4.0))
    chart.line("now", x, after)
    chart.line("before", x, before)
    chart.dots("found", x, u)
    chart.save(options.picture)
    print(f"{options.picture} shows it")
    return value, np.array_equal(whole, limited)


if __name__ == "__main__":
    main()
