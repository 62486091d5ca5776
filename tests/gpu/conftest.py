"""The stand-in in the place of CuPy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tapegrad import backend
from tapegrad.torch import random
from tapegrad.torch.device import Devices

from . import standin


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two GPUs, whose CuPy is the stand-in."""
    monkeypatch.setitem(sys.modules, "cupy", standin.xp)
    monkeypatch.setattr(Devices, "used", False)
    monkeypatch.setattr(Devices, "default", None)
    monkeypatch.setattr(random, "of_devices", {})
    monkeypatch.setattr(standin.Device, "current", 0)
    backend.gpu.cache_clear()
    standin.counts.clear()
    yield standin.xp
    backend.gpu.cache_clear()
