"""A program prints the same numbers here and under PyTorch, with the same random numbers."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]

PROGRAM = """
    import torch
    import torch.nn.functional as F
    from torch import nn, optim
    from torch.utils.data import DataLoader, TensorDataset, random_split

    torch.manual_seed(7)
    x = torch.randn(200, 1, 8, 8)
    y = (x.mean((1, 2, 3)) > 0).long() + torch.randint(0, 2, (200,))
    train, test = random_split(TensorDataset(x, y), [160, 40])
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout2d(0.2),
        nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3),
        nn.Linear(36, 16), nn.Tanh(), nn.Linear(16, 3),
    )
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    for epoch in range(3):
        model.train()
        for images, labels in DataLoader(train, 32, shuffle=True):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            print(f"{loss.item():.4f}")
        scheduler.step()
        model.eval()
        with torch.no_grad():
            scores = torch.cat([model(images) for images, _ in DataLoader(test, 16)])
        print(f"{scores.mean().item():.4f} {scores.std().item():.4f}")
    print(torch.rand(2).tolist(), torch.randperm(5).tolist(), torch.multinomial(torch.ones(4), 2))
"""


def test_a_program_prints_the_same_numbers(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(PROGRAM))
    printed = [
        subprocess.run(
            [sys.executable, "-m", *command, str(script)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ).stdout
        for command in (["tapegrad", "run"], ["tests.parity.drawing"])
    ]
    ours, theirs = ([float(x) for x in re.findall(r"-?\d+\.?\d*", text)] for text in printed)
    assert len(ours) == 3 * (5 + 2) + 2 + 5 + 2
    assert ours == pytest.approx(theirs, abs=2e-4)
