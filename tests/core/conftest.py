"""Every test of the core begins and ends outside of all transforms, and with an empty tape."""

import numpy as np
import pytest

from tapegrad.core.modes import is_grad_enabled
from tapegrad.core.tape import local, shared


@pytest.fixture(autouse=True)
def _own_tape(monkeypatch):
    monkeypatch.setattr(shared, "imperative", False)
    del local.root[:]
    yield
    assert local.tape is local.root
    assert is_grad_enabled()
    assert not local.root.marks
    del local.root[:]


@pytest.fixture
def rng():
    return np.random.default_rng(0)
