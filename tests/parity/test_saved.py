"""The table of what may be changed in place after an operation has saved it is PyTorch's."""

import pytest

torch = pytest.importorskip("torch")

from tests.torch.test_saved import CASES, changed, operands  # noqa: E402


@pytest.mark.parametrize(("expression", "allowed"), CASES)
def test_table(expression, allowed):
    assert allowed == "".join(
        which for which in operands(expression) if changed(torch, expression, which) is not None
    )
