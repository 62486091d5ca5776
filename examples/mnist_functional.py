"""Learn to read handwritten digits by pure functions.

The network and the data of `mnist_torch_style.py`; here the modules say what is computed, and hold
nothing: a step makes new parameters of old ones, and `tg.compile` makes machine code of it.
Three epochs of MNIST take 7 s on one core, 4 s with --compile; then 97.6 % are read right.
"""

import argparse

import numpy as np
from plot import save_losses
from tqdm import tqdm

import tapegrad as tg
from tapegrad import nn
from tapegrad.optim import functional as rules
from tapegrad.vision import load_digits, picture_of_predictions

BATCH = 100


def make_step(model, rule):
    """``params, state, loss = step(params, state, x, labels)``, for a rule that updates."""

    def loss(params, x, labels):
        return nn.functional.cross_entropy(nn.functional_call(model, params, x), labels)

    def step(params, state, x, labels):
        value, gradients = tg.value_and_grad(loss)(params, x, labels)
        params, state = rule.update(gradients, state, params)
        return params, state, value

    return step


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", metavar="DIR", help="directory with MNIST's four files")
    parser.add_argument("--download", action="store_true", help="fetch MNIST if it is not there")
    parser.add_argument("--epochs", type=int, help="3 for MNIST, 20 for the small set")
    parser.add_argument("--compile", action="store_true", help="make machine code of the step")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", metavar="FILE", default="digits_loss.png")
    parser.add_argument("--picture", metavar="FILE", default="digits.png")
    options = parser.parse_args(arguments)

    digits = load_digits(options.data, download=options.download)
    x, labels = digits.train_images.reshape(len(digits.train_images), -1), digits.train_labels
    test_x = digits.test_images.reshape(len(digits.test_images), -1)
    print(f"{digits.name}: {len(x)} images to learn from, {len(test_x)} to test with")

    tg.torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    model = nn.Sequential(nn.Linear(x.shape[1], 200), nn.ReLU(), nn.Linear(200, 10))
    epochs = options.epochs or (3 if len(x) > 10_000 else 20)
    batches = epochs * (len(x) // BATCH)
    rule = rules.chain(
        rules.clip_by_global_norm(2.0), rules.sgd(rules.cosine(0.1, batches), momentum=0.9)
    )
    step = make_step(model, rule)
    if options.compile:
        step = tg.compile(step)
    params, _ = nn.state(model)
    state = rule.init(params)
    losses = []
    bar = tqdm(range(batches), unit="batch")
    for i in bar:
        first = i * BATCH % (len(x) - BATCH + 1)
        if first < BATCH:
            order = rng.permutation(len(x))
        batch = order[first : first + BATCH]
        params, state, loss = step(params, state, x[batch], labels[batch])
        losses.append(float(loss))
        bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)

    predictions = nn.functional_call(model, params, test_x).numpy().argmax(axis=1)
    accuracy = float(np.mean(predictions == digits.test_labels))
    print(f"{accuracy:.2%} of the test images are read right")
    save_losses(options.curve, "Loss of a batch", {"cross entropy": losses}, window=20)
    some = rng.choice(len(test_x), 40, replace=False)
    picture_of_predictions(
        options.picture, digits.test_images[some], digits.test_labels[some], predictions[some]
    )
    return accuracy


if __name__ == "__main__":
    main()
