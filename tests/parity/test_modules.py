"""Every module gives what PyTorch's gives: values, gradients, state, representation."""

import pytest

pytest.importorskip("torch")

from .modules import names, run


@pytest.mark.parametrize("name", names())
def test_module(name):
    assert run(name)
