"""Training steps of modules on the stand-in: few kernels, nothing copied, nothing waited for."""

from __future__ import annotations

import numpy as np
import pytest

from .modules import MODELS, training
from .standin import counts

pytestmark = pytest.mark.usefixtures("gpus")

MOST = {"MLP": 41, "images": 105, "transformer block": 133}
"""At most so many kernels a step, AdamW's included, which is one."""


@pytest.mark.parametrize("name", MODELS)
def test_a_step(name):
    losses = []
    for device in ("cpu", "cuda"):
        step = training(MODELS[name], device)
        step()
        counts.clear()
        loss = step()
        seen = counts.copy()
        losses.append(loss.item())
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
    assert not seen["waits"]
    assert not seen["downloads"]
    assert seen["uploads"] == 1  # the addresses of what the optimiser updates
    assert seen["launches"] <= MOST[name]
