"""Three small models of modules, as PyTorch's users write them, with what they learn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapegrad.torch as torch

nn = torch.nn


def mlp() -> Any:
    return nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 10))


def images() -> Any:
    return nn.Sequential(
        nn.Unflatten(1, (3, 2, 2)), nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4, 10),
    )  # fmt: skip


class Block(nn.Module):
    """A transformer's block and a head, on each input as three words of four numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
        self.head = nn.Linear(12, 10)

    def forward(self, x: Any) -> Any:
        return self.head(self.layer(x.view(-1, 3, 4)).flatten(1))


MODELS: dict[str, Callable[[], Any]] = {"MLP": mlp, "images": images, "transformer block": Block}


def training(make: Callable[[], Any], device: str) -> Callable[[], Any]:
    """A training step of a new model on a device: each call gives the loss."""
    torch.manual_seed(0)
    model = make().to(device)
    x = torch.linspace(-1, 1, 60).view(5, 12).to(device)
    y = torch.tensor([0, 3, 9, 1, 1]).to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.01)

    def step() -> Any:
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimiser.step()
        return loss

    return step
