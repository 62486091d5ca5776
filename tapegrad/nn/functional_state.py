"""Modules as pure functions: their state taken out, and given back in a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy
from numpy import ndarray

from .. import tree
from ..core.array import Array
from ..torch import func
from .parameter import as_parameter

__all__ = ["functional_call", "state"]


def state(module: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of a module, by name: two dictionaries of plain arrays.

    They are copies, so that training one does not change the other.

    >>> from tapegrad import nn
    >>> params, buffers = nn.state(nn.BatchNorm1d(2))
    >>> list(params), list(buffers)
    (['weight', 'bias'], ['running_mean', 'running_var', 'num_batches_tracked'])
    """
    params, buffers = (
        {name: numpy.array(x.raw) for name, x in named}
        for named in (module.named_parameters(), module.named_buffers())
    )
    return params, buffers


def functional_call(
    module: Any,
    parameters_and_buffers: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """``module(*args, **kwargs)`` with other values in place of its parameters and buffers.

    As `torch.func.functional_call`, for plain arrays and arrays of either face, so under all
    transforms: `args` is one argument, or a tuple of them. Buffers that the call changes, such as
    running averages, are changed in the dictionary that was given.

    >>> import numpy
    >>> import tapegrad as tg
    >>> from tapegrad import nn
    >>> model = nn.Linear(2, 1)
    >>> params, buffers = nn.state(model)
    >>> x = numpy.ones((3, 2), numpy.float32)
    >>> grads = tg.grad(lambda p: nn.functional_call(model, (p, buffers), x).sum())(params)
    >>> grads["bias"]
    array([3.], dtype=float32)
    """
    several = parameters_and_buffers
    dicts = [several] if isinstance(several, Mapping) else several
    given = [{name: as_parameter(x) for name, x in one.items()} for one in dicts]
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    return func.functional_call(
        module,
        given,
        tree.map(as_input, positional),
        tree.map(as_input, kwargs or {}),
        tie_weights=tie_weights,
        strict=strict,
    )


def as_input(x: Any) -> Any:
    """An argument of a call: arrays as tensors, all else as it is."""
    return as_parameter(x) if isinstance(x, Array | ndarray) else x
