"""The example trains, on the digits that ship and on files in MNIST's format."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tapegrad as tg

from .vision.test_idx import write_mnist


@pytest.fixture
def mnist(monkeypatch, tmp_path):
    """The example as a module, with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    path = Path(__file__).parents[1] / "examples" / "mnist.py"
    spec = importlib.util.spec_from_file_location("mnist", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_learns_the_small_digits(mnist, tmp_path, capsys):
    picture = tmp_path / "picture.png"
    accuracy = mnist.main(["--epochs", "6", "--picture", str(picture)])
    assert accuracy > 0.86
    printed = capsys.readouterr().out
    assert "small digits: 1437 images to learn from, 360 to test with" in printed
    assert printed.count("of the test images are read right") == 6
    with Image.open(picture) as image:
        assert image.size == (744, 578)


def test_same_seed_same_result(mnist, tmp_path):
    arguments = ["--epochs", "1", "--picture", str(tmp_path / "picture.png"), "--seed", "3"]
    assert mnist.main(arguments) == mnist.main(arguments)


def test_reads_mnist_files(mnist, tmp_path, capsys):
    write_mnist(tmp_path, train=200, test=50)
    options = ["--data", str(tmp_path), "--epochs", "1", "--picture", str(tmp_path / "p.png")]
    mnist.main(options)
    assert "MNIST: 200 images to learn from, 50 to test with" in capsys.readouterr().out


def test_gradient_is_the_one_by_hand(mnist):
    rng = np.random.default_rng(0)
    params = {
        name: value.astype(float)
        for name, value in mnist.initial_parameters(rng, pixels=20, classes=4).items()
    }
    x, labels = rng.standard_normal((7, 20)), rng.integers(0, 4, 7)
    value, gradient = tg.value_and_grad(mnist.loss)(params, x, labels)

    before = x @ params["w1"] + params["b1"]
    hidden = np.maximum(before, 0)
    scores = hidden @ params["w2"] + params["b2"]
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(value, -np.log(chances[np.arange(7), labels]).mean())
    g = chances.copy()
    g[np.arange(7), labels] -= 1
    g /= 7
    g_hidden = (g @ params["w2"].T) * (before > 0)
    expected = {"w1": x.T @ g_hidden, "b1": g_hidden.sum(0), "w2": hidden.T @ g, "b2": g.sum(0)}
    assert gradient.keys() == expected.keys()
    for name in expected:
        np.testing.assert_allclose(gradient[name], expected[name], rtol=1e-10, atol=1e-14)


def test_network_in_single_precision(mnist):
    rng = np.random.default_rng(0)
    params = mnist.initial_parameters(rng, pixels=20, classes=4)
    x = rng.standard_normal((7, 20)).astype(np.float32)
    value, gradient = tg.value_and_grad(mnist.loss)(params, x, rng.integers(0, 4, 7))
    assert value.dtype == np.float32
    assert {g.dtype for g in gradient.values()} == {np.dtype(np.float32)}
