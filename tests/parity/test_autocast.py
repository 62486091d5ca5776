"""Under autocast, every entry of PyTorch's operator list gives PyTorch's values in its dtypes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import tapegrad.torch as ours
from tapegrad.torch.amp import policies

from . import opinfo
from .conversion import tensors, to_numpy, to_ours

REFUSED = "linalg.pinv:singular"
"""What PyTorch refuses: products in half precision come before."""

LISTED = policies.HALF | policies.ROUNDED | policies.SINGLE | policies.WIDEST


def is_concerned(op):
    """Whether an entry is in autocast's lists, or stands for layers that are made of such."""
    name = op.name.rpartition(".")[2]
    return name in LISTED or op.name.startswith(("nn.functional", "linalg"))


CASES = [
    pytest.param(op, id=opinfo.full_name(op))
    for op in opinfo.in_scope()
    if torch.float32 in op.dtypes and is_concerned(op) and opinfo.full_name(op) != REFUSED
]


@pytest.mark.parametrize("op", CASES)
def test_agrees_with_pytorch(op):
    function = opinfo.wrapped(op, opinfo.counterpart(op), True)
    torch.manual_seed(0)
    for sample in opinfo.chosen(op.sample_inputs("cpu", torch.float32), 2):
        given = to_ours((sample.input, sample.args, sample.kwargs))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = result(sample.output_process_fn_grad, op, sample)
            if theirs is None:
                continue
            with ours.autocast("cpu"):
                own = opinfo.processed(sample)(function(given[0], *given[1], **given[2]))
        for x, y in zip(tensors(theirs), tensors(own), strict=True):
            assert str(x.dtype) == str(y.dtype)
            if x.dtype.is_floating_point and not opinfo.draws(op, sample):
                expected = to_numpy(x).astype(float)
                size = np.abs(expected[np.isfinite(expected)]).max(initial=0)
                found = np.asarray(y.raw).astype(float)
                np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.02 * (1 + size))


def result(process, op, sample):
    """What PyTorch gives for a sample; None where it refuses it."""
    function = opinfo.wrapped(op, op.op, False)
    try:
        with torch.autocast("cpu"):
            return process(function(sample.input, *sample.args, **sample.kwargs))
    except RuntimeError:
        return None
