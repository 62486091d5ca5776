"""Train a convolutional network on CIFAR-10.

Workers load the pictures, and shift and mirror them at random while the network learns. It reads
CIFAR-10 where it finds it (--data), fetches it with --download, and else draws shapes and writes
them in CIFAR's format.
"""

import argparse
from pathlib import Path

from plot import Chart
from shapes import Shapes
from tqdm import tqdm

import tapegrad.torch as torch
from tapegrad.data import DataLoader
from tapegrad.vision import transforms
from tapegrad.vision.datasets import CIFAR10

nn = torch.nn


def network(classes, width):
    """Three convolutions, each followed by its half in size; scores of the classes."""

    def block(channels, filters):
        return nn.Sequential(
            nn.Conv2d(channels, filters, 3, padding=1, bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )

    return nn.Sequential(
        block(3, width),  # (B, width, 16, 16)
        block(width, 2 * width),
        block(2 * width, 4 * width),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),  # (B, 4 width)
        nn.Linear(4 * width, classes),
    )


def train_epoch(model, loader, optimizer, scheduler, title):
    """Go through the training set once; gives the mean loss."""
    model.train()
    total = 0.0
    batches = tqdm(loader, desc=title, unit="batch")
    for images, labels in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
        batches.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
    return total / len(loader)


@torch.no_grad()
def accuracy(model, loader):
    """The part of the pictures that are recognised."""
    model.eval()
    right = sum((model(images).argmax(1) == labels).sum().item() for images, labels in loader)
    return right / len(loader.dataset)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", metavar="DIR", default="data")
    parser.add_argument("--download", action="store_true", help="fetch CIFAR-10")
    parser.add_argument("--shapes", type=int, default=6000, help="how many are drawn without it")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--width", type=int, default=16, help="filters of the first layer")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", metavar="FILE", default="cifar.png")
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    normalise = transforms.Normalize((0.5, 0.5, 0.5), (0.25, 0.25, 0.25))
    plain = transforms.Compose([transforms.ToTensor(), normalise])
    varied = transforms.Compose(
        [transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(), plain]
    )
    there = options.download or (Path(options.data) / CIFAR10.base_folder).exists()
    kind = CIFAR10 if there else Shapes
    if kind is Shapes:
        Shapes.write(options.data, options.shapes, options.shapes // 6)
    train = kind(options.data, transform=varied, download=options.download)
    test = kind(options.data, train=False, transform=plain)
    print(f"{kind.__name__}: {len(train)} pictures to learn from, {len(test)} to test with")

    kept = {"num_workers": options.workers, "persistent_workers": options.workers > 0}
    loader = DataLoader(train, 64, shuffle=True, **kept)
    test_loader = DataLoader(test, 250, **kept)
    model = network(len(train.classes), options.width)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.01, total_steps=options.epochs * len(loader)
    )
    losses, accuracies = [], []
    for epoch in range(1, options.epochs + 1):
        losses.append(train_epoch(model, loader, optimizer, scheduler, f"epoch {epoch}"))
        accuracies.append(accuracy(model, test_loader))
        print(f"epoch {epoch}: loss {losses[-1]:.3f}, {accuracies[-1]:.2%} of the test are right")
    chart = Chart(f"{kind.__name__}, by epoch", (0, options.epochs), (0, max(1.0, *losses)))
    epochs = range(1, options.epochs + 1)
    chart.line("loss", epochs, losses)
    chart.line("right in the test", epochs, accuracies)
    chart.save(options.picture)
    print(f"{options.picture} shows how it went")
    return accuracies[-1]


if __name__ == "__main__":
    main()
