"""The NumPy face as a whole: every name is there."""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path
from typing import Any

import numpy
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp


def public(namespace: Any) -> set[str]:
    return {name for name in dir(namespace) if not name.startswith("_")}


def test_every_public_name_of_numpy_is_there():
    assert public(numpy) <= public(tnp)
    for name in numpy.__all__:
        assert hasattr(tnp, name), name


def test_every_name_of_linalg_and_fft_is_there():
    assert public(numpy.linalg) <= public(tnp.linalg)
    assert public(numpy.fft) <= public(tnp.fft)


def test_unknown_names_raise():
    with pytest.raises(AttributeError, match="no_such_name"):
        exec("tnp.no_such_name", {"tnp": tnp})
    with pytest.raises(AttributeError, match="_private"):
        exec("tnp._private", {"tnp": tnp})


def test_no_module_of_the_face_is_forgotten():
    apart = {"decompositions", "fft", "linalg", "norms", "random", "reading"}
    for path in Path(tnp.__file__).parent.glob("*.py"):
        if path.stem in apart or path.stem.startswith("_"):
            continue
        module = importlib.import_module(f"tapegrad.numpy.{path.stem}")
        for name in getattr(module, "__all__", ()):
            assert getattr(tnp, name) is getattr(module, name) or name in tnp.standard.__all__, name


def test_completion_offers_public_names_only():
    assert {*tg.__all__, *tg.LOADED_WHEN_USED, "__version__"} <= set(dir(tg))
    assert not {"Any", "core", "import_module", "transforms"} & set(dir(tg))
    assert all(hasattr(tg, name) for name in dir(tg))
    assert set(dir(tnp)) == {name for name in dir(numpy) if not name.startswith("_")}
    with pytest.raises(AttributeError, match="module 'tapegrad' has no attribute 'gradients'"):
        exec("tg.gradients", {"tg": tg})


@pytest.mark.parametrize("name", ["numpy.sum", "numpy.sin", "numpy.linalg.norm", "numpy.fft.fft"])
def test_functions_say_where_they_are_from(name):
    path, _, own = f"tapegrad.{name}".rpartition(".")
    function = getattr(importlib.import_module(path), own)
    assert function.__module__ == path
    assert pickle.loads(pickle.dumps(function)) is function
