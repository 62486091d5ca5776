"""autograd's checks draw their directions from NumPy's own generator: the same for every run."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def seeded():
    state = np.random.get_state()
    np.random.seed(0)
    yield
    np.random.set_state(state)
