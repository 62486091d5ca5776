"""Fit a formula with a Kolmogorov-Arnold network, beside a perceptron of the same size.

exp(sin(pi x) + y^2) is a sum of functions of one variable, inside of another one: that is what a
KAN of two layers is, whose parts are splines that it learns. After 1500 steps (11 s on one core) it
is 0.012 off at new points, the perceptron 0.14.
"""

import argparse

from plot import Chart, save_losses
from tqdm import tqdm

import tapegrad.torch as torch
from tapegrad.torch import nn


def formula(points):
    """What is to be learned: (N, 2) to (N, 1)."""
    x, y = points.split(1, dim=1)
    return torch.exp(torch.sin(torch.pi * x) + y**2)


def train(model, x, y, steps, title):
    """Fit all points at once by Adam; gives the mean squared error at each step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    losses = []
    bar = tqdm(range(steps), desc=title, unit="step")
    for _ in bar:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        bar.set_postfix(loss=f"{losses[-1]:.1e}", refresh=False)
    return losses


@torch.no_grad()
def error(model, x, y):
    """The root of the mean squared error."""
    return nn.functional.mse_loss(model(x), y).sqrt().item()


@torch.no_grad()
def save_functions(path, layer):
    """Save a chart of what the first layer makes of each input, for the first output."""
    points = torch.linspace(-1, 1, 200)[:, None]
    curves = []
    for i in range(layer.in_features):
        x = torch.zeros(len(points), layer.in_features)
        nothing = layer(x)[:, 0]
        x[:, i] = points[:, 0]
        curves.append((layer(x)[:, 0] - nothing).numpy())
    low, high = min(c.min() for c in curves), max(c.max() for c in curves)
    chart = Chart("What the first layer has learned", (-1, 1), (1.1 * low, 1.1 * high))
    for name, curve in zip("xy", curves, strict=True):
        chart.line(f"of {name}", points[:, 0].numpy(), curve)
    chart.save(path)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", metavar="FILE", default="kan_loss.png")
    parser.add_argument("--picture", metavar="FILE", default="kan_functions.png")
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    x, test_x = (2 * torch.rand(n, 2) - 1 for n in (options.points, 1000))
    y, test_y = formula(x), formula(test_x)
    models = {
        "KAN": nn.KAN([2, 2, 1], grid_size=10),
        "perceptron": nn.Sequential(nn.Linear(2, 22), nn.Tanh(), nn.Linear(22, 1)),
    }
    losses, errors = {}, {}
    for name, model in models.items():
        losses[name] = train(model, x, y, options.steps, name)
        errors[name] = error(model, test_x, test_y)
        count = sum(p.numel() for p in model.parameters())
        print(f"{name} of {count} parameters: {errors[name]:.4f} off, at new points")
    save_losses(options.curve, "Mean squared error", losses)
    save_functions(options.picture, models["KAN"].layers[0])
    return errors


if __name__ == "__main__":
    main()
