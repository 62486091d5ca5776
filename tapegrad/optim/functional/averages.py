"""Averages of parameters, as a last stage: what comes in goes on, its average is in the state."""

from __future__ import annotations

from typing import Any

import numpy

from ...core.op import table
from ..arithmetic import Pure
from ..updating import like
from .stage import Stage, apply


def copied(params: Any) -> Any:
    """A tree with memory of its own."""
    return apply(table["identity"].function, params)


def ema(decay: float = 0.999) -> Stage:
    """An exponential moving average, ``decay * average + (1 - decay) * x``, under "average".

    It begins as the parameters are at the start.
    """

    def update(x: Any, state: dict[str, Any], params: Any) -> tuple[Any, dict[str, Any]]:
        average = apply(lambda a, b: Pure.lerp_(a, b, 1 - decay), state["average"], x)
        return x, {"average": average}

    return Stage(lambda params: {"average": copied(params)}, update)


def mean() -> Stage:
    """The mean of all values so far, under "average"; how many they are is under "count"."""

    def init(params: Any) -> dict[str, Any]:
        return {"average": copied(params), "count": numpy.float64(0)}

    def update(x: Any, state: dict[str, Any], params: Any) -> tuple[Any, dict[str, Any]]:
        count = state["count"] + 1

        def next_mean(a: Any, b: Any) -> Any:
            return Pure.lerp_(a, b, like(1 / count, a.dtype))

        return x, {"average": apply(next_mean, state["average"], x), "count": count}

    return Stage(init, update)
