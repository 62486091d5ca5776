"""Learn to read handwritten digits.

A network of two layers, written with NumPy's names, trained by the gradient of its loss. It reads
MNIST where it finds it (--data, or the user's cache), fetches it with --download, and else takes a
small set of digits that comes with tapegrad.
"""

import argparse

from numpy.random import default_rng
from tqdm import tqdm

import tapegrad as tg
import tapegrad.numpy as np
from tapegrad.vision import load_digits, picture_of_predictions

HIDDEN = 200
BATCH = 100
LEARNING_RATE = 0.1
MOMENTUM = 0.9


def initial_parameters(rng, pixels, classes):
    """Small random weights, so that each layer keeps the size of what goes through it."""

    def weights(n, m):
        return (rng.standard_normal((n, m)) * (2 / n) ** 0.5).astype(np.float32)

    return {
        "w1": weights(pixels, HIDDEN),
        "b1": np.zeros(HIDDEN, np.float32),
        "w2": weights(HIDDEN, classes),
        "b2": np.zeros(classes, np.float32),
    }


def network(params, x):
    """A score for each class, for images in the rows of x."""
    hidden = np.maximum(x @ params["w1"] + params["b1"], 0)  # (B, HIDDEN)
    return hidden @ params["w2"] + params["b2"]  # (B, classes)


def loss(params, x, labels):
    """The mean cross entropy between the softmax of the scores and the labels."""
    scores = network(params, x)
    scores = scores - np.max(scores, axis=1, keepdims=True)  # no overflow in exp
    log_total = np.log(np.sum(np.exp(scores), axis=1))
    return np.mean(log_total - scores[np.arange(len(labels)), labels])


def train_epoch(params, velocity, x, labels, rng, title):
    """Go through the training set once, in random order, and change `params` in place."""
    order = rng.permutation(len(x))
    batches = tqdm(range(0, len(x) - BATCH + 1, BATCH), desc=title, unit="batch")
    for start in batches:
        batch = order[start : start + BATCH]
        value, gradient = tg.value_and_grad(loss)(params, x[batch], labels[batch])
        for name in params:
            velocity[name] = MOMENTUM * velocity[name] - LEARNING_RATE * gradient[name]
            params[name] += velocity[name]
        batches.set_postfix(loss=f"{value:.3f}", refresh=False)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", metavar="DIR", help="directory with MNIST's four files")
    parser.add_argument("--download", action="store_true", help="fetch MNIST if it is not there")
    parser.add_argument("--epochs", type=int, help="3 for MNIST, 20 for the small set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", metavar="FILE", default="digits.png")
    options = parser.parse_args(arguments)

    digits = load_digits(options.data, download=options.download)
    x = digits.train_images.reshape(len(digits.train_images), -1)
    test_x = digits.test_images.reshape(len(digits.test_images), -1)
    print(f"{digits.name}: {len(x)} images to learn from, {len(test_x)} to test with")

    rng = default_rng(options.seed)
    params = initial_parameters(rng, x.shape[1], classes=10)
    velocity = {name: np.zeros_like(value) for name, value in params.items()}
    for epoch in range(options.epochs or (3 if len(x) > 10_000 else 20)):
        train_epoch(params, velocity, x, digits.train_labels, rng, f"epoch {epoch + 1}")
        predictions = np.argmax(network(params, test_x), axis=1)
        accuracy = np.mean(predictions == digits.test_labels)
        print(f"epoch {epoch + 1}: {accuracy:.2%} of the test images are read right")

    some = rng.choice(len(test_x), 40, replace=False)
    picture_of_predictions(
        options.picture, digits.test_images[some], digits.test_labels[some], predictions[some]
    )
    print(f"{options.picture} shows 40 of them, misread ones in red")
    return accuracy


if __name__ == "__main__":
    main()
