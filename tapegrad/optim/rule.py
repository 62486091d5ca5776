"""`Rule`: what one optimiser does to one parameter, said once for in-place and for pure use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Options = Mapping[str, Any]
"""A group's options, under PyTorch's names."""

Arrays = dict[str, Any]

Fill = tuple[tuple[int, ...], Any]
"""A shape, and the number that an array begins with."""

NUMBERS = (float, int)
"""The types of plain numbers."""


def no_numbers(options: Options) -> dict[str, Any]:
    return {}


def no_arrays(options: Options, shape: tuple[int, ...]) -> dict[str, Fill]:
    return {}


@dataclass(frozen=True)
class Rule:
    """An update rule.

    coefficients
        ``coefficients(x, options, numbers)`` gives the state's numbers after the step, and all the
        numbers that `update` needs. `x` is the arithmetic: `Numbers`, or `Pure` if some are arrays.
    update
        ``update(k, p, g, state, c, options)`` gives the parameter and its arrays after the step.
        Of `options` it reads flags only. `k` is the arithmetic, `InPlace` or `Pure`.
    numbers
        ``numbers(options)``: the numbers that a parameter's state begins with.
    arrays
        ``arrays(options, shape)``: the arrays that it begins with.
    elementwise
        Whether elements do not see each other. Then `update` may be given a part of the arrays at
        a time, and of complex ones the real and imaginary parts; otherwise `k` is `Pure`.
    """

    coefficients: Callable[[Any, Options, dict[str, Any]], tuple[dict[str, Any], Any]]
    update: Callable[[Any, Any, Any, Arrays, Any, Options], tuple[Any, Arrays]]
    numbers: Callable[[Options], dict[str, Any]] = no_numbers
    arrays: Callable[[Options, tuple[int, ...]], dict[str, Fill]] = no_arrays
    elementwise: bool = True


def counting(options: Options) -> dict[str, Any]:
    """The numbers of a rule that counts its steps."""
    return {"step": 0.0}


def zeros(*names: str) -> Callable[[Options, tuple[int, ...]], dict[str, Fill]]:
    """Arrays of zeros, shaped like the parameter."""
    return lambda options, shape: dict.fromkeys(names, (shape, 0.0))


def is_zero(x: Any) -> bool:
    """Whether a number is known to be zero."""
    return type(x) in NUMBERS and x == 0


def weighing(options: Options) -> dict[str, Any]:
    """The coefficients that `descent` reads."""
    decay = options["weight_decay"]
    return {"weight_decay": decay, "keep": 1 - options["lr"] * decay}


def descent(k: Any, p: Any, g: Any, c: Any, options: Options) -> tuple[Any, Any]:
    """The parameter and the gradient to go down.

    Weight decay shrinks the parameter if it is decoupled, and else belongs to the gradient.
    """
    if options.get("maximize"):
        g = k.neg(g)
    if is_zero(options["weight_decay"]):
        return p, g
    if options.get("decoupled_weight_decay"):
        return k.mul_(p, c["keep"]), g
    return p, k.add(g, p, c["weight_decay"])
