"""The shipped set, where digits are looked for, and the picture of predictions."""

import numpy as np
from PIL import Image

from tapegrad.vision import load_digits, load_small_digits, picture_of_predictions
from tapegrad.vision.download import SHA256

from .test_idx import write_mnist


def test_small_digits():
    digits = load_small_digits()
    assert digits.train_images.shape == (1437, 8, 8)
    assert digits.test_images.shape == (360, 8, 8)
    assert digits.train_images.dtype == np.float32
    assert digits.train_images.min() == 0
    assert digits.train_images.max() == 1
    # the data set's documentation counts so many of each digit
    labels = np.concatenate([digits.train_labels, digits.test_labels])
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    np.testing.assert_array_equal(digits.train_images[0, 0] * 16, [0, 0, 5, 13, 9, 1, 0, 0])


def test_where_digits_are_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("tapegrad.vision.digits.cache_directory", lambda: tmp_path / "cache")
    assert load_digits().name == "small digits"
    mnist = tmp_path / "cache" / "mnist"
    mnist.mkdir(parents=True)
    assert load_digits().name == "small digits"
    write_mnist(mnist)
    assert sorted(SHA256) == sorted(path.stem for path in mnist.iterdir())
    assert load_digits().name == "MNIST"
    (mnist / "train-images-idx3-ubyte.gz").rename(mnist / "train-images-idx3-ubyte.gz.part")
    assert load_digits().name == "small digits"
    other = tmp_path / "other"
    other.mkdir()
    write_mnist(other, train=7)
    assert len(load_digits(other).train_labels) == 7


def test_picture(tmp_path):
    digits = load_small_digits()
    labels = digits.test_labels[:5]
    predictions = labels.copy()
    path = tmp_path / "picture.png"
    images = digits.test_images[:5]
    picture_of_predictions(path, images, labels, predictions, columns=3)
    with Image.open(path) as picture:
        assert picture.size == (3 * 92 + 8, 2 * 114 + 8)
        right = np.asarray(picture)
    predictions[1] = (predictions[1] + 1) % 10
    picture_of_predictions(path, images, labels, predictions, columns=3)
    with Image.open(path) as picture:
        wrong = np.asarray(picture)
    changed = np.argwhere((right != wrong).any(axis=2))
    # only the caption of the second digit changed, and got red
    assert changed[:, 0].min() >= 8 + 84
    assert changed[:, 0].max() < 8 + 84 + 22
    assert changed[:, 1].min() >= 100
    assert changed[:, 1].max() < 192
    assert ((wrong == (200, 30, 30)).all(axis=2)).any()
    assert not ((right == (200, 30, 30)).all(axis=2)).any()
    # an ink pixel of the first digit is dark: its brightest pixel is black on paper
    row, column = np.unravel_index(np.argmax(images[0]), (8, 8))
    y, x = 8 + int((row + 0.5) * 84 / 8), 8 + int((column + 0.5) * 84 / 8)
    assert right[y, x].tolist() == [round(255 * (1 - float(images[0].max())))] * 3
