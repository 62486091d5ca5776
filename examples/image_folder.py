"""Train on a folder of images, in one subfolder for each class, with augmentation.

Point --data at a folder that has train/CLASS/*.jpg and test/CLASS/*.jpg; without one, shapes are
drawn. One picture shows what the augmentation makes of the images, another what the network takes
those of the test for.
"""

import argparse
from pathlib import Path

import numpy as np
from shapes import KINDS, shape
from tqdm import tqdm

import tapegrad.torch as torch
from tapegrad.data import DataLoader
from tapegrad.vision import transforms
from tapegrad.vision.datasets import ImageFolder
from tapegrad.vision.utils import make_grid, save_image

nn = torch.nn

SIZE = 32
GREEN, RED = (0.2, 0.7, 0.3), (0.9, 0.2, 0.2)

augmentation = transforms.Compose(
    [
        transforms.RandomResizedCrop(SIZE, scale=(0.6, 1.0), ratio=(0.9, 1.1)),
        transforms.RandomHorizontalFlip(),
        transforms.RandomRotation(20),
        transforms.ColorJitter(brightness=0.3, contrast=0.3, saturation=0.3, hue=0.1),
        transforms.ToTensor(),
    ]
)
plain = transforms.Compose(
    [transforms.Resize(SIZE), transforms.CenterCrop(SIZE), transforms.ToTensor()]
)


def draw_shapes(folder, train, test, seed=0):
    """Save so many shapes of each kind in a folder, unless it is there."""
    rng = np.random.default_rng(seed)
    for part, count in (("train", train), ("test", test)):
        for kind in KINDS:
            place = Path(folder) / part / kind
            if not place.exists():
                place.mkdir(parents=True)
                for i in range(count):
                    shape(kind, rng).save(place / f"{i}.png")


def network(classes):
    """Convolutions that halve the image three times; scores of the classes."""
    layers, channels = [], 3
    for filters in (16, 32, 64):
        layers += [nn.Conv2d(channels, filters, 3, 2, 1), nn.BatchNorm2d(filters), nn.ReLU()]
        channels = filters
    layers += [nn.Flatten(), nn.Dropout(0.2), nn.Linear(64 * (SIZE // 8) ** 2, classes)]
    return nn.Sequential(*layers)


def train_epoch(model, loader, optimizer, title):
    """Go through the images once."""
    model.train()
    for images, labels in (batches := tqdm(loader, desc=title, unit="batch")):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(2 * images - 1), labels)
        loss.backward()
        optimizer.step()
        batches.set_postfix(loss=f"{loss.item():.3f}", refresh=False)


@torch.no_grad()
def predictions(model, images):
    """The class of each image."""
    model.eval()
    return model(2 * images - 1).argmax(1)


def framed(images, right):
    """Images in a frame: green where the network is right, red where it is wrong."""
    result = []
    for image, good in zip(images, right, strict=True):
        frame = torch.tensor(GREEN if good else RED).reshape(3, 1, 1).repeat(1, SIZE + 6, SIZE + 6)
        frame[:, 3:-3, 3:-3] = image
        result.append(frame)
    return torch.stack(result)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", metavar="DIR", help="has train/CLASS/*.jpg and test/CLASS/*.jpg")
    parser.add_argument("--shapes", type=int, default=400, help="how many of a kind are drawn")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pictures", metavar="DIR", default=".")
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    data = Path(options.data or "data/shapes")
    if options.data is None:
        draw_shapes(data, options.shapes, options.shapes // 5)
    train, test = ImageFolder(data / "train", augmentation), ImageFolder(data / "test", plain)
    print(f"{len(train)} images to learn from and {len(test)} to test with, of {train.classes}")

    out = Path(options.pictures)
    varied = [train[i * len(train) // 8][0] for i in range(8) for _ in range(8)]
    save_image(varied, out / "augmented.png")
    print(f"{out / 'augmented.png'} shows eight images, each as it comes in eight epochs")

    kept = {"num_workers": options.workers, "persistent_workers": options.workers > 0}
    loader = DataLoader(train, 32, shuffle=True, **kept)
    images, labels = next(iter(DataLoader(test, len(test))))
    model = network(len(train.classes))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(1, options.epochs + 1):
        train_epoch(model, loader, optimizer, f"epoch {epoch}")
        right = predictions(model, images) == labels
        print(f"epoch {epoch}: {right.float().mean().item():.2%} of the test are right")

    some = torch.randperm(len(test))[:64]
    save_image(make_grid(framed(images[some], right[some])), out / "tested.png")
    print(f"{out / 'tested.png'} shows some of the test, mistaken ones in red")
    return right.float().mean().item()


if __name__ == "__main__":
    main()
