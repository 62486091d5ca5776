"""Training steps of modules on the stand-in: few kernels, nothing copied, nothing waited for."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad.torch as torch

from .standin import counts

F = torch.nn.functional
nn = torch.nn
pytestmark = pytest.mark.usefixtures("gpus")


def mlp():
    return nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 10))


def images():
    return nn.Sequential(
        nn.Unflatten(1, (3, 2, 2)), nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4, 10),
    )  # fmt: skip


class Block(nn.Module):
    """A transformer's block and a head, on each input as three words of four numbers."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
        self.head = nn.Linear(12, 10)

    def forward(self, x):
        return self.head(self.layer(x.view(-1, 3, 4)).flatten(1))


MODELS = {"MLP": (mlp, 41), "images": (images, 104), "transformer block": (Block, 130)}
"""Models, and at most how many kernels a step takes."""


def batch(device):
    x = torch.linspace(-1, 1, 60).view(5, 12).to(device)
    return x, torch.tensor([0, 3, 9, 1, 1]).to(device)


@pytest.mark.parametrize("name", MODELS)
def test_a_step(name):
    make, most = MODELS[name]
    losses = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        model = make().to(device)
        for part in model.modules():
            if isinstance(part, nn.Dropout):
                part.eval()
        x, y = batch(device)
        optimiser = torch.optim.AdamW(model.parameters(), lr=0.01)

        def step(model=model, optimiser=optimiser, x=x, y=y):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimiser.step()
            return loss

        step()
        counts.clear()
        loss = step()
        if device == "cuda":
            seen = dict(counts)
        losses.append(loss.item())
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
    assert seen.get("waits", 0) == 0
    assert seen.get("downloads", 0) == 0
    assert seen.get("uploads", 0) == 1  # the addresses of what the optimiser updates
    assert seen["launches"] <= most
