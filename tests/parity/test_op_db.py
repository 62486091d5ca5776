"""Every entry of PyTorch's operator list that is in scope, on PyTorch's own samples.

A few samples an entry by default, a few dozen with `--slow`.
"""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from . import opinfo, scope

CASES = [
    pytest.param(op, dtype, id=f"{opinfo.full_name(op)}-{str(dtype).removeprefix('torch.')}")
    for op in opinfo.in_scope()
    for dtype in opinfo.dtypes_of(op)
]


@pytest.mark.parametrize(("op", "dtype"), CASES)
def test_agrees_with_pytorch(op, dtype, request):
    count = opinfo.SAMPLES if request.config.getoption("--slow") else opinfo.FEW_SAMPLES
    assert opinfo.outcome(op, dtype, count) == "passed"


def test_what_is_left_out_is_in_the_list():
    names = {opinfo.full_name(op) for op in opinfo.op_db}
    assert set(scope.LEFT_OUT) <= names
