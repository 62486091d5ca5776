"""Fine-tune a network that comes from a safetensors file.

A network has learned to read good images of digits and lies in a file, such as any program that
knows safetensors could have written (--weights; it is trained and saved here if it is not there).
Another scanner gives faint and noisy images, of which only a few are labelled. From the file's
weights on they are enough to learn from; a network that begins from nothing does worse.
"""

import argparse
import os

import numpy as np
from plot import Chart
from tqdm import trange

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad.data import DataLoader, TensorDataset
from tapegrad.vision import load_small_digits

nn = torch.nn


def network():
    """Scores of the ten digits for images (B, 1, 8, 8)."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def scanned(images, rng):
    """What the other scanner makes of images: faint, noisy, and one pixel to the right."""
    faint = 0.25 + 0.35 * np.roll(images, 1, axis=2)
    return (faint + rng.normal(0, 0.08, images.shape)).astype(np.float32)


def pairs(images, labels):
    """Images as a network takes them, with their labels."""
    return torch.tensor(images[:, None]), torch.tensor(labels)


def train(model, known, test, epochs, title):
    """Train by Adam; gives the part of `test` that is read right, before and after each epoch."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(*known), 30, shuffle=True)
    course = [accuracy(model, *test)]
    for _ in (bar := trange(epochs, desc=title, unit="epoch")):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
        course.append(accuracy(model, *test))
        bar.set_postfix(right=f"{course[-1]:.1%}", refresh=False)
    return course


@torch.no_grad()
def accuracy(model, images, labels):
    """The part of the images that are read right."""
    return (model(images).argmax(1) == labels).float().mean().item()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--weights", metavar="FILE", default="digits.safetensors")
    parser.add_argument("--examples", type=int, default=3, help="labelled images of each digit")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", metavar="FILE", default="fine-tuning.png")
    options = parser.parse_args(arguments)

    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    data = load_small_digits()
    if not os.path.exists(options.weights):
        model = network()
        good = pairs(data.train_images, data.train_labels)
        course = train(model, good, pairs(data.test_images, data.test_labels), 8, "good images")
        tg.save(model.state_dict(), options.weights, {"accuracy": f"{course[-1]:.3f}"})

    of_each = [
        np.flatnonzero(data.train_labels == digit)[: options.examples] for digit in range(10)
    ]
    few = np.concatenate(of_each)
    known = pairs(scanned(data.train_images[few], rng), data.train_labels[few])
    test = pairs(scanned(data.test_images, rng), data.test_labels)
    tuned, fresh = network(), network()
    tuned.load_state_dict(tg.load(options.weights))
    courses = {}
    for title, model in (("from the file", tuned), ("from nothing", fresh)):
        course = courses[title] = train(model, known, test, options.epochs, title)
        print(f"{title}: {course[0]:.1%} of the scanner's digits are read, then {course[-1]:.1%}")

    title = f"Scanned digits that are read, by epoch with {len(few)} labelled ones"
    chart = Chart(title, (0, options.epochs), (0, 1))
    for name, course in courses.items():
        chart.line(name, range(len(course)), course)
    chart.save(options.picture)
    print(f"{options.picture} shows how they learn")
    return {name: course[-1] for name, course in courses.items()}


if __name__ == "__main__":
    main()
