"""Sensitivities: the derivative of the state in initial state and parameters, integrated with it.

Along a solution y(t), the matrix S = dy/d(initial state, parameters) obeys dS/dt = J S + df/dp, and
a tangent, its product with a vector, obeys the same equation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ...backend import is_inexact
from ...numpy.dispatch import np
from ...ops.linear import cast
from ...transforms.linearize import jvp, vjp
from .field import RightHandSide, isolated
from .solvers import Ivp, Odeint

DOUBLE = numpy.dtype(float)


class Pulling:
    """Cotangents `g` of the states `out`, and how the inputs' cotangents follow from products.

    A solver's inputs are the initial state, the times and the parameters. What is integrated are
    derivatives in the initial state and the parameters, side by side in one vector. Those in the
    times follow: a state moves along f with its own time, and against it with the initial one.
    """

    __slots__ = ("g", "out", "params", "times", "wanted", "y0")

    def __init__(
        self,
        g: Any,
        out: Any,
        y0: Any,
        times: Any,
        params: Sequence[Any],
        wanted: tuple[bool, ...],
    ) -> None:
        self.g = g
        self.out = out
        self.y0 = y0
        self.times = times
        self.params = params
        self.wanted = wanted

    def initial(self) -> bool:
        """Whether derivatives in the initial state are needed: also those in the times are."""
        return self.wanted[0] or self.wanted[1]

    def columns(self) -> int:
        """The number of derivatives side by side."""
        return self.y0.size + sum(p.size for p in self.params if is_inexact(p.dtype))

    def results(self, total: Any, f: Callable[[Any, Any], Any]) -> list[Any]:
        """The inputs' cotangents, given those of initial state and parameters as one vector."""
        n = self.y0.size
        pulled: list[Any] = [None] * len(self.wanted)
        if self.wanted[0]:
            pulled[0] = cast(total[:n], self.y0.dtype)
        if self.wanted[1]:
            pulled[1] = self.of_times(total[:n], f)
        start = n
        for i, p in enumerate(self.params, 2):
            if is_inexact(p.dtype):
                if self.wanted[i]:
                    own = np.reshape(total[start : start + p.size], p.shape)
                    pulled[i] = cast(own, p.dtype)
                start += p.size
        return pulled

    def of_times(self, initial: Any, f: Callable[[Any, Any], Any]) -> Any:
        """The cotangent of the times, given that of the initial state."""
        rates = np.stack([f(self.times[i], self.out[i]) for i in range(len(self.out))])
        first = np.sum((self.g[0] - initial) * rates[0])
        others = np.sum(self.g[1:] * rates[1:], axis=1)
        return cast(np.concatenate([np.reshape(first, (1,)), others]), self.times.dtype)


def pull_forward(field: RightHandSide, solver: Odeint | Ivp, pulling: Pulling) -> list[Any]:
    """The inputs' cotangents, by forward sensitivities; on raw arrays."""
    y0, times, params = pulling.y0, pulling.times, pulling.params
    n = y0.size
    larger = SensitivityField(field, n, params, pulling.initial())
    columns = larger.columns
    start = numpy.concatenate([y0.astype(DOUBLE), larger.start()])
    with isolated():
        states = solver.extended(n, n * columns).solve(
            larger.plain(params), start, times, larger.jacobian(params, start.size)
        )
        matrices = states[:, n:].reshape(len(times), n, columns)
        total = larger.completed(numpy.einsum("ti,tik->k", pulling.g, matrices))
        return pulling.results(total, field.plain_array(params))


class SensitivityField(RightHandSide):
    """The right-hand side for a state and its matrix of sensitivities, as one vector.

    The sensitivities are those to the initial state, if `initial`, and to the parameters.
    """

    __slots__ = ("columns", "field", "initial", "n")

    def __init__(self, field: RightHandSide, n: int, params: Sequence[Any], initial: bool) -> None:
        super().__init__(field.name)
        self.field = field
        self.n = n
        self.initial = initial
        self.columns = sum(p.size for p in params if is_inexact(p.dtype)) + (n if initial else 0)

    def start(self) -> Any:
        """The initial sensitivities: 1 for the initial state, 0 for parameters."""
        start = numpy.zeros((self.n, self.columns))
        if self.initial:
            start[:, : self.n] = numpy.eye(self.n)
        return start.reshape(-1)

    def completed(self, total: Any) -> Any:
        """Products with all sensitivities, 0 for those to an initial state that is not there."""
        return total if self.initial else np.concatenate([numpy.zeros(self.n), total])

    def direction(self, initial: Any, tangents: Sequence[Any], params: Sequence[Any]) -> Any:
        """Tangents of initial state and parameters, None for none, as a vector to multiply with."""
        parts = [cast(initial, DOUBLE)] if self.initial else []
        for t, p in zip(tangents, params, strict=True):
            if is_inexact(p.dtype):
                parts.append(
                    numpy.zeros(p.size) if t is None else np.reshape(cast(t, DOUBLE), (-1,))
                )
        return np.concatenate(parts)

    def bound(self, params: Sequence[Any]) -> Callable[[Any, Any], Any]:
        n, columns = self.n, self.columns
        varied = [i for i, p in enumerate(params) if is_inexact(p.dtype)]

        def f(t: Any, z: Any) -> Any:
            def inner(y: Any, *some: Any) -> Any:
                filled = list(params)
                for i, p in zip(varied, some, strict=True):
                    filled[i] = p
                return self.field(t, y, filled)

            value, pullback = vjp(inner, z[:n], *(params[i] for i in varied))
            rows = [
                np.concatenate([np.reshape(d, (-1,)) for d in pullback(row)])
                for row in numpy.eye(n)
            ]
            return self.rates(value, np.stack(rows), np.reshape(z[n:], (n, columns)))

        return f

    def plain(self, params: Sequence[Any]) -> Callable[[Any, Any], Any]:
        n, columns = self.n, self.columns
        evaluate = self.field.evaluator(params)

        def plain(t: Any, z: Any) -> Any:
            evaluation = evaluate(t, z[:n])
            jacobian = evaluation.jacobian()
            return self.rates(evaluation.value, jacobian, z[n:].reshape(n, columns))

        return plain

    def rates(self, value: Any, jacobian: Any, matrix: Any) -> Any:
        """The rates of change of state and sensitivities."""
        n = self.n
        moved = jacobian[:, :n] @ matrix
        direct = jacobian[:, n:]
        if self.initial:
            direct = np.concatenate([numpy.zeros((n, n)), direct], axis=1)
        return np.concatenate([value, np.reshape(moved + direct, (-1,))])


class TangentField(RightHandSide):
    """The right-hand side for a state and one tangent of it.

    Its parameters are those of `field`, and then the tangents of those marked in `varied`.
    """

    __slots__ = ("field", "n", "varied")

    def __init__(self, field: RightHandSide, n: int, varied: Sequence[bool]) -> None:
        super().__init__(field.name)
        self.field = field
        self.n = n
        self.varied = [i for i, has in enumerate(varied) if has]

    def bound(self, params: Sequence[Any]) -> Callable[[Any, Any], Any]:
        n = self.n
        own = params[: len(params) - len(self.varied)]
        tangents = params[len(own) :]

        def f(t: Any, z: Any) -> Any:
            def inner(y: Any, *some: Any) -> Any:
                filled = list(own)
                for i, p in zip(self.varied, some, strict=True):
                    filled[i] = p
                return self.field(t, y, filled)

            primals = (z[:n], *(own[i] for i in self.varied))
            return np.concatenate(jvp(inner, primals, (z[n:], *tangents)))

        return f
