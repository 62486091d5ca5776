"""A call of NumPy must agree with itself on recorded arrays: in value, dtype, shape, derivatives.

The call is written with plain `numpy`. On ndarrays NumPy computes it, and differences of that are
what the derivatives are compared with; on recorded arrays it is this package's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import tree
from tapegrad.core.op import Op
from tests.ops import check

OLDER = np.lib.NumpyVersion(np.__version__) < "2.4.6"
"""Whether NumPy is one of the versions from 2.3 on whose dtypes and roundings differ here and there
from the latest, whose results are those of this package."""

latest = pytest.mark.skipif(OLDER, reason="older versions of NumPy give another dtype, or raise")


def flat(call: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    """The call with its results, however they are nested, as a tuple."""
    return lambda *xs: tuple(tree.leaves(call(*xs)))


def agree(call: Callable[..., Any], *inputs: Any, lanes: bool = True, order: int = 2) -> None:
    """Compare values, derivatives up to `order`, and `vmap` with a loop where `lanes` is true."""
    call = flat(call)
    expected = call(*inputs)
    values = tg.vjp(call, *inputs)[0]
    assert len(values) == len(expected)
    for value, x in zip(values, expected, strict=True):
        assert value.dtype == x.dtype
        assert value.shape == x.shape
        np.testing.assert_allclose(value, x, rtol=1e-12, atol=1e-14)
    op = Op(
        "call",
        forward=call,
        vjp=lambda g, _out, *_inputs: g,
        jvp=None,
        outputs=len(expected),
    )
    op.function = call
    check.check_derivatives(op, inputs, {}, order)
    if lanes:
        check.check_batch(op, inputs, {})


def gradient(call: Callable[..., Any], *inputs: Any, argnums: int = 0) -> Any:
    """The gradient of the sum of a call's result."""
    return tg.grad(lambda *xs: np.sum(call(*xs)), argnums)(*inputs)


def second(call: Callable[..., Any], x: Any, t: Any) -> Any:
    """The derivative along `t` of the gradient of the sum of a call's result."""
    return tg.jvp(tg.grad(lambda x: np.sum(call(x))), (x,), (t,))[1]
