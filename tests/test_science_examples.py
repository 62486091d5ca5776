"""The examples of solvers and long simulations give the numbers that they promise."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def load(monkeypatch, tmp_path):
    """The function that gives an example by name as a module; pictures go elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def check_picture(path):
    with Image.open(path) as image:
        assert image.size == (720, 440)
        assert len(image.convert("RGB").getcolors(1 << 20)) > 20


def test_hares_and_lynxes(load):
    rates = load("hares_and_lynxes").main([])
    # the published Bayesian fit, within its errors
    assert_allclose(rates[:4], [0.55, 0.028, 0.80, 0.024], rtol=0.04)
    check_picture("hares_and_lynxes.png")


def test_enzyme(load):
    example = load("enzyme")
    found, influence = example.main([])
    assert_allclose(found, [212.7, 0.0641], rtol=1e-3)  # as published
    change = np.full(12, 0.5)
    both = [example.fit(example.RATE + s * change)[0] for s in (1, -1)]
    assert_allclose(influence @ change, (both[0] - both[1]) / 2, rtol=1e-3)
    check_picture("enzyme.png")


def test_period_of_van_der_pols_oscillator(load):
    assert_allclose(load("van_der_pol").period(1.0), 6.66328686, atol=2e-8)  # as published


@pytest.mark.slow
def test_van_der_pol(load):
    example = load("van_der_pol")
    damping, slope = example.main([])
    assert_allclose(example.period(damping), 10.0, atol=1e-7)
    h = 1e-3
    assert_allclose(slope, (example.period(1 + h) - example.period(1 - h)) / (2 * h), rtol=1e-5)
    check_picture("van_der_pol.png")


def test_bratu(load):
    limit = load("bratu").main(["--grid", "7", "--points", "60"])
    assert abs(limit - 6.808124423) < 2e-3
    check_picture("bratu.png")


def test_heat_in_little_memory(load):
    arguments = ["--steps", "300", "--rounds", "4", "--budget", "60kB"]
    loss, equal = load("heat_in_little_memory").main(arguments)
    assert equal
    assert loss < 1e-2
    check_picture("heat.png")
