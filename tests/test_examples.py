"""The examples run, with small settings, and learn."""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tapegrad as tg

from .vision.test_idx import write_mnist

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def load(monkeypatch, tmp_path):
    """The function that gives an example by name as a module; files that it writes go elsewhere."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def mnist(load):
    return load("mnist")


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


def sizes_of(*names):
    """The sizes of pictures that an example saved."""
    sizes = []
    for name in names:
        with Image.open(name) as image:
            sizes.append(image.size)
    return sizes


@pytest.mark.parametrize("name", ["mnist_torch_style", "mnist_functional"])
def test_digits_by_modules(load, name, capsys):
    accuracy = load(name).main(["--epochs", "6"])
    assert accuracy > 0.86
    assert "of the test images are read right" in capsys.readouterr().out
    assert sizes_of("digits_loss.png", "digits.png") == [(720, 440), (744, 578)]


def test_transformer_learns_a_short_text(load, tmp_path, capsys):
    (tmp_path / "text.txt").write_text("the tape is flat; " * 60)
    options = ["--text", "text.txt", "--steps", "100", "--width", "16", "--length", "16"]
    bits = load("char_transformer").main(options)
    assert bits < 1.5  # of 3.5, the logarithm of 11 characters
    assert "bits a character" in capsys.readouterr().out
    assert sizes_of("transformer_loss.png") == [(720, 440)]


def test_networks_of_splines(load):
    errors = load("kan_regression").main(["--steps", "150", "--points", "200"])
    assert errors["KAN"] < 0.2
    assert sizes_of("kan_loss.png", "kan_functions.png") == [(720, 440)] * 2


def test_many_networks_of_splines(load):
    each, together = load("kan_functional").main(["--steps", "150", "--models", "3"])
    assert together < each < 0.4
    assert sizes_of("kan_functional_loss.png") == [(720, 440)]


def test_forecast_of_a_series(load):
    off = load("lstm_series").main(["--steps", "60", "--width", "16", "--length", "50"])
    assert off[10] < 0.15
    assert sizes_of("lstm_loss.png", "lstm_forecast.png") == [(720, 440)] * 2


def test_series_solves_its_equation(load):
    lstm_series = load("lstm_series")
    x = lstm_series.mackey_glass(100).astype(float) + 0.9
    late, middle = x[: -lstm_series.DELAY - 1], x[lstm_series.DELAY : -1]
    change = 0.2 * late / (1 + late**10) - 0.1 * middle
    np.testing.assert_allclose(np.diff(x)[lstm_series.DELAY :], change, atol=0.02)


def test_gradient_penalty_is_the_one_of_a_line(load):
    gradient_penalty = load("gradient_penalty")
    critic = tg.torch.nn.Linear(2, 1)
    with tg.no_grad():
        critic.weight.copy_(tg.tensor([[3.0, 4.0]]))  # slope 5 everywhere
    points = tg.torch.zeros(6, 2)
    penalty = gradient_penalty.gradient_penalty(critic, points, points + 1)
    assert penalty.item() == pytest.approx(16)
    penalty.backward()
    assert critic.weight.grad.tolist() == [pytest.approx([8 * 0.6, 8 * 0.8])]


def test_generated_points_come_near(load):
    share, centres = load("gradient_penalty").main(["--steps", "40"])
    assert 0 <= share <= 1
    assert 0 <= centres <= 8
    assert sizes_of("penalty_distance.png", "penalty_points.png") == [(720, 440)] * 2


def test_network_that_knows_what_it_does_not_know(load):
    known, unknown = load("bayesian_net").main(["--chains", "8", "--rounds", "40"])
    assert unknown > 2 * known
    assert sizes_of("bayesian_net.png") == [(720, 440)]


def test_walk_keeps_the_total_energy(load):
    bayesian_net = load("bayesian_net")
    rng = np.random.default_rng(0)
    names = ("w1", "b1", "w2")
    weights, momenta = ({name: rng.standard_normal(20) for name in names} for _ in range(2))
    x = np.linspace(-1, 1, 5)
    changes = [bayesian_net.walk(weights, momenta, x, x, 0.005 / k, 10 * k)[1] for k in (1, 2, 4)]
    assert abs(changes[0]) < 0.5
    ratios = [changes[0] / changes[1], changes[1] / changes[2]]
    assert ratios == pytest.approx([4, 4], rel=0.2)  # of second order


def test_a_convolutional_network_learns_shapes_in_cifars_format(load, tmp_path, capsys):
    arguments = ["--data", "data", "--shapes", "300", "--epochs", "2", "--workers", "1"]
    accuracy = load("cifar").main(arguments)
    printed = capsys.readouterr().out
    assert "Shapes: 300 pictures to learn from, 50 to test with" in printed
    assert 0.2 < accuracy < 1  # 1 in 6 by chance
    assert {path.name for path in (tmp_path / "data" / "shapes-batches-py").iterdir()} == {
        "data_batch_1",
        "test_batch",
        "batches.meta",
    }
    assert (tmp_path / "cifar.png").exists()


def test_fine_tuning_does_better_than_beginning_anew(load, tmp_path):
    module = load("fine_tuning")
    first = module.main(["--epochs", "30"])
    assert first["from the file"] > 0.6
    assert first["from the file"] > first["from nothing"] + 0.1
    assert tg.io.load_metadata("digits.safetensors").keys() == {"format", "accuracy"}
    written = Path("digits.safetensors").stat().st_mtime_ns
    module.main(["--epochs", "1"])
    assert Path("digits.safetensors").stat().st_mtime_ns == written
    assert (tmp_path / "fine-tuning.png").exists()


def test_a_folder_of_images(load, tmp_path, capsys):
    module = load("image_folder")
    accuracy = module.main(["--shapes", "40", "--epochs", "3", "--workers", "1"])
    assert 0.2 < accuracy < 1
    assert "240 images to learn from and 48 to test with" in capsys.readouterr().out
    with Image.open(tmp_path / "augmented.png") as image:
        assert image.size == (8 * 34 + 2, 8 * 34 + 2)
        rows = np.asarray(image, float)[2:].reshape(8, 34, 8 * 34 + 2, 3)
    assert np.abs(rows[:, :32, 2:34] - rows[:, :32, 36:68]).mean() > 5  # augmented anew
    with Image.open(tmp_path / "tested.png") as image:
        frames = np.asarray(image)[2:-2:40, 2:-2:40].reshape(-1, 3)
    green, red = (np.rint(255 * np.array(c)) for c in (module.GREEN, module.RED))
    right, wrong = ((np.abs(frames - c) <= 1).all(1).sum() for c in (green, red))
    assert right == round(48 * accuracy)
    assert right + wrong == 48


def resume(folder, **options):
    """The example about interruptions, as a process in a folder: 8 epochs of 45 steps."""
    command = [sys.executable, str(EXAMPLES / "resume.py"), "--epochs", "8"]
    variables = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    return subprocess.Popen(
        command, cwd=folder, env=variables, stderr=subprocess.PIPE, text=True, **options
    )


def test_a_run_goes_on_after_ctrl_c_as_if_nothing_had_happened(tmp_path):
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    whole.mkdir()
    parted.mkdir()
    process = resume(whole, stdout=subprocess.DEVNULL)
    process.communicate()
    assert process.returncode == 0
    for step in (20, 120):
        process = resume(parted, stdout=subprocess.PIPE)
        done = 0
        while done < step:
            read = os.read(process.stderr.fileno(), 4096).decode()
            assert read
            done = max(map(int, re.findall(r"(\d+)/360", read)), default=0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert "Traceback" not in err
        assert "stopped; start it again to go on from run.safetensors" in out
        assert process.returncode == 130
    process = resume(parted, stdout=subprocess.PIPE)
    out, _ = process.communicate()
    assert process.returncode == 0
    assert "goes on from run.safetensors: epoch" in out
    assert "of the test digits are read right" in out
    assert contents(whole / "run.safetensors") == contents(parted / "run.safetensors")
    assert (whole / "run.png").read_bytes() == (parted / "run.png").read_bytes()


def contents(path):
    """The header of a safetensors file, whose entries come in any order, and its bytes."""
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:end]), data[end:]
