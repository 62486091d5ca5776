"""Every test of the core begins and ends outside of all transforms, and with an empty tape."""

import numpy as np
import pytest

from tapegrad.core.modes import is_grad_enabled
from tapegrad.core.tape import hooks, leaves, local, set_current, shared


@pytest.fixture(autouse=True)
def _own_tape(monkeypatch):
    monkeypatch.setattr(shared, "imperative", False)
    others = dict(leaves)  # of other tests: at the top of a module, or in a traceback
    leaves.clear()
    hooks.clear()
    del local.root[:]
    yield
    leaves.update(others)
    clean = is_grad_enabled() and local.tape is local.root and not local.root.marks
    set_current(local.root)
    local.root.marks.clear()
    del local.root[:]
    assert clean, "the test left a mode or a transform behind"


@pytest.fixture
def rng():
    return np.random.default_rng(0)
