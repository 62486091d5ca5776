"""Runge-Kutta methods of fixed steps, differentiated through their steps.

The derivative is that of the numbers that come out, to rounding: of the discrete method, not of the
equation. Every transform works, of every order. Long integrations fit into little memory with
`tapegrad.checkpoint(function, budget=...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...numpy.dispatch import np
from ...numpy.operands import operand

Function = Callable[..., Any]

DOPRI5 = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
"""The stages of Dormand and Prince (1980): the weights of the slopes before each."""

DOPRI5_NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
DOPRI5_WEIGHTS = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)


def rk4(func: Function, y0: Any, t: Any, args: tuple[Any, ...] = (), *, steps: int = 1) -> Any:
    """The states at the times `t` by the classical method of order 4, shape ``(times, *y0.shape)``.

    ``func(t, y, *args)`` gives the derivative of the state, an array of any shape. There are
    `steps` equal steps from each time to the next.

    >>> import tapegrad as tg
    >>> end = lambda k: rk4(lambda t, y, k: -k * y, 2.0, [0.0, 1.0], (k,), steps=10)[-1]
    >>> print(round(tg.grad(end)(0.5), 6))
    -1.213061
    """
    return integrate(_rk4_step, func, y0, t, args, steps)


def dopri5(func: Function, y0: Any, t: Any, args: tuple[Any, ...] = (), *, steps: int = 1) -> Any:
    """As `rk4`, by the method of order 5 of Dormand and Prince: that of "RK45", of fixed steps.

    >>> import tapegrad as tg
    >>> end = lambda k: dopri5(lambda t, y, k: -k * y, 2.0, [0.0, 1.0], (k,), steps=10)[-1]
    >>> print(round(tg.grad(end)(0.5), 8))
    -1.21306132
    """
    return integrate(_dopri5_step, func, y0, t, args, steps)


def integrate(
    step: Function, func: Function, y0: Any, t: Any, args: tuple[Any, ...], steps: int
) -> Any:
    """The states at all times, by equal steps of a method in between."""
    if steps < 1:
        raise ValueError(f"there must be at least one step from a time to the next, not {steps}.")
    t = operand(t)
    y = operand(y0)
    states = [y]

    def f(t: Any, y: Any) -> Any:
        return operand(func(t, y, *args))

    for i in range(t.shape[0] - 1):
        h = (t[i + 1] - t[i]) / steps
        for k in range(steps):
            y = step(f, t[i] + k * h, y, h)
        states.append(y)
    return np.stack(states)


def _rk4_step(f: Function, t: Any, y: Any, h: Any) -> Any:
    half = 0.5 * h
    k1 = f(t, y)
    k2 = f(t + half, y + half * k1)
    k3 = f(t + half, y + half * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)


def _dopri5_step(f: Function, t: Any, y: Any, h: Any) -> Any:
    slopes = [f(t, y)]
    for node, weights in zip(DOPRI5_NODES, DOPRI5, strict=True):
        slopes.append(f(t + node * h, y + h * combined(weights, slopes)))
    return y + h * combined(DOPRI5_WEIGHTS, slopes)


def combined(weights: tuple[float, ...], slopes: list[Any]) -> Any:
    """The weighted sum of slopes."""
    total = weights[0] * slopes[0]
    for weight, slope in zip(weights[1:], slopes[1:], strict=True):
        if weight:
            total = total + weight * slope
    return total
