"""`Field`: the right-hand side of an ODE as a function of its parameters, and its derivatives.

A solver evaluates these thousands of times. So an evaluation records on a tape of its own, where
nothing else is tracked and every rule runs on raw arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy

from ...backend import is_inexact
from ...core.array import Array, untracked
from ...core.lanes import pull_lanes
from ...core.level import Level
from ...core.mutation import rebind
from ...core.record import raw
from ...core.tape import Tape, local, quietly, set_current
from ...core.walk import collect, plain_sweep
from ...numpy.dispatch import np
from ...numpy.operands import operand
from . import errors
from .closures import Opened

FEW = 8
"""Up to this many rows, a Jacobian's are pulled one after the other: that is faster."""


class RightHandSide(ABC):
    """A function of time, state and parameters that a solver integrates; `name` is for errors."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def bound(self, params: Sequence[Any]) -> Callable[[Any, Any], Any]:
        """``f(t, y)`` with values for the parameters. Gives an array or a list of numbers."""

    def __call__(self, t: Any, y: Any, params: Sequence[Any]) -> Any:
        """The derivative of the state as one array, recorded as far as the arguments are."""
        return np.reshape(operand(self.bound(params)(t, y)), (-1,))

    def plain(self, params: Sequence[Any]) -> Callable[[Any, Any], Any]:
        """``f(t, y)`` on raw arrays, as a solver wants it. To be called on an isolated tape."""
        func = self.bound(params)

        def plain(t: Any, y: Any) -> Any:
            out = func(t, y)
            if type(out) is numpy.ndarray:
                return out
            for x in out if isinstance(out, list | tuple) else (out,):
                if isinstance(x, Array) and x.slot:
                    raise errors.hidden_parameter(self.name)
            return [raw(x) for x in out] if isinstance(out, list | tuple) else raw(out)

        return plain

    def jacobian(self, params: Sequence[Any], n: int) -> Callable[[Any, Any], Any]:
        """The exact Jacobian in the `n` numbers of the state, as a function of time and state."""
        evaluate = self.evaluator(params)
        return lambda t, y: evaluate(t, y).jacobian()[:, :n]

    def check(self, t: Any, y: Any, params: Sequence[Any]) -> None:
        """Raise if the value depends on recorded arrays that are not parameters."""
        self.plain([raw(p) for p in params])(raw(t), raw(y))

    def plain_array(self, params: Sequence[Any]) -> Callable[[Any, Any], Any]:
        """As `plain`, with the value as a vector."""
        plain = self.plain(params)
        return lambda t, y: numpy.atleast_1d(numpy.asarray(plain(t, y), dtype=float))

    def evaluator(self, params: Sequence[Any]) -> Callable[[Any, Any], Evaluation]:
        """Evaluations ``(t, y)`` with derivatives. To be called on an isolated tape."""
        holders = [untracked(p) if is_inexact(p.dtype) else p for p in params]
        function = self.bound(holders)  # once: each evaluation makes leaves of the same objects
        varied = [(x, p) for x, p in zip(holders, params, strict=True) if x is not p]
        sizes = [p.size for _, p in varied]

        def evaluate(t: Any, y: Any) -> Evaluation:
            level = Level()
            leaf = level.leaf(y)
            for x, p in varied:
                rebind(x, level.leaf(p))
                x.views = []
            with level:
                return Evaluation(level, function(t, leaf), [y.size, *sizes])

        return evaluate


class Field(RightHandSide):
    """``func(t, y, *args)`` as a function of `t`, `y` and the recorded arrays in it, `arrays`.

    These are found in `args` and in what `func` closes over; and in `events`, further functions of
    the same arguments.
    """

    __slots__ = ("arrays", "opened", "tfirst")

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        tfirst: bool = True,
        events: Sequence[Callable[..., Any]] = (),
    ) -> None:
        super().__init__(name)
        self.tfirst = tfirst
        self.opened = Opened((func, args, tuple(events)))
        self.arrays = self.opened.arrays

    def bound(self, params: Sequence[Any]) -> Callable[[Any, Any], Any]:
        func, args, _ = self.opened.filled(list(params))
        if self.tfirst:
            return lambda t, y: func(t, y, *args)
        return lambda t, y: func(y, t, *args)

    def event(self, index: int, params: Sequence[Any]) -> Callable[[Any, Any], Any]:
        """The event function at `index`, with values for the parameters."""
        _, args, events = self.opened.filled(list(params))
        return lambda t, y: events[index](t, y, *args)


@contextmanager
def isolated() -> Iterator[None]:
    """A fresh tape as this thread's only one."""
    before = local.root, local.tape
    local.root = Tape()
    set_current(local.root)
    try:
        yield
    finally:
        local.root = before[0]
        set_current(before[1])


class Evaluation:
    """The value of a field, and products with its Jacobian with respect to state and parameters.

    Parameters that are not floating point have no derivative, and no place in the Jacobian.
    """

    __slots__ = ("listed", "scalar", "sizes", "slots", "value", "walk")

    def __init__(self, level: Level, out: Any, sizes: list[int]) -> None:
        self.sizes = sizes
        self.listed = isinstance(out, list | tuple)
        outs = out if self.listed else [out]
        self.slots = [x.slot if level.depends(x) else 0 for x in outs]
        self.walk = level.walk()
        value = numpy.asarray([raw(x) for x in outs] if self.listed else raw(out), dtype=float)
        self.scalar = value.ndim == 0
        self.value = numpy.atleast_1d(value)

    def seeds(self, g: Any) -> dict[int, Any]:
        """Cotangents by slot: the last axis of `g` is that of the state."""
        if not self.listed:
            (slot,) = self.slots
            return {slot: g[..., 0] if self.scalar else g} if slot else {}
        found: dict[int, Any] = {}
        for i, slot in enumerate(self.slots):
            if slot:
                found[slot] = found[slot] + g[..., i] if slot in found else g[..., i]
        return found

    def pull(self, g: Any) -> Any:
        """``g @ J``, with `J` of the state and then of all parameters, as one vector."""
        seeds = self.seeds(g)
        if not seeds:
            return numpy.zeros(sum(self.sizes))
        if self.walk.inner is not None:
            pulled = self.walk.pull(seeds)
        else:
            with quietly(self.walk.steep):
                pulled = collect(plain_sweep(self.walk.entries, seeds), self.walk.slots)
        return numpy.concatenate(
            [
                numpy.zeros(size) if d is None else raw(d).reshape(-1)
                for d, size in zip(pulled, self.sizes, strict=True)
            ]
        )

    def jacobian(self) -> Any:
        """The matrix `J`, of shape (n, n + number of parameters)."""
        n = len(self.value)
        identity = numpy.eye(n)
        if n <= FEW or not any(self.slots):
            return numpy.stack([self.pull(row) for row in identity])
        pulled = pull_lanes(self.walk, self.seeds(identity), n)
        return numpy.concatenate(
            [
                numpy.zeros((n, size)) if d is None else raw(d).reshape(n, size)
                for d, size in zip(pulled, self.sizes, strict=True)
            ],
            axis=1,
        )


Evaluator = Callable[[Any, Any], Evaluation]
