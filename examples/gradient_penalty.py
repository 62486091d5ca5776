"""Generate points with a Wasserstein GAN, whose critic is held to slopes of one.

The critic's loss contains the gradient of the critic itself, so that its own gradient is a second
derivative (Gulrajani et al., 2017). The points lie around eight places on a circle: after 2000
rounds (20 s on one core) 77 % of those generated come near one, and each place has its own.
"""

import argparse

import numpy as np
from plot import Chart, save_losses
from tqdm import tqdm

import tapegrad.torch as torch
from tapegrad.torch import nn

BATCH = 128
CENTRES = torch.tensor([[np.cos(a), np.sin(a)] for a in np.arange(8) * np.pi / 4]).float()
SPREAD = 0.05


def real_points(count):
    return CENTRES[torch.randint(8, (count,))] + SPREAD * torch.randn(count, 2)


def perceptron(inputs, outputs, width=64):
    """Two hidden layers; the network of either player."""
    hidden = nn.Linear(width, width), nn.LeakyReLU(0.2)
    return nn.Sequential(
        nn.Linear(inputs, width), nn.LeakyReLU(0.2), *hidden, nn.Linear(width, outputs)
    )


def gradient_penalty(critic, real, fake):
    """How far the critic's slopes are from one, at points between real and made ones."""
    share = torch.rand(len(real), 1)
    between = (share * real + (1 - share) * fake).requires_grad_()
    scores = critic(between)
    slopes = torch.autograd.grad(scores.sum(), between, create_graph=True)[0]  # (B, 2)
    return ((torch.linalg.vector_norm(slopes, dim=1) - 1) ** 2).mean()


def critic_step(critic, generator, optimizer):
    """Teach the critic to score real points above made ones; gives how far they are apart."""
    real = real_points(BATCH)
    with torch.no_grad():
        fake = generator(torch.randn(BATCH, 2))
    distance = critic(real).mean() - critic(fake).mean()
    optimizer.zero_grad()
    (gradient_penalty(critic, real, fake) - distance).backward()
    optimizer.step()
    return distance.item()


def generator_step(critic, generator, optimizer):
    """Teach the generator to make points that the critic scores high."""
    optimizer.zero_grad()
    (-critic(generator(torch.randn(BATCH, 2))).mean()).backward()
    optimizer.step()


def quality(points):
    """The share of points near a centre, and the number of centres that have some near."""
    distance, nearest = torch.cdist(points, CENTRES).min(dim=1)
    near = distance < 4 * SPREAD
    return near.float().mean().item(), len(nearest[near].unique())


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", metavar="FILE", default="penalty_distance.png")
    parser.add_argument("--picture", metavar="FILE", default="penalty_points.png")
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    critic, generator = perceptron(2, 1), perceptron(2, 2)
    players = [
        torch.optim.Adam(m.parameters(), 1e-3, betas=(0.5, 0.9)) for m in (critic, generator)
    ]
    distances = []
    bar = tqdm(range(options.steps), unit="step")
    for _ in bar:
        for _ in range(3):
            distance = critic_step(critic, generator, players[0])
        generator_step(critic, generator, players[1])
        distances.append(abs(distance))
        bar.set_postfix(distance=f"{distance:.3f}", refresh=False)

    with torch.no_grad():
        made = generator(torch.randn(1000, 2))
    share, centres = quality(made)
    print(f"{share:.0%} of the points lie near a centre, around {centres} of 8")
    save_losses(options.curve, "Distance that the critic sees", {"distance": distances}, window=20)
    chart = Chart("Points", (-1.8, 1.8), (-1.4, 1.4))
    for name, points in (("real", real_points(1000)), ("made", made)):
        chart.dots(name, *points.T.numpy())
    chart.save(options.picture)
    return share, centres


if __name__ == "__main__":
    main()
