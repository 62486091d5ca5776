"""Functions that run once, and from then on as what was recorded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ....backend import as_data
from ....core.array import Array
from ....core.program import Program, trace
from ....core.record import raw
from ....core.tape import ReplayTape
from ....inspect.record import outside
from ....transforms.flat import FlatCall, is_array
from .. import errors
from ..wrap_util import wraps


def const_graph(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """`fun` with its first arguments and keywords given, as a function of the others.

    Its operations are recorded in the first call, and run again in later ones. What does not depend
    on the other arguments is computed once, and Python's branches stay as they were.
    """
    recorded: list[tuple[FlatCall, Program, list[Any]]] = []
    partial = functools.partial(fun, *args, **kwargs)

    @wraps(fun)
    def _fun(*others: Any) -> Any:
        call = FlatCall(partial, others, {}, choose)
        inputs = [x if isinstance(x, Array) else as_data(x) for x in call.inputs()]
        if recorded:
            first, program, captured = recorded[0]
            return first.rebuild(program.run(*inputs, *captured))
        tape = ReplayTape("const_graph")
        traced = trace(call, list(map(raw, inputs)), [False] * len(inputs), tape)
        if all(type(output) is tuple for output in traced.outputs):
            raise errors.independent_of_input()
        recorded.append((call, *traced.closed()))
        return call.rebuild(outside(traced, tape, inputs))

    return _fun


def choose(_place: int, x: Any) -> bool:
    """Whether a leaf of the arguments is an input of the recorded program."""
    return is_array(x) or type(x) in (float, complex)
